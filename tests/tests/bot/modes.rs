//! `/memory mode`: the people of a channel say how the bot takes part in it.

use std::sync::atomic::{AtomicUsize, Ordering};

use myao_fake_slack::{BOT_USER, FakeSlack, SlashAnswer};
use myao_tests::llm_server::{LlmServer, answer};
use serde_json::{Value, json};

use crate::bot::commands::{EAGER, remembered};
use crate::bot::support::{
    AKARI, ANSWER, CAMP, EMIKO, block_on, connect, number, posts, replies_of, settled, workspace,
};

const TEA: &str = "C0TEA";
const GUEST: &str = "U0GUEST";

fn mode(slack: &FakeSlack, user: &str, channel: &str, text: &str) -> String {
    let answer: SlashAnswer = block_on(slack.slash_command(user, channel, "/memory", text));
    answer.payload.expect("an answer").to_string()
}

#[test]
fn nothing_is_stored_of_a_channel_whose_people_want_it_so() {
    let slack = workspace();
    slack.add_guest(GUEST, "客");
    slack.join(GUEST, CAMP);
    let mut bot = connect(&slack, "");
    bot.caught_up();
    let refused = mode(&slack, GUEST, CAMP, "モード オフ");
    assert!(refused.contains("ゲスト"), "{refused}");
    let nowhere = mode(&slack, AKARI, "D0AKARI", "mode off");
    assert!(nowhere.contains("/memory オフ 自分"), "{nowhere}");
    let off = mode(&slack, AKARI, CAMP, "モード オフ");
    assert!(off.contains("*`/memory モード オフ`"), "{off}");
    slack.post(EMIKO, CAMP, "暗証番号は 4711 です。", None);
    settled(&slack, &mut bot);
    let shown = mode(&slack, EMIKO, CAMP, "");
    assert!(shown.contains("今は覚えていません"), "{shown}");
    let refused = mode(&slack, AKARI, CAMP, "モード 回答");
    assert!(refused.contains("管理者だけ"), "{refused}");
    slack.set_admin(EMIKO);
    let on = mode(&slack, EMIKO, CAMP, "モード 回答");
    assert!(on.contains("*`/memory モード 回答`"), "{on}");
    let program = bot.stop();
    let kept = "SELECT COUNT(*) FROM messages WHERE deleted_at IS NULL";
    assert_eq!(number(&program, kept), 0);
    let noted = "SELECT COUNT(*) FROM audit WHERE actor = 'U0AKARI' AND channel_id = 'C0CAMP'";
    assert_eq!(number(&program, noted), 1);
}

#[test]
fn only_where_its_people_want_it_the_bot_joins_in_or_answers() {
    let judged = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = judged.clone();
    let llm = LlmServer::start(move |call| {
        if call.body["response_format"].is_null() {
            return answer(ANSWER);
        }
        counted.fetch_add(1, Ordering::Relaxed);
        let judgment = json!({ "should_respond": true, "reason": "r", "confidence": 0.9 });
        answer(&judgment.to_string())
    });
    let slack = workspace();
    slack.add_channel(TEA, "お茶");
    let eager = "response: { check_interval_seconds: 1, min_wait_seconds: 1, jitter_ratio: 0 }\n";
    let mut bot = connect(&slack, &format!("{eager}{}", replies_of(&llm)));
    bot.caught_up();
    let before = mode(&slack, AKARI, CAMP, "モード");
    assert!(before.contains("*`/memory モード 回答`"), "{before}");
    mode(&slack, AKARI, TEA, "モード 参加");
    mode(&slack, AKARI, CAMP, "モード 記憶");
    slack.post(EMIKO, CAMP, "会場はどこですか？", None);
    slack.mention(EMIKO, CAMP, "会場は？", None);
    let whispers = || slack.requests_of("chat.postEphemeral").len();
    bot.until("a word to the author", |_| (whispers() == 1).then_some(()));
    slack.post(EMIKO, TEA, "お茶はいつですか？", None);
    let posted = posts(&slack, &mut bot, 1);
    assert_eq!(posted[0].channel, TEA);
    mode(&slack, EMIKO, CAMP, "モード 回答");
    slack.mention(EMIKO, CAMP, "会場はどこですか？", None);
    let posted = posts(&slack, &mut bot, 2);
    assert_eq!(posted[1].channel, CAMP);
    // A question that nobody has answered waits here longer than the one that was judged there.
    assert_eq!((whispers(), judged.load(Ordering::Relaxed)), (1, 1));
    bot.stop();
}

