//! What is read as a mark, what a prompt shows of marks, and what a correction supersedes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::supersede::Statement;
use super::*;
use crate::bindings::exports::myao::memory::marks::ReplacedLine;
use crate::bindings::storage::Memory;
use crate::bindings::types::{MemoryType, Scope, User};
use crate::testing::PlainRecall;
use crate::testing::{TestHost, at, message, ts};

fn until(seconds: i64) -> Ts {
    Ts::last_of(at(seconds))
}

#[test]
fn questions_corrections_and_requests_to_forget_are_only_for_the_bot() {
    for text in [
        "@みゃお 予算はいくら？",
        "@みゃお 訂正: 25日",
        "@みゃお これを忘れてください",
        "@みゃお forget https://a.example/archives/C1/p1 @alice",
    ] {
        assert!(is_text_only_for(text, "みゃお"), "{text}");
    }
    for text in [
        "@みゃお 覚えて: 海",
        "@みゃお 傘を忘れて困った",
        "@alice 忘れて",
        "忘れて",
    ] {
        assert!(!is_text_only_for(text, "みゃお"), "{text}");
    }
}

#[test]
fn marks_are_read_from_the_messages_of_one_channel_up_to_a_time() {
    let host = TestHost::new();
    host.say("C1", -30, "@みゃお 訂正: 熱海は25日");
    host.say("C1", -20, "入口の暗証番号は 4711");
    host.say("C1", -15, "@みゃお 覚えて: 合言葉は海");
    host.say("C1", 5, "@みゃお 覚えて: あとで");
    host.say("C2", -10, "@みゃお 覚えて: ほかの話");
    host.storage.pin_message("C1", &ts(-20));
    let marks = Marks::load(&host.storage, "C1", until(0), "みゃお").unwrap();
    let texts =
        |marks: &[KeptText]| -> Vec<String> { marks.iter().map(|m| m.text.clone()).collect() };
    assert_eq!(
        texts(&marks.pinned),
        ["入口の暗証番号は 4711", "合言葉は海"]
    );
    assert_eq!(texts(&marks.corrections), ["熱海は25日"]);
    let span = &marks.corrections[0].span;
    assert_eq!((span.start, span.length), (9, 6));
    assert_eq!(
        host.storage.read_spans(std::slice::from_ref(span)).unwrap()[0].text,
        "熱海は25日"
    );
    host.storage.delete_message("C1", &ts(-30));
    let marks = Marks::load(&host.storage, "C1", until(0), "みゃお").unwrap();
    assert_eq!(marks.corrections, []);
}

fn mark(seconds: i64, text: &str) -> KeptText {
    kept("C1", &message(seconds, text), text)
}

#[test]
fn a_prompt_shows_the_newest_marks_cut_and_corrections_first() {
    let marks = Marks {
        pinned: vec![mark(1, "old"), mark(2, &"long ".repeat(99)), mark(3, "new")],
        corrections: vec![mark(0, "correction")],
        strikes: Vec::new(),
    };
    let count = |texts: &[String]| -> Vec<u32> {
        let words = texts.iter().map(|text| text.split(' ').count());
        words.map(|count| u32::try_from(count).unwrap()).collect()
    };
    let (shown, used) = marks.shown(1000, &count);
    assert_eq!(shown.pinned.len(), 3);
    let long = &shown.pinned[1].text;
    assert!(long.ends_with('…') && count(std::slice::from_ref(long))[0] < MAX_TOKENS);
    assert!(used < 4 * (MAX_TOKENS + AROUND));
    let (shown, used) = marks.shown(2 * (2 + AROUND), &count);
    assert_eq!(used, 2 * (2 + AROUND));
    assert_eq!(shown.corrections, marks.corrections);
    assert_eq!(shown.pinned, [mark(3, "new")]);
    let (shown, used) = marks.shown(0, &count);
    assert_eq!((shown, used), (Marks::default(), 0));
}

fn contradicts(correction: &str, line: &str) -> bool {
    let line = Statement::read(line);
    let said = Statement::read(correction);
    assert!(said.differs(&line) || !said.contradicts(&line));
    said.contradicts(&line)
}

