//! Memories in Block Kit (<https://docs.slack.dev/reference/block-kit/blocks>): the App Home tab, and the answers to
//! `/memory`.
//!
//! The caller fills the structures of this module from its store, and leaves out what the reader may not see. Texts are
//! Markdown; they notify nobody, and are cut at Slack's limits, with a line that says how much is hidden and where to see
//! it. Only the person who asked sees the answer to `/memory` (`ephemeral`).

mod answers;
mod home;
mod items;
mod lines;
mod memory;
mod moment;
mod off_record;
mod strikes;
mod words;

use myao_plugin::erasure::NOTHING_LEFT;
use serde_json::{Value, json};

use crate::markdown::{escaped, to_mrkdwn};
use crate::split::split;

pub use answers::{
    AnswerLine, AnswerView, FoundMessage, SearchView, ThreadView, answer_message, search_message,
    since_message, thread_hint, thread_message, thread_modal,
};
pub use home::{HomeChannel, HomeContent, home_view};
pub(crate) use items::{DUE, OWNER, chosen};
pub use items::{
    ITEM, ItemChoice, ItemLine, item_changed, item_modal, items_message, nothing_to_undo,
};
pub use lines::Source;
pub use memory::{
    HistoryView, MemorySources, MemoryView, SourcedLine, SourcesView, direct_message, help_message,
    history_message, memory_message, sources_message,
};
pub use moment::Moment;
pub use off_record::{
    CHOOSE_MODE, ModeOutcome, OffRecordOutcome, mode_message, off_record_message,
};
pub use strikes::{STRIKE, STRUCK, StrikeChoice, is_struck, strike_list};
pub use words::Language;

/// The most blocks of a view (<https://docs.slack.dev/reference/views/home-tab-views>).
const MAX_VIEW_BLOCKS: usize = 100;
/// The longest text of a section (<https://docs.slack.dev/reference/block-kit/blocks/section-block>), in characters.
const MAX_SECTION_CHARS: usize = 3_000;
/// The longest text of a header (<https://docs.slack.dev/reference/block-kit/blocks/header-block>), in characters.
const MAX_HEADER_CHARS: usize = 150;
/// The longest excerpt of a text that is shown alone. The rest of the section is for its title.
const EXCERPT_CHARS: usize = 2_700;
/// The longest excerpt of one of many texts: a view may have 250 kB, so not all of its sections can be full.
const SHORT_EXCERPT_CHARS: usize = 900;
/// The longest title of a section: a channel's name has at most 80 characters.
const MAX_TITLE_CHARS: usize = 200;

/// A memory, or one version of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryText {
    /// The text, in Markdown.
    pub text: String,
    /// The number of the version, from 1.
    pub version: u32,
    /// When it was made.
    pub made_at: Moment,
    /// How many messages it was made from.
    pub messages: u32,
    /// The newest messages that its lines were made from, oldest first.
    pub newest_sources: Vec<Source>,
    /// The newest corrections that replace lines of the text, oldest first. The text has these lines struck out.
    pub corrections: Vec<Source>,
}

impl MemoryText {
    /// Links to its newest sources, in small print; `None` if there are none.
    fn sources(&self, language: Language) -> Option<String> {
        let links: Vec<String> = self.newest_sources.iter().map(lines::link_to).collect();
        (!links.is_empty()).then(|| language.sources(&links.join(", ")))
    }

    /// The corrections of it, in small print; `None` if there are none.
    fn corrections(&self, language: Language) -> Option<String> {
        let said: Vec<String> = self.corrections.iter().map(lines::quote).collect();
        (!said.is_empty()).then(|| language.corrections(&said.join(", ")))
    }
}

/// The part of a text that fits.
struct Excerpt {
    mrkdwn: String,
    /// The characters that are not shown.
    hidden: usize,
}

/// The beginning of a memory in Markdown, in mrkdwn of at most `limit` characters.
fn excerpt(memory: &str, limit: usize, language: Language) -> Excerpt {
    let markdown = if memory == NOTHING_LEFT {
        language.words().nothing_left
    } else {
        memory
    };
    let whole = to_mrkdwn(markdown, &[]);
    let parts = split(&whole, limit);
    let hidden = parts.iter().skip(1).map(|part| part.chars().count()).sum();
    Excerpt {
        mrkdwn: parts.into_iter().next().unwrap_or_default(),
        hidden,
    }
}

/// Text in mrkdwn; `verbatim`, so that Slack does not look for names and channels in it.
fn mrkdwn(text: &str) -> Value {
    json!({ "type": "mrkdwn", "text": text, "verbatim": true })
}

/// A section of mrkdwn, which must be short enough.
fn section(text: &str) -> Value {
    json!({ "type": "section", "text": mrkdwn(text) })
}

/// A section with a bold title, not yet escaped, above a text.
fn titled(title: &str, text: &str) -> Value {
    let title = first_part(&escaped(title), MAX_TITLE_CHARS);
    section(&format!("*{title}*\n{text}"))
}

/// A line in small print, in mrkdwn.
fn context(text: &str) -> Value {
    json!({ "type": "context", "elements": [mrkdwn(text)] })
}

/// A heading; the text is not yet escaped.
fn header(text: &str) -> Value {
    let text = first_part(&escaped(text), MAX_HEADER_CHARS);
    json!({ "type": "header", "text": { "type": "plain_text", "text": text } })
}

fn divider() -> Value {
    json!({ "type": "divider" })
}

/// An answer that only the person who asked sees. `summary`, not yet escaped, is for notifications.
fn ephemeral(summary: &str, blocks: Vec<Value>) -> Value {
    json!({ "response_type": "ephemeral", "text": escaped(summary), "blocks": blocks })
}

/// The beginning of an escaped text.
fn first_part(text: &str, limit: usize) -> String {
    split(text, limit).into_iter().next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
