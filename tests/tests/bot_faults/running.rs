//! What an operator does with a running bot: stop it, give it another configuration or component, ask how it is.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;

use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, Fault};
use myao_tests::bot::{Bot, read_log};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::peer::{Answer, exchange};
use myao_tests::program::Program;
use myao_tests::project_file;
use serde_json::Value;

use super::common::{
    AKARI, CAMP, EMIKO, Gate, asked, at_rest, config, model, number, posts, says, workspace,
};

const COMPONENT: &str = "other.wasm";
/// A custom section with the name `test` and nothing in it.
const EMPTY_SECTION: [u8; 7] = [0, 5, 4, b't', b'e', b's', b't'];

/// A model that thinks until the gate is open.
fn gated() -> (LlmServer, Gate) {
    let gate = Gate::default();
    let thinking = gate.clone();
    let llm = model(move |_| {
        thinking.wait();
        answer("The lake.")
    });
    (llm, gate)
}

fn component_bytes() -> Vec<u8> {
    fs::read(project_file("target/component/myao_memory.wasm")).unwrap()
}

fn get(bot: &Bot, path: &str) -> Answer {
    exchange(bot.health(), &format!("GET {path}"), &[], "").unwrap()
}

#[test]
fn asked_to_stop_it_ends_the_answer_under_way() {
    let slack = workspace();
    let (llm, gate) = gated();
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    slack.mention(EMIKO, CAMP, "where?", None);
    asked(&mut bot, &llm, 1);
    bot.signal("TERM");
    says(&mut bot, "stopping: what is under way ends first");
    assert_eq!(slack.posts(), []);
    gate.open();
    let (code, log, program) = bot.ended();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(slack.posts().len(), 1);
    // It knows that it has answered.
    let mut bot = Bot::start(program, &config(&slack, &llm));
    at_rest(&mut bot);
    bot.stop();
    assert_eq!(slack.posts().len(), 1);
}

#[test]
fn a_hang_up_takes_persona_and_model_from_the_file() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm);
    let persona =
        |text: &str| format!("{config}persona: {{ name: myao, system_prompt: '{text}' }}\n");
    let mut bot = Bot::start(Program::default(), &persona("You are a cat."));
    slack.mention(EMIKO, CAMP, "who?", None);
    posts(&mut bot, &slack, 1);
    bot.configure(&persona("You are a dog.").replace("openai/replies", "openai/replies-two"));
    bot.signal("HUP");
    says(
        &mut bot,
        "SIGHUP: configuration and component are loaded again",
    );
    slack.mention(EMIKO, CAMP, "who now?", None);
    posts(&mut bot, &slack, 2);
    let calls = asked(&mut bot, &llm, 2);
    assert!(
        calls[0].prompt().starts_with("You are a cat."),
        "{}",
        calls[0].prompt()
    );
    assert!(
        calls[1].prompt().starts_with("You are a dog."),
        "{}",
        calls[1].prompt()
    );
    assert_eq!(
        (&calls[0].body["model"], &calls[1].body["model"]),
        (&"replies".into(), &"replies-two".into())
    );
    bot.stop();
}

#[test]
fn a_broken_configuration_leaves_the_old_one_and_says_so() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm);
    let mut bot = Bot::start(
        Program::default(),
        &format!("{config}persona: {{ system_prompt: 'You are a cat.' }}\n"),
    );
    bot.configure(&format!(
        "{config}persona: {{ sistem_prompt: 'You are a dog.' }}\n"
    ));
    bot.signal("HUP");
    says(
        &mut bot,
        "SIGHUP: nothing has changed, as it cannot be loaded",
    );
    let log = bot.log();
    for words in ["myao.yaml", "sistem_prompt"] {
        assert!(log.contains(words), "no `{words}` in {log}");
    }
    slack.mention(EMIKO, CAMP, "who now?", None);
    posts(&mut bot, &slack, 1);
    assert!(
        asked(&mut bot, &llm, 1)[0]
            .prompt()
            .starts_with("You are a cat.")
    );
    bot.stop();
}

#[test]
fn an_exchanged_component_is_taken_and_calls_end_on_the_old_one() {
    let slack = workspace();
    let (llm, gate) = gated();
    let program = Program::default();
    let bytes = component_bytes();
    program.write(COMPONENT, &bytes);
    let mut bot = Bot::launch(program, &config(&slack, &llm), &["--component", COMPONENT]);
    bot.ready();
    slack.mention(EMIKO, CAMP, "where?", None);
    asked(&mut bot, &llm, 1);
    bot.program()
        .write("new.wasm", [bytes.as_slice(), &EMPTY_SECTION].concat());
    fs::rename(
        bot.program().path("new.wasm"),
        bot.program().path(COMPONENT),
    )
    .unwrap();
    says(
        &mut bot,
        "the component's file has changed: configuration and component are loaded again",
    );
    assert_eq!(slack.posts(), []);
    gate.open();
    posts(&mut bot, &slack, 1);
    slack.mention(EMIKO, CAMP, "and when?", None);
    posts(&mut bot, &slack, 2);
    at_rest(&mut bot);
    bot.stop();
    assert_eq!(slack.posts().len(), 2);
}

