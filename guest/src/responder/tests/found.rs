//! What search finds for replies: what prompts show of it, and what becomes of the numbers in an answer.

use super::*;
use crate::bindings::types::MessageRef;
use crate::responder::Inquiry;

const HEADING: &str = "## 質問に関わる発言と記憶";

/// A host in which the answer was given elsewhere, long ago.
fn host_that_knows(answer: &'static str) -> TestHost {
    let host = host_that_says(answer);
    host.storage.add_channel("C1", "general");
    host.storage.add_channel("C2", "events");
    host.say("C2", -40 * DAY, "合宿の場所は熱海に決まりました");
    host.say("C2", -39 * DAY, "お昼はカレーでした");
    for number in 0..60 {
        host.say("C1", -30 * DAY + number, &format!("雑談その{number}"));
    }
    host.say("C1", -10, "@みゃお 合宿の場所はどこ？");
    host
}

fn ask(host: &TestHost) -> Reply {
    mention(host, &target(None, -10)).unwrap()
}

fn cited(reply: &Reply) -> Vec<MessageRef> {
    let lines = reply.citations.iter();
    lines.flat_map(|line| line.messages.clone()).collect()
}

#[test]
fn a_prompt_shows_what_bears_on_the_question_with_its_number() {
    let host = host_that_knows("熱海です [1]。");
    ask(&host);
    let prompt = prompt(&host);
    assert!(
        prompt.contains(
            "### [1] 2024-01-21 19:00:00 #events alice:\n合宿の場所は熱海に決まりました\n"
        ),
        "{prompt}"
    );
    assert!(prompt.contains("番号を [1] のように付けてください"));
    let (_, found) = prompt.split_once(HEADING).unwrap();
    let (found, _) = found.split_once("## 現在の会話").unwrap();
    assert!(
        !found.contains("カレー") && !found.contains("どこ？"),
        "{found}"
    );
}

#[test]
fn a_number_becomes_a_link_and_its_message_a_citation() {
    let host = host_that_knows("熱海です [1]。");
    let reply = ask(&host);
    let id = ts(-40 * DAY);
    assert_eq!(
        reply.text,
        format!("熱海です [[1]](https://chat.example/C2/{id})。")
    );
    let of = MessageRef {
        channel_id: "C2".to_owned(),
        ts: id,
    };
    assert!(cited(&reply).contains(&of), "{reply:?}");
    assert_eq!(host.chat.posts()[0].text, reply.text);
}

#[test]
fn numbers_that_were_not_given_are_removed_and_the_answer_is_kept() {
    let reply = ask(&host_that_knows("熱海です [1][7]。"));
    assert!(!reply.text.contains("[7]"), "{}", reply.text);
    let reply = ask(&host_that_knows("熱海です [42]。"));
    assert_eq!(reply.text, "熱海です。");
}

#[test]
fn a_number_is_removed_where_its_message_has_no_value_of_the_line() {
    let host = host_that_says("It is 3 million yen [1][2]. 会場は熱海です [1][2]。");
    host.say("C2", -9 * DAY, "合宿の予算は300万円です");
    host.say("C2", -8 * DAY, "The offsite budget was approved");
    host.say("C1", -10, "@みゃお offsite budget 合宿の予算 ?");
    let reply = ask(&host);
    let sources = prompt(&host).matches("\n### [").count();
    assert_eq!(sources, 2);
    let (first, second) = reply.text.split_once("yen").unwrap();
    assert_eq!(first, "It is 3 million ");
    let (first, second) = second.split_once("会場").unwrap();
    // Without a value, no words are compared: they may be of another language.
    assert_eq!(
        (first.matches("]]").count(), second.matches("]]").count()),
        (1, 2),
        "{}",
        reply.text
    );
}

