//! `@myao 訂正: …` and `@myao remember: …`: people have the last word.

use myao_fake_slack::FakeSlack;
use myao_tests::bot::{Bot, now};

use crate::bot::odd::disconnect_since;
use crate::bot::support::{
    AKARI, CAMP, EMIKO, connect, connect_again, model, number, posts, prompts, replies_of, settled,
    workspace,
};

/// Mentions the bot, and returns its answer and the mention's id.
#[track_caller]
fn ask(slack: &FakeSlack, bot: &mut Bot, user: &str, text: &str) -> (String, String) {
    let before = slack.posts().len();
    let ts = slack.mention(user, CAMP, text, None);
    let posts = posts(slack, bot, before + 1);
    (posts.last().unwrap().text.clone(), ts)
}

#[test]
fn a_mark_is_answered_without_a_model_and_is_in_every_prompt_until_it_is_undone() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let (said, correction) = ask(&slack, &mut bot, AKARI, "訂正: 熱海は25日");
    assert!(said.starts_with("訂正を覚えました: 熱海は25日"), "{said}");
    let (said, _) = ask(&slack, &mut bot, EMIKO, "remember: the door code is K4711");
    assert!(said.starts_with("Noted: the door code is K4711"), "{said}");
    assert_eq!(llm.calls().len(), 0);
    ask(&slack, &mut bot, EMIKO, "合宿はいつ?");
    let prompt = prompts(&llm).pop().unwrap();
    let (_, marks) = prompt.split_once("## 覚えておくこと\n").unwrap();
    let (pinned, corrections) = marks.split_once("## 訂正\n").unwrap();
    assert!(pinned.contains("the door code is K4711"), "{pinned}");
    assert!(corrections.contains("熱海は25日"), "{corrections}");
    // The correction goes, and the answer to it.
    slack.delete(CAMP, &correction);
    settled(&slack, &mut bot);
    bot.until("the answer to go", |program| {
        let gone = "SELECT COUNT(*) FROM messages WHERE text LIKE '%訂正を覚えました%'";
        (number(program, gone) == 0).then_some(())
    });
    ask(&slack, &mut bot, EMIKO, "合宿はいつですか?");
    let prompt = prompts(&llm).pop().unwrap();
    assert!(!prompt.contains("## 訂正\n") && prompt.contains("## 覚えておくこと\n"));
    bot.stop();
}

#[test]
fn a_guest_marks_nothing_and_is_told_so() {
    let (slack, llm) = (workspace(), model());
    slack.set_guest(EMIKO, true);
    let mut bot = connect(&slack, &replies_of(&llm));
    let (said, _) = ask(&slack, &mut bot, EMIKO, "訂正: 熱海は25日");
    assert!(said.contains("メンバーだけです"), "{said}");
    ask(&slack, &mut bot, AKARI, "合宿はいつ?");
    let prompts = prompts(&llm);
    assert_eq!(prompts.len(), 1);
    assert!(!prompts[0].contains("## 訂正\n"), "{}", prompts[0]);
    bot.stop();
}

#[test]
fn what_is_pinned_in_slack_or_with_the_emoji_is_in_every_prompt_while_it_is() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let code = slack.post(AKARI, CAMP, "暗証番号は K4711 です", None);
    let place = slack.post(AKARI, CAMP, "宿は海辺の旅館です", None);
    slack.react(EMIKO, CAMP, &place, "eyes");
    let pinned = |slack: &FakeSlack, bot: &mut Bot| -> String {
        settled(slack, bot);
        ask(slack, bot, EMIKO, "なにか覚えてる?");
        let prompt = prompts(&llm).pop().unwrap();
        let pinned = prompt.split_once("## 覚えておくこと\n");
        let pinned = pinned.map(|(_, rest)| rest.split("\n## ").next().unwrap().to_owned());
        pinned.unwrap_or_default()
    };
    assert_eq!(pinned(&slack, &mut bot), "");
    slack.pin(AKARI, CAMP, &code);
    slack.react(EMIKO, CAMP, &place, "pushpin");
    let both = pinned(&slack, &mut bot);
    assert!(
        both.contains("K4711") && both.contains("海辺の旅館"),
        "{both}"
    );
    slack.unpin(EMIKO, CAMP, &code);
    slack.unreact(EMIKO, CAMP, &place, "pushpin");
    assert_eq!(pinned(&slack, &mut bot), "");
    bot.stop();
}

#[test]
fn pins_that_are_taken_off_while_the_bot_is_away_no_longer_count() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    // Two from long before the gap, and two in it.
    let ago = |seconds: u64| format!("{}.000000", now() - seconds);
    let say = |seconds, text| slack.post_at(&ago(seconds), AKARI, CAMP, text, None);
    let messages = [
        (say(7200, "暗証番号は K4711 です"), "K4711"),
        (say(7100, "宿は海辺の旅館です"), "海辺の旅館"),
        (say(7000, "バスは白い車です"), "白い車"),
        (say(5, "幹事は田中です"), "田中"),
        (say(4, "会費は五千円です"), "五千円"),
    ];
    let [(code, _), (place, _), (bus, _), (host, _), (fee, _)] = &messages;
    for pinned in [code, bus, host] {
        slack.pin(AKARI, CAMP, pinned);
    }
    for pinned in [place, fee] {
        slack.react(EMIKO, CAMP, pinned, "pushpin");
    }
    let shown = |slack: &FakeSlack, bot: &mut Bot| -> Vec<&str> {
        settled(slack, bot);
        ask(slack, bot, EMIKO, "なにか覚えてる?");
        let prompt = prompts(&llm).pop().unwrap();
        let pinned = prompt.split_once("## 覚えておくこと\n");
        let pinned = pinned.map_or("", |(_, rest)| rest.split("\n## ").next().unwrap());
        let words = messages.iter().map(|(_, word)| *word);
        words.filter(|word| pinned.contains(word)).collect()
    };
    assert_eq!(shown(&slack, &mut bot).len(), messages.len());
    let program = bot.stop();
    for unpinned in [code, host] {
        slack.unpin(AKARI, CAMP, unpinned);
    }
    for unpinned in [place, fee] {
        slack.unreact(EMIKO, CAMP, unpinned, "pushpin");
    }
    // After a short gap Slack tells the events again: no pinned message is requested by itself.
    let mut bot = connect_again(&slack, program, &replies_of(&llm));
    bot.caught_up();
    assert!(shown(&slack, &mut bot).contains(&"白い車"));
    let mut requests = slack.requests_of("conversations.history").into_iter();
    assert!(requests.all(|of| of.params.get("latest") != Some(&code.as_str().into())));
    let program = bot.stop();
    disconnect_since(&program, 3600);
    let mut bot = connect_again(&slack, program, &replies_of(&llm));
    bot.caught_up();
    assert_eq!(shown(&slack, &mut bot), ["白い車"]);
    bot.stop();
}

#[test]
fn the_pin_of_a_guest_has_no_effect() {
    let (slack, llm) = (workspace(), model());
    slack.set_guest(EMIKO, true);
    let mut bot = connect(&slack, &replies_of(&llm));
    let code = slack.post(AKARI, CAMP, "暗証番号は K4711 です", None);
    slack.pin(EMIKO, CAMP, &code);
    slack.react(EMIKO, CAMP, &code, "pushpin");
    settled(&slack, &mut bot);
    ask(&slack, &mut bot, AKARI, "暗証番号は?");
    assert!(!prompts(&llm)[0].contains("## 覚えておくこと\n"));
    bot.stop();
}
