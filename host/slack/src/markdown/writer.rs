//! Writes the blocks of a document, line by line.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use crate::mentions::NotifyList;

use super::inline::Inline;
use super::{link, pieces, source};

/// Between the cells of a row.
const CELLS: &str = " — ";
/// For a rule.
const RULE: &str = "———";
/// One level of a list.
const LEVEL: &str = "    ";
/// Below the text of an item.
const HANGING: &str = "  ";

/// The text written so far, and the position in the document.
pub(super) struct Writer<'s> {
    source: &'s str,
    people: NotifyList<'s>,
    out: String,
    inline: Inline,
    /// Text that the parser returned in pieces: an entity may be in several.
    run: String,
    label: Option<Label>,
    code: Option<String>,
    /// The cells of a table's row.
    row: Option<Row>,
    /// The next number of each enclosing list, if it has numbers.
    lists: Vec<Option<u64>>,
    /// The bullet or number for the next line, if that begins an item.
    marker: Option<String>,
    quotes: usize,
    /// True if an empty line is due before the next block.
    blank: bool,
    /// True if the last line belongs to the enclosing quote.
    quoted: bool,
}

/// The label of a link that is being read.
struct Label {
    url: String,
    text: String,
    /// How many links and images are open inside it.
    depth: usize,
}

struct Row {
    cells: Vec<String>,
    is_head: bool,
}

impl<'s> Writer<'s> {
    pub(super) fn new(source: &'s str, people: NotifyList<'s>) -> Self {
        Self {
            source,
            people,
            out: String::new(),
            inline: Inline::default(),
            run: String::new(),
            label: None,
            code: None,
            row: None,
            lists: Vec::new(),
            marker: None,
            quotes: 0,
            blank: false,
            quoted: false,
        }
    }

