//! Thumbs on the bot's answers.

use myao_tests::bot::Bot;
use serde_json::Value;

use crate::bot::page::read;
use crate::bot::support::{AKARI, CAMP, EMIKO, connect, number, posts, settled, workspace};

/// What the page says of the answers, good or bad, or all.
fn answers(bot: &Bot, only: &str) -> Vec<Value> {
    let body = read(bot, &format!("/answers.json?only={only}"));
    let twin: Value = serde_json::from_str(&body).unwrap();
    twin["answers"].as_array().unwrap().clone()
}

#[test]
fn thumbs_on_an_answer_are_shown_on_the_page_with_what_it_was_made_from() {
    let slack = workspace();
    let mut bot = connect(&slack, "page: { listen: '127.0.0.1:0' }\n");
    bot.caught_up();
    assert!(read(&bot, "/answers").contains("There are none yet."));
    let said = slack.post(AKARI, CAMP, "合宿の予算は45,000円に決まりました。", None);
    slack.mention(EMIKO, CAMP, "合宿の予算はいくらですか？", None);
    let posted = posts(&slack, &mut bot, 1).remove(0);
    settled(&slack, &mut bot);
    slack.react(AKARI, CAMP, &posted.ts, "+1::skin-tone-3");
    slack.react(EMIKO, CAMP, &posted.ts, "+1");
    slack.react(EMIKO, CAMP, &posted.ts, "-1");
    slack.react(EMIKO, CAMP, &posted.ts, "eyes");
    // A thumb on what a person said is none of the bot's business.
    slack.react(EMIKO, CAMP, &said, "+1");
    slack.unreact(EMIKO, CAMP, &posted.ts, "+1");
    settled(&slack, &mut bot);
    let found = answers(&bot, "");
    assert_eq!(found.len(), 1, "{found:?}");
    let answer = &found[0];
    assert_eq!(
        (answer["good"].as_u64(), answer["bad"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(answer["ts"], posted.ts.as_str());
    let question = answer["question"]["text"].as_str().unwrap();
    assert!(question.contains("いくらですか"), "{question}");
    assert!(
        answer["text"].as_str().unwrap().contains("45,000円"),
        "{answer}"
    );
    assert_eq!(answer["sources"][0]["ts"], said.as_str());
    assert_eq!(answers(&bot, "bad").len(), 1);
    slack.unreact(EMIKO, CAMP, &posted.ts, "-1");
    settled(&slack, &mut bot);
    assert_eq!(answers(&bot, "bad").len(), 0);
    let page = read(&bot, "/answers?only=good");
    assert!(
        page.contains("👍 good: 1") && page.contains("45,000円"),
        "{page}"
    );
    let program = bot.stop();
    let thumbs = "SELECT COUNT(DISTINCT posted_key) FROM feedback";
    assert_eq!(number(&program, thumbs), 1);
}
