//! The small Slack as a program, with an example workspace: for trying a bot by hand.

// Printing is its purpose.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;

use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, FakeSlack};

const USAGE: &str = "usage: myao-fake-slack [--port PORT]";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let port = match arguments.as_slice() {
        [] => Some(4000),
        ["--port", port] => port.parse().ok(),
        _ => None,
    };
    let Some(port) = port else {
        println!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let slack = FakeSlack::start_on(port).await;
    slack.follow_system_clock();
    slack.keep_while_away(true);
    slack.add_user("U0ALICE001", "Alice");
    slack.add_user("U0BOB00001", "Bob");
    slack.add_channel("C0GENERAL1", "general");
    slack.add_channel("C0RANDOM01", "random");
    let api_url = slack.api_url();
    let control = api_url.replace("/api/", "/control/");
    println!("Web API    {api_url}\nbot token  {BOT_TOKEN}\napp token  {APP_TOKEN}\n");
    println!("People: U0ALICE001, U0BOB00001. Channels: C0GENERAL1, C0RANDOM01. Try:");
    println!(
        r#"  curl {control}mention -d '{{"user": "U0ALICE001", "channel": "C0GENERAL1", "text": "hello"}}'"#
    );
    println!("  curl {control}posts");
    // Until Ctrl-C ends the program.
    std::future::pending().await
}
