//! The block of JSON behind a memory's text, in which a model reports items.

use serde::Deserialize;
use serde_json::Value;

/// The line that opens the block, as the prompt shows it.
const FENCE: &str = "```json";
/// So many reports of one answer are read; its length limit has room for fewer.
const MOST_REPORTS: usize = 40;

/// The report of a model about one item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Report {
    /// The item that changes; `None` for a new one.
    pub(crate) item: Option<Named>,
    /// The kind of a new item.
    pub(crate) kind: Option<String>,
    /// The new state.
    pub(crate) state: Option<String>,
    /// Words of the message that says so.
    #[serde(default)]
    pub(crate) quote: String,
    /// The name of who is to do it.
    pub(crate) owner: Option<String>,
    /// The day it is due.
    pub(crate) due: Option<String>,
    /// The item that a new one replaces.
    pub(crate) replaces: Option<Named>,
}

/// An item, as a report names it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Named {
    /// The number of an item that the prompt shows.
    Number(usize),
    /// The quote of a report of the same call that makes the item.
    Quote(String),
}

/// The text of an answer, and the reports behind it. `None` stands for a report of another form, and for a whole block
/// that is not JSON: its text is good all the same.
pub(crate) fn without_reports(answer: &str) -> (&str, Vec<Option<Report>>) {
    let lines = answer.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end, line))
    });
    let opening = lines.filter(|(_, line)| line.trim() == FENCE).last();
    let Some((end, line)) = opening else {
        return (answer, Vec::new());
    };
    let (text, block) = (answer.get(..end - line.len()), answer.get(end..));
    let (text, block) = (text.unwrap_or_default(), block.unwrap_or_default());
    if text.trim().is_empty() {
        return (answer, Vec::new());
    }
    let json = block.split_once("```").map_or(block, |(json, _)| json);
    let reports = match serde_json::from_str(json) {
        Ok(Value::Array(reports)) => reports,
        Ok(report @ Value::Object(_)) => vec![report],
        _ => return (text, vec![None]),
    };
    let read = |report| serde_json::from_value(report).ok();
    (
        text,
        reports.into_iter().take(MOST_REPORTS).map(read).collect(),
    )
}