/// The bot would join in there, but for the mode: channels are looked at in the order of their ids.
#[test]
fn what_was_asked_before_a_channel_went_off_is_not_answered() {
    let judge = r#"{ "should_respond": true, "reason": "r", "confidence": 0.9 }"#;
    let llm = LlmServer::start(|call| match call.body["response_format"].is_null() {
        true => answer(ANSWER),
        false => answer(judge),
    });
    let slack = workspace();
    slack.add_channel(TEA, "お茶");
    let eager = "response: { mode: join, check_interval_seconds: 1, min_wait_seconds: 1, jitter_ratio: 0 }\n";
    let mut bot = connect(&slack, &format!("{eager}{}", replies_of(&llm)));
    bot.caught_up();
    mode(&slack, AKARI, CAMP, "モード 記憶");
    slack.post(EMIKO, CAMP, "会場はどこですか？", None);
    settled(&slack, &mut bot);
    mode(&slack, AKARI, CAMP, "モード オフ");
    let joins_in = "UPDATE channels SET participation = 2 WHERE id = 'C0CAMP'";
    bot.program().change(joins_in);
    slack.post(EMIKO, TEA, "お茶はいつですか？", None);
    let posted = posts(&slack, &mut bot, 1);
    assert_eq!((posted.len(), posted[0].channel.as_str()), (1, TEA));
    bot.stop();
}

#[test]
fn who_invites_the_bot_is_told_once_what_it_does_there() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    bot.caught_up();
    slack.leave(BOT_USER, CAMP);
    slack.join(BOT_USER, CAMP);
    let posted = posts(&slack, &mut bot, 1);
    let text = &posted[0].text;
    assert_eq!(
        (posted[0].channel.as_str(), &posted[0].thread_ts),
        (CAMP, &None)
    );
    for word in [
        "メンションされたら答えます",
        "ワークスペースのメンバー",
        "/memory モード",
    ] {
        assert!(text.contains(word), "{text}");
    }
    slack.leave(BOT_USER, CAMP);
    slack.join(BOT_USER, CAMP);
    slack.add_channel(TEA, "お茶");
    slack.leave(BOT_USER, TEA);
    slack.join(BOT_USER, TEA);
    let posted = posts(&slack, &mut bot, 2);
    assert_eq!(posted[1].channel, TEA);
    bot.stop();
}

#[test]
fn at_home_people_choose_for_the_channels_that_they_are_in() {
    let slack = workspace();
    slack.add_channel(TEA, "お茶");
    slack.add_member(CAMP, EMIKO);
    let mut bot = connect(&slack, EAGER);
    bot.caught_up();
    slack.post(AKARI, CAMP, "合宿の会場は箱根に決まりました。", None);
    slack.post(AKARI, TEA, "お茶は三時に決まりました。", None);
    remembered(&mut bot, CAMP, 1);
    remembered(&mut bot, TEA, 1);
    slack.open_home(EMIKO);
    let home = bot.until("a home", |_| slack.home(EMIKO)).to_string();
    assert!(
        home.contains("お茶は三時") && !home.contains("C0TEA:join"),
        "{home}"
    );
    block_on(slack.pick(EMIKO, "C0CAMP:join"));
    bot.until("the choice is shown", |_| {
        let home = slack.home(EMIKO)?;
        let mut blocks = home["blocks"].as_array()?.iter();
        let is_chosen =
            |block: &Value| block["accessory"]["initial_option"]["value"] == "C0CAMP:join";
        blocks.any(is_chosen).then_some(())
    });
    let shown = mode(&slack, AKARI, CAMP, "モード");
    assert!(shown.contains("*`/memory モード 参加`"), "{shown}");
    bot.stop();
}
