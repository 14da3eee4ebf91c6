//! `myao replay`: recorded memories made again, with nothing but the recording.

use std::sync::atomic::{AtomicUsize, Ordering};

use myao_tests::export::{Post, post, program_with, time};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::{Program, Ran};
use myao_tests::read_project_file;
use myao_tests::telling::letters;
use rusqlite::Connection;
use serde_json::{Value, json};

const RECORDING: &str = "memory:\n  recording: true\n";

/// A server whose answers are all different; one in so many is empty.
fn telling(empty: Option<usize>) -> LlmServer {
    let asked = AtomicUsize::new(0);
    LlmServer::start(move |_| {
        let n = asked.fetch_add(1, Ordering::SeqCst);
        if empty.is_some_and(|empty| n % empty == 3) {
            return answer("");
        }
        let items = (0..4).map(|item| {
            let name = letters(4 * n as u64 + item);
            format!("- 決定 {name}: 公開は 3 月 4 日、予算は 45,000 円\n")
        });
        answer(&items.collect::<String>())
    })
}

/// Talk over a day, with threads, one of them too long for one prompt.
fn posts() -> Vec<Post> {
    let mut posts = Vec::new();
    for n in 0..30 {
        let text = format!(
            "発言 {n}: 公開は 3 月 4 日、予算は 45,000 円です。{}",
            "クレーンの点検が遅れています。".repeat(8)
        );
        let said = post("雑談", 10 + n, "bob", &text);
        posts.push(if n % 3 == 0 { said } else { said.in_thread(10) });
    }
    posts.push(post("general", 200, "ann", "リリースは 3 月 4 日です。"));
    posts.push(post(
        "general",
        700,
        "ann",
        "リリースは 3 月 5 日になりました。",
    ));
    posts
}

fn recorded(server: &LlmServer, more: &str) -> Program {
    let config = server.config_with("context_window: 4000") + RECORDING + more;
    let program = program_with(&config, &posts());
    let ran = program.run(&["--json", "backfill", "--until", &time(1440)]);
    assert_eq!(ran.stderr, "");
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    program
}

/// The ids of all memories that were ever saved.
fn memories(program: &Program) -> Vec<u64> {
    let database = Connection::open(program.path("myao.db")).unwrap();
    let mut statement = database
        .prepare("SELECT id FROM memories ORDER BY id")
        .unwrap();
    let ids = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    ids.map(|id| id.unwrap().unsigned_abs()).collect()
}

/// The program as it is afterwards: with no server to ask.
fn cut_off(program: &Program, server: &LlmServer) {
    let text = std::fs::read_to_string(program.path("myao.yaml")).unwrap();
    program.write(
        "myao.yaml",
        text.replace(&server.base_url(), "http://127.0.0.1:1/v1"),
    );
}

#[test]
fn every_recorded_memory_is_made_again_byte_for_byte_without_a_server() {
    let server = telling(Some(7));
    let program = recorded(&server, "");
    let calls = server.calls().len();
    cut_off(&program, &server);
    let before = program.rows();
    let (mut retried, mut chunked) = (false, false);
    let memories = memories(&program);
    assert!(memories.len() > 8, "{memories:?}");
    for id in memories {
        let json = program.run(&["--json", "replay", &id.to_string()]).json();
        assert_eq!(
            (&json["id"], &json["same"]),
            (&json!(id), &json!(true)),
            "{json:#}"
        );
        assert_eq!(json["text"], json["stored_text"]);
        let asked = json["asked"].as_array().unwrap();
        retried |= asked.iter().any(|asked| asked["answer"] == json!(""));
        chunked |= asked.len() > 3;
    }
    assert!(retried && chunked);
    assert_eq!(server.calls().len(), calls);
    assert_eq!(program.rows(), before, "a replay changes nothing");
}

#[test]
fn memories_are_named_as_the_history_names_them() {
    let server = telling(None);
    let program = recorded(&server, "");
    let number = |more: &[&str]| {
        let json = program.run(&[&["--json", "replay"], more].concat()).json();
        assert_eq!(json["same"], json!(true));
        (json["memory_type"].clone(), json["number"].clone())
    };
    let history = program
        .run(&["--json", "memory", "history", "general"])
        .json();
    let newest = history.as_array().unwrap().len();
    assert!(newest > 1);
    assert_eq!(number(&["general"]), (json!("short-term"), json!(newest)));
    assert_eq!(number(&["general", "1"]), (json!("short-term"), json!(1)));
    assert_eq!(
        number(&["general", "2", "--long-term"]),
        (json!("long-term"), json!(2))
    );
    assert_eq!(number(&["workspace"]).0, json!("long-term"));
    let unknown = program.run(&["replay", "general", "99"]);
    unknown.is_refused_with(&["general", "version 99", "history"]);
    program
        .run(&["replay", "nobody"])
        .is_refused_with(&["nobody"]);
    program.run(&["replay", "4711"]).is_refused_with(&["4711"]);
}

fn people_output(program: &Program, arguments: &[&str]) -> Ran {
    program.run(&[&["replay", "general", "1"], arguments].concat())
}