#[test]
fn an_answer_that_no_number_and_no_message_stands_behind_says_so() {
    let reply = ask(&host_that_knows("さあ、どうでしょう。"));
    assert_eq!(reply.text, "さあ、どうでしょう。（出典なし）");
    let host = host_that_says("Nobody can tell.");
    host.say("C2", -9 * DAY, "The offsite venue is Atami");
    host.say("C1", -10, "@みゃお which offsite venue did we choose?");
    assert_eq!(ask(&host).text, "Nobody can tell. (no source)");
}

#[test]
fn unasked_nothing_is_posted_that_says_nothing() {
    for (answer, is_posted) in [
        ("熱海です [1]。", true),
        ("さあ、どうでしょう。", false),
        // A value that nobody said is cut.
        ("予算は987万円です。", false),
    ] {
        let host = host_that_knows(answer);
        let ports = host.ports();
        let responder = Responder::new(&ports, &host.chat, at(0));
        let replied = responder.reply_unasked(&target(None, -10)).unwrap();
        let is_silent = replied == Answer::Already(Vec::new());
        assert_eq!(
            (!is_silent, host.chat.posts().len()),
            (is_posted, is_posted.into()),
            "{answer}"
        );
    }
}

#[test]
fn where_nothing_is_found_nothing_is_marked() {
    let host = host_that_says("分かりません。");
    host.say("C1", -10, "@みゃお 合宿の場所はどこ？");
    assert_eq!(ask(&host).text, "分かりません。");
    assert!(!prompt(&host).contains(HEADING));
}

#[test]
fn without_addresses_the_author_and_the_day_stand_for_a_number() {
    let host = host_that_knows("熱海です[1]。");
    host.chat.blind.set(true);
    assert_eq!(ask(&host).text, "熱海です（alice、2024-01-21）。");
}

#[test]
fn a_host_that_cannot_search_gets_replies_from_conversations_and_memories() {
    let host = host_that_knows("熱海です。");
    host.storage.cannot_search.set(true);
    host.remember(Scope::Channel, "C1", LongTerm, "- 合宿は毎年ある");
    assert_eq!(ask(&host).text, "熱海です。");
    assert!(prompt(&host).contains("- 合宿は毎年ある"));
}

#[test]
fn of_other_memories_only_the_lines_that_bear_on_the_question_are_shown() {
    let host = host_that_knows(ANSWER);
    let lines = "- 合宿の予算は30万円\n- サーバーを移行した\n- 採用面接は3月";
    host.remember(Scope::Channel, "C2", LongTerm, lines);
    host.remember(
        Scope::Channel,
        "C1",
        LongTerm,
        "- 自分の記憶\n- 席替えをした",
    );
    ask(&host);
    let prompt = prompt(&host);
    assert!(
        prompt.contains("#events:\n- 合宿の予算は30万円\n"),
        "{prompt}"
    );
    assert!(prompt.contains("- 自分の記憶\n- 席替えをした"), "{prompt}");
    for other in ["サーバーを移行", "採用面接"] {
        assert!(!prompt.contains(other), "{other} in\n{prompt}");
    }
}

#[test]
fn the_own_memory_stands_before_what_changes_with_each_question() {
    let host = host_that_knows(ANSWER);
    host.remember(Scope::Channel, "C1", LongTerm, "- 自分の記憶");
    ask(&host);
    let prompt = prompt(&host);
    let at = |part: &str| prompt.find(part).unwrap();
    assert!(at("- 自分の記憶") < at(HEADING) && at(HEADING) < at("## 現在の会話"));
}

