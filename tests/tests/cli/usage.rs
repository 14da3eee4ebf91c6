//! `myao usage`: what calls of models took.

use myao_tests::export::{Post, post, program_with, time};
use myao_tests::llm_server::{LlmServer, answer, answer_with_usage, error};
use myao_tests::program::{Program, Ran};
use rusqlite::Connection;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

const PRICES: &str =
    "prices:\n  currency: USD\n  openai/test-model: { input: 2.5, cached: 1.25, output: 10 }\n";

/// Threads have memories, too.
const THREADS: &str = "memory:\n  thread_memories: always\n";

fn posts() -> Vec<Post> {
    vec![
        post("雑談", 10, "bob", "予算は 45,000 円です。"),
        post("general", 11, "ann", "We release Harbour on 4 March."),
        post("general", 12, "bob", "I will write the notes.").in_thread(11),
    ]
}

/// One call each: a thread, two channels short-term and long-term, the workspace. All calls began at a known time.
fn program(server: &LlmServer, config: &str) -> Program {
    let program = program_with(&(server.config() + THREADS + config), &posts());
    let ran = program.run(&["--json", "generate", "--now", &time(300)]);
    assert_eq!(ran.stderr, "");
    let database = Connection::open(program.path("myao.db")).unwrap();
    // 2026-03-02T15:30:00Z is the third of March in Tokyo.
    let sql = "UPDATE llm_calls SET started_at = 1772465400000, duration = 1500";
    database.execute(sql, []).unwrap();
    program
}

/// What the messages of a prompt say.
fn told(prompt: &str) -> String {
    let lines = [
        ("45,000", "- 予算は 45,000 円"),
        ("4 March", "- Harbour on 4 March"),
    ];
    let lines = lines.into_iter().filter(|(part, _)| prompt.contains(part));
    lines.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

fn answering() -> LlmServer {
    LlmServer::start(|call| answer_with_usage(&told(call.prompt()), (1000, Some(400), 200)))
}

fn usage(program: &Program, more: &[&str]) -> Ran {
    program.run(&[&["usage"], more].concat())
}

#[test]
fn calls_are_summed_by_local_day_and_model_with_their_money() {
    let program = program(&answering(), &format!("timezone: Asia/Tokyo\n{PRICES}"));
    // Each call: 600 × 2.5 + 400 × 1.25 + 200 × 10 = 4,000 millionths.
    let output = usage(&program, &[]).output();
    let lines: Vec<Vec<&str>> = output
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let head = "day model calls failed input cached output time cost USD";
    assert_eq!(lines[0].join(" "), head);
    let row = "2026-03-03 openai/test-model 6 0 6,000 2,400 1,200 9.0 s 0.0240";
    assert_eq!(lines[1].join(" "), row);
    assert_eq!(lines.len(), 2, "{output}");
}

#[test]
fn calls_are_summed_by_channel_and_layer_in_aligned_columns() {
    let program = program(&answering(), PRICES);
    let output = usage(&program, &["--by", "layer,channel"]).output();
    let rows: Vec<String> = output
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let sums = |calls: u32| {
        let thousands = |n: u32| {
            let n = n * calls;
            if n < 1000 {
                n.to_string()
            } else {
                format!("{},{:03}", n / 1000, n % 1000)
            }
        };
        let seconds = calls * 15;
        let money = if calls == 1 { "0.0040" } else { "0.0240" };
        format!(
            "{calls} 0 {} {} {} {}.{} s {money}",
            thousands(1000),
            thousands(400),
            thousands(200),
            seconds / 10,
            seconds % 10
        )
    };
    let expected = [
        format!("thread #general {}", sums(1)),
        format!("channel short-term #general {}", sums(1)),
        format!("channel short-term #雑談 {}", sums(1)),
        format!("channel long-term #general {}", sums(1)),
        format!("channel long-term #雑談 {}", sums(1)),
        format!("workspace (workspace) {}", sums(1)),
        format!("total {}", sums(6)),
    ];
    assert_eq!(rows[1..], expected, "{output}");
    // All rows end in the same column, wide characters counted twice.
    let widths: Vec<usize> = output.lines().skip(1).map(|line| line.width()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{output}");
}

#[test]
fn a_time_limits_what_is_summed() {
    let program = program(&answering(), "timezone: Asia/Tokyo\n");
    let calls = |more: &[&str]| {
        let json = program.run(&[&["--json", "usage"], more].concat()).json();
        json["total"]["calls"].clone()
    };
    assert_eq!(
        calls(&["--since", "2026-03-03", "--until", "2026-03-03"]),
        json!(6)
    );
    assert_eq!(calls(&["--since", "2026-03-04"]), json!(0));
    assert_eq!(calls(&["--until", "2026-03-02"]), json!(0));
    assert_eq!(calls(&["--until", "2026-03-03T00:30:00+09:00"]), json!(0));
    assert_eq!(calls(&["--since", "2026-03-03T00:30:00+09:00"]), json!(6));
    let none = usage(&program, &["--until", "2026-03-02"]).output();
    assert_eq!(none, "No calls of a model in this time.\n");
    usage(&program, &["--since", "soon"]);
}

#[test]
fn what_is_not_known_is_a_question_mark_with_a_note() {
    let server = LlmServer::start(|call| answer(&told(call.prompt())));
    let without_price = program(&server, "");
    let output = usage(&without_price, &[]).output();
    let row = output.lines().nth(1).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[2..6], ["6", "0", "60", "?"], "{output}");
    assert_eq!(cells.last(), Some(&"?"), "{output}");
    assert!(
        output.contains("note: no price is known of openai/test-model"),
        "{output}"
    );
    assert!(output.contains("note: a ? among tokens"), "{output}");
    let json = without_price.run(&["--json", "usage"]).json();
    assert_eq!(json["total"]["cost"], Value::Null);
    assert_eq!(json["total"]["unknown"]["cost"], json!(6));
    assert_eq!(json["total"]["cached_tokens"], Value::Null);

    // 10 × 2.5 + 5 × 10 = 75 millionths each, as none of the input is known to be cached.
    let priced = program(&server, PRICES);
    let json = priced.run(&["--json", "usage"]).json();
    assert_eq!(
        (&json["currency"], &json["total"]["cost"]),
        (&json!("USD"), &json!(0.000_45))
    );
    let output = usage(&priced, &[]).output();
    assert!(
        output.contains("the cached tokens of 6 calls are not known"),
        "{output}"
    );
}

#[test]
fn failed_calls_are_counted_and_their_cost_is_not_taken_for_nothing() {
    let server = LlmServer::start(|_| error(500, "out of order"));
    let program = program(&server, PRICES);
    let output = usage(&program, &[]).output();
    let row: Vec<&str> = output.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[2..7], ["3", "3", "?", "?", "?"], "{output}");
    assert!(
        output.contains("note: what 3 failed calls may have cost is not known"),
        "{output}"
    );
}