#[test]
fn a_corrupted_component_leaves_the_old_one_and_says_so() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let program = Program::default();
    let bytes = component_bytes();
    program.write(COMPONENT, &bytes);
    let mut bot = Bot::launch(program, &config(&slack, &llm), &["--component", COMPONENT]);
    bot.ready();
    bot.program().write(COMPONENT, &bytes[..bytes.len() / 2]);
    says(
        &mut bot,
        "the component's file has changed: nothing has changed, as it cannot be loaded",
    );
    assert!(bot.log().contains(COMPONENT), "{}", bot.log());
    slack.mention(EMIKO, CAMP, "where?", None);
    posts(&mut bot, &slack, 1);
    bot.stop();
}

/// The model of memories never answers.
#[test]
fn an_answer_does_not_wait_for_a_generation_run() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let config = config(&slack, &llm).replace(
        "interval_seconds: 86400 }\nresponse",
        "interval_seconds: 1 }\nresponse",
    );
    let mut bot = Bot::start(Program::default(), &config);
    for number in 0..20 {
        slack.post(AKARI, CAMP, &format!("number {number}"), None);
    }
    bot.until("a run that hangs", |_| {
        let calls = llm.calls();
        calls
            .iter()
            .any(|call| call.body["model"] == "memories")
            .then_some(())
    });
    slack.mention(EMIKO, CAMP, "where?", None);
    posts(&mut bot, &slack, 1);
    let log = bot.log();
    assert!(!log.contains("generation run:"), "{log}");
    bot.stop();
}

#[test]
fn it_is_not_ready_before_slack_is_connected_and_says_why() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    slack
        .faults()
        .times(1000, "apps.connections.open", &Fault::Status(503));
    let mut bot = Bot::launch(Program::default(), &config(&slack, &llm), &[]);
    let health = bot.health();
    let answer = bot.until("a reason", |_| {
        let answer = exchange(health, "GET /ready", &[], "").ok()?;
        assert_eq!(answer.status, 503, "{answer:?}");
        answer.body.contains("503").then_some(answer)
    });
    let body = answer.json();
    assert_eq!(body["ready"], false);
    let trouble = body["troubles"][0].as_str().unwrap();
    assert!(trouble.starts_with("Slack is not connected: "), "{trouble}");
    let live = get(&bot, "/live");
    assert_eq!((live.status, live.body.as_str()), (200, "ok\n"));
    slack.faults().clear();
    bot.ready();
    assert_eq!(get(&bot, "/ready").json()["ready"], true);
    bot.stop();
}

/// What a mention and its answer count. A model is named as it calls itself.
const GROWN: [(&str, f64); 6] = [
    ("myao_deliveries_total{kind=\"new\"}", 3.0),
    ("myao_events_total{kind=\"applied\"}", 3.0),
    ("myao_keep_seconds_count", 3.0),
    ("myao_replies_total{kind=\"mention\"}", 1.0),
    ("myao_reply_seconds_count", 1.0),
    (
        "myao_model_calls_total{model=\"openai/test-model-1\",outcome=\"answered\"}",
        1.0,
    ),
];

#[test]
fn metrics_are_openmetrics_and_grow() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    bot.caught_up();
    let before = samples(&get(&bot, "/metrics").body);
    slack.mention(EMIKO, CAMP, "where?", None);
    posts(&mut bot, &slack, 1);
    at_rest(&mut bot);
    // Its own post is told, too.
    bot.until("all is acknowledged", |_| {
        (slack.is_settled() && slack.events().len() == 3).then_some(())
    });
    let health = bot.health();
    let growth = |after: &BTreeMap<String, f64>| {
        let value =
            |samples: &BTreeMap<String, f64>, name| samples.get(name).copied().unwrap_or(0.0);
        GROWN.map(|(name, _)| (name, value(after, name) - value(&before, name)))
    };
    let after = bot.until("all is counted", |_| {
        let after = samples(&exchange(health, "GET /metrics", &[], "").unwrap().body);
        let all = growth(&after)
            .iter()
            .zip(GROWN)
            .all(|(found, expected)| found.1 >= expected.1);
        all.then_some(after)
    });
    assert_eq!(growth(&after), GROWN, "{after:#?}");
    assert_eq!(after["myao_connected"], 1.0);
    assert_eq!(after["myao_connections_total"], 1.0);
    bot.stop();
}

