//! `doctor`: what it finds right and wrong, and what it advises.

use myao_plugin::{Place, Places as _};
use std::net::TcpListener;

use myao::config::Config;
use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, FakeSlack};
use myao_plugin::state::inbox::{Failed, Inbox as _, IncomingEvent};
use myao_plugin::state::replies::Replies as _;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::{Deferral, Storage as _};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope, WORKSPACE_SCOPE_ID};
use myao_sqlite::SqliteStore;
use myao_tests::bot;
use myao_tests::disk::{Disk, DiskCall, Trouble};
use myao_tests::export::{post, program_with};
use myao_tests::llm_server::{API_KEY, LlmServer, Reply, answer, error};
use myao_tests::program::{Program, Ran};
use myao_tests::store::utc;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

/// Any port is free.
const HEALTH: &str = "health_check: { port: 0 }\n";

/// The checks of a run, and whether all is well.
fn examined(config: &str, more: &[&str]) -> (Vec<Value>, bool) {
    checks(&Program::with_config(&format!("{HEALTH}{config}")), more)
}

fn checks(program: &Program, more: &[&str]) -> (Vec<Value>, bool) {
    let ran = program.run(&[&["--json", "doctor"], more].concat());
    assert_eq!(ran.stderr, "", "{ran:#?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let ok = report["ok"].as_bool().unwrap();
    assert_eq!(ran.code, Some(i32::from(!ok)), "{report:#}");
    (report["checks"].as_array().unwrap().clone(), ok)
}

/// State, and everything that is said, of a check.
#[track_caller]
fn of(checks: &[Value], check: &str) -> (String, String) {
    let found = checks.iter().find(|finding| finding["check"] == check);
    let finding = found.unwrap_or_else(|| panic!("no {check} in {checks:#?}"));
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    (text("state"), text("found") + "\n" + &text("advice"))
}

#[track_caller]
fn assert_found(checks: &[Value], check: &str, state: &str, words: &[&str]) {
    let (found, text) = of(checks, check);
    assert_eq!(found, state, "{check}: {text}");
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
}

/// The configuration for a fake Slack.
fn slack_config(api_url: &str, more: &str) -> String {
    format!("slack:\n  api_url: '{api_url}'\n  bot_token: {BOT_TOKEN}\n  {more}\n")
}

#[test]
fn without_slack_and_model_no_problem_is_found() {
    let program = program_with(HEALTH, &[post("general", 0, "ann", "Hello.")]);
    let output = program.run(&["doctor"]).output();
    assert!(output.ends_with("\nNo problem was found.\n"), "{output}");
    let marks: Vec<&str> = output
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|mark| ["✓", "✗", "!", "-"].contains(mark))
        .collect();
    // Configuration, database, component, four models, Slack, health, events, answers.
    assert_eq!(marks.concat(), "✓✓✓-----✓✓✓");
    assert!(output.lines().all(|line| line.width() <= 100), "{output}");
}

#[test]
fn a_configuration_that_cannot_be_read_is_what_is_wrong() {
    let program = Program::with_config("agents: { memori: {} }");
    let (checks, ok) = checks(&program, &[]);
    assert!(!ok && checks.len() == 1);
    assert_found(&checks, "configuration", "failed", &["myao.yaml", "memori"]);
}

#[test]
fn a_database_that_is_not_there_is_not_made() {
    let program = Program::with_config(HEALTH);
    let before = std::fs::read_dir(program.folder()).unwrap().count();
    let (found, ok) = checks(&program, &[]);
    assert!(ok);
    assert_found(
        &found,
        "database",
        "warning",
        &["myao.db yet", "myao import"],
    );
    let after = std::fs::read_dir(program.folder()).unwrap().count();
    assert_eq!(before, after);
    let (found, ok) = examined("memory: { database_path: nowhere/myao.db }", &[]);
    assert!(!ok);
    assert_found(&found, "database", "failed", &["cannot be made", "folder"]);
}

#[test]
fn an_empty_database_is_called_empty_with_what_fills_it() {
    let program = Program::with_config(HEALTH);
    program.write("myao.db", "");
    let (checks, ok) = checks(&program, &[]);
    assert!(ok);
    let words = ["myao.db is empty", "myao import", "backup"];
    assert_found(&checks, "database", "warning", &words);
    assert!(!of(&checks, "database").1.contains("older"), "{checks:#?}");
}

