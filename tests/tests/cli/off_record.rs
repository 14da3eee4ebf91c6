//! `myao off` and `myao on`: the operator says what is not to be remembered.

use std::time::{SystemTime, UNIX_EPOCH};

use myao_tests::export::{START, post, program_with, write_export};
use myao_tests::program::Program;
use rusqlite::Connection;
use serde_json::json;

fn texts(program: &Program) -> Vec<String> {
    let database = Connection::open(program.path("myao.db")).unwrap();
    let sql = "SELECT text FROM messages WHERE deleted_at IS NULL ORDER BY ts_key";
    let mut statement = database.prepare(sql).unwrap();
    let texts = statement.query_map([], |row| row.get(0)).unwrap();
    texts.map(Result::unwrap).collect()
}

/// The minute after this one, as posts of exports count them.
fn next_minute() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    (i64::try_from(now.as_secs()).unwrap() - START) / 60 + 1
}

#[test]
fn what_a_person_says_off_the_record_is_not_stored() {
    let said = [
        post("general", 0, "ann", "We meet at nine."),
        post("general", 1, "ben", "Fine."),
    ];
    let program = program_with("", &said);
    let nobody = program.run(&["off"]).output();
    assert_eq!(nobody, "Everybody and every channel is remembered.\n");
    let off = program.run(&["off", "--user", "ann"]).output();
    assert!(
        off.starts_with("From now on nothing is remembered of ann (UANN)\n"),
        "{off}"
    );
    assert!(off.contains("forget --user UANN"), "{off}");
    let again = program.run(&["off", "--user", "@ann"]).output();
    assert!(
        again.starts_with("Already off the record: ann (UANN)"),
        "{again}"
    );
    let listed = program.run(&["off"]).output();
    assert!(listed.starts_with("ann (UANN), since 20"), "{listed}");
    let later = next_minute();
    let said = [
        post("general", later, "ann", "The code is 4711."),
        post("general", later + 1, "ben", "I am late."),
    ];
    write_export(&program, &said);
    program.run(&["import", "export"]).succeeded();
    assert_eq!(texts(&program), ["We meet at nine.", "Fine.", "I am late."]);
    let on = program.run(&["on", "--user", "ann"]).output();
    assert_eq!(on, "Remembered from now on: ann (UANN)\n");
    assert_eq!(program.run(&["on"]).output(), nobody);
}

#[test]
fn channels_are_listed_before_people_with_their_ids() {
    let said = [post("general", 0, "ann", "We meet at nine.")];
    let program = program_with("", &said);
    let off = program.run(&["--json", "off", "--channel", "#general"]);
    let expected = json!({ "channel_id": "CGENERAL", "off_record": true, "changed": true });
    assert_eq!(off.json(), expected);
    program.run(&["off", "--user", "UANN"]).succeeded();
    let listed = program.run(&["--json", "off"]).json();
    assert_eq!(listed[0]["channel_id"], "CGENERAL");
    assert_eq!(listed[1]["user_id"], "UANN");
    assert!(listed[1]["since"].as_str().unwrap().starts_with("20"));
    let both = program.run(&["on", "--channel", "general", "--user", "ann"]);
    assert_eq!(both.code, Some(2), "{both:?}");
    let unknown = program.run(&["off", "--user", "anne"]);
    unknown.is_refused_with(&["did you mean `ann` (UANN)?"]);
    let on = program
        .run(&["--json", "on", "--channel", "general"])
        .json();
    assert_eq!(on["changed"], true);
    let again = program.run(&["--json", "on", "--channel", "general"]);
    assert_eq!(again.json()["changed"], false);
}
