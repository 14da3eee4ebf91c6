//! Connections that end, in order and not; an inbox that cannot write.

use myao_fake_slack::{Disconnect, EventState, FakeSlack};
use myao_tests::bot::{Bot, said};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::Program;

use super::common::{
    AKARI, CAMP, config, database, model, number, posts, says, wait_until_idle, workspace,
};

fn start() -> (FakeSlack, LlmServer, Bot) {
    let slack = workspace();
    let llm = model(|_| answer("Yes."));
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    bot.caught_up();
    (slack, llm, bot)
}

/// So many messages, and a mention among them.
fn talk(slack: &FakeSlack, from: usize) {
    for number in from..from + 20 {
        slack.post(AKARI, CAMP, &format!("number {number}"), None);
    }
    slack.mention(AKARI, CAMP, &format!("are these all, after {from}?"), None);
}

/// Everything that happened took effect once, and both mentions are answered once.
#[track_caller]
fn nothing_is_lost_or_doubled(slack: &FakeSlack, mut bot: Bot) {
    posts(&mut bot, slack, 2);
    let answers = slack.posts().len();
    bot.messages(CAMP, 42 + answers);
    wait_until_idle(&mut bot);
    let happened = slack.events();
    bot.until("every event is kept", |program| {
        let kept = number(program, "SELECT COUNT(*) FROM events");
        (usize::try_from(kept).unwrap() == happened.len()).then_some(())
    });
    wait_until_idle(&mut bot);
    let program = bot.stop();
    assert_eq!(slack.posts().len(), 2);
    let mut texts: Vec<String> = said(&program, CAMP)
        .into_iter()
        .map(|said| said.text)
        .collect();
    assert_eq!(texts.len(), 44, "{texts:#?}");
    texts.sort();
    texts.dedup();
    // The two answers say the same.
    assert_eq!(texts.len(), 43);
}

#[test]
fn a_warning_loses_nothing() {
    let (slack, _llm, mut bot) = start();
    talk(&slack, 0);
    slack.faults().disconnect(Disconnect::Warning);
    talk(&slack, 100);
    bot.until("another socket", |_| {
        (slack
            .deliveries()
            .iter()
            .any(|delivery| delivery.connection == Some(2))
            || slack.connections() == 2)
            .then_some(())
    });
    nothing_is_lost_or_doubled(&slack, bot);
}

#[test]
fn a_refreshed_connection_loses_nothing() {
    let (slack, _llm, mut bot) = start();
    slack.keep_while_away(true);
    talk(&slack, 0);
    slack.faults().disconnect(Disconnect::RefreshRequested);
    talk(&slack, 100);
    bot.until("all is acknowledged", |_| slack.is_settled().then_some(()));
    nothing_is_lost_or_doubled(&slack, bot);
}

/// Slack keeps nothing here: what was said meanwhile is read from the channel.
#[test]
fn dropped_sockets_lose_nothing_though_slack_keeps_nothing() {
    let (slack, _llm, bot) = start();
    talk(&slack, 0);
    slack.faults().drop_sockets();
    talk(&slack, 100);
    let mut bot = bot;
    posts(&mut bot, &slack, 2);
    bot.messages(CAMP, 44);
    wait_until_idle(&mut bot);
    let program = bot.stop();
    assert_eq!((slack.posts().len(), said(&program, CAMP).len()), (2, 44));
}

#[test]
fn switched_off_socket_mode_ends_the_program_and_says_what_to_do() {
    let (slack, _llm, bot) = start();
    slack.faults().disconnect(Disconnect::LinkDisabled);
    let (code, log, _) = bot.ended();
    assert_eq!(code, Some(1), "{log}");
    let last = log.lines().last().unwrap_or_default();
    for words in ["myao: ", "Socket Mode", "turn it on"] {
        assert!(last.contains(words), "no `{words}` in the end of: {log}");
    }
}

/// Takes half a minute: only silence tells it.
#[test]
fn a_dead_socket_is_noticed_and_replaced() {
    let (slack, _llm, mut bot) = start();
    slack.post(AKARI, CAMP, "before", None);
    bot.messages(CAMP, 1);
    slack.faults().freeze_sockets();
    slack.post(AKARI, CAMP, "into the void", None);
    let messages = bot.messages(CAMP, 2);
    assert_eq!(messages[1].text, "into the void");
    assert!(bot.log().contains("no sign of life"), "{}", bot.log());
    bot.stop();
}

/// Another process holds the database for longer than a call waits.
#[test]
fn what_cannot_be_kept_is_not_acknowledged_and_comes_again() {
    let (slack, _llm, mut bot) = start();
    slack.post(AKARI, CAMP, "before", None);
    bot.messages(CAMP, 1);
    bot.until("the first is acknowledged", |_| {
        slack.is_settled().then_some(())
    });
    let other = database(bot.program());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let first = slack.events().len();
    slack.post(AKARI, CAMP, "while it is locked", None);
    slack.mention(AKARI, CAMP, "is that all?", None);
    says(&mut bot, "it will be sent again");
    let waiting = slack.events().split_off(first);
    assert_eq!(waiting.len(), 3, "message, message, mention");
    for event in waiting {
        assert_eq!(event.state, EventState::Sent, "{event:?}");
    }
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    slack.retry_unacknowledged();
    bot.messages(CAMP, 3);
    posts(&mut bot, &slack, 1);
    bot.until("all is acknowledged", |_| slack.is_settled().then_some(()));
    wait_until_idle(&mut bot);
    let program = bot.stop();
    assert_eq!((slack.posts().len(), said(&program, CAMP).len()), (1, 4));
}
