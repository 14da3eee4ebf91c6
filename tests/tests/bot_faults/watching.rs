//! What an operator sees of a running bot: whether it is ready, what it counts, what it logs.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;

use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, Fault};
use myao_tests::bot::{Bot, now, read_log};
use myao_tests::llm_server::answer;
use myao_tests::peer::{Answer, exchange};
use myao_tests::program::Program;
use serde_json::Value;

use super::common::{
    AKARI, CAMP, EMIKO, config, database, model, number, posts, says, wait_until_idle, workspace,
};

fn get(bot: &Bot, path: &str) -> Answer {
    exchange(bot.health(), &format!("GET {path}"), &[], "").unwrap()
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
    wait_until_idle(&mut bot);
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
    assert_eq!(after["myao_upkeep"], 1.0);
    assert_eq!(after["myao_connections_total"], 1.0);
    assert_eq!(after["myao_build_info{version=\"0.2.0\"}"], 1.0);
    let now = f64::from(u32::try_from(now()).unwrap());
    for since in [
        "myao_start_timestamp_seconds",
        "myao_caught_up_timestamp_seconds",
    ] {
        let ago = now - after[since];
        assert!((0.0..120.0).contains(&ago), "{since}: {ago} s ago");
    }
    for name in [
        "myao_backlog{kind=\"event\"}",
        "myao_backlog{kind=\"mention\"}",
        "myao_backlog{kind=\"parked\"}",
        "myao_gaps{kind=\"deliveries\"}",
        "myao_gaps{kind=\"channels\"}",
        "myao_database_errors_total",
    ] {
        assert_eq!(after[name], 0.0, "{name}");
    }
    let program = bot.stop();

    // As another run left it.
    let left = database(&program);
    left.execute_batch(
        "UPDATE events SET state = 2, payload = '{}', error = 'odd' WHERE id = 1;
        UPDATE replies SET state = 0, asked_at = asked_at - 500, next_try_at = asked_at + 3000;
        INSERT INTO delivery_gaps (workspace, since, until) SELECT key, 0, 9999999999 FROM workspaces;",
    )
    .unwrap();
    slack
        .faults()
        .times(99, "conversations.list", &Fault::Status(500));
    let bot = Bot::start(program, &config(&slack, &llm));
    let found = samples(&get(&bot, "/metrics").body);
    for (name, least) in [
        ("myao_backlog{kind=\"mention\"}", 1.0),
        ("myao_backlog_age_seconds{kind=\"mention\"}", 500.0),
        ("myao_backlog{kind=\"parked\"}", 1.0),
        ("myao_gaps{kind=\"deliveries\"}", 1.0),
    ] {
        assert!(found[name] >= least, "{name}: {}", found[name]);
    }
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
                ["TYPE", name, "counter" | "gauge" | "histogram" | "info"] => {
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
    wait_until_idle(&mut bot);
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
