//! Writes the inside of a paragraph, a heading or a cell as mrkdwn.
//!
//! Slack reads `*`, `_`, `~` and a backtick as formatting only at the edge of a word: after a space, at the beginning of a
//! line or beside ASCII punctuation. Japanese and Chinese have no such edges, nor has `un**believ**able`. There an
//! invisible zero-width space makes one: `これは​*重要*​です` is bold, `これは*重要*です` is not. The same space after a
//! literal mark keeps Slack from reading it as formatting. Formatting ends with the line, so it is closed there and opened
//! again.

use crate::mentions::NotifyList;

use super::link::{is_open, link, one_line, push_escaped};
use super::pieces::{Piece, pieces};

/// The zero-width space.
const EDGE: char = '\u{200b}';
/// Slack's marks, which cannot be escaped.
const MARKS: [char; 4] = ['*', '_', '~', '`'];

/// A text that is being written.
#[derive(Debug, Default)]
pub(super) struct Inline {
    out: String,
    /// Marks that are not yet closed.
    open: Vec<Open>,
    /// The depth within bold, italic and struck out: Slack does not nest them.
    depths: [usize; 3],
    /// True if the last character is a closing mark.
    closed: bool,
    /// The ends of literal marks that Slack could read as opening ones.
    literal: Vec<usize>,
}

#[derive(Debug)]
struct Open {
    mark: char,
    /// Where the mark begins, with its edge.
    start: usize,
    /// Where the marked text begins.
    body: usize,
}

impl Inline {
    /// Opens bold `*`, italic `_` or struck out `~`.
    pub(super) fn open(&mut self, mark: char) {
        if self.deepen(mark) == 1 {
            self.begin(mark);
        }
    }

    /// Counts a mark as open that the caller writes around the whole text.
    pub(super) fn deepen(&mut self, mark: char) -> usize {
        match MARKS
            .iter()
            .zip(&mut self.depths)
            .find(|(known, _)| **known == mark)
        {
            Some((_, depth)) => {
                *depth += 1;
                *depth
            }
            None => 0,
        }
    }

    /// Closes the mark that [`Inline::open`] opened.
    pub(super) fn close(&mut self, mark: char) {
        for (known, depth) in MARKS.iter().zip(&mut self.depths) {
            if *known == mark {
                *depth = depth.saturating_sub(1);
                if *depth > 0 {
                    return;
                }
            }
        }
        if let Some(open) = self.open.pop_if(|open| open.mark == mark) {
            self.finish(&open);
        }
    }

    /// Writes readable text; finds people and links in it.
    pub(super) fn text(&mut self, text: &str, people: &NotifyList<'_>) {
        for piece in pieces(text, people) {
            match piece {
                Piece::Words(words) => self.words(words),
                Piece::Neutral(words) => self.words(&words),
                Piece::Person { id, .. } => self.whole(&format!("<@{id}>")),
                Piece::Link { url, label } => self.link(url, label.unwrap_or_default()),
            }
        }
    }

    /// Writes a link. A label that hides the address is written before it as words.
    pub(super) fn link(&mut self, url: &str, label: &str) {
        let label = one_line(label);
        if label.is_empty() || is_open(url, &label) {
            return self.whole(&link(url, Some(&label)));
        }
        self.words(&label);
        self.words(" (");
        self.whole(&link(url, None));
        self.words(")");
    }

    /// Writes code. A backtick would end it, so a letter that looks like one takes its place.
    pub(super) fn code(&mut self, code: &str) {
        self.edge();
        self.out.push('`');
        for c in code.chars() {
            push_escaped(&mut self.out, if c == '`' { 'ˋ' } else { c });
        }
        self.out.push('`');
        self.closed = true;
    }

    /// Writes words as they are, without entities or formatting.
    pub(super) fn words(&mut self, words: &str) {
        let mut chars = words.chars().peekable();
        while let Some(c) = chars.next() {
            if c == '\n' {
                self.end_line();
                continue;
            }
            if self.closed && !is_edge(c) {
                self.out.push(EDGE);
            }
            self.closed = false;
            let could_open = MARKS.contains(&c)
                && !self.out.ends_with(char::is_alphanumeric)
                && chars.peek().is_some_and(|next| !next.is_whitespace());
            push_escaped(&mut self.out, c);
            if could_open {
                self.literal.push(self.out.len());
            }
        }
    }

    /// Ends the line. Formatting continues in the next one.
    pub(super) fn end_line(&mut self) {
        let marks: Vec<_> = self.open.iter().map(|open| open.mark).collect();
        while let Some(open) = self.open.pop() {
            self.finish(&open);
        }
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
        self.closed = false;
        for mark in marks {
            self.begin(mark);
        }
    }

    /// Takes the text, trimmed, and starts anew.
    pub(super) fn take(&mut self) -> String {
        let Self { out, literal, .. } = std::mem::take(self);
        let mut text = String::with_capacity(out.len());
        let mut written = 0;
        for end in literal {
            let (Some(before), Some(after)) = (out.get(written..end), out.get(end..)) else {
                continue;
            };
            text.push_str(before);
            written = end;
            let line = after.split('\n').next().unwrap_or(after);
            if before
                .chars()
                .next_back()
                .is_some_and(|mark| line.contains(mark))
            {
                text.push(EDGE);
            }
        }
        text.push_str(out.get(written..).unwrap_or_default());
        text.trim().to_owned()
    }

    fn begin(&mut self, mark: char) {
        let start = self.out.len();
        self.edge();
        self.out.push(mark);
        let body = self.out.len();
        self.open.push(Open { mark, start, body });
    }

    /// Makes an edge for an opening mark, if there is none.
    fn edge(&mut self) {
        let just_opened = self
            .open
            .last()
            .is_some_and(|open| open.body == self.out.len());
        let last = self.out.chars().next_back();
        if !just_opened && (self.closed || last.is_some_and(|last| !is_edge(last))) {
            self.out.push(EDGE);
        }
        self.closed = false;
    }

    /// Closes a mark after the last word; removes a mark around nothing.
    fn finish(&mut self, open: &Open) {
        let end = self.out.trim_end().len();
        if end <= open.body {
            let space = self.out.split_off(open.body.min(self.out.len()));
            self.out.truncate(open.start);
            self.out.push_str(&space);
            return;
        }
        let space = self.out.split_off(end);
        self.out.push(open.mark);
        self.out.push_str(&space);
        self.closed = space.is_empty();
    }

    /// Writes an entity.
    fn whole(&mut self, entity: &str) {
        if self.closed {
            self.out.push(EDGE);
            self.closed = false;
        }
        self.out.push_str(entity);
    }
}

/// Returns true if a mark beside this character is formatting. The `>` of an entity is not an edge: Slack shows a
/// word there.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || c == EDGE || (c.is_ascii_punctuation() && c != '>' && !MARKS.contains(&c))
}
