//! Answers that quote messages.

use super::*;

#[test]
fn messages_that_were_found_take_one_line_each() {
    let found = |channel: &str, message: Source| FoundMessage {
        channel: channel.to_owned(),
        message,
    };
    let address = Some("https://acme.slack.com/archives/C1/p1772755260000100");
    let view = |found: &[FoundMessage]| SearchView {
        words: "会場 <!here>".to_owned(),
        found: found.to_vec(),
    };
    let some = view(&[
        found(
            "合宿",
            source(
                1,
                "灯",
                "会場は *箱根* です。\n```\n予約 A-1234\n```",
                address,
            ),
        ),
        found(
            "general",
            source(
                2,
                "<!channel>",
                &"See <https://evil.example|here>. ".repeat(30),
                None,
            ),
        ),
    ]);
    assert_are(&[
        ("answers/search-ja.json", search_message(&some, Japanese)),
        (
            "answers/search-nothing-en.json",
            search_message(&view(&[]), English),
        ),
    ]);
}

#[test]
fn lines_of_an_answer_link_to_their_messages() {
    let line = |text: &str, sources: &[(usize, Option<&str>)]| AnswerLine {
        text: text.to_owned(),
        sources: sources
            .iter()
            .map(|(number, address)| (*number, address.map(str::to_owned)))
            .collect(),
    };
    let address = Some("https://acme.slack.com/archives/C1/p1772755260000100");
    let view = AnswerView {
        heading: "#general で決まったこと <!here>".to_owned(),
        lines: vec![
            line(
                "2026-03-02 灯: 監視は *Crane* にします [2]",
                &[(1, address)],
            ),
            line(
                "2026-03-03 <!channel>: see <https://evil.example|here>",
                &[(2, None)],
            ),
        ],
    };
    let nothing = AnswerView {
        heading: "I found nothing.".to_owned(),
        lines: Vec::new(),
    };
    assert_are(&[
        (
            "answers/answer-ja.json",
            answer_message(Some(&view), Japanese),
        ),
        (
            "answers/answer-nothing-en.json",
            answer_message(Some(&nothing), English),
        ),
        ("answers/since-ja.json", since_message(Japanese)),
    ]);
}

#[test]
fn main_points_of_a_thread_link_to_their_messages() {
    let point = |text: &str, number: usize| AnswerLine {
        text: text.to_owned(),
        sources: vec![(
            number,
            Some("https://acme.slack.com/archives/C1/p1772755260000100".to_owned()),
        )],
    };
    let view = ThreadView {
        channel: "general".to_owned(),
        scope_id: "C1:1772755260.000100".to_owned(),
        memory: None,
        messages: 12,
        lines: vec![
            point("2026-03-02 灯: 監視は *Crane* にします。", 1),
            point("2026-03-03 <!channel>: it costs 300 euros", 2),
        ],
    };
    assert_are(&[
        (
            "answers/thread-ja.json",
            thread_message(Some(&view), Japanese),
        ),
        (
            "answers/thread-en.json",
            thread_message(Some(&view), English),
        ),
        (
            "answers/thread-nothing-en.json",
            thread_message(None, English),
        ),
        ("answers/thread-hint-ja.json", thread_hint(Japanese)),
        (
            "answers/thread-modal-ja.json",
            thread_modal(Some(&view), Japanese),
        ),
        (
            "answers/thread-modal-nothing-en.json",
            thread_modal(None, English),
        ),
    ]);
    let long = format!("- 監視は **Crane** に決まった\n{}", "長い".repeat(2_000));
    let remembered = ThreadView {
        memory: Some(MemoryText {
            newest_sources: vec![source(0, "灯", "Crane にします。", None)],
            ..memory(2, &long)
        }),
        ..view
    };
    let message = thread_message(Some(&remembered), Japanese);
    assert_within_limits(&message);
    let shown = message.to_string();
    for words in [
        "*Crane* に決まった",
        "出典: ",
        "myao memory show C1:1772755260.000100",
        "300 euros",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}
