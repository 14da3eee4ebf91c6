//! `/memory off`: what people do not want remembered is not stored.

use std::time::{SystemTime, UNIX_EPOCH};

use myao_fake_slack::{FakeSlack, SlashAnswer};
use myao_tests::program::Program;

use crate::bot::support::{
    AKARI, CAMP, EMIKO, block_on, connect, connect_again, model, posts, replies_of, settled,
    workspace,
};

fn command(slack: &FakeSlack, user: &str, channel: &str, text: &str) -> String {
    let answer: SlashAnswer = block_on(slack.slash_command(user, channel, "/memory", text));
    let payload = answer.payload.expect("an answer in the acknowledgement");
    assert_ne!(payload["response_type"], "in_channel", "{payload}");
    payload.to_string()
}

/// Everything that the database holds of messages and of events.
fn stored(program: &Program) -> String {
    let sql = "SELECT text FROM messages UNION ALL SELECT payload FROM events";
    program.texts(sql).concat()
}

/// A message that is written a minute before now, or after it: the second of a command is off the record.
fn post_in(slack: &FakeSlack, seconds: i64, user: &str, text: &str) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = i64::try_from(now.as_secs()).unwrap();
    slack.post_at(&format!("{}.000100", now + seconds), user, CAMP, text, None);
}

#[test]
fn what_a_person_says_off_the_record_is_not_stored_and_not_read_later() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    post_in(&slack, -60, AKARI, "集合は9時です。");
    settled(&slack, &mut bot);
    let state = command(&slack, AKARI, CAMP, "オフ");
    assert!(state.contains("あなたの発言: 覚えます"), "{state}");
    let off = command(&slack, AKARI, CAMP, "オフ 自分");
    assert!(off.contains("/memory オン 自分"), "{off}");
    let state = command(&slack, AKARI, CAMP, "off");
    assert!(state.contains("から覚えていません"), "{state}");
    slack.post(AKARI, CAMP, "暗証番号は 4711 です。", None);
    slack.mention(AKARI, CAMP, "4711 を覚えた?", None);
    slack.mention(EMIKO, CAMP, "集合は何時?", None);
    posts(&slack, &mut bot, 1);
    settled(&slack, &mut bot);
    let program = bot.stop();
    assert!(!stored(&program).contains("4711"));
    // What is read again at the next start is not stored either.
    slack.post(AKARI, CAMP, "4711 のことは内緒です。", None);
    let mut bot = connect_again(&slack, program, &replies_of(&llm));
    bot.caught_up();
    let on = command(&slack, AKARI, CAMP, "on me");
    assert!(on.contains("その間の発言"), "{on}");
    post_in(&slack, 60, AKARI, "集合は10時になりました。");
    settled(&slack, &mut bot);
    let program = bot.stop();
    let stored = stored(&program);
    assert!(!stored.contains("4711"));
    assert!(stored.contains("10時になりました") && stored.contains("9時です"));
    assert_eq!(llm.calls().len(), 1);
}
