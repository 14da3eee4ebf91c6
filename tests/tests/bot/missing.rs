//! What Slack's answers lack: nothing is deleted that Slack does not say is gone.

use myao_fake_slack::FakeSlack;
use myao_tests::bot::now;
use myao_tests::program::Program;

use crate::bot::odd::{disconnect_since, texts};
use crate::bot::support::{AKARI, CAMP, EMIKO, connect, connect_again, number, settled, workspace};

fn ago(seconds: u64) -> String {
    format!("{}.000000", now() - seconds)
}

/// A channel with an old thread, three messages and a reply of late, all stored: the ids of these three and the reply.
fn stored(slack: &FakeSlack) -> (Program, [String; 4]) {
    let mut bot = connect(slack, "");
    bot.caught_up();
    let thread = slack.post_at(&ago(7200), AKARI, CAMP, "thread", None);
    let say = |seconds, text| slack.post_at(&ago(seconds), EMIKO, CAMP, text, None);
    let ids = [say(40, "one"), say(35, "two"), say(30, "three")];
    let reply = slack.post_at(&ago(25), AKARI, CAMP, "reply", Some(&thread));
    bot.messages(CAMP, 5);
    settled(slack, &mut bot);
    let [one, two, three] = ids;
    (bot.stop(), [one, two, three, reply])
}

const ALL: [&str; 5] = ["thread", "one", "two", "three", "reply"];

/// Another start, up to the end of catching up.
fn again(slack: &FakeSlack, program: Program) -> Program {
    let mut bot = connect_again(slack, program, "");
    bot.caught_up();
    bot.stop()
}

fn missing(program: &Program) -> i64 {
    number(program, "SELECT COUNT(*) FROM missing_messages")
}

#[test]
fn a_message_that_an_answer_lacks_is_asked_for_by_itself_and_stays() {
    let slack = workspace();
    let (program, [_, two, _, reply]) = stored(&slack);
    slack.faults().lack(&two);
    slack.faults().lack(&reply);
    let program = again(&slack, program);
    assert_eq!(texts(&program, CAMP), ALL);
    assert_eq!(missing(&program), 0);
    let asked = |method: &str, ts: &str| {
        let requests = slack.requests_of(method);
        requests
            .iter()
            .any(|request| request.text("latest") == Some(ts))
    };
    assert!(asked("conversations.history", &two) && asked("conversations.replies", &reply));
}

#[test]
fn what_was_deleted_meanwhile_is_gone() {
    let slack = workspace();
    let (program, [_, two, _, reply]) = stored(&slack);
    slack.delete(CAMP, &two);
    slack.delete(CAMP, &reply);
    let program = again(&slack, program);
    assert_eq!(texts(&program, CAMP), ["thread", "one", "three"]);
    assert_eq!(missing(&program), 0);
}

#[test]
fn an_answer_that_was_cut_deletes_nothing() {
    let slack = workspace();
    let (program, [_, two, _, reply]) = stored(&slack);
    slack.faults().lack(&two);
    slack.faults().lack(&reply);
    slack
        .faults()
        .rewrite("\"has_more\":false", "\"has_more\":true");
    let program = again(&slack, program);
    assert_eq!(texts(&program, CAMP), ALL);
}

#[test]
fn an_empty_answer_deletes_nothing() {
    let slack = workspace();
    let (program, ids) = stored(&slack);
    for ts in &ids[..3] {
        slack.faults().lack(ts);
    }
    let program = again(&slack, program);
    assert_eq!(texts(&program, CAMP), ALL);
}

#[test]
fn what_a_plan_no_longer_shows_is_not_deleted() {
    for is_told in [true, false] {
        let slack = workspace();
        let mut bot = connect(&slack, "");
        bot.caught_up();
        let day = 24 * 3600;
        let old = slack.post_at(&ago(3 * day), AKARI, CAMP, "old", None);
        slack.post_at(&ago(3 * day - 60), EMIKO, CAMP, "old reply", Some(&old));
        slack.post_at(&ago(60), EMIKO, CAMP, "new", None);
        bot.messages(CAMP, 3);
        settled(&slack, &mut bot);
        let program = bot.stop();
        disconnect_since(&program, 4 * day);
        slack.faults().keep_since(&ago(day), is_told);
        let program = again(&slack, program);
        assert_eq!(texts(&program, CAMP), ["old", "old reply", "new"]);
        // It is asked again, over a restart too.
        assert!(missing(&program) > 0);
    }
}

#[test]
fn an_old_thread_that_is_gone_stops_nothing_and_is_deleted() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    bot.caught_up();
    slack.post_at(&ago(9000), AKARI, CAMP, "older", None);
    let thread = slack.post_at(&ago(7200), AKARI, CAMP, "thread", None);
    let reply = slack.post_at(&ago(30), EMIKO, CAMP, "reply", Some(&thread));
    bot.messages(CAMP, 3);
    settled(&slack, &mut bot);
    let program = bot.stop();
    slack.delete(CAMP, &reply);
    slack.delete(CAMP, &thread);
    slack.post(EMIKO, CAMP, "new", None);
    let program = again(&slack, program);
    assert_eq!(texts(&program, CAMP), ["older", "new"]);
}

#[test]
fn a_message_that_left_a_tombstone_is_deleted_and_its_replies_stay() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let parent = slack.post_at(&ago(30), AKARI, CAMP, "parent", None);
    slack.post_at(&ago(25), EMIKO, CAMP, "reply", Some(&parent));
    bot.messages(CAMP, 2);
    settled(&slack, &mut bot);
    let program = bot.stop();
    slack.delete(CAMP, &parent);
    let program = again(&slack, program);
    assert_eq!(texts(&program, CAMP), ["reply"]);
}
