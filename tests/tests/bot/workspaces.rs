//! Several workspaces in one database, whose bots are one process.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, FakeSlack};
use myao_tests::bot::{Bot, read_log};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::peer::{Answer, exchange};
use myao_tests::postgres::ServerDatabase;
use myao_tests::program::Program;

use crate::bot::support::{
    AKARI, ANSWER, CAMP, EMIKO, asked, held_model, model, posts, replies_of, workspace,
};

/// What the second workspace's model answers.
const OTHER_ANSWER: &str = "京都に決まりました。";

/// How long a mention may wait because of another workspace.
const FAIR: Duration = Duration::from_secs(2);

/// The keys of a workspace in the list, with its own model.
fn entry(name: &str, slack: &FakeSlack, token: &str, llm: &LlmServer) -> String {
    let api_url = slack.api_url();
    let keys = format!(
        "name: {name}\nslack: {{ bot_token: {token}, app_token: {APP_TOKEN}, api_url: '{api_url}' }}\n{}",
        replies_of(llm)
    );
    let lines = keys.lines().map(|line| format!("    {line}\n"));
    format!("  -\n{}", lines.collect::<String>())
}

fn two(acme: (&FakeSlack, &LlmServer), beta: (&FakeSlack, &LlmServer)) -> String {
    let (one, other) = (
        entry("acme", acme.0, BOT_TOKEN, acme.1),
        entry("beta", beta.0, BOT_TOKEN, beta.1),
    );
    format!("workspaces:\n{one}{other}")
}

fn connected(slack: &FakeSlack, bot: &mut Bot) {
    bot.until("a socket", |_| (slack.connections() > 0).then_some(()));
}

fn get(health: SocketAddr, what: &str) -> Answer {
    exchange(health, &format!("GET {what}"), &[], "").unwrap()
}

/// One mention in each is answered in the right one, with what was said there.
fn each_answers_its_own(program: Program, config: impl FnOnce(String) -> String) -> Program {
    let (acme, beta) = (workspace(), workspace());
    let (one, other) = (model(), LlmServer::start(|_| answer(OTHER_ANSWER)));
    let config = config(two((&acme, &one), (&beta, &other)));
    let mut bot = Bot::start(program, &config);
    connected(&acme, &mut bot);
    connected(&beta, &mut bot);
    acme.post(AKARI, CAMP, "会場は箱根です。", None);
    beta.post(AKARI, CAMP, "会場は京都です。", None);
    acme.mention(EMIKO, CAMP, "会場はどこですか？", None);
    let answered = posts(&acme, &mut bot, 1);
    assert_eq!((answered.len(), &*answered[0].text), (1, ANSWER));
    assert_eq!(beta.posts().len(), 0);
    beta.mention(EMIKO, CAMP, "会場は？", None);
    beta.mention(AKARI, CAMP, "日程は？", None);
    let answered = posts(&beta, &mut bot, 2);
    assert!(answered.iter().all(|post| post.text == OTHER_ANSWER));
    for (llm, other_place) in [(&one, "京都"), (&other, "箱根")] {
        for call in llm.calls() {
            assert!(!call.prompt().contains(other_place), "{}", call.prompt());
        }
    }

    let health = bot.health();
    let ready = get(health, "/ready");
    let told = ready.json();
    assert_eq!(ready.status, 200);
    for name in ["acme", "beta"] {
        assert_eq!(told["workspaces"][name]["ready"], true, "{told}");
    }
    let text = bot.until("every reply counted", |_| {
        let text = get(health, "/metrics").body;
        let replies = [
            "myao_replies_total{workspace=\"acme\",kind=\"mention\"} 1\n",
            "myao_replies_total{workspace=\"beta\",kind=\"mention\"} 2\n",
        ];
        replies
            .iter()
            .all(|line| text.contains(line))
            .then_some(text)
    });
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let names = ["{workspace=\"acme\"", "{workspace=\"beta\""];
        assert!(names.iter().any(|name| line.contains(name)), "{line}");
    }

    bot.signal("HUP");
    bot.until("both reloaded, and caught up", |program| {
        let log = read_log(program);
        let is_told = |text| log.matches(text).count() == 2;
        (is_told("loaded again") && is_told("caught up: ")).then_some(())
    });
    let program = bot.stop();
    let log = read_log(&program);
    for said in ["loaded again", "Slack workspace ", "caught up: "] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(said)).collect();
        assert_eq!(lines.len(), 2, "{log}");
        for name in ["workspace=acme", "workspace=beta"] {
            let of_it = lines.iter().filter(|line| line.contains(name));
            assert_eq!(of_it.count(), 1, "{said}: {log}");
        }
    }
    for (name, calls) in [("acme", 1), ("beta", 2)] {
        let label = format!("workspace={name}");
        let answered = log
            .lines()
            .filter(|line| line.contains("answered a mention"));
        assert_eq!(
            answered.filter(|line| line.contains(&label)).count(),
            calls,
            "{log}"
        );
        let usage = program
            .run(&["--workspace", name, "--json", "usage"])
            .json();
        assert_eq!(usage["total"]["calls"], calls, "{usage}");
    }
    let refused = program.run(&["usage"]).refusal();
    assert!(refused.contains("`acme`, `beta`"), "{refused}");
    program
}

