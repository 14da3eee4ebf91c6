//! Pages: `limit` and `cursor`.

use serde_json::{Value, json};

use super::Refusal;
use crate::bot::Request;
use crate::state::State;

/// Slack's cursors are opaque and end with `=`, which a form must escape.
const CURSOR_END: char = '=';

/// Which part of a list is asked for.
pub(crate) struct Page {
    /// The most items.
    pub(crate) limit: usize,
    /// Where the page begins: what the cursor of the page before says.
    pub(crate) after: Option<String>,
}

impl Page {
    /// Reads `limit` (`default` if missing or 0, at most `most`) and `cursor`, which begins with `kind`.
    pub(crate) fn read(
        state: &State,
        request: &Request,
        kind: &str,
        default: usize,
        most: usize,
    ) -> Result<Self, Refusal> {
        let limit = match request.number("limit")? {
            None | Some(0) => default,
            Some(limit) if limit > most => return Err("invalid_limit".into()),
            Some(limit) => limit,
        };
        let limit = state.script.page.map_or(limit, |cap| cap.min(limit));
        let after = match request.text("cursor") {
            None => None,
            Some(cursor) => {
                let inner = cursor
                    .strip_suffix(CURSOR_END)
                    .and_then(|cursor| cursor.strip_prefix(kind));
                Some(
                    inner
                        .ok_or("invalid_cursor")?
                        .trim_start_matches(':')
                        .to_owned(),
                )
            }
        };
        Ok(Self { limit, after })
    }
}

/// The `response_metadata` that leads to the next page; the cursor is empty at the end.
pub(crate) fn next_cursor(kind: &str, next: Option<&str>) -> Value {
    let cursor = next.map(|next| format!("{kind}:{next}{CURSOR_END}"));
    json!({ "next_cursor": cursor.unwrap_or_default() })
}

/// The items of one page of a list that is ordered by id, and the id that the next page begins after.
pub(crate) fn by_id<'items, T>(
    page: &Page,
    items: impl Iterator<Item = (&'items String, T)>,
) -> (Vec<T>, Option<&'items str>) {
    let after = page.after.as_deref().unwrap_or_default();
    let mut rest = items
        .filter(|(id, _)| after.is_empty() || id.as_str() > after)
        .peekable();
    let mut taken = Vec::new();
    let mut last = None;
    while taken.len() < page.limit {
        let Some((id, item)) = rest.next() else {
            break;
        };
        taken.push(item);
        last = Some(id.as_str());
    }
    let more = rest.peek().is_some();
    (taken, last.filter(|_| more))
}