#[test]
fn what_says_another_value_of_the_same_thing_is_likely_to_be_struck() {
    for (correction, line) in [
        ("熱海は25日", "- 2024-03-01 alice: 熱海の合宿は24日です"),
        ("熱海は25日", "熱海は10月24日からです"),
        ("予算は120万円です", "予算は100万円に決定"),
        ("定例は15時から", "定例は14時から始まる"),
        ("the launch is on May 25", "- The launch moves to May 24."),
        ("The port is 8081", "ben: the port is 8080"),
        (
            "the rollback is v2.3.7",
            "Rollback: `deploy harbour v2.3.6`",
        ),
        ("we launch in us-east-1", "Decided: we launch in eu-west-1."),
        ("移行の担当は佐藤さん", "移行の担当は小林さん"),
    ] {
        assert!(contradicts(correction, line), "{correction} / {line}");
    }
}

#[test]
fn other_things_and_the_same_value_are_not_likely_to_be_struck() {
    for (correction, line) in [
        ("熱海は25日", "2024-03-01 alice: 熱海は25日です"),
        ("熱海は25日", "箱根は24日です"),
        ("熱海は25日", "2024-03-01 alice: 熱海に行きたい"),
        ("熱海は25日", "熱海の予算は5万円"),
        ("予算は120万円です", "予算は3月に決める"),
        ("移行の担当は佐藤さん", "検索の担当は小林さん"),
        ("移行の担当は佐藤さん", "移行の担当は佐藤さんと小林さん"),
        ("昨日の話は違います", "昨日は24日でした"),
        ("we launch in us-east-1", "The launch costs 5000 euros."),
    ] {
        assert!(!contradicts(correction, line), "{correction} / {line}");
    }
}

const CORRECTED: &str = "@みゃお 訂正: 熱海は25日";

/// The messages that a correction of the time 1 may strike, and which of them are ticked.
fn strikable(host: &TestHost) -> Vec<(String, bool)> {
    let mut recall = PlainRecall::default();
    for (channel, message) in host.storage.all_messages() {
        recall.add(&channel.id, message);
    }
    let correction = Ts::parse(&ts(1)).unwrap();
    let found = list_strikable(
        (&host.storage, &recall),
        &host.settings,
        ("C1", correction),
        until(9),
    );
    let found = found.unwrap().into_iter();
    found.map(|of| (of.said.text, of.is_likely)).collect()
}

#[test]
fn the_author_of_a_correction_picks_from_older_messages_that_say_something_else() {
    let host = TestHost::new();
    host.say("C1", -50, "熱海は24日です。宿は海辺です。");
    host.say("C1", -40, "熱海は25日ですよね");
    host.say("C1", -30, "熱海の宿は21日までに予約する");
    host.say("C1", -20, "来月の22日はどう");
    host.say("C1", -10, "@みゃお 熱海は24日?");
    host.say("C1", 1, CORRECTED);
    host.say("C1", 2, "熱海は26日になった");
    host.say("C2", -5, "熱海は23日です");
    let own = |seconds| MessageRef {
        channel_id: "C1".to_owned(),
        ts: ts(seconds),
    };
    let memory = (Scope::Channel, "C1", MemoryType::LongTerm);
    host.remember_from(memory, "候補は22日", vec![own(-20)]);
    let picked = [
        ("熱海の宿は21日までに予約する".to_owned(), true),
        ("熱海は24日です。".to_owned(), true),
        // It is found by the line of the memory alone.
        ("来月の22日はどう".to_owned(), false),
    ];
    assert_eq!(strikable(&host), picked);
    // A message that is no correction strikes nothing.
    host.storage.delete_message("C1", &ts(1));
    host.say("C1", 1, "熱海は25日");
    assert_eq!(strikable(&host), []);
}

#[test]
fn a_correction_strikes_only_what_its_author_picked() {
    let at = |seconds| MessageRef {
        channel_id: "C1".to_owned(),
        ts: ts(seconds),
    };
    let strike = |seconds, correction| Strike {
        message: at(seconds),
        correction: ts(correction),
    };
    let marks = Marks {
        corrections: vec![mark(0, "熱海は25日")],
        strikes: vec![strike(-9, 0), strike(-8, -1)],
        ..Marks::default()
    };
    let corrections = Corrections::of(&marks);
    let rest = |seconds, text: &str| corrections.rest_of(&at(seconds), text);
    let said = "熱海は24日です。宿は海辺です。";
    assert_eq!(rest(-9, said).as_deref(), Some("宿は海辺です。"));
    for (seconds, text) in [
        // Not picked, or for another correction.
        (-7, said),
        (-8, said),
        // It says the same, or something else.
        (-9, "熱海は25日です"),
        (-9, "宿は海辺です"),
    ] {
        assert_eq!(rest(seconds, text), None, "{text}");
    }
    let unpicked = Marks {
        strikes: Vec::new(),
        ..marks
    };
    assert_eq!(Corrections::of(&unpicked).rest_of(&at(-9), said), None);
}

