//! Reads the conversations in `tests/fixtures/conversations`; shared helpers.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDateTime};
use myao_memory::bindings::types::{Message, Timestamp, User};

/// A conversation with the facts that should be remembered.
pub(crate) struct Conversation {
    /// The messages, in order of time.
    pub(crate) messages: Vec<Message>,
    /// Each fact's parts, which must be in one line.
    pub(crate) facts: Vec<Vec<String>>,
}

impl Conversation {
    /// The number of facts in a text.
    pub(crate) fn kept(&self, text: &str) -> usize {
        let held = |fact: &&Vec<String>| {
            text.lines()
                .any(|line| fact.iter().all(|part| line.contains(part.as_str())))
        };
        self.facts.iter().filter(held).count()
    }

    pub(crate) fn messages(&self) -> Vec<&Message> {
        self.messages.iter().collect()
    }
}

/// The conversations, by name. The README beside them describes the format.
pub(crate) fn all() -> [(&'static str, Conversation); 3] {
    [
        (
            "japanese",
            read(include_str!("../fixtures/conversations/japanese.txt")),
        ),
        (
            "english",
            read(include_str!("../fixtures/conversations/english.txt")),
        ),
        (
            "mixed",
            read(include_str!("../fixtures/conversations/mixed.txt")),
        ),
    ]
}

fn read(text: &str) -> Conversation {
    let mut all = Conversation {
        messages: Vec::new(),
        facts: Vec::new(),
    };
    let mut day = ("", "");
    let mut threads: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("= ") {
            day = head.split_once(' ').expect("a day and an offset");
        } else if let Some(fact) = line.strip_prefix("  ! ") {
            all.facts
                .push(fact.split(" & ").map(str::to_owned).collect());
        } else if let Some(more) = line.strip_prefix("  | ") {
            let last = all.messages.last_mut().expect("a message above");
            last.text.push('\n');
            last.text.push_str(more);
        } else {
            let sequence = all.messages.len();
            all.messages
                .push(message(line, day, sequence, &mut threads));
        }
    }
    all
}

fn message(
    line: &str,
    day: (&str, &str),
    sequence: usize,
    threads: &mut BTreeMap<String, String>,
) -> Message {
    let (clock, rest) = line.split_once(' ').expect("a time");
    let (thread, rest) = match rest.strip_prefix('[').and_then(|r| r.split_once("] ")) {
        Some((tag, rest)) => (Some(tag), rest),
        None => (None, rest),
    };
    let (name, text) = rest.split_once(": ").expect("a name and a text");
    let local = NaiveDateTime::parse_from_str(&format!("{} {clock}", day.0), "%Y-%m-%d %H:%M")
        .expect("a time");
    let hours: i32 = day.1.get(..3).expect("an offset").parse().expect("hours");
    let unix_seconds = local.and_utc().timestamp() - i64::from(hours) * 3600;
    let ts = format!("{unix_seconds}.{sequence:06}");
    let thread_ts = thread.map(|tag| {
        threads
            .entry(format!("{}{tag}", day.0))
            .or_insert_with(|| ts.clone())
            .clone()
    });
    Message {
        ts,
        user: User {
            id: format!("U-{name}"),
            name: name.trim_end_matches('*').to_owned(),
            is_bot: name.ends_with('*'),
        },
        text: text.to_owned(),
        timestamp: Timestamp {
            unix_seconds,
            utc_offset_seconds: hours * 3600,
        },
        thread_ts,
        edited_at: None,
        is_for_bot: false,
    }
}

/// One message at the top level.
pub(crate) fn say(unix_seconds: i64, name: &str, text: &str) -> Message {
    Message {
        ts: format!("{unix_seconds}.000001"),
        user: User {
            id: format!("U-{name}"),
            name: name.to_owned(),
            is_bot: false,
        },
        text: text.to_owned(),
        timestamp: Timestamp {
            unix_seconds,
            utc_offset_seconds: 0,
        },
        thread_ts: None,
        edited_at: None,
        is_for_bot: false,
    }
}

/// A message as a line of a memory, whole.
pub(crate) fn line(message: &Message) -> String {
    let local = message.timestamp.unix_seconds + i64::from(message.timestamp.utc_offset_seconds);
    let date = DateTime::from_timestamp(local, 0)
        .expect("a time")
        .format("%Y-%m-%d");
    format!(
        "- {date} {}: {}",
        message.user.name,
        message.text.replace('\n', " ")
    )
}

/// About as a model's tokenizer counts: four ASCII characters, or one other, are a token.
pub(crate) fn tokens(text: &str) -> u32 {
    let ascii = text.chars().filter(char::is_ascii).count();
    u32::try_from(ascii.div_ceil(4) + text.chars().count() - ascii).expect("a short text")
}

pub(crate) fn count_tokens(texts: &[String]) -> Vec<u32> {
    texts.iter().map(|text| tokens(text)).collect()
}

/// A small seeded generator of numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(bound).expect("a bound"))
            .expect("below the bound")
    }
}
