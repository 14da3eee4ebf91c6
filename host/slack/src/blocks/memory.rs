//! The answers to `/memory` that show memories, and its help.

use serde_json::Value;

use crate::command::{COMMAND, MAX_HISTORY, SourcesOf};

use super::lines::{LINE_CHARS, Source, first_words, link_to, sections, source_line};
use super::words::Language;
use super::{
    EXCERPT_CHARS, MemoryText, Moment, SHORT_EXCERPT_CHARS, context, ephemeral, escaped, excerpt,
    header, section, titled,
};

/// The most source messages that are shown.
const MAX_SOURCES: usize = 30;
/// The most lines of a memory that are shown with their sources.
const MAX_LINES: usize = 60;
/// The most records that are shown.
const MAX_RECORDS: usize = 20;

/// The memories of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryView {
    /// The name, without `#`.
    pub channel: String,
    /// True for a direct message with the bot.
    pub is_direct: bool,
    /// The newest version of the short-term memory.
    pub short_term: Option<MemoryText>,
    /// How many versions of it there are.
    pub versions: u32,
    /// The long-term memory.
    pub long_term: Option<MemoryText>,
    /// True if its messages are not remembered at present.
    pub is_off_record: bool,
}

/// Versions of a channel's short-term memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryView {
    /// The name, without `#`.
    pub channel: String,
    /// True for a direct message with the bot.
    pub is_direct: bool,
    /// The versions that were asked for, the newest first.
    pub versions: Vec<MemoryText>,
    /// How many there are.
    pub total: u32,
}

/// The messages that a memory of a channel was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcesView {
    /// The name, without `#`.
    pub channel: String,
    /// True for a direct message with the bot.
    pub is_direct: bool,
    /// The memory that was asked for.
    pub asked: SourcesOf,
    /// The memory, if there is one.
    pub found: Option<MemorySources>,
}

/// A memory and its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySources {
    /// The number of the version; `None` for the long-term memory.
    pub version: Option<u32>,
    /// When it was made.
    pub made_at: Moment,
    /// The lines of its text, or the first ones. They are shown if a message of one of them is known.
    pub lines: Vec<SourcedLine>,
    /// How many lines there are.
    pub lines_total: u32,
    /// The records kept with its text, or the newest of them: parts of messages.
    pub records: Vec<Source>,
    /// The messages, or the first ones, in the order in which they are shown.
    pub messages: Vec<Source>,
    /// How many messages there are, or how many the lines have if they are known.
    pub total: u32,
}

/// A line of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcedLine {
    /// Its text, in Markdown.
    pub text: String,
    /// The messages that it was made from, or the first ones.
    pub messages: Vec<Source>,
    /// How many there are.
    pub total: u32,
}

/// The answer to [`crate::command::Command::Show`].
#[must_use]
pub fn memory_message(view: &MemoryView, language: Language) -> Value {
    let words = language.words();
    let title = language.channel_title(&view.channel);
    let mut blocks = vec![header(&title)];
    let how = format!("myao memory show {}", view.channel);
    if let Some(memory) = &view.short_term {
        let title = format!("{} — {}", words.recent, language.version(memory.version));
        let more = [language.versions(view.versions)];
        blocks.extend(memory_blocks(
            &title,
            memory,
            EXCERPT_CHARS,
            &more,
            &how,
            language,
        ));
    }
    if let Some(memory) = &view.long_term {
        blocks.extend(memory_blocks(
            words.long_term,
            memory,
            EXCERPT_CHARS,
            &[],
            &how,
            language,
        ));
    }
    let is_empty = blocks.len() == 1;
    if view.is_off_record {
        blocks.push(section(words.is_off_here));
    } else if is_empty {
        blocks.push(section(language.nothing_here(view.is_direct)));
    }
    if !is_empty {
        blocks.push(context(words.channel_hint));
    }
    ephemeral(&title, blocks)
}

/// The answer to a command about memory in a direct message between people, which has none.
#[must_use]
pub fn direct_message(language: Language) -> Value {
    let words = language.words();
    ephemeral(words.home, vec![section(words.nothing_in_direct)])
}

/// The answer to [`crate::command::Command::History`].
#[must_use]
pub fn history_message(view: &HistoryView, language: Language) -> Value {
    let title = language.history_title(&view.channel);
    let mut blocks = vec![header(&title)];
    let how = format!("myao memory history {}", view.channel);
    let shown = usize::try_from(MAX_HISTORY).unwrap_or(usize::MAX);
    let shown = view.versions.get(..shown).unwrap_or(&view.versions);
    for memory in shown {
        let title = language.version(memory.version);
        blocks.extend(memory_blocks(
            &title,
            memory,
            SHORT_EXCERPT_CHARS,
            &[],
            &how,
            language,
        ));
    }
    let count = u32::try_from(shown.len()).unwrap_or(u32::MAX);
    let left_out = view.total.saturating_sub(count);
    if shown.is_empty() {
        blocks.push(section(language.nothing_here(view.is_direct)));
    } else if left_out > 0 {
        let how = if view.total <= MAX_HISTORY {
            format!("{COMMAND} history {}", view.total)
        } else {
            escaped(&how)
        };
        blocks.push(context(&language.more_versions(left_out, &how)));
    }
    ephemeral(&title, blocks)
}

