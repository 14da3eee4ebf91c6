//! Imports of what others made, in processes whose memory and time the operating system limits: whatever an archive or a
//! database holds, an import needs at most 200 MB more than an import of nothing, and ends.

use std::fs::File;
use std::io::{BufWriter, Write};

use myao_tests::program::{Program, Ran};
use rusqlite::Connection;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The data that the process may have, in KiB: 200 MB more than 8 MB, in which not even an import of nothing succeeds.
const LIMIT: u64 = (8 + 200) * 1000;
/// The seconds of a processor's time that the process may take. No archive here takes half of them.
const SECONDS: u64 = 120;

/// Runs the program within the limits.
fn limited(program: &Program, arguments: &[&str]) -> Ran {
    let script = format!(r#"ulimit -d {LIMIT} && ulimit -t {SECONDS} && exec "$@""#);
    Ran::of(&mut program.shell(&script, arguments))
}

const USERS: &str = r#"[{"id": "U1", "name": "ann"}]"#;
const CHANNELS: &str = r#"[{"id": "C1", "name": "general"}]"#;

fn import(program: &Program, source: &str) -> Ran {
    limited(program, &["import", source])
}

/// Opens `bot.db` in place.
fn open(program: &Program) -> Ran {
    program.write("myao.yaml", "memory: { database_path: bot.db }\n");
    limited(program, &["memory", "list"])
}

/// Writes a file of an export.
type Content<'c> = &'c dyn Fn(&mut dyn Write);

/// A program beside an export in the zip file `export.zip`, which has less than 100 MB.
fn program_with(files: &[(&str, Content<'_>)]) -> Program {
    let program = Program::default();
    let file = File::create(program.path("export.zip")).unwrap();
    let mut zip = ZipWriter::new(BufWriter::new(file));
    for (name, write) in files {
        let options = SimpleFileOptions::default()
            .compression_level(Some(1))
            .large_file(true);
        zip.start_file(*name, options).unwrap();
        write(&mut BufWriter::new(&mut zip));
    }
    zip.finish().unwrap().flush().unwrap();
    let size = program.path("export.zip").metadata().unwrap().len();
    assert!(size < 100_000_000, "{size}");
    program
}

/// The same where what matters is one day of a channel.
fn program_with_day(write: Content<'_>) -> Program {
    program_with(&[
        ("users.json", &text(USERS)),
        ("channels.json", &text(CHANNELS)),
        ("general/2024-03-01.json", write),
    ])
}

fn text(text: &str) -> impl Fn(&mut dyn Write) {
    move |out| out.write_all(text.as_bytes()).unwrap()
}

/// Writes `unit` so often, between `begin` and `end`.
fn repeated(begin: &str, unit: &str, times: usize, end: &str) -> impl Fn(&mut dyn Write) {
    let many = unit.repeat(1_000);
    move |out| {
        out.write_all(begin.as_bytes()).unwrap();
        for _ in 0..times / 1_000 {
            out.write_all(many.as_bytes()).unwrap();
        }
        out.write_all(end.as_bytes()).unwrap();
    }
}

/// Writes a list of elements.
fn list(count: usize, element: impl Fn(usize) -> String) -> impl Fn(&mut dyn Write) {
    move |out| {
        for at in 0..count {
            let before = if at == 0 { '[' } else { ',' };
            write!(out, "{before}{}", element(at)).unwrap();
        }
        out.write_all(b"]").unwrap();
    }
}

#[track_caller]
fn assert_imported(program: &Program, words: &[&str]) {
    let output = import(program, "export.zip").output();
    for word in words {
        assert!(output.contains(word), "no `{word}` in: {output}");
    }
}

#[test]
fn the_limit_is_one() {
    let program = program_with_day(&text("[]"));
    let script = r#"ulimit -d 8000 && exec timeout 20 "$@""#;
    let mut command = program.shell(script, &["import", "export.zip"]);
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{output:?}");
    import(&program, "export.zip").succeeded();
}

#[test]
fn millions_of_empty_messages_are_refused() {
    let program = program_with_day(&repeated("[", "{},", 100_000_000, "{}]"));
    import(&program, "export.zip").is_refused_with(&[
        "export.zip: general/2024-03-01.json",
        "more than 2000000 records",
    ]);
}

#[test]
fn a_message_of_a_gigabyte_is_left_out() {
    let program = program_with_day(&repeated(
        r#"[{"ts": "1.1", "text": ""#,
        "x",
        900_000_000,
        r#""}, {"ts": "2.1", "text": "short"}]"#,
    ));
    assert_imported(
        &program,
        &[
            "messages  1 ",
            "general/2024-03-01.json, line 1, column 2: larger than",
        ],
    );
}

#[test]
fn a_small_archive_of_more_than_a_gigabyte_is_refused() {
    let program = program_with_day(&repeated("[", " ", 1_100_000_000, "]"));
    import(&program, "export.zip")
        .is_refused_with(&["`export.zip` unpacks to more than 1073741824 bytes"]);
}

#[test]
fn deep_nesting_is_left_out_or_refused() {
    let program = program_with_day(&repeated("[", "[", 200_000_000, "]"));
    import(&program, "export.zip").is_refused_with(&["general/2024-03-01.json, line 1"]);
    let program = program_with_day(&repeated("[", r#"{"message":"#, 100_000, ""));
    import(&program, "export.zip").is_refused_with(&["general/2024-03-01.json, line 1"]);
}

#[test]
fn one_message_of_many_parts_takes_a_bounded_part_of_the_memory() {
    for begin in [
        r#"[{"ts": "1.1", "text": "x", "files": [{}"#,
        r#"[{"ts": "1.1", "blocks": [{}"#,
        r#"[{"ts": "1.1", "text": "x", "reactions": [{}"#,
        r#"[{"ts": "1.1", "text": "x", "replies": [{}"#,
    ] {
        for (unit, times) in [(",{}", 340_000), (r#",{"":0}"#, 145_000), (",[]", 340_000)] {
            let program = program_with_day(&repeated(begin, unit, times, "]}]"));
            assert_eq!(
                import(&program, "export.zip").code,
                Some(0),
                "{begin} {unit}"
            );
        }
    }
}

#[test]
fn mentions_of_a_long_name_do_not_multiply_without_end() {
    let users = format!(r#"[{{"id": "U1", "name": "{}"}}]"#, "n".repeat(500_000));
    let message = |at: usize| {
        let mentions = "<@U1>".repeat(200_000);
        format!(r#"{{"ts": "{at}.1", "text": "{mentions}"}}"#)
    };
    let program = program_with(&[
        ("users.json", &text(&users)),
        ("channels.json", &text(CHANNELS)),
        ("general/2024-03-01.json", &list(5, message)),
    ]);
    assert_imported(&program, &["left out: 5 records that cannot be read"]);
}

#[test]
fn people_and_channels_without_end_are_refused() {
    let user = |at: usize| format!(r#"{{"id": "U{at}", "name": "name{at}"}}"#);
    let program = program_with(&[
        ("users.json", &list(1_500_000, user)),
        ("channels.json", &text(CHANNELS)),
    ]);
    import(&program, "export.zip").is_refused_with(&["`export.zip` names more people", "a part"]);
    let channel = |at: usize| format!(r#"{{"id": "C{at}", "name": "name{at}"}}"#);
    let program = program_with(&[
        ("users.json", &text(USERS)),
        ("channels.json", &list(1_500_000, channel)),
    ]);
    import(&program, "export.zip").is_refused_with(&["`export.zip` names more people", "a part"]);
}

#[test]
fn a_million_threads_are_imported() {
    let deleted = |at: usize| {
        let ts = format!("{}.{:06}", at / 1_000, at % 1_000);
        format!(
            r#"{{"subtype": "message_deleted", "ts": "{ts}", "deleted_ts": "{ts}", "thread_ts": "{ts}"}}"#
        )
    };
    let program = program_with_day(&list(1_000_000, deleted));
    assert_imported(&program, &["left out: 1000000 deleted"]);
}

#[test]
fn half_a_million_messages_are_imported() {
    let message = |at: usize| {
        let (ts, thread) = (at / 1_000 + 1, at / 2_000 + 1);
        format!(
            r#"{{"ts": "{ts}.{:06}", "text": "a", "thread_ts": "{thread}.{:06}"}}"#,
            at % 1_000,
            at % 500
        )
    };
    let program = program_with_day(&list(500_000, message));
    assert_imported(&program, &["messages  500000 "]);
}

/// A zip file whose directory names the same bytes again and again.
fn write_directory(program: &Program, count: u32) {
    let mut zip = BufWriter::new(File::create(program.path("export.zip")).unwrap());
    let content = b"[]";
    let crc = 0x0d4c_bb29_u32;
    // Version, flags, method, time, date, checksum, both sizes.
    let facts = |name: &str| {
        let mut facts = vec![10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        facts.extend(crc.to_le_bytes());
        facts.extend([2, 0, 0, 0, 2, 0, 0, 0]);
        facts.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        facts.extend([0, 0]);
        facts
    };
    zip.write_all(b"PK\x03\x04").unwrap();
    zip.write_all(&facts("x")).unwrap();
    zip.write_all(b"x").unwrap();
    zip.write_all(content).unwrap();
    let begin = 33_u64;
    let mut length = 0_u64;
    let names = (0..count).map(|at| format!("c{at}/2024-03-01.json"));
    for name in ["users.json".to_owned(), "channels.json".to_owned()]
        .into_iter()
        .chain(names)
    {
        let mut entry = b"PK\x01\x02\x0a\x00".to_vec();
        entry.extend(facts(&name));
        entry.extend([0; 14]);
        entry.extend(name.as_bytes());
        length += entry.len() as u64;
        zip.write_all(&entry).unwrap();
    }
    let entries = u64::from(count) + 2;
    let end = begin + length;
    zip.write_all(b"PK\x06\x06").unwrap();
    zip.write_all(&44_u64.to_le_bytes()).unwrap();
    zip.write_all(&[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        .unwrap();
    for number in [entries, entries, length, begin] {
        zip.write_all(&number.to_le_bytes()).unwrap();
    }
    zip.write_all(b"PK\x06\x07\0\0\0\0").unwrap();
    zip.write_all(&end.to_le_bytes()).unwrap();
    zip.write_all(&[1, 0, 0, 0]).unwrap();
    zip.write_all(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff")
        .unwrap();
    zip.write_all(&[0xff; 8]).unwrap();
    zip.write_all(&[0, 0]).unwrap();
    zip.flush().unwrap();
}

#[test]
fn a_directory_of_more_than_a_million_files_is_refused() {
    let program = Program::default();
    write_directory(&program, 1_000);
    assert_imported(&program, &["more folders without a channel in a list: 980"]);
    write_directory(&program, 1_300_000);
    let size = program.path("export.zip").metadata().unwrap().len();
    assert!(size < 100_000_000, "{size}");
    import(&program, "export.zip").is_refused_with(&["`export.zip` names more people", "files"]);
}

/// A program beside a database of the Python bot on which `change` was run.
fn program_with_bot(change: &str) -> Program {
    let program = Program::default();
    let sql = myao_tests::read_project_file("tests/fixtures/python-bot/database.sql");
    let database = Connection::open(program.path("bot.db")).unwrap();
    database.execute_batch(&sql).unwrap();
    database.execute_batch(change).unwrap();
    program
}

#[test]
fn what_a_hostile_database_holds_besides_rows_is_not_run() {
    let endless = "ALTER TABLE messages RENAME TO set_aside;
        CREATE VIEW messages AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n)
        SELECT n AS message_id, 'C1' AS channel_id, 'U1' AS user_id, 'x' AS text,
            '2024-03-01 10:05:00' AS timestamp FROM n;";
    import(&program_with_bot(endless), "bot.db")
        .is_refused_with(&["bot.db", "no table `messages`"]);
    let virtual_table = "ALTER TABLE users RENAME TO set_aside;
        CREATE VIRTUAL TABLE users USING fts5 (user_id, name);";
    import(&program_with_bot(virtual_table), "bot.db")
        .is_refused_with(&["bot.db", "no table `users`"]);
    let schema = "PRAGMA writable_schema = ON;
        WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 500000)
        INSERT INTO sqlite_schema SELECT 'table', 'u' || n, 'u' || n, 2, 'CREATE TABLE u' || n || ' (a)' FROM n;";
    let program = program_with_bot(schema);
    import(&program, "bot.db").is_refused_with(&["bot.db", "too long for its size"]);
    open(&program).is_refused_with(&["bot.db", "takes far too long"]);
}

#[test]
fn no_trigger_of_a_database_is_run() {
    const ENDLESS: &str =
        "BEGIN INSERT INTO ran WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n)
        SELECT n FROM n; END;";
    let triggers = |tables: &[&str]| {
        let triggers = tables.iter().flat_map(|table| {
            ["INSERT", "UPDATE", "DELETE"].map(|what| {
                format!("CREATE TRIGGER {table}_{what} BEFORE {what} ON {table} {ENDLESS}")
            })
        });
        "CREATE TABLE ran (n);".to_owned() + &triggers.collect::<String>()
    };
    let of_the_bot = triggers(&["messages", "users", "channels", "memories"]);
    let program = program_with_bot(&of_the_bot);
    import(&program, "bot.db").succeeded();
    // A database of myao that somebody else has changed.
    let of_ours = triggers(&["messages", "memories"]);
    let database = Connection::open(program.path("myao.db")).unwrap();
    database.execute_batch(&of_ours).unwrap();
    program.write("export/users.json", USERS);
    program.write("export/channels.json", CHANNELS);
    program.write(
        "export/general/2024-03-01.json",
        r#"[{"ts": "1.1", "text": "new"}]"#,
    );
    import(&program, "export").succeeded();
    let ran: i64 = database
        .query_row("SELECT COUNT(*) FROM ran", [], |row| row.get(0))
        .unwrap();
    assert_eq!(ran, 0);
}

#[test]
fn huge_values_of_a_database_are_left_out() {
    let huge = "UPDATE messages SET text = zeroblob(300000000) WHERE rowid = 1;
        UPDATE messages SET user_id = hex(zeroblob(30000000)) WHERE rowid = 2;
        UPDATE users SET name = hex(zeroblob(30000000)) WHERE rowid = 1;";
    let output = import(&program_with_bot(huge), "bot.db").output();
    assert!(
        output.contains("left out: 2 records that cannot be read"),
        "{output}"
    );
    assert!(output.contains("messages  10 "), "{output}");
}

#[test]
fn posts_without_ids_without_end_are_refused() {
    let posts = "DROP TABLE messages;
        CREATE TABLE messages (message_id, channel_id, user_id, text, timestamp);
        WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 800000)
        INSERT INTO messages SELECT 'r' || n, 'C1', 'U1', 'x', '2024-03-01 10:05:00' FROM n;";
    import(&program_with_bot(posts), "bot.db").is_refused_with(&["bot.db", "fit into"]);
}
