//! Files that people write: configurations and contexts.

use chrono::{FixedOffset, TimeZone as _};
use myao::config::Config;
use myao_plugin::context_json::ContextJsonError;
use myao_plugin::{ChannelMemory, Context, Message, Timestamp, context_json};
use serde_json::{Map, Value, json};

/// Any text is a configuration with settings, or is refused in lines that name the places.
pub fn config(data: &[u8]) {
    let text = super::text(data);
    match Config::parse(&text, &|_| Ok(Vec::new())) {
        Ok(config) => drop(config.settings()),
        Err(faults) => {
            assert!(!faults.is_empty());
            faults
                .split('\n')
                .for_each(|fault| assert_has_place(fault, &text));
        }
    }
}

fn assert_has_place(fault: &str, text: &str) {
    let is_one_line = !fault.trim().is_empty() && !fault.contains(char::is_control);
    assert!(is_one_line, "{fault:?}");
    let line = fault
        .strip_prefix("line ")
        .and_then(|rest| rest.split(',').next());
    if let Some(line) = line {
        let line: usize = line.parse().unwrap();
        // YAML ends lines at a lone `\r` too.
        let lines = text.split(['\n', '\r']).count();
        assert!((1..=lines + 1).contains(&line), "{fault}");
    }
}

/// Any text is a context, which is the same when it is written and read again, or is refused with the place.
pub fn context_json(data: &[u8]) {
    let text = super::text(data);
    match context_json::parse(&text) {
        Ok(context) => {
            let Some(written) = written(&context) else {
                return;
            };
            let again = context_json::parse(&written.to_string()).unwrap();
            assert_eq!(again, context);
        }
        Err(ContextJsonError::Shape { line, detail, .. }) => {
            assert!(line <= text.split('\n').count() && !detail.is_empty());
        }
        Err(ContextJsonError::Entry { key, detail }) => {
            assert!(!key.is_empty() && !detail.is_empty());
        }
        Err(other) => assert!(!other.to_string().is_empty()),
    }
}

/// A context as JSON; `None` if a channel has the key of another one, which the file may do and JSON of ours does not.
fn written(context: &Context) -> Option<Value> {
    let history = &context.conversation_history;
    let mut threads = Map::new();
    for thread in &history.threads {
        let messages = thread.messages.iter().map(message).collect::<Option<_>>()?;
        threads.insert(thread.thread_ts.clone(), Value::Array(messages));
    }
    let mut channels = Map::new();
    for channel in &context.channel_memories {
        let twice = channels.insert(channel.channel_id.clone(), memory(channel));
        if twice.is_some() {
            return None;
        }
    }
    let thread_memories: Map<String, Value> = context
        .thread_memories
        .iter()
        .map(|memory| (memory.thread_ts.clone(), memory.content.clone().into()))
        .collect();
    let top_level = history.top_level_messages.iter().map(message);
    Some(json!({
        "persona": { "name": context.persona.name, "system_prompt": context.persona.system_prompt },
        "workspace_long_term_memory": context.workspace_long_term_memory,
        "workspace_short_term_memory": context.workspace_short_term_memory,
        "channel_memories": channels,
        "conversation_history": {
            "channel_id": history.channel_id,
            "channel_name": history.channel_name,
            "top_level_messages": top_level.collect::<Option<Vec<Value>>>()?,
            "thread_messages": threads,
        },
        "thread_memories": thread_memories,
        "target_thread_ts": context.target_thread_ts,
    }))
}

fn memory(channel: &ChannelMemory) -> Value {
    json!({
        "channel_id": channel.channel_id,
        "channel_name": channel.channel_name,
        "long_term_memory": channel.long_term_memory,
        "short_term_memory": channel.short_term_memory,
        "short_term_memory_history": channel.short_term_memory_history,
    })
}

fn message(message: &Message) -> Option<Value> {
    let edited_at = match message.edited_at {
        Some(time) => Some(rfc3339(time)?),
        None => None,
    };
    Some(json!({
        "ts": message.ts,
        "user": { "id": message.user.id, "name": message.user.name, "is_bot": message.user.is_bot },
        "text": message.text,
        "timestamp": rfc3339(message.timestamp)?,
        "thread_ts": message.thread_ts,
        "edited_at": edited_at,
    }))
}

fn rfc3339(time: Timestamp) -> Option<String> {
    let offset = FixedOffset::east_opt(time.utc_offset_seconds)?;
    Some(
        offset
            .timestamp_opt(time.unix_seconds, 0)
            .single()?
            .to_rfc3339(),
    )
}
