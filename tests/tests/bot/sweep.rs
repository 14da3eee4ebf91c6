//! What Slack deletes or changes without an event is found all the same.

use myao_fake_slack::FakeSlack;
use myao_tests::bot::{Bot, now};
use myao_tests::program::Program;

use crate::bot::odd::texts;
use crate::bot::support::{
    AKARI, AKARI_NAME, CAMP, EMIKO, connect, connect_again, connect_as, number, settled, workspace,
};

fn ago(seconds: u64) -> String {
    format!("{}.000000", now() - seconds)
}

/// A channel with a thread of last week, all stored, that was compared a day ago: the ids.
fn stored(slack: &FakeSlack) -> (Program, [String; 4]) {
    let mut bot = connect(slack, "");
    bot.caught_up();
    let week = 7 * 24 * 3600;
    let say = |later: u64, text, thread: Option<&str>| {
        slack.post_at(&ago(week - later), EMIKO, CAMP, text, thread)
    };
    say(0, "one", None);
    let thread = say(10, "the boss is <@U0AKARI>", None);
    let reply = say(20, "reply", Some(&thread));
    let two = say(30, "two", None);
    let three = say(40, "three", None);
    bot.messages(CAMP, 5);
    settled(slack, &mut bot);
    let program = bot.stop();
    program.change("DELETE FROM sweeps");
    (program, [thread, reply, two, three])
}

/// Waits until the channel was compared to its end, and everything that was missing was judged.
fn compared(bot: &mut Bot) {
    bot.until("the end of the comparison", |program| {
        let ended = number(
            program,
            "SELECT COUNT(*) FROM sweeps WHERE ended_at IS NOT NULL",
        );
        let missing = number(program, "SELECT COUNT(*) FROM missing_messages");
        (ended == 1 && missing == 0).then_some(())
    });
}

#[test]
fn deletions_and_edits_that_no_event_told_are_found() {
    let slack = workspace();
    let (program, [_, reply, two, three]) = stored(&slack);
    slack.faults().tell_nothing(true);
    slack.delete(CAMP, &reply);
    slack.delete(CAMP, &two);
    slack.edit(CAMP, &three, "three, in other words");
    // Of a renamed person no message was edited.
    slack.rename_user(AKARI, "Akari the Second");
    let mut bot = connect_again(&slack, program, "");
    compared(&mut bot);
    let program = bot.stop();
    let left = texts(&program, CAMP);
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(left[1].contains(AKARI_NAME), "{left:?}");
    assert_eq!(left[2], "three, in other words");
}

#[test]
fn what_slack_does_not_show_any_more_is_kept_unless_it_is_to_go() {
    let slack = workspace();
    let (program, [thread, _, two, _]) = stored(&slack);
    slack.faults().keep_since(&two, false);
    let mut bot = connect_again(&slack, program, "");
    compared(&mut bot);
    let program = bot.stop();
    assert_eq!(texts(&program, CAMP).len(), 5);
    assert_eq!(number(&program, "SELECT hidden FROM sweeps"), 3);
    let told = program
        .command(&["--json", "doctor"])
        .output()
        .unwrap()
        .stdout;
    let told = String::from_utf8(told).unwrap();
    assert!(
        told.contains("Slack does not show 3 messages any more"),
        "{told}"
    );

    slack.faults().keep_since(&thread, true);
    let again = |program: Program| {
        program.change("DELETE FROM sweeps");
        let mut bot = connect_as(&slack, program, "follow_retention: true", "");
        compared(&mut bot);
        bot.stop()
    };
    let program = again(program);
    assert_eq!(
        texts(&program, CAMP).len(),
        5,
        "a plan hides, and deletes nothing"
    );
    slack.faults().keep_since(&two, false);
    let program = again(program);
    assert_eq!(texts(&program, CAMP), ["two", "three"]);
}

/// The channel was compared so many seconds ago, and is to be compared again.
fn compared_ago(program: &Program, seconds: u64) {
    let good = (now() - seconds) * 1_000_000;
    program.change(&format!(
        "UPDATE sweeps SET through = NULL, ended_at = 0, refused_at = NULL, good_through = {good}"
    ));
}

#[test]
fn messages_that_no_event_told_are_stored_late() {
    let slack = workspace();
    let (program, [thread, ..]) = stored(&slack);
    let mut bot = connect_again(&slack, program, "");
    bot.caught_up();
    compared(&mut bot);
    let program = bot.stop();
    // The bot took itself for connected through all of this.
    slack.faults().tell_nothing(true);
    slack.post_at(
        &ago(2 * 24 * 3600),
        EMIKO,
        CAMP,
        "known to be left out",
        None,
    );
    let lost = slack.post_at(&ago(600), EMIKO, CAMP, "lost", None);
    slack.post_at(&ago(590), EMIKO, CAMP, "lost reply", Some(&lost));
    slack.post_at(
        &ago(580),
        EMIKO,
        CAMP,
        "lost reply of last week",
        Some(&thread),
    );
    compared_ago(&program, 24 * 3600);
    let mut bot = connect_again(&slack, program, "");
    bot.until("a new comparison", |program| {
        let ended = "SELECT COUNT(*) FROM sweeps WHERE ended_at > 0";
        (number(program, ended) == 1).then_some(())
    });
    let texts = texts(&bot.stop(), CAMP);
    assert_eq!(texts.len(), 8, "{texts:?}");
    assert_eq!(
        texts[5..],
        ["lost", "lost reply", "lost reply of last week"]
    );
}

#[test]
fn a_channel_that_slack_refuses_is_told_with_the_reason_and_not_done() {
    let slack = workspace();
    let (program, _) = stored(&slack);
    slack.faults().refuse_history(CAMP, Some("not_in_channel"));
    let mut bot = connect_again(&slack, program, "");
    bot.until("the refusal", |program| {
        let refused = "SELECT COUNT(*) FROM sweeps WHERE refused_at > 0 AND ended_at IS NULL";
        (number(program, refused) == 1).then_some(())
    });
    let program = bot.stop();
    let told = program.command(&["--json", "doctor"]).output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("Slack refuses 1, as C0CAMP"), "{told}");
    assert!(told.contains("not_in_channel"), "{told}");
}
