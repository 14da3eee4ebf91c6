#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Fault, fault, held, is_judged};
use crate::data::{self, Question};
use crate::state::State;

/// A case of `judging.json`, which `check.py` reads, too.
#[derive(Deserialize)]
struct Case {
    rule: String,
    answer: String,
    right: bool,
}

fn question(given: &Value) -> Question {
    let mut all = json!({ "id": "q", "kind": "any", "at": "2026-05-11T08:52:07+09:00", "channel": "C", "text": "?",
        "expected": "answer", "answer": "" });
    for (key, value) in given.as_object().unwrap() {
        let key = if key == "question" { "text" } else { key };
        all.as_object_mut()
            .unwrap()
            .insert(key.to_owned(), value.clone());
    }
    serde_json::from_value(all).unwrap()
}

fn text(text: &str) -> Answer {
    Answer {
        text: text.to_owned(),
        found_nothing: None,
    }
}

#[test]
fn each_rule_is_kept() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../judging.json")).unwrap();
    assert!(cases.len() > 20, "the cases are read");
    for given in cases {
        let case = Case::deserialize(&given).unwrap();
        let found = fault(&question(&given), &text(&case.answer));
        assert_eq!(found.is_none(), case.right, "{}: {found:?}", case.rule);
    }
}

#[test]
fn the_outcome_of_the_program_decides_whether_nothing_was_found() {
    let asked = question(&json!({ "expected": "nothing" }));
    let answer = |text: &str, found_nothing| Answer {
        text: text.to_owned(),
        found_nothing: Some(found_nothing),
    };
    assert_eq!(fault(&asked, &answer("Hm.", true)), None);
    let quoted = answer("I could not find my umbrella.", false);
    assert_eq!(fault(&asked, &quoted), Some(Fault::Invented));
}

#[test]
fn each_reason_is_told() {
    let of = |given: Value, answer: &str| fault(&question(&given), &text(answer));
    let all = json!({ "required": [["b"]], "outranked": ["a"], "forbidden": ["c"], "leak_targets": ["d"] });
    assert_eq!(of(all.clone(), "b"), None);
    assert_eq!(of(all.clone(), "x"), Some(Fault::Incomplete));
    assert_eq!(of(all.clone(), "a\nb"), Some(Fault::Outdated));
    assert_eq!(of(all.clone(), "b c"), Some(Fault::Forbidden));
    assert_eq!(of(all, "b d"), Some(Fault::Leak));
    assert_eq!(
        of(json!({ "expected": "nothing" }), "b"),
        Some(Fault::Invented)
    );
    assert!(!is_judged(&question(&json!({ "evidence": [["m"]] }))));
}

#[test]
fn groups_are_counted_that_a_text_holds() {
    let asked = question(&json!({ "required": [["a", "b"], ["c"], ["d"]] }));
    assert_eq!(held(&asked, "b and d, but not cc"), 2);
}

/// `check.py` demands the same of the same data.
#[test]
fn the_answers_of_the_own_set_are_right_and_so_is_its_evidence() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut judged = 0;
    for talk in data::read(&folder).unwrap().into_values() {
        let mut state = State::default();
        let mut events = talk.events.iter().peekable();
        for asked in &talk.questions {
            while let Some(event) = events.next_if(|event| event.at <= asked.at) {
                state.apply(event).unwrap();
            }
            assert_eq!(fault(asked, &text(&asked.answer)), None, "{}", asked.id);
            let visible = state.visible(&asked.channel);
            let quotes = asked.evidence.iter().map(|group| {
                let first = group.first().unwrap();
                let message = visible.iter().find(|message| message.said.id == *first);
                let message = message.unwrap_or_else(|| panic!("{}: {first} is unseen", asked.id));
                format!(
                    "{}: {}",
                    state.name(&message.said.author),
                    message.said.text
                )
            });
            let quotes: Vec<String> = quotes.collect();
            if !quotes.is_empty() && asked.note.is_none() {
                assert_eq!(
                    fault(asked, &text(&quotes.join("\n"))),
                    None,
                    "{}",
                    asked.id
                );
            }
            judged += 1;
        }
    }
    assert!(judged > 60, "the set is read");
}
