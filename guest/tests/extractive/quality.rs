//! The extract keeps what a reader wants to remember.

use myao_memory::extractive::{Input, NOTE_EN, NOTE_JA, summarize};

use crate::conversations::{Conversation, Random, all, count_tokens, line};

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
                kept >= 1.9 * mean,
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
