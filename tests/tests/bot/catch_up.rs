//! What happened while the bot was away is known after the next start.

use std::time::{Duration, Instant};

use myao_fake_slack::{BOT_USER, Fault};
use myao_tests::bot::{now, said, said_by};
use myao_tests::program::Program;

use crate::bot::odd::{disconnect_since, texts};
use crate::bot::support::{
    AKARI, AKARI_NAME, CAMP, EMIKO, EMIKO_NAME, connect, connect_again, model, number, posts,
    prompts, replies_of, settled, shown_under, workspace,
};

/// Ids, names and whether the bot is in them.
fn channels(program: &Program) -> Vec<(String, String, bool)> {
    let rows = program.query("SELECT id, name, present FROM channels ORDER BY id");
    let rows = rows.into_iter().map(|row| {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        (text("id"), text("name"), row["present"].as_i64() == Some(1))
    });
    rows.collect()
}

/// Regression 9.
#[test]
fn channels_over_many_pages_are_all_known_and_none_is_deleted() {
    let slack = workspace();
    slack.faults().cap_pages(100);
    let mut expected = vec![(CAMP.to_owned(), "合宿".to_owned(), true)];
    for number in 0..250 {
        let (id, name) = (format!("C1{number:04}"), format!("room-{number}"));
        let present = number % 2 == 0;
        if present {
            slack.add_channel(&id, &name);
        } else {
            slack.add_channel_without_bot(&id, &name);
        }
        expected.push((id, name, present));
    }
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let program = bot.stop();
    assert_eq!(channels(&program), expected);
    let mut bot = connect_again(&slack, program, "");
    bot.caught_up();
    let program = bot.stop();
    assert_eq!(channels(&program), expected);
    assert!(slack.requests_of("conversations.list").len() >= 6);
}

#[test]
fn messages_edits_deletions_and_replies_that_were_missed_are_there_after_the_next_start() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let old = format!("{}.000000", now() - 7200);
    slack.post_at(&old, AKARI, CAMP, "古い話です。", None);
    // Not within the second of the next start, which is left to the start after it.
    let recently = |sequence: u64| format!("{}.00000{sequence}", now() - 30);
    let say =
        |sequence, user, text, thread| slack.post_at(&recently(sequence), user, CAMP, text, thread);
    let first_reply = say(1, EMIKO, "覚えています。", Some(old.as_str()));
    let edited = say(2, AKARI, "予算は40,000円です。", None);
    let deleted = say(3, AKARI, "間違えました。", None);
    let deleted_reply = say(4, AKARI, "違いました。", Some(old.as_str()));
    bot.messages(CAMP, 5);
    settled(&slack, &mut bot);
    let program = bot.stop();

    slack.edit(CAMP, &edited, "予算は45,000円です。");
    slack.delete(CAMP, &deleted);
    slack.delete(CAMP, &deleted_reply);
    let late_reply = slack.post(AKARI, CAMP, "続きです。", Some(&old));
    let new = slack.post(EMIKO, CAMP, "会場は？", None);
    let new_reply = slack.post(AKARI, CAMP, "箱根です。", Some(&new));

    let mut bot = connect_again(&slack, program, "");
    bot.caught_up();
    let program = bot.stop();
    assert_eq!(
        said(&program, CAMP),
        [
            said_by(AKARI_NAME, &old, None, "古い話です。"),
            said_by(EMIKO_NAME, &first_reply, Some(&old), "覚えています。"),
            said_by(AKARI_NAME, &edited, None, "予算は45,000円です。"),
            said_by(AKARI_NAME, &late_reply, Some(&old), "続きです。"),
            said_by(EMIKO_NAME, &new, None, "会場は？"),
            said_by(AKARI_NAME, &new_reply, Some(&new), "箱根です。"),
        ]
    );
}

