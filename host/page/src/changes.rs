//! The differences between two texts.

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

/// A line that is gone or new.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) is_new: bool,
    /// Its parts, each with true if it makes the difference to a line on the other side.
    pub(crate) parts: Vec<(String, bool)>,
}

impl Change {
    /// The same as JSON, as `myao memory diff` has it.
    pub(crate) fn json(&self) -> Value {
        let line: String = self.parts.iter().map(|(part, _)| part.as_str()).collect();
        json!({ "change": if self.is_new { "+" } else { "-" }, "line": line })
    }
}

/// The lines that are gone and new, in order.
pub(crate) fn between(old: &str, new: &str) -> Vec<Change> {
    let diff = TextDiff::from_lines(old, new);
    let changes = diff
        .ops()
        .iter()
        .flat_map(|op| diff.iter_inline_changes(op));
    let changes = changes.filter_map(|change| {
        let is_new = match change.tag() {
            ChangeTag::Delete => false,
            ChangeTag::Insert => true,
            ChangeTag::Equal => return None,
        };
        let parts = change.iter_strings_lossy();
        let parts = parts.map(|(differs, part)| (part.trim_end_matches('\n').to_owned(), differs));
        let parts = parts.filter(|(part, _)| !part.is_empty()).collect();
        Some(Change { is_new, parts })
    });
    changes.filter(|change| !change.parts.is_empty()).collect()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::{Change, between};

    #[test]
    fn lines_that_stay_are_left_out_and_words_that_change_are_marked() {
        let old = "- a\n- the release is on Tuesday at noon\n- gone";
        let new = "- a\n- the release is on Friday at noon\n- added\n";
        let changes = between(old, new);
        let lines = |is_new| {
            let of = changes
                .iter()
                .filter(move |change: &&Change| change.is_new == is_new);
            of.map(|change| {
                change.json()["line"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect::<Vec<_>>()
        };
        assert_eq!(
            lines(false),
            ["- the release is on Tuesday at noon", "- gone"]
        );
        assert_eq!(
            lines(true),
            ["- the release is on Friday at noon", "- added"]
        );
        let changed: Vec<&str> = changes
            .iter()
            .flat_map(|change| &change.parts)
            .filter(|(part, differs)| *differs && part.contains("day"))
            .map(|(part, _)| part.as_str())
            .collect();
        assert_eq!(changed, ["Tuesday", "Friday"]);
        assert_eq!(between(old, old), []);
    }
}
