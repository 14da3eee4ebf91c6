//! A talk as text becomes a context. A line is `1772409600 ann: We release on 4 March.`: when it was said, in seconds since
//! 1970, who said it, and what.

use std::fmt::{self, Display, Formatter};

use crate::bindings::myao::memory::types::{
    Context, ConversationHistory, Message, Persona, Timestamp, User,
};

/// A line that is no message.
pub(crate) struct BadLine(usize);

impl Display for BadLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is not `SECONDS NAME: TEXT`", self.0)
    }
}

/// The talk as a channel of its own. Nothing is remembered before it.
pub(crate) fn context(text: &str) -> Result<Context, BadLine> {
    let lines = text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty());
    let messages = lines.map(|(line, number)| message(line, number).ok_or(BadLine(number)));
    Ok(Context {
        persona: Persona {
            name: "myao".to_owned(),
            system_prompt: "You keep the minutes of a team.".to_owned(),
        },
        conversation_history: ConversationHistory {
            channel_id: "talk".to_owned(),
            channel_name: "talk".to_owned(),
            top_level_messages: messages.collect::<Result<_, _>>()?,
            threads: Vec::new(),
        },
        workspace_long_term_memory: None,
        workspace_short_term_memory: None,
        channel_memories: Vec::new(),
        thread_memories: Vec::new(),
        target_thread_ts: None,
        notes: None,
    })
}

fn message(line: &str, number: usize) -> Option<Message> {
    let (seconds, said) = line.split_once(' ')?;
    let (name, text) = said.split_once(": ")?;
    let unix_seconds = seconds.parse().ok()?;
    Some(Message {
        // The number of the line tells messages of one second apart.
        ts: format!("{unix_seconds}.{number:06}"),
        user: User {
            id: name.to_owned(),
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
    })
}