/// Slack dates an edit by its second in a history, and exactly in its event.
#[test]
fn the_later_of_two_edits_within_a_second_is_kept_if_the_history_shows_the_earlier() {
    let slack = workspace();
    let second = now() - 2;
    let at = |fraction: &str| format!("{second}.{fraction}");
    let budget = slack.post_at(&at("000000"), AKARI, CAMP, "予算は4,000円です。", None);
    slack.edit_at(&at("100000"), CAMP, &budget, "予算は45,000円です。");
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let earlier = "予算は45,000円です。";
    assert_eq!(
        bot.messages(CAMP, 1),
        [said_by(AKARI_NAME, &budget, None, earlier)]
    );
    let later = "予算は40,000円です。";
    slack.edit_at(&at("900000"), CAMP, &budget, later);
    settled(&slack, &mut bot);
    let program = bot.stop();
    assert_eq!(
        said(&program, CAMP),
        [said_by(AKARI_NAME, &budget, None, later)]
    );
}

#[test]
fn a_start_in_the_middle_of_catching_up_reads_what_is_left_and_not_all_anew() {
    const DEV: &str = "C0DEV";
    let slack = workspace();
    slack.add_channel(DEV, "dev");
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let program = bot.stop();
    disconnect_since(&program, 7200);
    // The comparison with Slack reads histories, too.
    program.change(&format!(
        "INSERT INTO sweeps (channel, workspace, hidden, ended_at) \
         SELECT key, workspace, 0, {} FROM channels WHERE true \
         ON CONFLICT (channel) DO UPDATE SET through = NULL, ended_at = excluded.ended_at",
        now()
    ));
    let hour_ago = format!("{}.000000", now() - 3600);
    for channel in [CAMP, DEV] {
        slack.post_at(&hour_ago, AKARI, channel, "an hour ago", None);
    }
    slack
        .faults()
        .next("conversations.history", Fault::HoldCall);
    let before = slack.requests().len();
    let mut bot = connect_again(&slack, program, "");
    let noted = "SELECT connected_through FROM sync_state";
    let left = "SELECT COUNT(*) FROM unread_channels";
    bot.until("one channel of two, and a good connection", |program| {
        let is_noted = number(program, noted) > i64::try_from(now()).unwrap() - 60;
        (is_noted && number(program, left) == 1).then_some(())
    });
    let program = bot.kill();
    slack.faults().release();
    let mut bot = connect_again(&slack, program, "");
    bot.caught_up();
    let program = bot.stop();
    for channel in [CAMP, DEV] {
        assert_eq!(texts(&program, channel), ["an hour ago"]);
    }
    let since = |request: &myao_fake_slack::Request| {
        let oldest = request.text("oldest")?.split('.').next()?;
        oldest.parse::<u64>().ok()
    };
    let requests = slack.requests().split_off(before);
    let histories = requests
        .iter()
        .filter(|request| request.method == "conversations.history");
    let long = histories.filter(|request| since(request).is_some_and(|since| since < now() - 3600));
    assert_eq!(long.count(), 3, "each once, and what was left once more");
}

/// Measures a start with many channels at Slack's limits, each a minute in a second: Tier 2 for lists, Tier 3 for histories and
/// threads, Tier 4 for members.
#[test]
#[ignore = "measures: make bench"]
#[allow(clippy::print_stdout)]
fn measures_a_start_with_2000_channels() {
    const CHANNELS: usize = 2000;
    let slack = workspace();
    for number in 1..CHANNELS {
        slack.add_channel(&format!("C1{number:04}"), &format!("room-{number}"));
    }
    let minute = Duration::from_secs(1);
    for (method, calls) in [
        ("conversations.list", 20),
        ("users.list", 20),
        ("conversations.history", 50),
        ("conversations.replies", 50),
        ("conversations.info", 50),
        ("conversations.members", 100),
    ] {
        slack.faults().limit(method, calls, minute);
    }
    let mut bot = connect(&slack, "");
    let begun = Instant::now();
    for part in 1..=8 {
        let all = i64::try_from(CHANNELS * part / 8).unwrap();
        bot.until("an eighth of the channels", |program| {
            let read = "SELECT COUNT(*) FROM channels WHERE read_through IS NOT NULL";
            (number(program, read) >= all).then_some(())
        });
        println!("{all} channels: {} minutes", begun.elapsed().as_secs());
    }
    bot.stop();
}

