//! `myao audit`: what people and the operator did, by ids.

use myao_fake_slack::FakeSlack;
use myao_tests::bot::Bot;
use myao_tests::page::Served;
use myao_tests::postgres::ServerDatabase;
use myao_tests::program::Program;
use myao_tests::team::{page_keys, signed_in, token};
use serde_json::{Value, json};

use crate::bot::support::{
    AKARI, AKARI_NAME, CAMP, EMIKO, EMIKO_NAME, block_on, connect_as, workspace,
};

/// The entries, as a script reads them.
fn entries(program: &Program) -> Vec<Value> {
    let listed = program.run(&["audit", "--json"]).output();
    let lines = listed.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Waits until the log has one more entry than before, so that their order is that of the acts.
#[track_caller]
fn noted(bot: &mut Bot, count: usize) {
    bot.until(&format!("{count} entries"), |program| {
        (entries(program).len() >= count).then_some(())
    });
}

/// An entry without its time and what it is not about.
fn brief(entry: &Value) -> Value {
    let mut entry = entry.clone();
    let fields = entry.as_object_mut().unwrap();
    assert!(
        fields
            .remove("time")
            .unwrap()
            .as_str()
            .unwrap()
            .contains('T')
    );
    // An actor who is not known is told.
    fields.retain(|key, value| key == "actor" || !value.is_null());
    entry
}

fn command(slack: &FakeSlack, user: &str, text: &str) {
    let answer = block_on(slack.slash_command(user, CAMP, "/memory", text));
    answer.payload.expect("an answer in the acknowledgement");
}

/// Several acts at every door, and what the log has of them. `more` is added to the configuration.
fn each_act_is_listed(program: Program, more: impl FnOnce(&str) -> String) {
    let slack = workspace();
    slack.add_member(CAMP, AKARI);
    let (address, keys, page) = page_keys();
    let mut bot = connect_as(&slack, program, &keys, &more(&page));
    bot.caught_up();
    let correction = slack.mention(AKARI, CAMP, "訂正: 熱海は25日", None);
    noted(&mut bot, 1);
    slack.delete(CAMP, &correction);
    noted(&mut bot, 2);
    let code = slack.post(AKARI, CAMP, "暗証番号は K4711 です", None);
    slack.pin(EMIKO, CAMP, &code);
    noted(&mut bot, 3);
    slack.mention(AKARI, CAMP, "忘れて", Some(&code));
    noted(&mut bot, 4);
    command(&slack, EMIKO, "off me");
    let mut akari = signed_in(&slack, address, AKARI);
    akari.agent_token();
    let me = akari.get("/me.json").json();
    let id = &me["tokens"][0]["id"];
    let form = format!("token={}&do=withdraw&id={id}", token(&akari.get("/me")));
    assert_eq!(akari.post("/me", &form).status, 303);
    let served = Served::opened(bot.stop());
    let program = &served.program;
    program.run(&["off", "--channel", CAMP]).succeeded();
    let receipt = program.run(&["forget", "--user", AKARI]).output();
    assert!(receipt.contains("Kept: the audit log"), "{receipt}");

    let entries = entries(program);
    let message = |ts: &str, actor: Value, action: &str| json!({ "actor": actor, "door": "slack", "action": action, "channel_id": CAMP, "ts": ts });
    let mut forgotten = message(&code, json!(AKARI), "forget");
    forgotten["erased"] = json!({ "messages": 1, "lines": 0, "memories": 0 });
    let token = |action: &str| json!({ "actor": AKARI, "door": "page", "action": action, "user_id": AKARI, "token": id });
    let expected = [
        message(&correction, json!(AKARI), "correct"),
        message(&correction, Value::Null, "undo-correction"),
        message(&code, json!(EMIKO), "pin"),
        forgotten,
        json!({ "actor": EMIKO, "door": "slack", "action": "off-record", "user_id": EMIKO }),
        json!({ "actor": AKARI, "door": "page", "action": "sign-in" }),
        token("make-token"),
        token("remove-token"),
        json!({ "actor": "operator", "door": "page", "action": "sign-in" }),
        json!({ "actor": "operator", "door": "cli", "action": "off-record", "channel_id": CAMP }),
    ];
    let (last, before) = entries.split_last().unwrap();
    assert_eq!(before.iter().map(brief).collect::<Vec<_>>(), expected);
    assert_eq!(
        (&last["actor"], &last["action"], &last["user_id"]),
        (&json!("operator"), &json!("forget"), &json!(AKARI))
    );

    let shown = program.run(&["audit"]).output();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), entries.len(), "{shown}");
    let pinned = format!("slack  {EMIKO}      pin              {CAMP}:{code}");
    assert!(lines[2].ends_with(&pinned), "{shown}");
    for said in ["熱海", "K4711", "laptop", AKARI_NAME, EMIKO_NAME] {
        let json = serde_json::to_string(&entries).unwrap();
        assert!(
            !shown.contains(said) && !json.contains(said),
            "{said}: {shown}"
        );
    }
    let since = |time: &str| program.run(&["audit", "--json", "--since", time]).output();
    assert_eq!(since("2000-01-01").lines().count(), entries.len());
    assert_eq!(since("2100-01-01"), "");
}

#[test]
fn what_people_and_the_operator_did_is_listed_by_ids() {
    each_act_is_listed(Program::default(), str::to_owned);
}

#[test]
fn the_same_is_listed_of_a_server() {
    let database = ServerDatabase::default();
    let program = database.program("", "");
    each_act_is_listed(program, |page| database.config("", page));
}
