//! The answers to `/memory` that quote messages: what was found, said or decided, and the main points of a thread.

use serde_json::{Value, json};

use crate::markdown::link_or_words;

use super::lines::{LINE_CHARS, Source, beginning, first_words, linked_time, sections};
use super::memory::memory_blocks;
use super::words::Language;
use super::{EXCERPT_CHARS, MemoryText, ephemeral, excerpt, header, section};

/// How much is shown of a message that was found, in characters.
const FOUND_CHARS: usize = 300;

/// Messages that were looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchView {
    /// The search words.
    pub words: String,
    /// The hits, best first.
    pub found: Vec<FoundMessage>,
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMessage {
    /// The name of its channel, without `#`.
    pub channel: String,
    /// The message.
    pub message: Source,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerView {
    /// The text above the lines, or all of it.
    pub heading: String,
    /// The lines.
    pub lines: Vec<AnswerLine>,
}

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerLine {
    /// Its text, in Markdown.
    pub text: String,
    /// The messages that it is from: the numbers of these, and their addresses if they are known.
    pub sources: Vec<(usize, Option<String>)>,
}

/// The main points of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadView {
    /// The name of its channel, without `#`.
    pub channel: String,
    /// The channel's id and the first message, as the command line names the thread.
    pub scope_id: String,
    /// The summary by a model, if one is stored.
    pub memory: Option<MemoryText>,
    /// From how many messages the lines come.
    pub messages: u32,
    /// Sentences of these messages.
    pub lines: Vec<AnswerLine>,
}

/// The answer to [`crate::command::Command::Since`] and [`crate::command::Command::Decisions`]; `None` if the person may see
/// nothing of the channel.
#[must_use]
pub fn answer_message(view: Option<&AnswerView>, language: Language) -> Value {
    let Some(view) = view else {
        let nothing = language.words().nothing_in_channel;
        return ephemeral(nothing, vec![section(nothing)]);
    };
    answered(&view.heading, &view.lines, language)
}

fn answered(heading: &str, lines: &[AnswerLine], language: Language) -> Value {
    let mut blocks = vec![section(&format!("*{}*", first_words(heading)))];
    blocks.extend(line_blocks(lines, language));
    ephemeral(heading, blocks)
}

fn line_blocks(lines: &[AnswerLine], language: Language) -> Vec<Value> {
    let lines = lines.iter().map(|line| answer_line(line, language));
    let lines: Vec<String> = lines.collect();
    sections(&lines).iter().map(|text| section(text)).collect()
}

/// The answer to [`crate::command::Command::Since`] without a time.
#[must_use]
pub fn since_message(language: Language) -> Value {
    let hint = language.words().since_hint;
    ephemeral(hint, vec![section(hint)])
}

/// The answer to [`crate::command::Command::Thread`]; `None` if the person may see nothing of it.
#[must_use]
pub fn thread_message(view: Option<&ThreadView>, language: Language) -> Value {
    let Some(view) = view else {
        let nothing = language.words().no_thread;
        return ephemeral(nothing, vec![section(nothing)]);
    };
    let heading = language.thread_title(&view.channel, view.messages);
    let mut blocks = vec![section(&format!("*{}*", first_words(&heading)))];
    if let Some(memory) = &view.memory {
        let words = language.words();
        let how = format!("myao memory show {}", view.scope_id);
        blocks.extend(memory_blocks(
            words.home,
            memory,
            EXCERPT_CHARS,
            &[],
            &how,
            language,
        ));
        if !view.lines.is_empty() {
            blocks.push(section(&format!("*{}*", words.quoted)));
        }
    }
    blocks.extend(line_blocks(&view.lines, language));
    ephemeral(&heading, blocks)
}

/// The window that the shortcut on a message opens (<https://docs.slack.dev/reference/views/modal-views>); `None` as above.
#[must_use]
pub fn thread_modal(view: Option<&ThreadView>, language: Language) -> Value {
    let words = language.words();
    let plain = |text: &str| json!({ "type": "plain_text", "text": text });
    let message = thread_message(view, language);
    json!({
        "type": "modal",
        "title": plain(words.thread_window),
        "close": plain(words.close),
        "blocks": message.get("blocks"),
    })
}

/// The answer to [`crate::command::Command::Thread`] without a link to a message.
#[must_use]
pub fn thread_hint(language: Language) -> Value {
    let hint = language.words().thread_hint;
    ephemeral(hint, vec![section(hint)])
}

fn answer_line(line: &AnswerLine, language: Language) -> String {
    let text = excerpt(&line.text, LINE_CHARS, language);
    let more = if text.hidden > 0 { "…" } else { "" };
    let sources = line.sources.iter().map(|(number, permalink)| {
        let number = format!("[{number}]");
        match permalink {
            Some(permalink) => link_or_words(permalink, &number),
            None => number,
        }
    });
    let parts = [format!("{}{more}", text.mrkdwn)];
    let parts: Vec<String> = parts.into_iter().chain(sources).collect();
    format!("• {}", parts.join(" "))
}

/// The answer to [`crate::command::Command::Search`].
#[must_use]
pub fn search_message(view: &SearchView, language: Language) -> Value {
    let words = language.words();
    if view.words.is_empty() {
        return ephemeral(words.search_hint, vec![section(words.search_hint)]);
    }
    let title = language.search_title(&view.words);
    let mut blocks = vec![header(&title)];
    if view.found.is_empty() {
        blocks.push(section(words.nothing_found));
    }
    let lines: Vec<String> = view.found.iter().map(found_line).collect();
    blocks.extend(sections(&lines).iter().map(|text| section(text)));
    ephemeral(&title, blocks)
}

/// A message: its time as a link, its author, channel and text in one line.
fn found_line(found: &FoundMessage) -> String {
    let Source { author, text, .. } = &found.message;
    let (author, channel) = (first_words(author), first_words(&found.channel));
    let at = linked_time(&found.message);
    let text = beginning(text, FOUND_CHARS);
    format!("• {at} *{author}* #{channel} {text}")
}