#[test]
fn a_correction_names_the_lines_that_it_strikes_also_in_later_memories() {
    let host = TestHost::new();
    let (version, long_term) = (MemoryType::ShortTerm, MemoryType::LongTerm);
    host.say("C1", -9, "熱海は24日");
    host.say("C1", -8, "熱海は23日");
    host.say("C1", 1, CORRECTED);
    host.say("C1", 2, "@みゃお 覚えて: 合言葉は海");
    host.say("C2", 0, "よろしく");
    let remember = |memory_type, text: &str, seconds| {
        let of = MessageRef {
            channel_id: "C1".to_owned(),
            ts: ts(seconds),
        };
        host.remember_from((Scope::Channel, "C1", memory_type), text, vec![of]);
    };
    remember(version, "- 2024-03-01 alice: 熱海は24日", -9);
    remember(version, "- 2024-03-01 alice: 熱海は23日", -8);
    let replaced = || -> Vec<String> {
        let marks = read_all(&host.storage, &host.settings, "C1", until(9)).unwrap();
        assert_eq!(marks.pinned[0].text, "合言葉は海");
        assert_eq!(marks.corrections[0].said.text, "熱海は25日");
        let memories = host.storage.of("C1", version).into_iter();
        let memories: Vec<Memory> = memories.chain(host.storage.of("C1", long_term)).collect();
        let said = |line: &ReplacedLine| -> String {
            let memory = memories.iter().find(|memory| memory.id == line.memory);
            let letters = memory.unwrap().content.chars().skip(line.start as usize);
            letters.take(line.length as usize).collect()
        };
        let replaces = marks.corrections[0].replaces.iter();
        let mut replaced: Vec<String> = replaces.map(said).collect();
        replaced.sort();
        replaced
    };
    assert_eq!(replaced(), [""; 0]);
    host.storage.strike("C1", &ts(1), &ts(-9));
    assert_eq!(replaced(), ["2024-03-01 alice: 熱海は24日"]);
    remember(long_term, "熱海は24日", -9);
    assert_eq!(replaced(), ["2024-03-01 alice: 熱海は24日", "熱海は24日"]);
    let elsewhere = read_all(&host.storage, &host.settings, "C2", until(9)).unwrap();
    assert_eq!(
        (elsewhere.pinned.len(), elsewhere.corrections.len()),
        (0, 0)
    );
}

#[test]
fn a_mark_shows_its_author_whoever_pinned_it() {
    let host = TestHost::new();
    let ci = User {
        id: "B1".to_owned(),
        name: "ci".to_owned(),
        is_bot: true,
    };
    let said = Message {
        user: ci.clone(),
        ..message(-5, "Build 4711 failed")
    };
    host.storage.add_message("C1", said);
    host.storage.pin_message("C1", &ts(-5));
    let marks = Marks::load(&host.storage, "C1", until(0), "みゃお").unwrap();
    assert_eq!(marks.pinned[0].user, ci);
}

#[test]
fn a_post_of_the_bot_is_no_mark_even_if_it_is_pinned() {
    let host = TestHost::new();
    let user = User {
        id: "B0".to_owned(),
        name: "みゃお".to_owned(),
        is_bot: true,
    };
    let said = Message {
        user,
        ..message(-5, "熱海は24日です")
    };
    host.storage.add_message("C1", said);
    host.storage.pin_message("C1", &ts(-5));
    let marks = Marks::load(&host.storage, "C1", until(0), "みゃお").unwrap();
    assert_eq!(marks, Marks::default());
}

#[test]
fn no_attack_of_the_corpus_is_a_mark() {
    let corpus = include_str!("../../../tests/attacks/corpus.json");
    let corpus: serde_json::Value = serde_json::from_str(corpus).unwrap();
    let lists = ["texts", "claims"].map(|list| corpus[list].as_array().unwrap());
    for attack in lists.into_iter().flatten() {
        let text = attack["text"].as_str().unwrap();
        for bot in ["myao", "みゃお"] {
            assert_eq!(addressed::mark(text, bot), None, "{text}");
        }
    }
}
