//! Digests by schedule.

use std::time::{SystemTime, UNIX_EPOCH};

use myao_fake_slack::FakeSlack;
use myao_tests::bot::{Bot, read_log};
use myao_tests::noon;
use myao_tests::program::Program;

use crate::bot::support::{AKARI, CAMP, EMIKO, connect_as, number, posts, settled, workspace};

const DAY: u64 = 24 * 3600;

/// A message of yesterday's noon, and `seconds`.
fn yesterday(slack: &FakeSlack, user: &str, channel: &str, seconds: u64, text: &str) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let ts = format!("{}.000100", now - DAY + seconds);
    slack.post_at(&ts, user, channel, text, None)
}

/// A bot with digests at noon, at a place where it is noon now.
fn bot_of(slack: &FakeSlack, program: Program) -> Bot {
    let digests = "digests: [{ channel: 合宿, at: '12:00' }, { channel: C0QUIET, at: '12:00' }]";
    connect_as(slack, program, digests, &noon::timezone())
}

#[test]
fn a_digest_names_what_was_decided_and_what_is_open_once_and_a_quiet_channel_gets_none() {
    let slack = workspace();
    slack.add_channel("C0QUIET", "雑談");
    let decided = yesterday(&slack, AKARI, CAMP, 0, "合宿の会場は箱根に決まりました。");
    yesterday(
        &slack,
        EMIKO,
        CAMP,
        60,
        "バスの見積書は金曜までに田中観光へ送ります。",
    );
    yesterday(
        &slack,
        AKARI,
        CAMP,
        120,
        "宿の電話番号を知っている人はいますか？",
    );
    yesterday(&slack, EMIKO, "C0QUIET", 0, "おはようございます。");
    let mut bot = bot_of(&slack, Program::default());
    let digest = posts(&slack, &mut bot, 1).remove(0);
    assert_eq!((digest.channel.as_str(), &digest.thread_ts), (CAMP, &None));
    for (text, times) in [("箱根に決まりました", 1), ("見積書", 1), ("電話番号", 1)]
    {
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
