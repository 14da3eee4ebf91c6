//! Keeps what was said in private channels out of other channels.

use std::collections::BTreeSet;

use crate::bindings::types::Scope;
use crate::context::Remembered;
use crate::extractive::text::strip_markers;

/// Removes the private channels except the current one, with their memories, and the lines of the workspace's memory
/// that are about them.
pub(super) fn forget_private_channels(remembered: &mut Remembered, current_channel_id: &str) {
    let (shown, hidden): (Vec<_>, Vec<_>) = std::mem::take(&mut remembered.channels)
        .into_iter()
        .partition(|channel| !channel.is_private || channel.id == current_channel_id);
    // A public channel may have the same name.
    let names: Vec<String> = hidden
        .iter()
        .map(|channel| channel.name.clone())
        .filter(|name| !name.is_empty() && shown.iter().all(|channel| channel.name != *name))
        .collect();
    let ids: BTreeSet<&str> = hidden.iter().map(|channel| channel.id.as_str()).collect();
    remembered.memories.retain_mut(|memory| {
        if memory.scope == Scope::Workspace && !names.is_empty() {
            memory.content = without_channels(&memory.content, &names);
        }
        !memory.content.is_empty()
            && (memory.scope != Scope::Channel || !ids.contains(memory.scope_id.as_str()))
    });
    remembered.channels = shown;
}

/// A memory without the lines that name a channel (`#name`), and without the sections below a heading that does.
fn without_channels(memory: &str, names: &[String]) -> String {
    let mut hidden_level = None;
    let kept: Vec<&str> = memory
        .lines()
        .filter(|line| {
            if let Some(level) = heading_level(line) {
                hidden_level = hidden_level.filter(|hidden| level > *hidden);
            }
            let names_one = names.iter().any(|name| has_channel(line, name));
            if names_one && hidden_level.is_none() {
                hidden_level = heading_level(line);
            }
            hidden_level.is_none() && !names_one
        })
        .collect();
    kept.join("\n").trim().to_owned()
}

/// The level of a heading; `None` for any other line.
fn heading_level(line: &str) -> Option<usize> {
    let line = line.trim();
    let (_, markers) = strip_markers(line);
    let is_bold = line.starts_with("**") && line.trim_end_matches([':', '：']).ends_with("**");
    if markers.heading {
        Some(line.chars().take_while(|c| matches!(c, '#' | '＃')).count())
    } else {
        // Deeper than any `#` heading.
        is_bold.then_some(usize::MAX)
    }
}

/// Whether a text names a channel: `#name`, not followed by a character that could continue the name.
fn has_channel(text: &str, name: &str) -> bool {
    text.match_indices('#').any(|(at, mark)| {
        let rest = text.get(at + mark.len()..).unwrap_or_default();
        rest.strip_prefix(name).is_some_and(|rest| {
            let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            !rest.starts_with(goes_on)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(memory: &str) -> String {
        without_channels(memory, &["secret".to_owned()])
    }

    #[test]
    fn lines_that_name_a_private_channel_go() {
        let memory =
            "- 2024-03-01 #secret alice: 買収\n- #secretary: 会議\n- 予算（#secret）\n- #秘密 残る";
        assert_eq!(without(memory), "- #secretary: 会議\n- #秘密 残る");
    }

    #[test]
    fn what_stands_under_the_name_of_a_private_channel_goes_with_it() {
        let memory = "## #general\n- a\n## #secret\n- b\n### c\n- d\n## #dev\n- e\n**#secret**\n- f\n**#dev**\n- g";
        assert_eq!(
            without(memory),
            "## #general\n- a\n## #dev\n- e\n**#dev**\n- g"
        );
    }
}
