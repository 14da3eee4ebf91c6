//! Odd messages: they are left out and reported, and stop nothing.

use myao_fake_slack::FakeSlack;
use myao_tests::bot::{Bot, now, said};
use myao_tests::peer::exchange;
use myao_tests::program::Program;

use crate::bot::support::{AKARI, CAMP, EMIKO, connect, connect_again, number, settled, workspace};

pub(crate) const DEV: &str = "C1DEV";

/// Texts that become something else on their way.
const ODD: [&str; 3] = ["HALF-A-PAIR", "NO-TEXT", "DEEP"];

/// From now on odd texts are odd.
fn make_odd(slack: &FakeSlack) {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let faults = slack.faults();
    faults.rewrite("\"HALF-A-PAIR\"", r#""secret \ud83d""#);
    faults.rewrite("\"NO-TEXT\"", r#"{"secret":5}"#);
    faults.rewrite("\"DEEP\"", &deep);
    faults.rewrite("\"FINE\"", r#""fine","attachments":5,"files":[]"#);
}

/// Everything that somebody says in between of two good messages.
fn say_odd(slack: &FakeSlack) {
    slack.post(AKARI, CAMP, "before", None);
    for text in ODD {
        slack.post(EMIKO, CAMP, text, None);
    }
    let odd_id = format!("{}.000077", now() - 5);
    let rewritten = format!("\"ts\":\"{odd_id}\"");
    slack.faults().rewrite(&rewritten, "\"ts\":\"secret\"");
    slack.post_at(&odd_id, EMIKO, CAMP, "odd id", None);
    slack.post(AKARI, CAMP, "FINE", None);
    slack.post(AKARI, CAMP, "after", None);
}

pub(crate) fn texts(program: &Program, channel: &str) -> Vec<String> {
    let said = said(program, channel).into_iter();
    said.map(|message| message.text).collect()
}

#[track_caller]
fn are_reported(bot: &Bot, kind: &str) {
    let metrics = exchange(bot.health(), "GET /metrics", &[], "")
        .unwrap()
        .body;
    let line = format!("myao_left_out_total{{kind=\"{kind}\"}} ");
    let counted = metrics.lines().find_map(|text| text.strip_prefix(&line));
    let counted: usize = counted.map_or(0, |count| count.parse().unwrap());
    assert!(counted > ODD.len(), "{metrics}");
    let log = bot.log();
    assert!(log.matches("is left out").count() > ODD.len(), "{log}");
    assert!(!log.contains("secret"), "{log}");
}

#[test]
fn odd_messages_of_a_history_stop_neither_their_channel_nor_others() {
    let slack = workspace();
    slack.add_channel(DEV, "dev");
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let program = bot.stop();
    make_odd(&slack);
    say_odd(&slack);
    slack.post(AKARI, DEV, "elsewhere", None);
    let mut bot = connect_again(&slack, program, "");
    bot.caught_up();
    are_reported(&bot, "message");
    let program = bot.stop();
    assert_eq!(texts(&program, CAMP), ["before", "fine", "after"]);
    assert_eq!(texts(&program, DEV), ["elsewhere"]);
    assert_eq!(number(&program, "SELECT COUNT(*) FROM unread_channels"), 0);
}

#[test]
fn odd_messages_of_a_thread_stop_no_other_reply() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let program = bot.stop();
    make_odd(&slack);
    let thread = slack.post(AKARI, CAMP, "thread", None);
    for text in ["one", "HALF-A-PAIR", "DEEP", "two"] {
        slack.post(EMIKO, CAMP, text, Some(&thread));
    }
    let mut bot = connect_again(&slack, program, "");
    bot.caught_up();
    let program = bot.stop();
    assert_eq!(texts(&program, CAMP), ["thread", "one", "two"]);
}

#[test]
fn odd_events_stop_no_other_event() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    bot.caught_up();
    make_odd(&slack);
    say_odd(&slack);
    bot.messages(CAMP, 3);
    settled(&slack, &mut bot);
    are_reported(&bot, "event");
    let program = bot.stop();
    assert_eq!(texts(&program, CAMP), ["before", "fine", "after"]);
    // They are over: nothing of them is kept or tried again.
    let left = "SELECT COUNT(*) FROM events WHERE state <> 1 OR payload <> ''";
    assert_eq!(number(&program, left), 0);
}

/// As if the last connection had ended so many seconds ago.
pub(crate) fn disconnect_since(program: &Program, seconds: u64) {
    let since = now() - seconds;
    program.change(&format!(
        "UPDATE sync_state SET connected_through = {since}"
    ));
}

#[test]
fn a_channel_that_cannot_be_read_stops_no_other_and_is_read_later() {
    let slack = workspace();
    slack.add_channel(DEV, "dev");
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let program = bot.stop();
    disconnect_since(&program, 7200);
    let hour_ago = format!("{}.000000", now() - 3600);
    for channel in [CAMP, DEV] {
        slack.post_at(&hour_ago, AKARI, channel, "an hour ago", None);
    }
    slack
        .faults()
        .refuse_history(CAMP, Some("channel_not_found"));
    let mut bot = connect_again(&slack, program, "");
    bot.caught_up();
    let program = bot.stop();
    assert_eq!(texts(&program, CAMP), [""; 0]);
    assert_eq!(texts(&program, DEV), ["an hour ago"]);
    // Its gap is known at the next start, although the connection was good meanwhile.
    slack.faults().refuse_history(CAMP, None);
    let mut bot = connect_again(&slack, program, "");
    bot.caught_up();
    let program = bot.stop();
    assert_eq!(texts(&program, CAMP), ["an hour ago"]);
    assert_eq!(number(&program, "SELECT COUNT(*) FROM unread_channels"), 0);
}

#[test]
fn a_channel_that_cannot_be_read_is_tried_again_while_the_bot_runs() {
    let slack = workspace();
    slack.post(AKARI, CAMP, "before the bot", None);
    slack
        .faults()
        .refuse_history(CAMP, Some("channel_not_found"));
    let mut bot = connect(&slack, "");
    bot.caught_up();
    slack.faults().refuse_history(CAMP, None);
    // The next try is a minute away: the test does not wait for it.
    let put_off = "UPDATE unread_channels SET next_try_at = 0";
    bot.program().change(put_off);
    bot.messages(CAMP, 1);
    bot.stop();
}
