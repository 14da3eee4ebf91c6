//! Messages in one line each.

use crate::markdown::link_or_words;

use super::{MAX_SECTION_CHARS, Moment, escaped, first_part};

/// How much is shown of a line with its sources, in characters.
pub(super) const LINE_CHARS: usize = 300;
/// How much is shown of a source message, and of an unknown command, in characters.
const FIRST_WORDS_CHARS: usize = 80;

/// A message that went into a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// When it was written.
    pub at: Moment,
    /// The name of the author.
    pub author: String,
    /// Its readable text.
    pub text: String,
    /// Its address, if it is known and the message was not deleted.
    pub permalink: Option<String>,
}

/// A message: its time as a link, its author and first words.
pub(super) fn source_line(source: &Source) -> String {
    let (author, text) = (first_words(&source.author), first_words(&source.text));
    format!("• {} *{author}* {text}", linked_time(source))
}

/// A message: its time as a link, and its author.
pub(super) fn link_to(source: &Source) -> String {
    format!("{} {}", linked_time(source), first_words(&source.author))
}

/// A message: its time as a link, its author and first words, within a line.
pub(super) fn quote(source: &Source) -> String {
    format!("{} “{}”", link_to(source), first_words(&source.text))
}

pub(super) fn linked_time(source: &Source) -> String {
    let at = source.at.to_string();
    match &source.permalink {
        Some(permalink) => link_or_words(permalink, &at),
        None => at,
    }
}

/// Lines in as few sections as possible.
pub(super) fn sections(lines: &[String]) -> Vec<String> {
    let mut sections: Vec<String> = Vec::new();
    for line in lines {
        match sections.last_mut() {
            Some(section) if section.chars().count() + line.chars().count() < MAX_SECTION_CHARS => {
                section.push('\n');
                section.push_str(line);
            }
            _ => sections.push(line.clone()),
        }
    }
    sections
}

/// The beginning of a text in one line, escaped. Fences are removed: they would turn what follows into code.
pub(super) fn first_words(text: &str) -> String {
    beginning(text, FIRST_WORDS_CHARS)
}

/// The same, up to a length.
pub(super) fn beginning(text: &str, limit: usize) -> String {
    let text = text.replace("```", " ");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = escaped(&line);
    let first = first_part(&whole, limit);
    if first.len() < whole.len() {
        format!("{first}…")
    } else {
        first
    }
}
