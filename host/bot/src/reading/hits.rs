//! The hits of a search.

use myao_plugin::{Hit, SearchResult};
use serde_json::{Value, json};

use super::links::link;
use super::times::rfc3339;

/// The parts of a text, in order, and whether each is one of these terms.
#[must_use]
pub fn marked<'t>(text: &'t str, terms: &[String]) -> Vec<(&'t str, bool)> {
    let mut is_marked = vec![false; text.len()];
    for found in myao_terms::located(text) {
        if terms.contains(&found.term)
            && let Some(bytes) = is_marked.get_mut(found.at)
        {
            bytes.fill(true);
        }
    }
    let ends = is_marked.chunk_by(|a, b| a == b).scan(0, |start, run| {
        let part = text.get(*start..*start + run.len());
        *start += run.len();
        Some((part.unwrap_or_default(), run.first() == Some(&true)))
    });
    ends.collect()
}

/// The hits, as JSON.
#[must_use]
pub fn found_json(found: &SearchResult, address: Option<&str>) -> Value {
    let hits: Vec<Value> = found
        .hits
        .iter()
        .map(|hit| hit_json(hit, address))
        .collect();
    json!({
        "hits": hits,
        "since": found.since.map(rfc3339),
        "until": found.until.map(rfc3339),
    })
}

fn hit_json(hit: &Hit, address: Option<&str>) -> Value {
    let message = &hit.message;
    json!({
        "channel_id": hit.at.channel_id,
        "channel_name": hit.channel_name,
        "ts": hit.at.ts,
        "thread_ts": message.thread_ts,
        "time": rfc3339(message.timestamp),
        "user_id": message.user.id,
        "user_name": message.user.name,
        "is_bot": message.user.is_bot,
        "text": message.text,
        "score": hit.score,
        "terms": hit.terms,
        "permalink": link(&hit.at, address),
    })
}
