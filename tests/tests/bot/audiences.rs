//! Who reads a channel, as Slack tells it by events and when the bot catches up.

use std::thread::sleep;
use std::time::Duration;

use myao_fake_slack::{FakeSlack, Fault};
use myao_tests::bot::{Bot, now};

use crate::bot::support::{
    AKARI, CAMP, DAY, EMIKO, connect, connect_again, connect_out_of_time, number, workspace,
    workspace_ahead,
};

const GUEST: &str = "U0GUEST";
/// The values of the column.
const EVERYBODY: i64 = 0;
const MEMBERS: i64 = 1;
const OUTSIDERS: i64 = 2;

fn audience(program: &myao_tests::program::Program) -> i64 {
    number(
        program,
        &format!("SELECT audience FROM channels WHERE id = '{CAMP}'"),
    )
}

#[track_caller]
fn becomes(bot: &mut Bot, what: &str, expected: i64) {
    bot.until(what, |program| {
        (audience(program) == expected).then_some(())
    });
}

/// Stops the bot, and starts it again in another second: what Slack returned counts from the second of the request.
fn restart(slack: &FakeSlack, bot: Bot) -> Bot {
    let (program, second) = (bot.stop(), now());
    while now() == second {
        sleep(Duration::from_millis(20));
    }
    let mut bot = connect_again(slack, program, "");
    bot.caught_up();
    bot
}

#[test]
fn audience_follows_conversions_guests_and_other_organisations() {
    let slack = workspace();
    for member in [AKARI, EMIKO] {
        slack.add_member(CAMP, member);
    }
    slack.add_guest(GUEST, "Gast");
    let mut bot = connect(&slack, "");
    bot.caught_up();
    becomes(&mut bot, "a public channel", EVERYBODY);
    slack.make_private(CAMP);
    becomes(&mut bot, "a private channel", MEMBERS);
    slack.make_public(CAMP);
    becomes(&mut bot, "a public channel again", EVERYBODY);
    slack.join(GUEST, CAMP);
    becomes(&mut bot, "a channel with a guest", OUTSIDERS);
    slack.leave(GUEST, CAMP);
    becomes(&mut bot, "a channel without guests", EVERYBODY);
    slack.set_guest(EMIKO, true);
    becomes(&mut bot, "a member who became a guest", OUTSIDERS);
    slack.set_guest(EMIKO, false);
    becomes(&mut bot, "a guest who became a member", EVERYBODY);
    slack.share_channel(CAMP);
    becomes(&mut bot, "a shared channel", OUTSIDERS);
    bot.stop();
}

#[test]
fn what_slack_tells_counts_though_this_machines_clock_is_a_day_off() {
    for ahead in [-DAY, DAY] {
        let slack = workspace_ahead(ahead);
        let mut bot = connect_out_of_time(&slack, "");
        bot.caught_up();
        becomes(&mut bot, "a public channel", EVERYBODY);
        slack.make_private(CAMP);
        becomes(&mut bot, "a private channel", MEMBERS);
        slack.add_guest(GUEST, "Gast");
        slack.join(GUEST, CAMP);
        becomes(&mut bot, "a channel with a guest", OUTSIDERS);
        slack.leave(GUEST, CAMP);
        becomes(&mut bot, "a channel without guests", MEMBERS);
        let ts = slack.post(AKARI, CAMP, "the code is 4711", None);
        bot.until("the message", |program| {
            let all = "SELECT COUNT(*) FROM messages WHERE deleted_at IS NULL";
            (number(program, all) == 1).then_some(())
        });
        slack.delete(CAMP, &ts);
        bot.until("its deletion", |program| {
            let gone = "SELECT COUNT(*) FROM messages WHERE deleted_at IS NOT NULL AND text = ''";
            (number(program, gone) == 1).then_some(())
        });
        slack.make_public(CAMP);
        becomes(&mut bot, "a public channel again", EVERYBODY);
        bot.stop();
    }
}

#[test]
fn audience_that_changed_while_the_bot_was_away_is_known_after_the_next_start() {
    let slack = workspace();
    slack.add_guest(GUEST, "Gast");
    let mut bot = connect(&slack, "");
    bot.caught_up();
    assert_eq!(audience(bot.program()), EVERYBODY);
    slack.add_member(CAMP, GUEST);
    let bot = restart(&slack, bot);
    assert_eq!(audience(bot.program()), OUTSIDERS);
    slack.remove_member(CAMP, GUEST);
    let bot = restart(&slack, bot);
    assert_eq!(audience(bot.program()), EVERYBODY);
    bot.stop();
}

#[test]
fn channel_whose_members_slack_never_returned_counts_as_private() {
    let slack = workspace();
    let refused = Fault::Error("fetch_members_failed");
    slack.faults().times(9, "conversations.members", &refused);
    let mut bot = connect(&slack, "");
    bot.caught_up();
    assert_eq!(audience(bot.program()), OUTSIDERS);
    assert!(bot.log().contains("Slack does not say who reads C0CAMP"));
    slack.faults().clear();
    let bot = restart(&slack, bot);
    assert_eq!(audience(bot.program()), EVERYBODY);
    bot.stop();
}