#[test]
fn people_are_shown_the_text_and_with_prompts_what_was_asked() {
    let server = telling(None);
    let program = recorded(&server, "");
    let output = people_output(&program, &[]).output();
    assert!(
        output.starts_with("## #general short-term, version 1 (memory "),
        "{output}"
    );
    assert!(
        output.contains(": 公開は 3 月 4 日、予算は 45,000 円\n- 決定 "),
        "{output}"
    );
    assert!(
        output.ends_with("The same as what is stored, byte for byte.\n"),
        "{output}"
    );
    assert!(!output.contains("## 要約対象"), "{output}");
    let output = people_output(&program, &["--prompts"]).output();
    assert!(
        output.contains("### prompt 1\n") && output.contains("## 要約対象"),
        "{output}"
    );
    assert!(output.contains("### answer 1\n\n- 決定 "), "{output}");
}

#[test]
fn a_text_that_is_not_the_stored_one_is_told_by_the_exit_code_and_a_diff() {
    let server = telling(None);
    let program = recorded(&server, "");
    let database = Connection::open(program.path("myao.db")).unwrap();
    let sql = "UPDATE memories SET content = REPLACE(content, '45,000', '54,000')";
    database.execute(sql, []).unwrap();
    let ran = people_output(&program, &[]);
    assert_eq!(ran.code, Some(1));
    let changed = "--- stored\n+++ now\n";
    assert!(ran.stdout.contains(changed), "{}", ran.stdout);
    let line = |sign: char, sum: &str| {
        let has_sum = format!("予算は {sum} 円");
        let mut lines = ran.stdout.lines();
        lines.any(|line| line.starts_with(&format!("{sign}- 決定")) && line.contains(&has_sum))
    };
    assert!(line('-', "54,000") && line('+', "45,000"), "{}", ran.stdout);
}

/// The recorded settings, changed: as a component with another template would see them.
fn change_recorded(program: &Program, import: &str, from: &str, to: &str) {
    let database = Connection::open(program.path("myao.db")).unwrap();
    let sql = "UPDATE recorded_calls SET result = REPLACE(result, ?2, ?3) WHERE import = ?1";
    let changed = database.execute(sql, [import, from, to]).unwrap();
    assert!(changed > 0);
}

#[test]
fn a_replay_that_parts_from_its_recording_shows_where_and_how() {
    let server = telling(None);
    let program = recorded(&server, "");
    change_recorded(&program, "storage.list-messages", "リリースは", "発売は");
    let ran = people_output(&program, &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let output = ran.stdout;
    assert!(output.contains("Different: at call "), "{output}");
    assert!(output.contains("--- recorded\n+++ now\n"), "{output}");
    assert!(
        output.contains("-リリースは 3 月 4 日です。")
            && output.contains("+発売は 3 月 4 日です。"),
        "{output}"
    );
    let json = program.run(&["--json", "replay", "general", "1"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&json["same"], &json["text"]),
        (&json!(false), &Value::Null)
    );
    assert!(
        json["parted"]["now"]["arguments"]
            .to_string()
            .contains("発売は"),
        "{json:#}"
    );
}

#[test]
fn a_memory_that_was_not_recorded_says_how_to_record() {
    let server = telling(None);
    let program = program_with(&server.config(), &posts());
    program
        .run(&["backfill", "--until", &time(1440)])
        .succeeded();
    let replayed = program.run(&["replay", "general", "1"]);
    replayed.is_refused_with(&["was not recorded", "memory.recording: true"]);
    let tables = program.rows();
    assert!(
        !tables.iter().any(|row| row.starts_with("record")),
        "nothing is recorded"
    );
}

#[test]
fn a_recording_says_which_messages_and_memories_it_holds() {
    let server = telling(None);
    let program = recorded(&server, "");
    let database = Connection::open(program.path("myao.db")).unwrap();
    let count = |sql: &str| -> i64 { database.query_row(sql, [], |row| row.get(0)).unwrap() };
    // Every message text that stands in a recorded call belongs to a message that the recording names.
    let unnamed = "SELECT COUNT(*) FROM messages AS m JOIN recorded_calls AS c \
        ON INSTR(c.result, JSON_QUOTE(m.text)) > 0 AND c.import = 'storage.list-messages' \
        WHERE NOT EXISTS (SELECT 1 FROM recorded_messages AS r \
        WHERE r.recording = c.recording AND r.channel = m.channel AND r.ts_key = m.ts_key)";
    assert_eq!(count(unnamed), 0);
    assert!(count("SELECT COUNT(*) FROM recorded_messages") > 30);
    let unnamed = "SELECT COUNT(*) FROM recorded_saves AS s WHERE NOT EXISTS \
        (SELECT 1 FROM recorded_memories AS r WHERE r.recording = s.recording AND r.memory = s.memory)";
    assert_eq!(count(unnamed), 0);
    let sources = "SELECT COUNT(*) FROM memory_source_memories AS f JOIN recorded_saves AS s ON s.memory = f.memory \
        WHERE NOT EXISTS (SELECT 1 FROM recorded_memories AS r WHERE r.recording = s.recording AND r.memory = f.source)";
    assert_eq!(count(sources), 0);
}

#[test]
fn a_recording_goes_by_its_own_settings() {
    let server = telling(None);
    let program = recorded(&server, "");
    let template = read_project_file("templates/memory_prompt.j2");
    program.write(
        "templates/memory_prompt.j2",
        format!("Something new.\n{template}"),
    );
    let config = std::fs::read_to_string(program.path("myao.yaml")).unwrap();
    program.write(
        "myao.yaml",
        config + "  templates_path: templates\npersona: { name: someone else }\n",
    );
    assert!(
        people_output(&program, &[])
            .output()
            .contains("byte for byte")
    );
}
