//! Mentions that mark something are answered in fixed words, and marks decide what is quoted.

use super::*;
use crate::bindings::types::MessageRef;

/// A channel with a memory of one line, made from a message of three days ago.
fn remembering() -> TestHost {
    let host = host();
    host.say("C1", -3 * DAY, "合宿の熱海は10月24日に決定しました");
    let of = MessageRef {
        channel_id: "C1".to_owned(),
        ts: ts(-3 * DAY),
    };
    host.remember_from(
        (Scope::Channel, "C1", LongTerm),
        "- 2024-02-27 alice: 合宿の熱海は10月24日に決定",
        vec![of],
    );
    host
}

fn answer(host: &TestHost, text: &str) -> Reply {
    host.say("C1", -10, text);
    mention(host, &target(None, -10)).unwrap()
}

/// The messages that an answer was made from.
fn sources(reply: &Reply) -> Vec<&str> {
    let cited = reply.citations.iter().flat_map(|line| &line.messages);
    let mut sources: Vec<&str> = cited.map(|of| of.ts.as_str()).collect();
    sources.sort();
    sources.dedup();
    sources
}

#[test]
fn a_correction_is_answered_with_its_effect_without_a_model() {
    let host = remembering();
    let reply = answer(&host, "@みゃお 訂正: 熱海は10月25日");
    assert_eq!(
        reply.text,
        "訂正を覚えました: 熱海は10月25日\n\
         これより古い記録に優先します。消される行は、訂正した人が選んだものだけです。\n\
         取り消すには、その発言を編集するか削除してください。"
    );
    assert_eq!((reply.engine, host.llm.calls()), (Engine::Extractive, 0));
    assert_eq!(sources(&reply), [ts(-10)]);
    let is_cited =
        |line: &crate::bindings::types::Citation| line.messages.iter().any(|of| of.ts == ts(-10));
    assert!(reply.citations.iter().all(is_cited), "{reply:?}");
    assert_eq!(host.chat.posts()[0].text, reply.text);
}

#[test]
fn a_mark_is_answered_in_the_language_of_the_request() {
    let host = remembering();
    let reply = answer(&host, "@みゃお remember: the door code is 4711");
    assert_eq!(
        reply.text,
        "Noted: the door code is 4711\nTo undo it, edit or delete your message."
    );
    let host = remembering();
    let reply = answer(&host, "@みゃお correction: the port is 8081");
    assert_eq!(
        reply.text,
        "Noted the correction: the port is 8081\n\
         It outranks what was said before. It strikes only what its author picks.\n\
         To undo it, edit or delete your message."
    );
    let host = remembering();
    let reply = answer(&host, "@みゃお 覚えて： 合言葉は海");
    assert!(reply.text.starts_with("覚えました: 合言葉は海\n"));
    assert_eq!(host.llm.calls(), 0);
}

#[test]
fn a_mark_that_the_store_does_not_count_is_refused() {
    let host = remembering();
    host.storage.uncounted.borrow_mut().insert("U9".to_owned());
    let guest = by("U9", "guest", message(-10, "@みゃお 訂正: 熱海は10月25日"));
    host.storage.add_message("C1", guest);
    let reply = mention(&host, &target(None, -10)).unwrap();
    assert_eq!(
        reply.text,
        "覚えておくことや訂正を頼めるのは、このワークスペースのメンバーだけです。"
    );
    assert_eq!(host.llm.calls(), 0);
}

#[test]
fn a_question_about_a_correction_is_no_correction() {
    let host = remembering();
    let reply = answer(&host, "@みゃお 訂正の話、覚えてる？");
    assert_eq!((reply.text.as_str(), reply.engine), (ANSWER, Engine::Llm));
}

#[test]
fn a_reply_is_told_of_marks_and_corrections() {
    let host = remembering();
    host.say("C1", -DAY, "@みゃお 覚えて: 合言葉は海");
    host.say("C1", -DAY + 1, "@みゃお 訂正: 熱海は10月25日");
    answer(&host, "@みゃお 合宿はいつ？");
    let prompt = prompt(&host);
    assert!(section(&prompt, "## 覚えておくこと").contains("alice: 合言葉は海"));
    assert!(section(&prompt, "## 訂正").contains("alice: 熱海は10月25日"));
}

#[test]
fn without_a_model_the_correction_is_quoted_first_and_what_it_strikes_is_not() {
    let mut host = remembering();
    host.settings.reply_engine = Engine::Extractive;
    host.say("C1", -DAY, "@みゃお 訂正: 熱海の合宿は10月25日");
    let reply = answer(&host, "@みゃお 熱海の合宿はいつ？");
    let at = |day: &str| reply.text.find(day);
    assert!(at("10月25日") < at("10月24日"), "{}", reply.text);
    host.storage.strike("C1", &ts(-DAY), &ts(-3 * DAY));
    host.storage.delete_message("C1", &ts(-10));
    let reply = answer(&host, "@みゃお 熱海の合宿はいつ？ ");
    assert!(reply.text.contains("10月25日"), "{}", reply.text);
    assert!(!reply.text.contains("10月24日"), "{}", reply.text);
    assert!(sources(&reply).contains(&ts(-DAY).as_str()), "{reply:?}");
}

#[test]
fn a_correction_has_effect_in_its_own_channel_alone() {
    let mut host = remembering();
    host.settings.reply_engine = Engine::Extractive;
    host.say("C2", -DAY, "@みゃお 訂正: 熱海の合宿は10月25日");
    host.say("C2", -2 * DAY, "熱海の合宿は10月23日です");
    host.storage.strike("C2", &ts(-DAY), &ts(-2 * DAY));
    let reply = answer(&host, "@みゃお 熱海の合宿はいつ？");
    assert!(reply.text.contains("10月24日"), "{}", reply.text);
    host.say("C2", -5, "@みゃお 熱海の合宿はいつ？");
    let there = Target {
        channel_id: "C2".to_owned(),
        thread_ts: None,
        message_ts: ts(-5),
    };
    let reply = mention(&host, &there).unwrap();
    assert!(reply.text.contains("10月25日"), "{}", reply.text);
    assert!(!reply.text.contains("10月23日"), "{}", reply.text);
}

#[test]
fn a_pinned_message_answers_a_question_without_a_model() {
    let mut host = remembering();
    host.settings.reply_engine = Engine::Extractive;
    host.settings.reply_message_limit = 2;
    host.say("C1", -9 * DAY, "@みゃお 覚えて: 入口の暗証番号は 4711");
    host.say("C1", -HOUR, "お昼に行きませんか");
    let reply = answer(&host, "@みゃお 暗証番号は何番？");
    assert!(reply.text.contains("4711"), "{}", reply.text);
}
