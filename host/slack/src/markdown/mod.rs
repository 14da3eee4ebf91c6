//! Turns Markdown, which models write, into mrkdwn, which Slack shows
//! (<https://docs.slack.dev/messaging/formatting-message-text>).
//!
//! | Markdown | mrkdwn |
//! |---|---|
//! | `**bold**`, `*italic*`, `~~struck out~~` | `*bold*`, `_italic_`, `~struck out~` |
//! | a heading | a bold line |
//! | lists, nested, numbered, of tasks | `•`, `1.`, `☐` and `☑`, four spaces for each level |
//! | a quote, nested or not | `> ` before each line |
//! | code | the same, without the language |
//! | a link or image with `http`, `https`, `mailto` | `label (<url>)`, so that no label hides an address; `<url\|label>` for a message in Slack; other links become their label |
//! | a table | a bold line of headings, then a bullet for each row, with dashes between the cells |
//! | a rule | `———` |
//! | HTML | itself, as text; `<br>` ends a line |
//!
//! The author's empty lines are kept, one at a time. `&`, `<` and `>` are escaped once. Slack's own entities in the text
//! become links and words.
//!
//! **Invariant: an unescaped `<` is written in two places only**: for a link with an allowed scheme (`link::link`), and
//! for a person whom the caller allows (`Inline::text`). So nothing else in a text can notify anybody.

mod inline;
mod link;
mod pieces;
mod source;
mod writer;

use pulldown_cmark::{Options, Parser};

use crate::mentions::{NotifyList, Person};

pub(crate) use link::{escaped, link_or_words};
use writer::Writer;

/// The text in mrkdwn, which can notify the people in `may_notify` and nobody else; see [`crate::mentions`].
#[must_use]
pub fn to_mrkdwn(markdown: &str, may_notify: &[Person]) -> String {
    let source = source::prepared(markdown);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer::new(&source, NotifyList::new(may_notify));
    for (event, range) in Parser::new_ext(&source, options).into_offset_iter() {
        writer.event(event, range);
    }
    writer.finished()
}

#[cfg(test)]
mod tests;
