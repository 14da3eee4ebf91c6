//! The items that a version reports beside its text.

use crate::bindings::llm::FinishReason;
use crate::bindings::types::{Item, ItemEvent, ItemKind, MemoryType};
use crate::testing::{DAY, HOUR, TestHost, completion, ts};

const ASKS: &str = "\"quote\"";
const ANSWER: &str =
    "- 発送は12日に決まった\n\n```json\n[{\"kind\": \"decision\", \"quote\": \"発送は12日\"}]\n```";

fn host() -> TestHost {
    let host = TestHost::with_prompts();
    host.storage.items.replace(Some(Vec::new()));
    host.say("C1", -60, "では、発送は12日にします");
    host
}

fn item(seconds: i64, text: &str) -> Item {
    Item {
        due: Some("2024-03-12".to_owned()),
        ..crate::testing::item(ItemKind::Task, seconds, text)
    }
}

#[test]
fn a_version_reports_items_and_its_text_is_without_them() {
    for (answer, finish, items) in [
        (ANSWER, FinishReason::Stop, 1),
        (ANSWER, FinishReason::Length, 1),
        (
            ANSWER.split_once(" \"quote").unwrap().0,
            FinishReason::Length,
            0,
        ),
        ("- 発送は12日に決まった", FinishReason::Stop, 0),
    ] {
        let host = host();
        let answer = answer.to_owned();
        host.llm
            .answer_by(move |_, _| Ok(completion(&answer, finish)));
        host.generate(0);
        let draft = host.storage.drafts().remove(0);
        assert_eq!(draft.content, "- 発送は12日に決まった");
        assert_eq!((draft.truncated, draft.items.len()), (false, items));
        for change in &draft.items {
            assert_eq!(
                (&change.event, &change.message.ts),
                (&ItemEvent::Noted, &ts(-60))
            );
        }
        let refused = u32::from(items == 0 && finish == FinishReason::Length);
        assert_eq!(draft.coverage.refused_items, refused);
    }
}

#[test]
fn only_a_channels_version_asks_for_items_and_shows_those_that_are_open() {
    let host = host();
    let items = vec![item(-HOUR, "荷札を刷る")];
    host.storage.items.replace(Some(items));
    host.reply("C1", -60, -50, "了解です");
    host.generate(0);
    let prompts = host.llm.prompts();
    let asking: Vec<&String> = prompts
        .iter()
        .filter(|prompt| prompt.contains(ASKS))
        .collect();
    assert_eq!(asking.len(), 1, "one of {}", prompts.len());
    assert!(
        asking[0].ends_with("1. task: 荷札を刷る / 2024-03-12\n"),
        "{}",
        asking[0]
    );
    for request in host.llm.requests() {
        let is_version = request.system_prompt.contains(ASKS);
        let is_short = request.purpose.memory_type == Some(MemoryType::ShortTerm);
        assert!(!is_short || request.max_tokens == if is_version { 500 } else { 300 });
    }
}

#[test]
fn nobody_is_asked_for_items_that_are_not_kept() {
    let mut without = host();
    without.settings.ledger_max_tokens = 0;
    let kept_nowhere = host();
    kept_nowhere.storage.items.replace(None);
    for host in [without, kept_nowhere] {
        host.generate(0);
        assert!(
            host.llm
                .prompts()
                .iter()
                .all(|prompt| !prompt.contains(ASKS))
        );
    }
}

#[test]
fn each_chunk_of_a_version_reports_items() {
    let mut host = host();
    host.settings.context_margin_tokens = 0;
    host.llm.window.set(Some(2600));
    for number in 0..8 {
        host.say(
            "C1",
            -50 + number,
            &format!("発送の{number}番の箱は{}", "重い".repeat(100)),
        );
    }
    host.llm.answer_by(|_, request| {
        let prompt = &request.system_prompt;
        let answer = match (prompt.contains(ASKS), prompt.contains("発送は12日にします")) {
            (true, true) => ANSWER,
            (true, false) => {
                "- 発送の箱は重い\n```json\n[{\"kind\": \"fact\", \"quote\": \"番の箱は重い\"}]\n```"
            }
            (false, _) => "- 発送は12日に決まり、箱は重い",
        };
        Ok(completion(answer, FinishReason::Stop))
    });
    host.generate(0);
    let draft = host.storage.drafts().remove(0);
    assert!(draft.coverage.chunks > 1, "{:?}", draft.coverage);
    let kinds: Vec<ItemKind> = draft.items.iter().map(|change| change.kind).collect();
    assert!(
        kinds.contains(&ItemKind::Decision) && kinds.contains(&ItemKind::Fact),
        "{kinds:?}"
    );
    assert!(!draft.content.contains("json"));
}

#[test]
fn a_version_may_repeat_what_is_open_and_cites_its_message() {
    let host = host();
    let title = "荷札を千枚、金曜までに刷って倉庫へ届けます";
    host.say("C1", -20 * DAY, title);
    host.storage
        .items
        .replace(Some(vec![item(-20 * DAY, title)]));
    let answer = format!("- {title}\n- 発送は12日に決まった");
    host.llm
        .answer_by(move |_, _| Ok(completion(&answer, FinishReason::Stop)));
    host.generate(0);
    let draft = host.storage.drafts().remove(0);
    assert!(draft.content.contains("荷札"), "{}", draft.content);
    assert_eq!(draft.citations[0].messages[0].ts, ts(-20 * DAY));
}