#[test]
fn a_summary_that_is_only_shown_is_accounted_too() {
    let server = answering();
    let program = program_with(&(server.config() + PRICES), &posts());
    let now = time(300);
    let summarize = [
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=general",
        "--now",
        &now,
    ];
    for calls in 1..3 {
        program.run(&summarize).succeeded();
        let json = program.run(&["--json", "usage", "--by", "layer"]).json();
        assert_eq!(json["groups"][0]["layer"], json!("channel short-term"));
        assert_eq!(
            json["groups"][0]["calls"],
            json!(calls),
            "each is a call of its own"
        );
    }
    assert_eq!(server.calls().len(), 2);
}

#[test]
fn without_a_call_there_is_nothing_to_tell() {
    let program = Program::with_demo();
    assert_eq!(
        usage(&program, &[]).output(),
        "No calls of a model so far.\n"
    );
}

#[test]
fn a_memory_tells_what_it_took() {
    let program = program(&answering(), PRICES);
    let shown = program.run(&["memory", "show", "雑談"]).output();
    let expected = "took 1 call of openai/test-model: 1,000 input (400 cached) and 200 output tokens, 1.5 s, cost 0.0040 USD\n";
    assert_eq!(shown.matches(expected).count(), 2, "{shown}");
    let json = program.run(&["--json", "memory", "show", "雑談"]).json();
    for memory in json.as_array().unwrap() {
        let digest = memory["taken"]["input_digest"].as_str().unwrap();
        assert_eq!(digest.len(), 64);
        assert!(
            shown.contains(&format!("memory {}\n", memory["id"])),
            "{shown}"
        );
        assert!(shown.contains(&format!("input {digest}\n")), "{shown}");
    }
}