/// The answer to [`crate::command::Command::Sources`].
#[must_use]
pub fn sources_message(view: &SourcesView, language: Language) -> Value {
    let Some(found) = &view.found else {
        let title = language.channel_title(&view.channel);
        let why = match view.asked {
            SourcesOf::Version(version) => language.no_version(version),
            SourcesOf::Newest | SourcesOf::LongTerm => {
                language.nothing_here(view.is_direct).to_owned()
            }
        };
        return ephemeral(&title, vec![header(&title), section(&why)]);
    };
    let title = match found.version {
        Some(version) => language.sources_title(&view.channel, version),
        None => language.long_term_sources_title(&view.channel),
    };
    let mut blocks = vec![
        header(&title),
        context(&format!(
            "{} · {}",
            found.made_at,
            language.messages(found.total)
        )),
    ];
    if found.lines.iter().any(|line| !line.messages.is_empty()) {
        blocks.extend(line_blocks(found, &view.channel, language));
    } else {
        blocks.extend(message_blocks(found, &view.channel, language));
    }
    ephemeral(&title, blocks)
}

/// Each line with its messages, and the records kept with the text.
fn line_blocks(found: &MemorySources, channel: &str, language: Language) -> Vec<Value> {
    let shown = found.lines.get(..MAX_LINES).unwrap_or(&found.lines);
    let lines: Vec<String> = shown.iter().map(|line| sourced(line, language)).collect();
    let mut blocks: Vec<Value> = sections(&lines).iter().map(|text| section(text)).collect();
    let count = u32::try_from(shown.len()).unwrap_or(u32::MAX);
    let left_out = found.lines_total.saturating_sub(count);
    if left_out > 0 {
        let how = format!("myao memory sources {}", escaped(channel));
        blocks.push(context(&language.more_lines(left_out, &how)));
    }
    let records = found.records.get(..MAX_RECORDS).unwrap_or(&found.records);
    if !records.is_empty() {
        let records: Vec<String> = records.iter().map(source_line).collect();
        blocks.push(section(&format!("*{}*", language.words().records)));
        blocks.extend(sections(&records).iter().map(|text| section(text)));
    }
    blocks
}

/// A line, and below it its messages as links.
fn sourced(line: &SourcedLine, language: Language) -> String {
    let text = excerpt(&line.text, LINE_CHARS, language);
    let more = if text.hidden > 0 { "…" } else { "" };
    let mut links: Vec<String> = line.messages.iter().map(link_to).collect();
    let count = u32::try_from(links.len()).unwrap_or(u32::MAX);
    let left_out = line.total.saturating_sub(count);
    if links.is_empty() {
        links.push(language.words().no_source_of_line.to_owned());
    } else if left_out > 0 {
        links.push(format!("+{left_out}"));
    }
    format!("{}{more}\n      ↳ {}", text.mrkdwn, links.join(", "))
}

fn message_blocks(found: &MemorySources, channel: &str, language: Language) -> Vec<Value> {
    let shown = found.messages.get(..MAX_SOURCES).unwrap_or(&found.messages);
    let lines: Vec<String> = shown.iter().map(source_line).collect();
    let mut blocks: Vec<Value> = sections(&lines).iter().map(|text| section(text)).collect();
    let count = u32::try_from(shown.len()).unwrap_or(u32::MAX);
    let left_out = found.total.saturating_sub(count);
    if shown.is_empty() {
        blocks.push(section(language.words().no_sources));
    } else if left_out > 0 {
        let how = format!("myao --json memory show {}", escaped(channel));
        blocks.push(context(&language.more_messages(left_out, &how)));
    }
    blocks
}

/// The answer to [`crate::command::Command::Help`]; `unknown` is a text that is not a command.
#[must_use]
pub fn help_message(unknown: Option<&str>, language: Language) -> Value {
    let words = language.words();
    let mut blocks = vec![header(words.help_title)];
    if let Some(unknown) = unknown {
        blocks.push(section(&language.unknown(&first_words(unknown))));
    }
    blocks.push(section(words.help));
    ephemeral(words.help_title, blocks)
}

/// A memory. The line below it says when and from how many messages it was made, `more`, and `how` to see the rest.
pub(super) fn memory_blocks(
    title: &str,
    memory: &MemoryText,
    limit: usize,
    more: &[String],
    how: &str,
    language: Language,
) -> [Value; 2] {
    let excerpt = excerpt(&memory.text, limit, language);
    let mut below = vec![
        memory.made_at.to_string(),
        language.messages(memory.messages),
    ];
    below.extend_from_slice(more);
    below.extend(memory.sources(language));
    below.extend(memory.corrections(language));
    if excerpt.hidden > 0 {
        below.push(language.more_text(excerpt.hidden, &escaped(how)));
    }
    [titled(title, &excerpt.mrkdwn), context(&below.join(" · "))]
}
