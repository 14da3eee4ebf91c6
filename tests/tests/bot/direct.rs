//! Direct messages with the bot.

use myao_tests::llm_server::LlmServer;

use crate::bot::commands::{EAGER, ask, remembered};
use crate::bot::support::{
    AKARI, CAMP, EMIKO, connect, connect_again, model, number, posts, prompts, replies_of, settled,
    workspace,
};

const DIRECT: &str = "D0AKARI001";

/// How many prompts hold a text.
fn holding(llm: &LlmServer, text: &str) -> usize {
    prompts(llm).iter().filter(|p| p.contains(text)).count()
}

#[test]
fn a_direct_message_is_answered_from_what_is_public_and_from_itself() {
    let (slack, llm) = (workspace(), model());
    slack.add_private_channel("C0BOARD", "役員会");
    slack.add_direct_channel(DIRECT, AKARI);
    let mut bot = connect(&slack, &replies_of(&llm));
    bot.caught_up();
    slack.post(EMIKO, CAMP, "合宿の会場は箱根です。", None);
    slack.post(AKARI, "C0BOARD", "買収の会場は熱海です。", None);
    settled(&slack, &mut bot);
    slack.post(AKARI, DIRECT, "会場はどこ? ちなみに私の希望は伊東。", None);
    let first = posts(&slack, &mut bot, 1);
    assert_eq!(
        (first[0].channel.as_str(), &first[0].thread_ts),
        (DIRECT, &None)
    );
    assert_eq!(holding(&llm, "箱根"), 1);
    // A thank you needs no mention, and what was said there is known there.
    slack.post(AKARI, DIRECT, "ありがとう。会場の希望も覚えてる?", None);
    posts(&slack, &mut bot, 2);
    assert_eq!(holding(&llm, "伊東"), 2);
    // Nobody else hears of it, and a channel of few does not reach it.
    slack.mention(EMIKO, CAMP, "会場の希望は?", None);
    posts(&slack, &mut bot, 3);
    assert_eq!(holding(&llm, "伊東"), 2);
    assert_eq!(holding(&llm, "熱海"), 0);
    // The bot's own answers there ask nothing, and nobody is asked twice.
    settled(&slack, &mut bot);
    bot.stop();
    assert_eq!((slack.posts().len(), llm.calls().len()), (3, 3));
}

#[test]
fn what_the_bot_was_asked_in_a_direct_message_is_no_source_of_an_answer_there() {
    let slack = workspace();
    slack.add_direct_channel(DIRECT, AKARI);
    let mut bot = connect(&slack, "");
    bot.caught_up();
    slack.post(EMIKO, CAMP, "合宿の会場は箱根です。", None);
    slack.post(AKARI, DIRECT, "合宿の会場の希望は伊東です。", None);
    // Two that wait at once are answered in any order.
    posts(&slack, &mut bot, 1);
    for (count, question) in [(2, "合宿の会場はどこ?"), (3, "会場はどこですか?")] {
        slack.post(AKARI, DIRECT, question, None);
        let said = posts(&slack, &mut bot, count).pop().unwrap().text;
        assert!(said.contains("箱根") && said.contains("伊東"), "{said}");
        assert!(!said.contains("どこ"), "{said}");
    }
    // Without a mention it corrects nothing, and says something.
    slack.post(AKARI, DIRECT, "訂正: 合宿の会場の希望は熱海です。", None);
    posts(&slack, &mut bot, 4);
    let program = bot.stop();
    let found = program.run(&["search", "合宿の会場の希望"]).output();
    assert!(found.contains("熱海") && !found.contains("どこ"), "{found}");
}

#[test]
fn what_the_bot_was_asked_in_a_direct_message_is_no_line_of_its_memory() {
    let slack = workspace();
    slack.add_direct_channel(DIRECT, AKARI);
    let mut bot = connect(&slack, EAGER);
    bot.caught_up();
    for text in ["合宿は箱根に決定しました。", "宿は77万円に決定しましたか?"]
    {
        slack.post(AKARI, DIRECT, text, None);
    }
    posts(&slack, &mut bot, 2);
    settled(&slack, &mut bot);
    remembered(&mut bot, DIRECT, 1);
    let memory = ask(&slack, DIRECT, "");
    assert!(
        memory.contains("箱根") && !memory.contains("77万円"),
        "{memory}"
    );
}

#[test]
fn a_direct_message_of_the_time_when_the_bot_was_away_is_answered_once() {
    let (slack, llm) = (workspace(), model());
    slack.add_direct_channel(DIRECT, AKARI);
    let mut bot = connect(&slack, &replies_of(&llm));
    bot.caught_up();
    let asked = slack.post(AKARI, DIRECT, "会場はどこ?", None);
    posts(&slack, &mut bot, 1);
    settled(&slack, &mut bot);
    let program = bot.stop();
    slack.post(AKARI, DIRECT, "集合は何時?", None);
    let mut bot = connect_again(&slack, program, &replies_of(&llm));
    posts(&slack, &mut bot, 2);
    bot.caught_up();
    slack.delete(DIRECT, &asked);
    settled(&slack, &mut bot);
    let program = bot.stop();
    assert_eq!((slack.posts().len(), llm.calls().len()), (2, 2));
    let deleted = "SELECT COUNT(*) FROM messages WHERE text LIKE '%会場%'";
    assert_eq!(number(&program, deleted), 0);
}