/// A character is a token here.
#[test]
fn what_stands_around_the_conversation_has_a_limit() {
    let mut host = host_that_knows(ANSWER);
    for number in 0..100 {
        let (id, name) = (format!("D{number}"), format!("team-{number}"));
        host.storage.add_channel(&id, &name);
        for version in 0..5 {
            let text = format!("- 合宿の場所の案{number}-{version} {}", "あ".repeat(300));
            host.remember(Scope::Channel, &id, ShortTerm, &text);
        }
        host.say(
            &id,
            -20 * DAY + number,
            &format!("合宿の場所の案は{number}番です"),
        );
    }
    host.remember(Scope::Channel, "C1", LongTerm, "- 自分の記憶");
    let (mut lengths, mut shown) = (Vec::new(), Vec::new());
    for limit in [0, 1000, 4000] {
        host.settings.surroundings_max_tokens = limit;
        let before = host.llm.prompts().len();
        ask(&host);
        let prompt = host.llm.prompts().remove(before);
        lengths.push(prompt.chars().count());
        shown.push(prompt.matches("\n### [").count());
        assert_eq!(prompt.contains("- 自分の記憶"), limit > 0);
    }
    assert_eq!(shown[0], 0);
    assert!(shown[0] < shown[1] && shown[1] < shown[2], "{shown:?}");
    // With sources come instructions for them.
    assert!(lengths[1] <= lengths[0] + 1300, "{lengths:?}");
    assert!(lengths[2] <= lengths[0] + 4300, "{lengths:?}");
}

#[test]
fn a_busy_thread_takes_no_place_from_the_top_level() {
    let host = host();
    for number in 0..5 {
        host.say("C1", -900 + number, &format!("top-{number}"));
    }
    host.say("C1", -500, "opener");
    for number in 0..80 {
        host.reply("C1", -500, -400 + number, &format!("reply {number}"));
    }
    host.say("C1", -10, "@みゃお 公開はいつ？");
    ask(&host);
    let prompt = prompt(&host);
    for number in 0..5 {
        assert!(prompt.contains(&format!("top-{number}\n")), "{prompt}");
    }
}

#[test]
fn a_judgment_has_a_small_prompt_without_memories() {
    let judgment = r#"{"should_respond": false, "reason": "", "confidence": 1}"#;
    let host = host_that_knows(judgment);
    host.remember(Scope::Channel, "C1", LongTerm, "- 自分の記憶");
    host.remember(Scope::Workspace, "default", LongTerm, "- 全体の記憶");
    let ports = host.ports();
    let responder = Responder::new(&ports, &host.chat, at(0));
    responder.judge(&target(None, -10)).unwrap();
    let prompt = prompt(&host);
    assert!(
        prompt.contains("合宿の場所は熱海に決まりました"),
        "{prompt}"
    );
    assert!(prompt.contains("雑談その59") && !prompt.contains("雑談その30"));
    for memory in ["自分の記憶", "全体の記憶"] {
        assert!(!prompt.contains(memory), "{memory} in\n{prompt}");
    }
}

#[test]
fn a_question_that_is_no_message_is_answered_without_posting() {
    for (engine, channel_id) in [
        (Engine::Llm, Some("C1")),
        (Engine::Llm, None),
        (Engine::Extractive, None),
    ] {
        let mut host = host_that_knows("熱海です [1]。");
        host.settings.reply_engine = engine;
        let ports = host.ports();
        let inquiry = Inquiry {
            channel_id,
            text: "合宿の場所はどこ？",
            asker: &message(0, "").user,
        };
        let responder = Responder::new(&ports, &host.chat, at(0));
        let answered = responder.answer_question(&inquiry).unwrap();
        assert!(answered.text.contains("熱海"), "{answered:?}");
        assert!(answered.text.contains("[1]") && !answered.text.contains("(http"));
        assert_eq!(answered.sources.len(), 1, "{answered:?}");
        assert_eq!(answered.sources[0].messages[0].ts, ts(-40 * DAY));
        assert!(!answered.found_nothing);
        let scope = |request: crate::bindings::llm::Request| request.purpose.scope;
        let asked = host.llm.requests().into_iter().map(scope);
        let expected = channel_id.map_or(Scope::Workspace, |_| Scope::Channel);
        assert!(asked.into_iter().all(|scope| scope == expected));
        let stored = |at: &MessageRef| at.ts == ts(-40 * DAY);
        let mut cited = answered.citations.iter().flat_map(|line| &line.messages);
        assert!(cited.all(stored), "{answered:?}");
        assert!(host.chat.posts().is_empty());
    }
}
