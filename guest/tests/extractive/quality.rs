//! The extract keeps what a reader wants to remember.

use myao_memory::extractive::{Input, NOTE_EN, NOTE_JA, summarize};

use crate::conversations::{Conversation, Random, all, count_tokens, line, say};

const LIMITS: [u32; 3] = [300, 500, 800];
const DRAWS: u32 = 200;

fn extract(conversation: &Conversation, limit: u32) -> String {
    summarize(
        Input::Messages(&conversation.messages()),
        limit,
        &count_tokens,
    )
}

/// Whole messages in the given order, until they are as long as `length` characters.
fn fill<'a>(
    conversation: &'a Conversation,
    order: impl Iterator<Item = &'a usize>,
    length: usize,
) -> String {
    let mut text = String::new();
    for index in order {
        if text.chars().count() >= length {
            break;
        }
        text.push_str(&line(&conversation.messages[*index]));
        text.push('\n');
    }
    text
}

#[test]
fn fixtures_are_long_and_annotated() {
    for (name, conversation) in all() {
        assert!(conversation.messages.len() >= 80, "{name}");
        assert!(conversation.facts.len() >= 15, "{name}");
        let all: Vec<String> = conversation.messages.iter().map(line).collect();
        assert_eq!(
            conversation.kept(&all.join("\n")),
            conversation.facts.len(),
            "{name}: every fact is in a message"
        );
    }
}

#[test]
fn extract_keeps_more_facts_than_random_messages_of_the_same_length() {
    for (name, conversation) in all() {
        for limit in LIMITS {
            let text = extract(&conversation, limit);
            let length = text.chars().count();
            let mut random = Random(u64::from(limit));
            let mut sum = 0;
            for _ in 0..DRAWS {
                let mut order: Vec<usize> = (0..conversation.messages.len()).collect();
                for last in (1..order.len()).rev() {
                    order.swap(last, random.below(last + 1));
                }
                sum += conversation.kept(&fill(&conversation, order.iter(), length));
            }
            let mean = f64::from(u32::try_from(sum).unwrap()) / f64::from(DRAWS);
            let kept = f64::from(u32::try_from(conversation.kept(&text)).unwrap());
            assert!(
                kept >= 2.2 * mean,
                "{name} at {limit}: {kept} against {mean:.2} at random\n{text}"
            );
        }
    }
}

#[test]
fn extract_keeps_more_facts_than_the_last_messages_of_the_same_length() {
    for (name, conversation) in all() {
        for limit in LIMITS {
            let text = extract(&conversation, limit);
            let newest_first: Vec<usize> = (0..conversation.messages.len()).rev().collect();
            let last = fill(&conversation, newest_first.iter(), text.chars().count());
            let (kept, last) = (conversation.kept(&text), conversation.kept(&last));
            assert!(
                2 * kept >= 3 * last,
                "{name} at {limit}: {kept} against {last}\n{text}"
            );
        }
    }
}

#[test]
fn memory_opens_with_a_note_in_the_language_of_the_conversation() {
    for (name, conversation) in all() {
        let note = if name == "english" { NOTE_EN } else { NOTE_JA };
        assert_eq!(
            extract(&conversation, 300).lines().next(),
            Some(note),
            "{name}"
        );
    }
}

#[test]
fn lines_are_bullets_with_local_date_and_name_in_order_of_time() {
    for (name, conversation) in all() {
        let text = extract(&conversation, 500);
        let dates: Vec<&str> = text
            .lines()
            .skip(1)
            .map(|line| line.get(..13).unwrap())
            .collect();
        assert!(dates.len() > 5, "{name}");
        assert!(dates.is_sorted(), "{name}: {text}");
        for line in text.lines().skip(1) {
            let known = conversation
                .messages
                .iter()
                .any(|m| line.contains(&format!("{}: ", m.user.name)));
            assert!(line.starts_with("- 2024-") && known, "{line}");
        }
        assert!(
            dates.first() < dates.last(),
            "{name}: both days are remembered"
        );
    }
}

#[test]
fn greetings_give_way_to_facts() {
    let words = [
        "おはようございます！",
        "お疲れさまでした",
        "good morning",
        "thanks!",
        "hey folks",
        "haha",
    ];
    for (name, conversation) in all() {
        let text = extract(&conversation, 500);
        for word in words {
            assert!(!text.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn short_answer_is_shown_with_its_question() {
    let messages = [
        say(0, "ann", "how many tablets does the store need?"),
        say(60, "bob", "24"),
    ];
    let text = summarize(
        Input::Messages(&messages.iter().collect::<Vec<_>>()),
        300,
        &count_tokens,
    );
    assert_eq!(
        text,
        format!("{NOTE_EN}\n- 1970-01-01 ann: how many tablets does the store need? → bob: 24")
    );
}

#[test]
fn question_without_answer_outlives_the_same_question_answered() {
    let talk = |answer_after: i64| {
        let mut messages = vec![say(
            0,
            "ann",
            "does anybody know the vendor of the badge printer?",
        )];
        messages.push(say(
            answer_after,
            "cy",
            "ask the people at the front desk about it",
        ));
        for hour in 1..8 {
            messages.push(say(
                hour * 3600,
                "bob",
                &format!("the weekly report has 1{hour}0 pages again"),
            ));
        }
        messages.sort_by_key(|message| message.timestamp.unix_seconds);
        summarize(
            Input::Messages(&messages.iter().collect::<Vec<_>>()),
            45,
            &count_tokens,
        )
    };
    let (open, answered) = (talk(40_000), talk(60));
    assert!(open.contains("badge printer"), "{open}");
    assert!(!answered.contains("badge printer"), "{answered}");
}

#[test]
fn question_that_somebody_comes_back_to_later_is_answered() {
    let talk = |later: &str| {
        let mut messages = vec![say(0, "ann", "do we make the second factor mandatory?")];
        for hour in 1..8 {
            messages.push(say(
                hour * 3600,
                "bob",
                &format!("the weekly report has 1{hour}0 pages again"),
            ));
        }
        messages.push(say(9 * 3600, "cy", later));
        summarize(
            Input::Messages(&messages.iter().collect::<Vec<_>>()),
            70,
            &count_tokens,
        )
    };
    let open = talk("we agreed to buy a bigger table");
    assert!(open.contains("ann: do we make"), "{open}");
    let answered = talk("we agreed: the second factor is for admins alone");
    assert!(
        !answered.contains("ann: do we make") && answered.contains("for admins alone"),
        "{answered}"
    );
}

#[test]
fn one_busy_burst_does_not_take_all() {
    let mut messages = Vec::new();
    for minute in 0..60 {
        messages.push(say(
            minute * 60,
            "ann",
            &format!(
                "We agreed to ship part {minute} with budget ${}00 by March {}",
                minute + 3,
                minute % 28 + 1
            ),
        ));
    }
    messages.push(say(
        80_000,
        "ann",
        "We agreed to move the office to the third floor",
    ));
    let text = summarize(
        Input::Messages(&messages.iter().collect::<Vec<_>>()),
        300,
        &count_tokens,
    );
    assert!(text.contains("third floor"), "{text}");
}