#[test]
fn mentions_that_were_missed_are_answered_once() {
    let (slack, llm) = (workspace(), model());
    let config = replies_of(&llm);
    let mut bot = connect(&slack, &config);
    let old = format!("{}.000000", now() - 7200);
    slack.post_at(&old, AKARI, CAMP, "古い話です。", None);
    slack.post(EMIKO, CAMP, "覚えています。", Some(&old));
    bot.messages(CAMP, 2);
    bot.caught_up();
    let program = bot.stop();
    slack.mention(EMIKO, CAMP, "会場は？", None);
    slack.mention(EMIKO, CAMP, "古い話の続きは？", Some(&old));
    let mut bot = connect_again(&slack, program, &config);
    posts(&slack, &mut bot, 2);
    bot.caught_up();
    let program = bot.stop();
    // The same stretch is read once more.
    let mut bot = connect_again(&slack, program, &config);
    bot.caught_up();
    slack.mention(EMIKO, CAMP, "予算は？", None);
    posts(&slack, &mut bot, 3);
    bot.stop();
    let mut threads: Vec<_> = slack
        .posts()
        .into_iter()
        .map(|post| post.thread_ts)
        .collect();
    threads.sort();
    assert_eq!(threads, [None, None, Some(old)]);
    assert_eq!(llm.calls().len(), 3);
}

#[test]
fn renamings_that_were_missed_are_seen() {
    let (slack, llm) = (workspace(), model());
    let config = replies_of(&llm);
    let mut bot = connect(&slack, &config);
    slack.post(AKARI, CAMP, "会場は箱根です。", None);
    bot.messages(CAMP, 1);
    bot.caught_up();
    let program = bot.stop();
    slack.rename_channel(CAMP, "夏合宿");
    slack.rename_user(AKARI, "鈴木 灯");
    let mut bot = connect_again(&slack, program, &config);
    bot.caught_up();
    slack.mention(EMIKO, CAMP, "会場は？", None);
    posts(&slack, &mut bot, 1);
    let program = bot.stop();
    let prompt = prompts(&llm).remove(0);
    assert!(prompt.contains("現在は、#夏合宿 チャンネル"), "{prompt}");
    let shown = shown_under(&prompt, "### 返信対象: トップレベル");
    assert_eq!(
        (shown[0].author.as_str(), shown[0].text.as_str()),
        ("鈴木 灯", "会場は箱根です。")
    );
    assert_eq!(channels(&program)[0].1, "夏合宿");
}

#[test]
fn a_channel_that_slack_lists_no_more_is_private() {
    let (slack, llm) = (workspace(), model());
    let config = replies_of(&llm);
    let mut bot = connect(&slack, &config);
    bot.caught_up();
    let program = bot.stop();
    assert!(!is_private(&program, CAMP));
    slack.remove_member(CAMP, BOT_USER);
    slack.convert_unheard(CAMP);
    let mut bot = connect_again(&slack, program, &config);
    bot.caught_up();
    assert!(is_private(&bot.stop(), CAMP));
}

fn is_private(program: &Program, channel: &str) -> bool {
    let sql = format!("SELECT is_private FROM channels WHERE id = '{channel}'");
    number(program, &sql) == 1
}

/// Regression 7.
#[test]
fn an_event_without_a_channel_name_leaves_the_known_name() {
    let (slack, llm) = (workspace(), model());
    let config = replies_of(&llm);
    let mut bot = connect(&slack, &config);
    slack.post(AKARI, CAMP, "会場は箱根です。", None);
    bot.messages(CAMP, 1);
    slack.rename_channel(CAMP, "");
    settled(&slack, &mut bot);
    slack.mention(EMIKO, CAMP, "会場は？", None);
    posts(&slack, &mut bot, 1);
    bot.caught_up();
    let program = bot.stop();
    // Nor does a list without names.
    let mut bot = connect_again(&slack, program, &config);
    bot.caught_up();
    slack.mention(EMIKO, CAMP, "もう一度。", None);
    posts(&slack, &mut bot, 2);
    let program = bot.stop();
    for prompt in prompts(&llm) {
        assert!(prompt.contains("現在は、#合宿 チャンネル"), "{prompt}");
    }
    assert_eq!(channels(&program)[0].1, "合宿");
}
