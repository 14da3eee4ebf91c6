//! An answer that is written but not posted when a channel becomes private that it may have been made from.

use myao_fake_slack::Fault;
use myao_tests::llm_server::{LlmServer, answer};

use crate::bot::support::{AKARI, CAMP, EMIKO, connect, number, posts, replies_of, workspace};

const TALK: &str = "C0TALK";
/// What only the camp's channel says.
const SECRET: &str = "ZEBRA";

#[test]
fn an_answer_that_slack_did_not_take_is_written_anew_after_a_channel_became_private() {
    assert_written_anew("a_new_error");
}

#[test]
fn so_is_one_that_may_have_arrived_but_did_not() {
    assert_written_anew("fatal_error");
}

/// `refusal` is what Slack says to every post until the channel is private.
fn assert_written_anew(refusal: &'static str) {
    let slack = workspace();
    slack.add_channel(TALK, "雑談");
    for member in [AKARI, EMIKO] {
        slack.add_member(CAMP, member);
        slack.add_member(TALK, member);
    }
    let llm = LlmServer::start(|call| {
        let is_seen = call.prompt().contains(SECRET);
        answer(if is_seen {
            "合宿所は ZEBRA だそうです。"
        } else {
            "まだ誰も話していません。"
        })
    });
    let often = "memory: { long_term_update_interval_seconds: 1 }\n";
    let mut bot = connect(&slack, &format!("{}{often}", replies_of(&llm)));
    bot.caught_up();
    slack.post(AKARI, CAMP, "合宿所は ZEBRA に決まりました。", None);
    bot.until("a memory of the camp", |program| {
        let memories = "SELECT COUNT(*) FROM memories WHERE content LIKE '%ZEBRA%'";
        (number(program, memories) > 0).then_some(())
    });
    let refused = Fault::Error(refusal);
    slack.faults().times(99, "chat.postMessage", &refused);
    slack.mention(EMIKO, TALK, "合宿所はどこですか？", None);
    let waiting = "SELECT COUNT(*) FROM reply_parts WHERE text LIKE '%ZEBRA%'";
    bot.until("an answer that was refused", |program| {
        let failed = "SELECT COUNT(*) FROM replies WHERE failures > 0";
        (number(program, waiting) == 1 && number(program, failed) == 1).then_some(())
    });
    slack.make_private(CAMP);
    bot.until("the answer withdrawn", |program| {
        (number(program, waiting) == 0).then_some(())
    });
    slack.faults().clear();
    let posts = posts(&slack, &mut bot, 1);
    bot.stop();
    assert_eq!(posts[0].channel, TALK);
    assert!(!posts[0].text.contains(SECRET), "{}", posts[0].text);
}
