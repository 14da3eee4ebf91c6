//! `myao mcp`, as an agent speaks to it: one JSON-RPC message a line.

use myao_tests::export::{import_private, post, program_with};
use myao_tests::program::Program;
use serde_json::{Value, json};

fn program() -> Program {
    let posts = [
        post(
            "general",
            0,
            "ann",
            "We release Harbour on 4 March at 14:00.",
        ),
        post("random", 60, "bob", "決済の障害は A-1234 が原因"),
    ];
    let program = program_with("", &posts);
    program.run(&["backfill"]).succeeded();
    program
}

/// The answers to calls of tools, in order, after the handshake of the protocol.
pub(crate) fn calls(program: &Program, options: &[&str], calls: &[(&str, Value)]) -> Vec<Value> {
    let requests = calls.iter().map(|(tool, arguments)| {
        (
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    });
    results(program, options, requests.collect())
}

fn results(program: &Program, options: &[&str], requests: Vec<(&str, Value)>) -> Vec<Value> {
    let handshake = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "0" },
    });
    let mut lines = vec![
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": handshake }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    for (id, (method, params)) in (1..).zip(&requests) {
        lines.push(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let output = program
        .run_with_input(&[&["mcp"], options].concat(), &input)
        .output();
    let mut answers: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // Calls run side by side, so that answers come in any order.
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].as_u64()).collect();
    let all: Vec<_> = (0..=requests.len() as u64).map(Some).collect();
    assert_eq!(ids, all, "{output}");
    let answers = answers.into_iter().skip(1);
    answers.map(|answer| answer["result"].clone()).collect()
}

#[test]
fn an_agent_is_told_of_tools_that_only_read() {
    let listed = results(&program(), &[], vec![("tools/list", json!({}))]);
    let tools = listed[0]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "ask",
            "changes_since",
            "channel_memory",
            "channels",
            "item_history",
            "list_items",
            "search"
        ]
    );
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], json!(true), "{tool}");
        assert!(!tool["description"].as_str().unwrap().is_empty(), "{tool}");
    }
    let words = &tools[6]["inputSchema"]["properties"]["words"]["description"];
    assert!(words.as_str().unwrap().contains("先週の火曜"), "{words}");
}

#[test]
fn tools_tell_what_the_commands_tell() {
    let program = program();
    let question = "When do we release Harbour?";
    let told = calls(
        &program,
        &[],
        &[
            ("search", json!({ "words": "障害" })),
            ("ask", json!({ "question": question })),
            ("channels", json!({})),
            ("channel_memory", json!({ "channel": "#general" })),
        ],
    );
    let content = |result: &Value| result["structuredContent"].clone();
    for result in &told {
        assert_eq!(result["isError"], json!(false), "{result}");
        // For agents that read text only.
        let text = result["content"][0]["text"].as_str().unwrap();
        let read: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read, content(result));
    }
    let hits = program.run(&["--json", "search", "障害"]).json()["hits"].clone();
    assert_eq!(content(&told[0])["hits"], hits);
    let mut asked = program.run(&["--json", "ask", question]).json();
    for of_the_command in ["calls", "tokens"] {
        asked.as_object_mut().unwrap().remove(of_the_command);
    }
    assert_eq!(content(&told[1]), asked);
    let names = ["general", "random"].map(|name| json!(name));
    let channels = content(&told[2])["channels"].clone();
    assert_eq!(
        [&channels[0]["name"], &channels[1]["name"]],
        [&names[0], &names[1]]
    );
    let memory = content(&told[3]);
    let line = &memory["memories"][0]["lines"][0];
    assert!(line["text"].as_str().unwrap().contains("14:00"), "{memory}");
    assert_eq!(line["messages"][0]["author"], json!("ann"), "{memory}");
}

#[test]
fn corrections_stand_beside_what_they_replace() {
    let program = program();
    program
        .run(&[
            "correct",
            "--in",
            "general",
            "We release Harbour on 5 March at 15:00.",
            "--yes",
        ])
        .succeeded();
    let told = calls(
        &program,
        &[],
        &[("channel_memory", json!({ "channel": "general" }))],
    );
    let memory = &told[0]["structuredContent"]["memories"][0];
    assert!(memory["text"].as_str().unwrap().contains("~~"), "{memory}");
    let said = memory["corrections"][0]["text"].as_str().unwrap();
    assert!(said.contains("15:00"), "{memory}");
}

#[test]
fn an_agent_in_a_channel_sees_what_everybody_there_may_see() {
    let program = program();
    let secret = "The salary of ann is 900,000.";
    import_private(&program, &post("hr", 10, "ann", secret));
    program.run(&["backfill"]).succeeded();
    let told = calls(
        &program,
        &["--in", "general"],
        &[
            ("search", json!({ "words": "salary" })),
            ("ask", json!({ "question": "What is the salary of ann?" })),
            ("channels", json!({})),
            ("channel_memory", json!({ "channel": "hr" })),
        ],
    );
    assert_eq!(told[3]["isError"], json!(true), "{}", told[3]);
    let all = told.iter().map(Value::to_string).collect::<String>();
    assert!(!all.contains("900"), "{all}");
    let operator = calls(&program, &[], &[("search", json!({ "words": "salary" }))]);
    assert!(operator[0].to_string().contains("900,000"));
}

#[test]
fn what_is_wrong_is_told_with_its_name() {
    let told = calls(
        &program(),
        &[],
        &[
            ("channel_memory", json!({ "channel": "genral" })),
            ("search", json!({ "words": "x", "since": "yesterday" })),
            ("search", json!({ "words": "x", "limit": 0 })),
            ("search", json!({ "words": "x".repeat(4001) })),
            ("ask", json!({ "question": "x".repeat(4001) })),
        ],
    );
    let words = [
        "did you mean `general`",
        "since: expected a day, as in 2026-03-06",
        "limit is 0; it can be 1 to 50",
        "4001 characters; it can have 4000",
        "4001 characters; it can have 4000",
    ];
    for (result, words) in told.iter().zip(words) {
        assert_eq!(result["isError"], json!(true));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(words), "{text}");
    }
}
