//! Keys of the Python bot that nothing reads any more.

use serde_json::Value;

use super::tree::Node;

/// Each key, with what takes its place.
const RETIRED: [(&str, &str); 10] = [
    (
        "llm",
        "`agents` names the models, as in `agents.memory.model_id: openai/gpt-4o`",
    ),
    (
        "memory.memory_generation_llm",
        "`agents.memory` is the model that makes memories",
    ),
    (
        "response.message_limit",
        "`response.channel_messages_limit` counts the messages of a reply",
    ),
    (
        "response.active_channel_days",
        "`response.max_message_age_seconds` says which messages may be answered",
    ),
    (
        "response.thread_memory_days",
        "`retention.memories_days` says how long memories are kept",
    ),
    (
        "response.response_interval",
        "`response.mention_limits` and `agents.response.limits` slow answers down",
    ),
    (
        "logging.debug_llm_messages",
        "`memory.recording` keeps what a model was given, for `myao replay --prompts`",
    ),
    (
        "logging.loggers",
        "the environment variable RUST_LOG sets levels for parts of the program",
    ),
    ("tools", "the bot fetches nothing from the web"),
    ("external", "the bot fetches nothing from the web"),
];

/// Takes retired keys out of a configuration. Each is named with its place and what takes its place.
pub(super) fn take(tree: &mut Node) -> Vec<String> {
    let mut notes = Vec::new();
    for (path, instead) in RETIRED {
        if let Some(entry) = tree.take(path, |_| true) {
            notes.push((entry.key_at, path, instead));
        }
    }
    if let Some(entry) = tree.take("logging.format", is_pythons_format) {
        notes.push((
            entry.key_at,
            "logging.format",
            "a line has the form of `text` or of `json`",
        ));
    }
    notes.sort();
    let note = |(place, path, instead)| {
        format!("{place}: `{path}` is retired and not read, take it out; {instead}")
    };
    notes.into_iter().map(note).collect()
}

/// Whether it is a format of Python's log lines.
fn is_pythons_format(value: &Node) -> bool {
    matches!(value, Node::Value(Value::String(format)) if format.contains("%("))
}
