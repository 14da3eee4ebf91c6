//! Digests by schedule.

use std::time::{SystemTime, UNIX_EPOCH};

use myao_fake_slack::FakeSlack;
use myao_tests::bot::{Bot, read_log};
use myao_tests::noon;
use myao_tests::program::Program;

use crate::bot::support::{
    AKARI, AKARI_NAME, CAMP, EMIKO, connect_as, number, posts, settled, workspace,
};

const DAY: u64 = 24 * 3600;

/// A message of yesterday's noon, and `seconds`.
pub(crate) fn yesterday(
    slack: &FakeSlack,
    user: &str,
    channel: &str,
    seconds: u64,
    text: &str,
) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let ts = format!("{}.000100", now - DAY + seconds);
    slack.post_at(&ts, user, channel, text, None)
}

/// A bot with digests at noon, at a place where it is noon now.
pub(crate) fn bot_of(slack: &FakeSlack, program: Program) -> Bot {
    let digests = "digests: [{ channel: 合宿, at: '12:00' }, { channel: C0QUIET, at: '12:00' }]";
    connect_as(slack, program, digests, &noon::timezone())
}

#[test]
fn a_digest_names_what_was_decided_and_what_is_open_once_and_a_quiet_channel_gets_none() {
    let slack = workspace();
    slack.add_channel("C0QUIET", "雑談");
    let decided = yesterday(&slack, AKARI, CAMP, 0, "決定: 合宿の会場は箱根");
    yesterday(
        &slack,
        EMIKO,
        CAMP,
        60,
        "タスク: バスの見積書を田中観光へ送る",
    );
    yesterday(&slack, EMIKO, "C0QUIET", 0, "おはようございます。");
    let mut bot = bot_of(&slack, Program::of_bot());
    let digest = posts(&slack, &mut bot, 1).remove(0);
    assert_eq!((digest.channel.as_str(), &digest.thread_ts), (CAMP, &None));
    for (text, times) in [("会場は箱根", 1), ("見積書", 1)] {
        assert_eq!(digest.text.matches(text).count(), times, "{}", digest.text);
    }
    let link = format!("/archives/{CAMP}/p{}", decided.replace('.', ""));
    assert!(digest.text.contains(&link), "{}", digest.text);
    bot.until("no digest of a quiet channel", |program| {
        let log = read_log(program);
        log.contains("no digest in C0QUIET").then_some(())
    });
    settled(&slack, &mut bot);
    // Nobody gets it twice, also not after a start.
    let program = bot.stop();
    let mut bot = bot_of(&slack, program);
    bot.caught_up();
    settled(&slack, &mut bot);
    // What it quotes is deleted: a note takes its place.
    slack.delete(CAMP, &decided);
    bot.until("a note", |program| {
        let taken_back = "SELECT COUNT(*) FROM reply_parts WHERE retracted = 2";
        (number(program, taken_back) == 1).then_some(())
    });
    bot.stop();
    assert_eq!(slack.posts().len(), 1);
}

#[test]
fn what_is_done_is_told_as_done_and_what_an_earlier_digest_told_is_not() {
    let slack = workspace();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    for (number, text) in ["決定: 監視は Crane", "タスク: ラベルを用意する"]
        .into_iter()
        .enumerate()
    {
        let ts = format!("{}.000200", now.as_secs() - 2 * DAY + number as u64);
        slack.post_at(&ts, EMIKO, CAMP, text, None);
    }
    let quote = yesterday(&slack, EMIKO, CAMP, 0, "タスク: バスの見積書を送る");
    slack.react(EMIKO, CAMP, &quote, "white_check_mark");
    let mut bot = bot_of(&slack, Program::of_bot());
    let digest = posts(&slack, &mut bot, 1).remove(0).text;
    bot.stop();
    let done = "バスの見積書を送る (作業、完了)";
    assert_eq!(digest.matches(done).count(), 1, "{digest}");
    for told in ["ラベル", "Crane"] {
        assert!(!digest.contains(told), "{digest}");
    }
}

#[test]
fn a_person_gets_what_was_said_where_they_are_and_everybody_may_read_since_they_wrote_last() {
    const GUEST: &str = "U0GUEST";
    let slack = workspace();
    slack.add_guest(GUEST, "客");
    slack.add_private_channel("C0BOARD", "役員会");
    slack.add_channel("C0OTHER", "雑談");
    for (channel, user) in [
        (CAMP, AKARI),
        (CAMP, EMIKO),
        ("C0BOARD", AKARI),
        ("C0OTHER", EMIKO),
    ] {
        slack.add_member(channel, user);
    }
    for (channel, user) in [
        ("D0AKARI001", AKARI),
        ("D0EMIKO001", EMIKO),
        ("D0GUEST001", GUEST),
    ] {
        slack.add_direct_channel(channel, user);
    }
    yesterday(&slack, AKARI, CAMP, 0, "決定: 合宿の予算は45,000円");
    yesterday(&slack, EMIKO, CAMP, 60, "決定: 合宿の会場は箱根");
    yesterday(&slack, EMIKO, "C0BOARD", 60, "決定: 買収の会場は熱海");
    yesterday(&slack, EMIKO, "C0OTHER", 60, "決定: 昼食は駅前の店");
    let people = [
        (AKARI, "D0AKARI001"),
        (EMIKO, "D0EMIKO001"),
        (GUEST, "D0GUEST001"),
    ];
    let mut bot = connect_as(&slack, Program::of_bot(), "", &noon::timezone());
    bot.caught_up();
    for (user, channel) in people {
        slack.post(user, channel, "こんにちは。", None);
    }
    posts(&slack, &mut bot, people.len());
    settled(&slack, &mut bot);
    let program = bot.stop();
    let digests = format!(
        "digests: [{{ person: '@{AKARI_NAME}', at: '12:00' }}, {{ person: {EMIKO}, at: '12:00' }}, \
         {{ person: {GUEST}, at: '12:00' }}]"
    );
    let mut bot = connect_as(&slack, program, &digests, &noon::timezone());
    let digest = posts(&slack, &mut bot, people.len() + 1).pop().unwrap();
    assert_eq!(digest.channel, "D0AKARI001");
    assert_eq!(
        digest.text.matches("会場は箱根").count(),
        1,
        "{}",
        digest.text
    );
    for hidden in ["予算", "買収", "昼食"] {
        assert!(!digest.text.contains(hidden), "{}", digest.text);
    }
    bot.until("no digest for the others", |program| {
        let log = read_log(program);
        let is_quiet = |user: &str| log.contains(&format!("no digest for {user}: nothing"));
        (is_quiet(EMIKO) && is_quiet(GUEST)).then_some(())
    });
    bot.stop();
    assert_eq!(slack.posts().len(), people.len() + 1);
}
