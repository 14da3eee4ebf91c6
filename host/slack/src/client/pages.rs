//! Lists that come in pages: <https://docs.slack.dev/apis/web-api/pagination>.
//!
//! **Invariant: a listing is whole or an error.** An empty or short page is not the end; only a missing cursor is. An
//! entry that cannot be read is left out and logged.

use std::collections::HashSet;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Method, SlackClient, answer};
use crate::error::ClientError;

/// The page size that Slack recommends.
pub(super) const PAGE_SIZE: u32 = 200;

impl SlackClient {
    /// All entries of all pages.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        method: Method,
        params: Value,
        field: &str,
    ) -> Result<Vec<T>, ClientError> {
        let mut entries = Vec::new();
        for value in self.list_values(method, params, field).await? {
            entries.extend(answer::entry(method, field, value)?);
        }
        Ok(entries)
    }

    /// All entries of all pages, as Slack returns them.
    pub(super) async fn list_values(
        &self,
        method: Method,
        params: Value,
        field: &str,
    ) -> Result<Vec<Value>, ClientError> {
        let mut params = params.as_object().cloned().unwrap_or_default();
        let mut entries = Vec::new();
        let mut cursors = HashSet::new();
        loop {
            let mut body = self.call(method, &Value::Object(params.clone())).await?;
            let page: Vec<Value> = answer::take(method, &mut body, field)?;
            entries.extend(page);
            let Some(cursor) = next_cursor(&body) else {
                return Ok(entries);
            };
            params.insert("cursor".to_owned(), Value::String(cursor.clone()));
            if !cursors.insert(cursor) {
                let detail = "its pages repeat: a cursor came twice";
                return Err(answer::bad(method.name(), detail.to_owned()));
            }
        }
    }
}

/// The cursor of the next page; `None` after the last.
pub(super) fn next_cursor(body: &Value) -> Option<String> {
    let cursor = body
        .get("response_metadata")?
        .get("next_cursor")?
        .as_str()?;
    (!cursor.is_empty()).then(|| cursor.to_owned())
}

/// The parameters that are set.
pub(super) fn params<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let fields = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect::<Map<_, _>>())
}