#[test]
fn each_workspace_of_a_file_is_answered_by_its_own_bot() {
    each_answers_its_own(Program::default(), |config| config);
}

#[test]
fn each_workspace_of_a_server_is_answered_by_its_own_bot() {
    let database = ServerDatabase::default();
    each_answers_its_own(database.program("", ""), |config| {
        database.config("", &config)
    });
}

#[test]
fn one_that_slack_rejects_ends_alone_and_is_told_by_name() {
    let (acme, beta, llm) = (workspace(), workspace(), model());
    let wrong = entry("acme", &acme, "xoxb-wrong", &llm);
    let config = format!(
        "workspaces:\n{wrong}{}",
        entry("beta", &beta, BOT_TOKEN, &llm)
    );
    let mut bot = Bot::start(Program::default(), &config);
    beta.mention(EMIKO, CAMP, "会場はどこですか？", None);
    posts(&beta, &mut bot, 1);
    let health = bot.health();
    let (status, trouble) = bot.until("the end of the other", |_| {
        let ready = get(health, "/ready");
        let told = ready.json();
        let trouble = told["workspaces"]["acme"]["troubles"][0].as_str()?;
        let has_ended = trouble.contains("ended");
        has_ended.then(|| (ready.status, trouble.to_owned()))
    });
    assert_eq!(status, 200);
    assert!(trouble.contains("slack.bot_token"), "{trouble}");
    let program = bot.stop();
    let log = read_log(&program);
    let told = log.lines().find(|line| line.contains("slack.bot_token"));
    assert!(
        told.is_some_and(|line| line.contains("workspace=acme")),
        "{log}"
    );
    assert_eq!(acme.posts().len(), 0);

    // If it is the only one that runs, the program fails.
    let alone = Bot::launch(program, &config, &["--workspace", "acme"]);
    let (code, log, program) = alone.ended();
    assert_eq!(code, Some(1), "{log}");
    let wrong = config.replace(BOT_TOKEN, "xoxb-wrong-too");
    let (code, log, _) = Bot::launch(program, &wrong, &[]).ended();
    assert_eq!(code, Some(1), "{log}");
    let last = log.lines().last().unwrap();
    assert!(last.contains("`acme`") && last.contains("`beta`"), "{log}");
}

/// Its model does not answer, so that its mentions wait.
fn quiet_one_is_answered_beside_a_busy_one(
    program: Program,
    config: impl FnOnce(String) -> String,
) {
    let (busy, quiet) = (workspace(), workspace());
    let ((held, gate), llm) = (held_model(), model());
    let config = config(two((&busy, &held), (&quiet, &llm)));
    let mut bot = Bot::start(program, &config);
    connected(&busy, &mut bot);
    connected(&quiet, &mut bot);
    for number in 0..50 {
        busy.mention(EMIKO, CAMP, &format!("質問 {number}"), None);
    }
    // As many as it answers at once.
    asked(&held, &mut bot, 8);
    let begun = Instant::now();
    quiet.mention(EMIKO, CAMP, "会場はどこですか？", None);
    posts(&quiet, &mut bot, 1);
    let took = begun.elapsed();
    assert!(busy.posts().is_empty(), "{:?}", busy.posts());
    assert!(took < FAIR, "{took:?}");
    gate.open();
    bot.stop();
}

#[test]
fn a_quiet_workspace_of_a_file_is_answered_while_another_is_busy() {
    quiet_one_is_answered_beside_a_busy_one(Program::default(), |config| config);
}

#[test]
fn a_quiet_workspace_of_a_server_is_answered_while_another_is_busy() {
    let database = ServerDatabase::default();
    quiet_one_is_answered_beside_a_busy_one(database.program("", ""), |config| {
        database.config("", &config)
    });
}
