//! What is posted, where, and who may be notified.

use super::*;
use crate::bindings::chat::{ChatError, PostRequest};
use crate::bindings::types::MessageRef;

#[test]
fn a_mention_in_a_thread_is_answered_there() {
    let host = host();
    host.say("C1", -60, "公開はいつ？");
    host.reply("C1", -60, -10, "@みゃお 教えて");
    let reply = mention(&host, &target(Some(-60), -10)).unwrap();
    let alice = message(0, "").user;
    let expected = PostRequest {
        channel_id: "C1".to_owned(),
        thread_ts: Some(ts(-60)),
        text: ANSWER.to_owned(),
        answers: ts(-10),
        may_notify: vec![alice],
        citations: reply.citations.clone(),
    };
    assert_eq!(host.chat.posts(), [expected]);
    assert_eq!((reply.text.as_str(), reply.engine), (ANSWER, Engine::Llm));
    assert_eq!(reply.posted, ["1800000000.000001"]);
    assert!(!reply.truncated);
}

#[test]
fn an_answer_cites_the_messages_that_it_repeats_with_a_model_and_without() {
    for engine in [Engine::Llm, Engine::Extractive] {
        let mut host = host();
        host.settings.reply_engine = engine;
        host.say("C1", -90, "入口の暗証番号は 4711 です");
        host.say("C1", -60, "昼はカレーでした");
        host.say("C1", -10, "@みゃお 暗証番号は何ですか");
        host.llm.answer_by(|_, _| {
            Ok(completion(
                "入口の暗証番号は 4711 ですよ。",
                FinishReason::Stop,
            ))
        });
        let reply = mention(&host, &target(None, -10)).unwrap();
        let cited: Vec<&str> = reply
            .citations
            .iter()
            .flat_map(|line| &line.messages)
            .map(|message| message.ts.as_str())
            .collect();
        assert_eq!(cited.first(), Some(&ts(-90).as_str()), "{reply:?}");
        assert_eq!(host.chat.posts()[0].citations, reply.citations);
    }
}

#[test]
fn an_answer_from_memories_cites_the_messages_behind_them() {
    let host = host_that_says("合宿は熱海です。");
    host.say("C1", -10, "@みゃお 合宿の場所は？");
    let of = MessageRef {
        channel_id: "C2".to_owned(),
        ts: ts(-500_000),
    };
    host.storage.add_channel("C2", "b");
    let memory = (Scope::Channel, "C2", LongTerm);
    host.remember_from(memory, "- 合宿は熱海に決定", vec![of.clone()]);
    let reply = mention(&host, &target(None, -10)).unwrap();
    assert!(reply.citations[0].messages.contains(&of), "{reply:?}");
}

#[test]
fn a_mention_at_the_top_level_is_answered_there() {
    let host = host();
    host.say("C1", -10, "@みゃお 公開はいつ？");
    mention(&host, &target(None, -10)).unwrap();
    let post = host.chat.posts().remove(0);
    assert_eq!((post.thread_ts, post.answers), (None, ts(-10)));
}

#[test]
fn the_people_of_the_target_thread_may_be_notified_and_no_bot() {
    let host = host();
    host.say("C1", -100, "elsewhere");
    for said in [
        by("U2", "bob", in_thread(-60, message(-60, "公開はいつ？"))),
        by("U3", "carol", in_thread(-60, message(-50, "さあ"))),
        by("U2", "bob", in_thread(-60, message(-40, "@みゃお ?"))),
    ] {
        host.storage.add_message("C1", said);
    }
    let mut bot = by("B1", "みゃお", in_thread(-60, message(-45, "はい")));
    bot.user.is_bot = true;
    host.storage.add_message("C1", bot);
    mention(&host, &target(Some(-60), -40)).unwrap();
    let ids: Vec<String> = host.chat.posts()[0]
        .may_notify
        .iter()
        .map(|user| user.id.clone())
        .collect();
    assert_eq!(ids, ["U2", "U3"]);
}

#[test]
fn at_the_top_level_only_the_one_who_is_answered_may_be_notified() {
    let host = host();
    host.say("C1", -60, "elsewhere");
    let asked = by("U2", "bob", message(-10, "@みゃお 公開は？"));
    host.storage.add_message("C1", asked.clone());
    mention(&host, &target(None, -10)).unwrap();
    assert_eq!(host.chat.posts()[0].may_notify, [asked.user]);
}

#[test]
fn a_post_that_fails_is_the_error_of_the_platform() {
    let host = host();
    host.say("C1", -10, "@みゃお ?");
    let fault = ChatError::NotAllowed("the bot is not in the channel".to_owned());
    host.chat.post_fault.replace(Some(fault.clone()));
    assert_eq!(mention(&host, &target(None, -10)), Err(Error::Chat(fault)));
}

#[test]
fn the_log_says_what_was_answered_without_its_text() {
    let host = host();
    host.say("C1", -10, "@みゃお 秘密の計画は？");
    mention(&host, &target(None, -10)).unwrap();
    let log = host.log.0.borrow().join("\n");
    assert!(log.contains(&ts(-10)) && log.contains("C1"), "{log}");
    assert!(!log.contains("秘密") && !log.contains(ANSWER), "{log}");
}

#[test]
fn an_unasked_reply_is_posted_like_an_answer_to_a_mention() {
    let host = host();
    host.say("C1", -600, "公開はいつでしたっけ？");
    let ports = host.ports();
    let reply = Responder::new(&ports, &host.chat, at(0)).reply_unasked(&target(None, -600));
    assert_eq!(posted(reply.unwrap()).posted, ["1800000000.000001"]);
    assert!(prompt(&host).contains("あなたから進んで返信します"));
}

#[test]
fn the_model_of_the_response_agent_is_asked_for_the_thread_or_the_channel() {
    let host = host();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -10, "@みゃお b");
    host.say("C1", -5, "@みゃお c");
    mention(&host, &target(Some(-60), -10)).unwrap();
    mention(&host, &target(None, -5)).unwrap();
    let purposes: Vec<_> = host
        .llm
        .requests()
        .into_iter()
        .map(|request| {
            assert_eq!((request.max_tokens, request.answer_schema), (1000, None));
            let purpose = request.purpose;
            assert_eq!(
                (purpose.agent, purpose.memory_type),
                (Agent::Response, None)
            );
            (purpose.scope, purpose.scope_id)
        })
        .collect();
    let thread = format!("C1:{}", ts(-60));
    let expected = [(Scope::Thread, thread), (Scope::Channel, "C1".to_owned())];
    assert_eq!(purposes, expected);
}

#[test]
fn a_mention_of_more_than_4000_characters_is_refused_and_a_mark_is_not() {
    let host = host();
    let long = "とても長い話。".repeat(600);
    host.say("C1", -20, &format!("@みゃお {long}"));
    host.say("C1", -10, &format!("@みゃお 覚えて: {long}"));
    let refused = mention(&host, &target(None, -20));
    assert!(
        matches!(&refused, Err(Error::Other(other)) if other.code == "question-too-long"),
        "{refused:?}"
    );
    assert_eq!(host.llm.calls(), 0);
    mention(&host, &target(None, -10)).unwrap();
}