/// Every sample of an OpenMetrics text; each line is of the format.
#[track_caller]
fn samples(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with("# EOF\n"), "{text}");
    let mut samples = BTreeMap::new();
    let mut families = Vec::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            let words: Vec<&str> = comment.splitn(3, ' ').collect();
            match words.as_slice() {
                ["HELP" | "UNIT", name, _] => assert!(name.starts_with("myao_"), "{line}"),
                ["TYPE", name, "counter" | "gauge" | "histogram"] => {
                    families.push((*name).to_owned())
                }
                ["EOF"] => {}
                _ => panic!("no OpenMetrics: {line}"),
            }
            continue;
        }
        let (name, value) = line
            .rsplit_once(' ')
            .unwrap_or_else(|| panic!("no sample: {line}"));
        let (family, labels) = name
            .split_once('{')
            .map_or((name, None), |(family, rest)| (family, Some(rest)));
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        assert!(family.chars().all(is_name), "{line}");
        assert!(
            families
                .iter()
                .any(|known| family.starts_with(known.as_str())),
            "no TYPE before {line}"
        );
        if let Some(labels) = labels {
            let labels = labels
                .strip_suffix("\"}")
                .unwrap_or_else(|| panic!("{line}"));
            for label in labels.split("\",") {
                let (key, _) = label.split_once("=\"").unwrap_or_else(|| panic!("{line}"));
                assert!(key.chars().all(is_name), "{line}");
            }
        }
        let value = value
            .parse()
            .unwrap_or_else(|error| panic!("{error}: {line}"));
        let earlier = samples.insert(name.to_owned(), value);
        assert_eq!(earlier, None, "twice: {line}");
    }
    samples
}

/// The system tells on which addresses somebody listens.
#[test]
fn health_and_metrics_are_for_this_machine_only() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let bot = Bot::start(Program::default(), &config(&slack, &llm));
    let port = format!(":{:04X}", bot.health().port());
    let listening = |file: &str| -> Vec<String> {
        let table = fs::read_to_string(file).unwrap();
        let rows = table.lines().skip(1).filter_map(|line| {
            let mut columns = line.split_whitespace().skip(1);
            let address = columns.next()?.strip_suffix(&port)?;
            // The state LISTEN.
            (columns.nth(1)? == "0A").then(|| address.to_owned())
        });
        rows.collect()
    };
    assert_eq!(listening("/proc/net/tcp"), ["0100007F"]);
    if fs::exists("/proc/net/tcp6").unwrap() {
        assert_eq!(listening("/proc/net/tcp6"), [""; 0]);
    }
    bot.stop();
}

#[test]
fn a_used_port_is_told_with_its_key() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let port = address.port();
    let config = format!("{}health_check: {{ port: {port} }}\n", config(&slack, &llm));
    let program = Program::with_config(&config);
    program
        .run(&["run"])
        .is_refused_with(&[&address.to_string(), "health_check.port"]);
}

#[test]
fn json_logs_are_json_and_tell_nothing_that_anybody_wrote() {
    let slack = workspace();
    let llm = model(|_| answer("The xylophone stands in the boathouse."));
    let config = format!("{}logging: {{ format: json }}\n", config(&slack, &llm));
    let mut bot = Bot::start(Program::default(), &config);
    bot.caught_up();
    let asked = slack.mention(EMIKO, CAMP, "the zeppelin?", None);
    slack.edit(CAMP, &asked, "the zeppelin, or the quokka?");
    let other = slack.post(AKARI, CAMP, "A marmoset!", None);
    posts(&mut bot, &slack, 1);
    slack.delete(CAMP, &other);
    bot.until("all is acknowledged", |_| slack.is_settled().then_some(()));
    at_rest(&mut bot);
    let program = bot.stop();
    let log = read_log(&program);
    let mut levels = Vec::new();
    for line in log.lines() {
        let entry: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        levels.push(
            entry["level"]
                .as_str()
                .unwrap_or_else(|| panic!("no level: {line}"))
                .to_owned(),
        );
    }
    assert!(levels.contains(&"INFO".to_owned()), "{log}");
    for word in [
        "xylophone",
        "zeppelin",
        "quokka",
        "marmoset",
        "akari",
        "emiko",
    ] {
        assert!(!log.to_lowercase().contains(word), "`{word}` is in {log}");
    }
}

/// A memory is made while it runs, without a model: no word of it is logged either.
#[test]
fn memories_are_not_logged() {
    let slack = workspace();
    let llm = model(|_| answer("Here."));
    let api_url = slack.api_url();
    let whole = config(&slack, &llm);
    let (_, after) = whole.split_once("memory: {").unwrap();
    let config = format!(
        "slack: {{ bot_token: {}, app_token: {}, api_url: '{api_url}' }}\nmemory: {{{}",
        BOT_TOKEN,
        APP_TOKEN,
        after.replace("86400 }\nresponse", "1 }\nresponse")
    );
    let mut bot = Bot::start(Program::default(), &config);
    slack.post(AKARI, CAMP, "The xylophone stands in the boathouse.", None);
    bot.until("a memory", |program| {
        let found = number(
            program,
            "SELECT COUNT(*) FROM memories WHERE content LIKE '%xylophone%'",
        );
        (found > 0).then_some(())
    });
    says(&mut bot, "generation run:");
    assert!(!bot.log().contains("xylophone"), "{}", bot.log());
    bot.stop();
}