#[test]
fn a_full_disk_is_told() {
    let mut program = program_with(HEALTH, &[post("general", 0, "ann", "Hello.")]);
    let disk = Disk::default();
    disk.watch(&mut program);
    assert!(checks(&program, &[]).1);
    let calls = disk.calls();
    let is_write = |call: &&DiskCall| call.kind == "write" && call.file == "-wal";
    let write = calls.iter().find(is_write).expect("something is written");
    let disk = Disk::default();
    disk.strike(&mut program, write.number, Trouble::Full);
    let (found, ok) = checks(&program, &[]);
    assert!(!ok);
    assert_found(
        &found,
        "database",
        "failed",
        &["is full", "free some space"],
    );
}

#[test]
fn a_disk_without_room_for_a_new_database_is_told() {
    let program = Program::with_config(HEALTH);
    let script = r#"trap '' XFSZ; ulimit -f 16; exec "$@""#;
    let ran = Ran::of(&mut program.shell(script, &["--json", "doctor"]));
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let words = ["nothing can be written there", "free some space"];
    assert_found(
        report["checks"].as_array().unwrap(),
        "database",
        "failed",
        &words,
    );
    assert_eq!(std::fs::read_dir(program.folder()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_no_database_is_told() {
    let program = Program::with_config(HEALTH);
    program.write("myao.db", "These are notes. ".repeat(300));
    let (checks, ok) = checks(&program, &[]);
    assert!(!ok);
    assert_found(&checks, "database", "failed", &["not an SQLite database"]);
}

#[test]
fn a_component_that_does_not_load_is_told() {
    let program = Program::with_config(HEALTH);
    program.write("other.wasm", "nothing");
    let (checks, ok) = checks(&program, &["--component", "other.wasm"]);
    assert!(!ok);
    assert_found(&checks, "component", "failed", &["other.wasm"]);
}

#[test]
fn a_model_is_only_asked_where_that_is_wanted() {
    let server = LlmServer::start(|_| answer("ready"));
    let (checks, ok) = examined(&server.config(), &[]);
    assert!(ok);
    for check in [
        "model for memories",
        "model for replies",
        "model for judgments",
    ] {
        assert_found(
            &checks,
            check,
            "ok",
            &["openai/test-model", "can be reached"],
        );
    }
    let targets: Vec<String> = server.calls().into_iter().map(|call| call.target).collect();
    assert_eq!(targets, ["HEAD /"], "one look for all");
    let (checks, ok) = examined(&server.config(), &["--call-models"]);
    assert!(ok);
    assert_found(&checks, "model for replies", "ok", &["answers"]);
    assert!(
        server
            .prompts()
            .iter()
            .any(|prompt| prompt.contains("ready"))
    );
}

#[test]
fn a_model_that_cannot_be_used_is_told_without_its_key() {
    let (found, ok) = examined("agents: { memory: { model_id: openai/gpt-4o } }", &[]);
    assert!(!ok);
    assert_found(
        &found,
        "model for memories",
        "failed",
        &["no key", "OPENAI_API_KEY"],
    );
    let server = LlmServer::start(|_| Reply::Close);
    let (found, ok) = examined(&server.config(), &[]);
    assert!(!ok);
    let origin = server.base_url().replace("/v1", "");
    let words = [&origin, "cannot be reached", "client_args.base_url"];
    assert_found(&found, "model for memories", "failed", &words);
    let same = ["the same as the model for memories"];
    assert_found(&found, "model for replies", "failed", &same);
    let said = format!("{found:?}");
    assert_eq!(said.matches("cannot be reached").count(), 1, "{said}");
    let server = LlmServer::start(|_| error(401, API_KEY));
    let (found, ok) = examined(&server.config(), &["--call-models"]);
    assert!(!ok && !format!("{found:?}").contains(API_KEY), "{found:#?}");
    let server = LlmServer::start(|_| answer(" "));
    let (found, ok) = examined(&server.config(), &["--call-models"]);
    assert!(!ok);
    assert_found(&found, "model for memories", "failed", &["no text"]);
}

#[test]
fn a_whole_app_of_slack_is_well() {
    let slack = FakeSlack::start_on_own_thread();
    let socket = slack_config(&slack.api_url(), &format!("app_token: {APP_TOKEN}"));
    let (checks, ok) = examined(&socket, &[]);
    assert!(ok, "{checks:#?}");
    let team = slack.world().team.name;
    assert_found(&checks, "Slack token", "ok", &[&team]);
    for check in ["Slack scopes", "clock"] {
        assert_found(&checks, check, "ok", &[]);
    }
    assert_found(&checks, "Slack events", "ok", &["Socket Mode"]);
    assert!(!format!("{checks:?}").contains("xoxb-"));
}

#[test]
fn a_missing_scope_is_named_with_what_it_is_for() {
    let slack = FakeSlack::start_on_own_thread();
    slack.remove_scope("chat:write");
    let config = slack_config(&slack.api_url(), &format!("app_token: {APP_TOKEN}"));
    let (checks, ok) = examined(&config, &[]);
    assert!(!ok);
    let words = ["chat:write: without it nothing can be posted", "reinstall"];
    assert_found(&checks, "Slack scopes", "failed", &words);
    assert!(!of(&checks, "Slack scopes").1.contains("users:read"));
}

#[test]
fn tokens_in_each_other_s_place_are_told_and_not_shown() {
    let slack = FakeSlack::start_on_own_thread();
    let config = format!(
        "slack: {{ api_url: '{}', bot_token: {APP_TOKEN}, app_token: {BOT_TOKEN} }}\n",
        slack.api_url()
    );
    let (checks, ok) = examined(&config, &[]);
    assert!(!ok);
    assert_found(&checks, "Slack token", "failed", &["slack.app_token"]);
    assert_found(&checks, "Slack events", "failed", &["slack.bot_token"]);
    let said = format!("{checks:?}");
    assert!(!said.contains(APP_TOKEN) && !said.contains(BOT_TOKEN));
    assert!(slack.requests().is_empty(), "they were sent nowhere");
}

#[test]
fn a_token_that_slack_does_not_take_is_told() {
    let slack = FakeSlack::start_on_own_thread();
    let config = format!(
        "slack: {{ api_url: '{}', bot_token: xoxb-old, app_token: {APP_TOKEN} }}\n",
        slack.api_url()
    );
    let (checks, ok) = examined(&config, &[]);
    assert!(!ok);
    assert_found(&checks, "Slack token", "failed", &["invalid_auth"]);
}

#[test]
fn a_clock_that_is_not_slack_s_is_told() {
    let server = LlmServer::start(|_| {
        let body =
            r#"{"ok":true,"url":"https://t.example/","team":"T","team_id":"T1","user_id":"U1"}"#;
        Reply::Http(200, "date: Sun, 06 Nov 1994 08:49:37 GMT", body.to_owned())
    });
    let config = slack_config(&server.base_url(), "app_token: xapp-1");
    let (checks, ok) = examined(&config, &[]);
    assert!(!ok);
    assert_found(&checks, "clock", "failed", &["ahead of Slack's", "NTP"]);
}

#[test]
fn events_over_http_need_a_secret_and_a_free_port() {
    let slack = FakeSlack::start_on_own_thread();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken_address = taken.local_addr().unwrap().to_string();
    let examined = |more: &str| examined(&slack_config(&slack.api_url(), more), &[]);
    let (found, ok) = examined("listen: '127.0.0.1:0'");
    assert!(!ok);
    assert_found(&found, "Slack events", "failed", &["slack.signing_secret"]);
    let with_secret =
        |address: &str| format!("listen: '{address}'\n  signing_secret: s3cret-s3cret");
    let (found, ok) = examined(&with_secret("127.0.0.1:0"));
    assert!(ok, "{found:#?}");
    assert_found(&found, "Slack events", "ok", &["free"]);
    let (found, ok) = examined(&with_secret(&taken_address));
    assert!(!ok);
    assert_found(&found, "Slack events", "failed", &["slack.listen"]);
}

#[test]
fn a_port_that_another_program_has_is_told_from_a_bot_s() {
    let health = |address: &str| {
        let port = address.trim_end_matches("/v1").rsplit(':').next().unwrap();
        Program::with_config(&format!("health_check: {{ port: {port} }}\n"))
    };
    let other = LlmServer::start(|_| Reply::Http(404, "a: b", String::new()));
    let (found, ok) = checks(&health(&other.base_url()), &[]);
    assert!(!ok);
    assert_found(&found, "health port", "failed", &["health_check.port"]);
    let bot = LlmServer::start(|call| match call.target.as_str() {
        "GET /live" => Reply::Http(200, "a: b", "ok\n".to_owned()),
        _ => {
            let body = r#"{"ready":false,"troubles":["Slack is not connected yet"]}"#;
            Reply::Http(503, "a: b", body.to_owned())
        }
    });
    let (found, ok) = checks(&health(&bot.base_url()), &[]);
    assert!(ok);
    let words = ["a bot runs", "Slack is not connected yet"];
    assert_found(&found, "health port", "warning", &words);
}

#[test]
fn what_waits_and_what_was_given_up_is_told_with_its_errors() {
    let program = program_with(HEALTH, &[post("general", 0, "ann", "@myao hello")]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(program.path("myao.db")).unwrap();
        let timezone = Config::default().timezone;
        let workspace = store.workspace("default", timezone, WORKSPACE_SCOPE_ID);
        let workspace = workspace.unwrap();
        let event = |id: &str| IncomingEvent {
            event_id: id.to_owned(),
            received_at_ms: 0,
            payload: "{}".to_owned(),
        };
        let kept = vec![event("Ev1"), event("Ev2")];
        workspace.keep_events(kept).await.unwrap();
        let waiting = workspace.waiting_events(0, 9).await.unwrap();
        let id = waiting[0].id;
        let broken = || "it has no type".to_owned();
        while workspace.fail_event(id, broken(), 0).await.unwrap() != Failed::SetAside {}
        let ts = TsKey::parse("1772409600.000100").unwrap();
        let mention = Effect::Mention {
            channel_id: "CGENERAL".to_owned(),
            ts,
            thread_ts: None,
            asked_at: 1_772_409_600,
        };
        workspace.apply_effects(vec![mention], 0).await.unwrap();
        let why = "the bot is not in the channel".to_owned();
        workspace.give_up_reply("CGENERAL", ts, why).await.unwrap();
    });
    let (checks, ok) = checks(&program, &[]);
    assert!(ok, "it is past: no problem is found");
    assert_found(&checks, "events", "warning", &["1 event waits"]);
    let words = [
        "1 piece of work failed and is not tried again",
        "Ev1: it has no type",
    ];
    assert_found(&checks, "parked work", "warning", &words);
    let words = [
        "1 was given up",
        "#general, 2026-03-02 00:00: the bot is not in the channel",
    ];
    assert_found(&checks, "answers", "warning", &words);
}

/// Nor does a clock that was ahead show in them: what it put off counts as over.
#[test]
fn what_waits_for_a_time_is_told_until_when_and_why() {
    let program = program_with(HEALTH, &[post("general", 0, "ann", "Hello.")]);
    let now = i64::try_from(bot::now()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(program.path("myao.db")).unwrap();
        let timezone = Config::default().timezone;
        let workspace = store.workspace("default", timezone, WORKSPACE_SCOPE_ID);
        let workspace = workspace.unwrap();
        for (memory_type, until) in [
            (MemoryType::ShortTerm, now + 7200),
            (MemoryType::LongTerm, now + 365 * 24 * 3600),
        ] {
            let deferral = Deferral {
                memory_type,
                until: utc(until),
                failures: 2,
                reason: "the answer was empty".to_owned(),
            };
            let storage = workspace.at(Place::Operator);
            let deferred = storage.defer(Scope::Channel, "CGENERAL".to_owned(), deferral);
            deferred.await.unwrap();
        }
    });
    let (checks, ok) = checks(&program, &[]);
    assert!(ok);
    let words = [
        "the channel short-term memory of CGENERAL waits until ",
        ": the answer was empty",
        "generate --retry",
    ];
    assert_found(&checks, "waits", "warning", &words);
    let (_, text) = of(&checks, "waits");
    assert!(!text.contains("long-term"), "{text}");
}
