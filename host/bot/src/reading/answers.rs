//! Answers to questions that are asked outside the chat.

use myao_plugin::{MessageRef, Response, Source, names};
use serde_json::{Value, json};

use super::links::link;
use super::times::rfc3339;

/// An answer with its sources.
#[must_use]
pub fn response_json(question: &str, response: &Response, address: Option<&str>) -> Value {
    let outcome = match response.found_nothing {
        true => "nothing-found",
        false => "answered",
    };
    let sources = (1..).zip(&response.sources);
    let sources = sources.map(|source| source_json(source, address));
    json!({
        "question": question,
        "answer": response.text,
        "outcome": outcome,
        "engine": names::engine(response.engine),
        "truncated": response.truncated,
        "sources": sources.collect::<Value>(),
    })
}

/// The message that is cited, or a line of a memory with the messages behind it: then `ts` and `permalink` are the first's.
fn source_json((number, source): (u32, &Source), address: Option<&str>) -> Value {
    let first = source.messages.first();
    let user = source.user.as_ref();
    let message_json = |message: &MessageRef| {
        json!({
            "channel_id": message.channel_id,
            "ts": message.ts,
            "permalink": link(message, address),
        })
    };
    json!({
        "number": number,
        "channel_id": first.map(|message| message.channel_id.as_str()),
        "channel_name": source.channel_name,
        "ts": first.map(|message| message.ts.as_str()),
        "time": source.timestamp.map(rfc3339),
        "user_id": user.map(|user| user.id.as_str()),
        "user_name": user.map(|user| user.name.as_str()),
        "is_bot": user.is_some_and(|user| user.is_bot),
        "text": source.text,
        "permalink": first.and_then(|message| link(message, address)),
        "messages": source.messages.iter().map(message_json).collect::<Value>(),
    })
}
