//! What is recognised, kept and shown.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::show::shown;
use super::*;
use crate::bindings::types::User;
use crate::testing::{at, ts};

fn ranks(text: &str) -> Vec<(String, Rank)> {
    let found = facts(text, false).into_iter();
    found
        .map(|fact| (text[fact.range].to_owned(), fact.rank))
        .collect()
}

fn of(seconds: i64) -> MessageRef {
    MessageRef {
        channel_id: "C1".to_owned(),
        ts: ts(seconds),
    }
}

/// The parts of messages that a text does not hold. Each line of the text cites every message.
fn lost(text: &str, messages: &[&str]) -> Vec<String> {
    let all: Vec<MessageRef> = (0..).take(messages.len()).map(of).collect();
    let mut start = 0;
    let mut citations = Vec::new();
    for line in text.split('\n') {
        let length = u32::try_from(line.chars().count()).unwrap();
        citations.push(Citation {
            start,
            length,
            messages: all.clone(),
            by_program: false,
        });
        start += length + 1;
    }
    let said: Vec<Said<'_>> = (0..)
        .zip(messages)
        .map(|(number, text)| Said {
            at: of(number),
            text,
            by_program: false,
        })
        .collect();
    let kept = most_important(Prose::new(text, &citations).missing(&said));
    let words = |span: KeptSpan| {
        let number = all.iter().position(|at| *at == span.message).unwrap();
        let chars = messages[number].chars().skip(span.start as usize);
        chars.take(span.length as usize).collect()
    };
    kept.into_iter().map(words).collect()
}

#[test]
fn sentences_with_values_decisions_and_tasks_are_facts() {
    let text = "おはようございます。公開日は3月22日です。担当は小林さんになりました。ありがとう！";
    let expected = [
        ("公開日は3月22日です。".to_owned(), Rank::Value),
        ("担当は小林さんになりました。".to_owned(), Rank::Decision),
    ];
    assert_eq!(ranks(text), expected);
    let text = "Okafor leads the audit. Thanks a lot! We agreed to move to PostgreSQL.";
    let expected = [
        ("Okafor leads the audit.".to_owned(), Rank::Task),
        (
            "We agreed to move to PostgreSQL.".to_owned(),
            Rank::Decision,
        ),
    ];
    assert_eq!(ranks(text), expected);
    for nothing in [
        "小林さん、お昼に行きませんか",
        "1",
        "the room is warm",
        "```\nport 8080\n```",
    ] {
        assert_eq!(ranks(nothing), [], "{nothing}");
    }
}

#[test]
fn what_a_program_wrote_decides_nothing() {
    let decided = "We agreed to move to PostgreSQL on May 3.";
    assert_eq!(facts(decided, true)[0].rank, Rank::Value);
    assert_eq!(facts("We agreed to move to PostgreSQL", true), []);
}

#[test]
fn a_fact_is_kept_unless_a_line_that_cites_its_message_has_all_of_it() {
    let said = [
        "予算は120万円、公開日は3月22日です",
        "Slow imports are BUG-512",
    ];
    assert_eq!(
        lost("- 3/22に公開、予算は1,200,000円\n- BUG-512: slow", &said),
        [""; 0]
    );
    assert_eq!(
        lost("- 予算は120万円\n- 公開は3月22日", &said[..1]),
        said[..1]
    );
    assert_eq!(
        lost("- 予算は121万円、公開日は3月22日\n- BUG-513", &said),
        said
    );
    let decided = ["決済は Stripe を採用すると決定しました"];
    assert_eq!(lost("- 決済にStripeを採用", &decided), [""; 0]);
    assert_eq!(lost("- 決済の話をした", &decided), decided);
}

#[test]
fn a_line_that_cites_another_message_holds_nothing_of_this_one() {
    let prose = Prose::new(
        "- 24台",
        &[Citation {
            start: 0,
            length: 5,
            messages: vec![of(1)],
            by_program: false,
        }],
    );
    let fact = &facts("端末は24台必要です", false)[0];
    assert!(prose.holds(fact, &of(1)) && !prose.holds(fact, &of(0)));
}

#[test]
fn a_long_sentence_is_kept_in_parts_and_a_table_only_to_its_beginning() {
    let long = format!("{}番号は RSV-412 です", "とても長い話、".repeat(100));
    let parts = lost("- 何か", &[&long]);
    assert_eq!(parts.len(), 1);
    assert!(parts[0].contains("RSV-412") && parts[0].chars().count() <= 240);
    let table = (0..99)
        .map(|row| format!("- row {row}00\n"))
        .collect::<String>();
    assert_eq!(facts(&table, false).len(), 20);
}

#[test]
fn a_memory_keeps_decisions_and_then_the_newest() {
    let kept = |number: u32, rank| Kept {
        span: KeptSpan {
            message: of(i64::from(number)),
            start: 0,
            length: 1,
        },
        rank,
    };
    let mut all: Vec<Kept> = (1..=600).map(|number| kept(number, Rank::Value)).collect();
    all.push(kept(0, Rank::Decision));
    all.push(kept(600, Rank::Value));
    let records = most_important(all);
    assert_eq!(records.len(), MOST_KEPT);
    assert_eq!(records[0].message, of(0));
    assert_eq!(
        (&records[1].message, &records[499].message),
        (&of(102), &of(600))
    );
}

fn record(seconds: i64, text: &str) -> KeptText {
    KeptText {
        span: KeptSpan {
            message: of(seconds),
            start: 0,
            length: u32::try_from(text.chars().count()).unwrap(),
        },
        user: User {
            id: "U1".to_owned(),
            name: "a".to_owned(),
            is_bot: false,
        },
        timestamp: at(seconds),
        text: text.to_owned(),
    }
}

#[test]
fn a_prompt_shows_what_bears_on_the_question_then_decisions_then_the_newest() {
    let records = vec![
        record(1, "the old exporter was removed on May 3"),
        record(2, "端末は24台必要です"),
        record(3, "We agreed to use Rust"),
        record(4, "検索の p95 は 2.4 秒でした"),
    ];
    let count = |texts: &[String]| vec![10; texts.len()];
    let texts = |question, max_tokens| -> Vec<String> {
        let room = Room {
            question,
            max_tokens,
            count_tokens: &count,
        };
        let shown = shown(records.clone(), room).into_iter();
        shown
            .map(|record| record.text.chars().take(3).collect())
            .collect()
    };
    assert_eq!(texts(None, 26), ["We "]);
    assert_eq!(texts(None, 52), ["We ", "検索の"]);
    assert_eq!(texts(Some("端末は何台?"), 52), ["端末は", "We "]);
    assert_eq!(texts(None, 25), [""; 0]);
}