    /// Writes the next event; `range` is its place in the source.
    pub(super) fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range.start),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) => self.text(&text),
            Event::InlineHtml(html) if is_line_break(&html) => self.line_break(),
            Event::InlineHtml(html) => self.text(&html),
            Event::Code(code) => self.code(&source::cleaned(&code)),
            Event::SoftBreak | Event::HardBreak => self.line_break(),
            Event::Rule => {
                self.begin_block(range.start);
                self.lines(RULE);
            }
            Event::TaskListMarker(done) => {
                self.marker = Some(if done { "☑ " } else { "☐ " }.to_owned());
            }
            // From extensions that are off.
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text);
            }
        }
    }

    /// The whole text.
    pub(super) fn finished(mut self) -> String {
        self.end_block();
        self.out
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        match tag {
            Tag::Emphasis => self.open('_'),
            Tag::Strong => self.open('*'),
            Tag::Strikethrough => self.open('~'),
            Tag::Link {
                dest_url,
                link_type: LinkType::Email,
                ..
            } => self.open_label(format!("mailto:{dest_url}")),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.open_label(source::cleaned(&dest_url).into_owned());
            }
            Tag::TableHead | Tag::TableRow => {
                self.row = Some(Row {
                    cells: Vec::new(),
                    is_head: matches!(tag, Tag::TableHead),
                });
            }
            Tag::TableCell => {
                if self.row.as_ref().is_some_and(|row| row.is_head) {
                    self.inline.deepen('*');
                }
            }
            block => self.start_block(&block, at),
        }
    }

    fn start_block(&mut self, block: &Tag<'_>, at: usize) {
        self.begin_block(at);
        match block {
            Tag::Heading { .. } => self.inline.open('*'),
            Tag::CodeBlock(_) => self.code = Some(String::new()),
            Tag::BlockQuote(_) => {
                self.quoted &= self.quotes > 0;
                self.quotes += 1;
            }
            Tag::List(first) => self.lists.push(*first),
            Tag::Item => {
                self.marker = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let marker = format!("{number}. ");
                        *number = number.saturating_add(1);
                        marker
                    }
                    _ => "• ".to_owned(),
                });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.close('_'),
            TagEnd::Strong => self.close('*'),
            TagEnd::Strikethrough => self.close('~'),
            TagEnd::Link | TagEnd::Image => self.close_label(),
            TagEnd::Heading(_) => {
                self.close('*');
                self.end_block();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::BlockQuote(_) => {
                self.end_block();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Item => {
                self.end_block();
                if self.marker.is_some() {
                    self.lines("");
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::TableCell => {
                self.flush();
                let cell = self.inline.take().replace('\n', " ");
                if let Some(row) = &mut self.row {
                    row.cells.push(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(),
            _ => self.end_block(),
        }
    }

    fn text(&mut self, text: &str) {
        let text = source::cleaned(text);
        match &mut self.code {
            Some(code) => code.push_str(&text),
            None => self.run.push_str(&text),
        }
    }

    fn code(&mut self, code: &str) {
        match &mut self.label {
            Some(_) => self.run.push_str(code),
            None => {
                self.flush();
                self.inline.code(code);
            }
        }
    }

    fn line_break(&mut self) {
        match &mut self.label {
            Some(_) => self.run.push(' '),
            None => {
                self.flush();
                self.inline.end_line();
            }
        }
    }

    fn open(&mut self, mark: char) {
        self.flush();
        if self.label.is_none() {
            self.inline.open(mark);
        }
    }

    fn close(&mut self, mark: char) {
        self.flush();
        if self.label.is_none() {
            self.inline.close(mark);
        }
    }

    fn open_label(&mut self, url: String) {
        self.flush();
        match &mut self.label {
            Some(label) => label.depth += 1,
            None => {
                self.label = Some(Label {
                    url,
                    text: String::new(),
                    depth: 0,
                });
            }
        }
    }

    fn close_label(&mut self) {
        self.flush();
        let Some(mut label) = self.label.take() else {
            return;
        };
        if label.depth > 0 {
            label.depth -= 1;
            self.label = Some(label);
            return;
        }
        // Markdown reads Slack's form of a link as one whose address includes the label.
        let (url, text) = match label.url.split_once('|') {
            Some((url, text)) if label.text == label.url => (url, text),
            _ => (label.url.as_str(), label.text.as_str()),
        };
        if link::is_linkable(url) {
            self.inline.link(url, text);
        } else {
            self.inline.words(if text.is_empty() { url } else { text });
        }
    }

    /// Writes the collected text.
    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        match &mut self.label {
            Some(label) if label.text.is_empty() && run == label.url => label.text = run,
            Some(label) => label.text.push_str(&pieces::readable(&run, &self.people)),
            None => self.inline.text(&run, &self.people),
        }
    }

    fn end_row(&mut self) {
        let Some(Row { cells, is_head }) = self.row.take() else {
            return;
        };
        if cells.iter().all(String::is_empty) {
            return;
        }
        let shown = |cell: &String| if cell.is_empty() { "–" } else { cell }.to_owned();
        let line = cells.iter().map(shown).collect::<Vec<_>>().join(CELLS);
        self.lines(&if is_head {
            format!("*{line}*")
        } else {
            format!("• {line}")
        });
    }

    /// Writes a block of code: without indentation or quote, which Slack does not support; three backticks would end it.
    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        if code.trim().is_empty() {
            return;
        }
        if self.marker.is_some() {
            self.lines("");
        }
        let code = link::escaped(code.trim_end_matches('\n')).replace("```", "``\u{200b}`");
        self.separate(false);
        for line in ["```\n", &code, "\n```"] {
            self.out.push_str(line);
        }
    }

    fn end_block(&mut self) {
        self.flush();
        let text = self.inline.take();
        if !text.is_empty() {
            self.lines(&text);
        }
    }

    /// Ends the block before; checks if the author left a line empty between them.
    fn begin_block(&mut self, at: usize) {
        self.end_block();
        let before = self.source.get(..at).unwrap_or_default();
        let space = before.len() - before.trim_end_matches([' ', '\t', '\r', '\n', '>']).len();
        let gap = before.get(before.len() - space..).unwrap_or_default();
        self.blank |= gap.matches('\n').count() > 1;
    }

    /// Writes lines of the block, each with its quote mark, indentation and bullet.
    fn lines(&mut self, text: &str) {
        let quote = if self.quotes > 0 { "> " } else { "" };
        for line in text.split('\n') {
            self.separate(self.quotes > 0);
            let start = self.out.len();
            self.out.push_str(quote);
            for _ in 1..self.lists.len() {
                self.out.push_str(LEVEL);
            }
            match self.marker.take() {
                Some(marker) => self.out.push_str(&marker),
                None if self.lists.is_empty() => {}
                None => self.out.push_str(HANGING),
            }
            self.out.push_str(line);
            self.out
                .truncate(self.out.trim_end_matches(' ').len().max(start));
        }
    }

    /// Ends the line before, and leaves one empty if one is due.
    fn separate(&mut self, quoted: bool) {
        if !self.out.is_empty() {
            self.out.push('\n');
            if self.blank {
                self.out
                    .push_str(if quoted && self.quoted { ">\n" } else { "\n" });
            }
        }
        self.blank = false;
        self.quoted = quoted;
    }
}

fn is_line_break(html: &str) -> bool {
    let name = html
        .trim_start_matches('<')
        .trim_end_matches(['>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}
