//! What Slack deletes or changes without an event is found all the same.

use myao_fake_slack::FakeSlack;
use myao_tests::bot::{Bot, now};
use myao_tests::program::Program;
use rusqlite::Connection;

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
    let connection = Connection::open(program.path("myao.db")).unwrap();
    let _ = connection.execute("DELETE FROM sweeps", []).unwrap();
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
        let connection = Connection::open(program.path("myao.db")).unwrap();
        let _ = connection.execute("DELETE FROM sweeps", []).unwrap();
        drop(connection);
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
