//! Escapes foreign text so that neither a reader nor a parser of a prompt takes it for the prompt's own structure.
//!
//! Foreign text: messages, memories, and the names of people and channels. The persona belongs to the owner. Every
//! foreign value passes through here before a template sees it, so users' templates are safe too. Templates never parse
//! a value, so `{{ x }}` in a text is shown as it is.
//!
//! | in a text or a memory | shown |
//! |---|---|
//! | a line that looks like structure: a heading (`## …`), a rule or underline (`---`, `===`, `***`, `___`), the head of a message (`**2024-03-01 10:00:00** name:`), the reply prompt's clock (`現在時刻:`), a line that overrides the reading direction | with a backslash as its first character |
//! | outside code, a line that opens a Markdown block which may swallow what follows: a fence that is not plainly closed, HTML, a link's definition | the same |
//! | the first line, if a table's line of dashes | the same |
//! | the opening of a model's control token: `<\|`, `[INST]`, `</s>` … | with a backslash behind its first character |
//!
//! List and quotation marks before a line make no difference, nor do white space, backslashes, invisible characters,
//! full-width characters and other look-alikes. A line ends wherever Unicode or Python's `splitlines` ends one. One
//! backslash is added even if there are some already, so that [`restore`] can undo it. All other text keeps its bytes:
//! `#1234`, `#general`, `- item`, `**bold** word`, `a --- b`.
//!
//! A name is part of a line. One that could break out of it, that looks like structure, or that has invisible
//! characters, is shown in quotation marks with escapes, as in `"bob:\n## x"`.

mod appearance;
mod blocks;
mod scan;
mod tokens;

use std::borrow::Cow;

use appearance::{ends_line, folded, is_blank, is_letter, is_override, is_unseen};
use blocks::{is_structure, marked_lines, may_be_marked};
use scan::first_mattering;
use tokens::{opens_token, push_name_without_tokens, push_with_tokens, push_without_tokens};

use crate::text::{flatten, is_kanji};

/// A message's text or a memory, as a prompt shows it. Harmless text costs only one scan.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (line, is_marked) in marked_lines(text) {
        if is_marked {
            shown.push('\\');
        }
        push_without_tokens(&mut shown, line);
    }
    Cow::Owned(shown)
}

/// A text, as a prompt shows it within a line. Its first line stands behind other text: a fence there opens no code, and
/// the next one would.
#[must_use]
pub fn line(text: &str) -> String {
    self::text(&flatten(text)).into_owned()
}

/// The name of a person or a channel, as a prompt shows it.
#[must_use]
pub fn name(name: &str) -> Cow<'_, str> {
    if is_plain_name(name) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::new();
    push_name_without_tokens(&mut shown, &format!("{name:?}"));
    Cow::Owned(shown)
}

/// Undoes [`text()`]. A model that copies a line copies its backslash, which would otherwise be remembered, and grow
/// with every merge.
#[must_use]
pub fn restore(shown: &str) -> Cow<'_, str> {
    if !shown.contains('\\') {
        return Cow::Borrowed(shown);
    }
    let lines = marked_lines(shown).map(|(line, is_marked)| match line.strip_prefix('\\') {
        Some(own) if is_marked => own,
        _ => line,
    });
    Cow::Owned(lines.fold(String::with_capacity(shown.len()), push_with_tokens))
}

/// As [`restore`], for Markdown, where a backslash before a mark is not displayed except in code.
#[must_use]
pub fn restore_code(markdown: &str) -> Cow<'_, str> {
    if !markdown.contains('\\') {
        return Cow::Borrowed(markdown);
    }
    let mut in_code = false;
    let lines = markdown.split_inclusive(ends_line).map(|line| {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        match line.strip_prefix('\\') {
            Some(own) if in_code && is_structure(line) => own,
            _ => line,
        }
    });
    Cow::Owned(lines.fold(String::with_capacity(markdown.len()), push_with_tokens))
}

/// Whether [`text()`] has nothing to do. A text with fences may need nothing after all.
fn is_harmless(text: &str) -> bool {
    let may_be_marked =
        |line: &str, is_first| !line.starts_with(is_letter) && may_be_marked(line, is_first);
    let may_open = |c| matches!(c, '<' | '[' | '＜' | '［');
    let mut rest = text;
    if may_be_marked(rest, true) {
        return false;
    }
    while let Some(at) = first_mattering(rest.as_bytes()) {
        let mut chars = rest.get(at..).unwrap_or_default().chars();
        let found = chars.next().unwrap_or_default();
        rest = chars.as_str();
        let is_harmful = if ends_line(found) {
            may_be_marked(rest, false)
        } else {
            is_override(found) || may_open(found) && opens_token(found, rest)
        };
        if is_harmful {
            return false;
        }
    }
    true
}

fn is_plain_name(name: &str) -> bool {
    // The common cases: a word, and the id of a message.
    let is_word = |c: char| is_letter(c) || matches!(c, '0'..='9' | '.' | '_' | '-');
    if name.starts_with(is_letter) && name.chars().all(is_word) || is_ts(name) {
        return true;
    }
    let mut chars = name.chars().filter(|c| !is_unseen(*c)).map(folded);
    let mut chars = chars.by_ref().peekable();
    let mut ends = false;
    while let Some(c) = chars.next() {
        let next = chars.peek();
        ends |= c == ':' && next.is_none_or(|next| next.is_whitespace());
        ends |= c == '*' && next == Some(&'*');
    }
    // Templates put a `#` before the names of channels: two of them make a heading.
    let is_hash = name.chars().find(|c| !is_unseen(*c)).map(folded) == Some('#');
    let is_wide_colon = |c: char| c != ':' && folded(c) == ':';
    !(ends
        || name.is_empty()
        || name.starts_with(is_blank)
        || name.ends_with(is_blank)
        || is_hash
        || name.starts_with(['"', '\\'])
        || name.contains(|c: char| c.is_control() || ends_line(c) || is_wide_colon(c))
        || hides_something(name)
        || !is_harmless(name))
}

/// Digits, a full stop, and digits.
fn is_ts(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once('.')
        .is_some_and(|(seconds, sequence)| is_number(seconds) && is_number(sequence))
}

/// Whether a name has invisible characters, except those that select or join emoji, variants of kanji, or letters of
/// Indic scripts.
fn hides_something(name: &str) -> bool {
    let is_joiner = |c: char| matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    let mut before = 'a';
    for c in name.chars() {
        let joins =
            is_joiner(c) && (is_joiner(before) || !before.is_ascii() && !before.is_alphanumeric());
        let chooses =
            matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}') && is_kanji(before);
        if is_unseen(c) && !joins && !chooses {
            return true;
        }
        before = c;
    }
    false
}
