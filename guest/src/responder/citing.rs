//! The numbers by which an answer refers to its sources, `[1]`: those that were given become links, the others go.

use std::ops::Range;

use crate::bindings::types::{Citation, MessageRef, Source};
use crate::grounding::{Unfounded, end_with_space, without};
use crate::text::fold;
use crate::text::lines::lines;
use crate::ts::Ts;

/// A longer text in brackets is no list of numbers, in characters.
const MAX_LIST: usize = 40;
/// Brackets around numbers.
const BRACKETS: [(char, char); 3] = [('[', ']'), ('【', '】'), ('［', '］')];

/// An answer without its numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) text: String,
    /// The numbers that were given, in order.
    marks: Vec<Mark>,
}

/// A number in an answer.
#[derive(Clone, Debug, PartialEq)]
struct Mark {
    /// Where it stood: the byte of the text without numbers.
    at: usize,
    number: usize,
    /// True if a space was before it.
    spaced: bool,
    /// True if it stood at the beginning of a line.
    leads: bool,
}

impl Answer {
    /// Reads an answer to a prompt with so many sources.
    pub(super) fn read(answer: &str, given: usize) -> Self {
        let (mut text, mut marks) = (String::with_capacity(answer.len()), Vec::new());
        let mut code = Code::default();
        let mut rest = answer;
        while let Some(first) = rest.chars().next() {
            let in_code = code.contains(first, text.ends_with('`'), at_line_start(&text));
            if let Some((numbers, length)) = numbers(rest).filter(|_| !in_code) {
                let spaced = text.ends_with(' ');
                text.truncate(text.trim_end_matches(' ').len());
                let known = numbers.into_iter();
                marks.extend(
                    known
                        .filter(|number| (1..=given).contains(number))
                        .map(|number| Mark {
                            at: text.len(),
                            number,
                            spaced,
                            leads: at_line_start(&text),
                        }),
                );
                rest = rest.get(length..).unwrap_or_default();
                if at_line_start(&text) {
                    rest = rest.trim_start_matches(' ');
                }
            } else {
                text.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
        if text.chars().any(char::is_alphanumeric) {
            Self { text, marks }
        } else {
            Self {
                text: answer.to_owned(),
                marks: Vec::new(),
            }
        }
    }

    /// A text without numbers, to be given some.
    pub(super) fn new() -> Self {
        Self::saying(String::new())
    }

    /// A text without numbers.
    pub(super) fn saying(text: String) -> Self {
        let marks = Vec::new();
        Self { text, marks }
    }

    /// Leaves out some lines and their numbers.
    pub(super) fn cut(&mut self, unfounded: &[Unfounded]) {
        let is_cut = |mark: &Mark| unfounded.iter().any(|line| mark.is_of(&line.range));
        self.marks.retain(|mark| !is_cut(mark));
        let text = without(&self.text, unfounded);
        for mark in &mut self.marks {
            let before = unfounded.iter().filter(|line| line.range.end <= mark.at);
            let length = |line| end_with_space(&self.text, line).min(mark.at) - line.range.start;
            mark.at = (mark.at - before.map(length).sum::<usize>()).min(text.len());
        }
        self.text = text;
    }

    /// Leaves only the numbers of these sources, and of them those that `may_cite` allows in their lines.
    pub(super) fn keep(&mut self, sources: &[Source], may_cite: impl Fn(&str, &Source) -> bool) {
        let (text, lines) = (&self.text, lines(&self.text));
        self.marks.retain(|mark| {
            let line = lines.iter().find(|line| mark.is_of(line));
            let line = line.and_then(|line| text.get(line.clone()));
            let source = source(sources, mark.number);
            source.is_some_and(|source| may_cite(line.unwrap_or_default(), source))
        });
    }

    /// Adds a number at the end.
    pub(super) fn mark(&mut self, number: usize) {
        self.marks.push(Mark {
            at: self.text.len(),
            number,
            spaced: true,
            leads: false,
        });
    }

    /// Numbers the sources from 1 in the order in which they are referred to: returns those, and drops the others.
    pub(super) fn renumber(&mut self, sources: &[Source]) -> Vec<Source> {
        let mut order: Vec<usize> = Vec::new();
        for mark in &mut self.marks {
            let known = order.iter().position(|number| *number == mark.number);
            let at = known.unwrap_or(order.len());
            if known.is_none() {
                order.push(mark.number);
            }
            mark.number = at + 1;
        }
        let sources = order.into_iter().map(|number| source(sources, number));
        sources.flatten().cloned().collect()
    }

    /// The text with `shown` in place of the numbers, and its citations: those of the text without numbers, and the sources
    /// of the numbers in each line.
    pub(super) fn with_links(
        &self,
        sources: &[Source],
        citations: &[Citation],
        shown: &dyn Fn(usize, &Source) -> String,
    ) -> (String, Vec<Citation>) {
        let (mut text, mut from) = (String::new(), 0);
        // Where each mark is in the text without numbers, its length and whether it belongs to the line before; in
        // Unicode scalar values.
        let mut placed: Vec<(u32, u32, bool)> = Vec::with_capacity(self.marks.len());
        for mark in &self.marks {
            let shown = source(sources, mark.number)
                .map_or_else(String::new, |source| shown(mark.number, source));
            let (before, after) = match (shown.is_empty(), mark.leads) {
                (true, _) => ("", ""),
                (false, true) => ("", " "),
                (false, false) => (if mark.spaced { " " } else { "" }, ""),
            };
            let shown = format!("{before}{shown}{after}");
            text.push_str(self.text.get(from..mark.at).unwrap_or_default());
            text.push_str(&shown);
            from = mark.at;
            let at = scalars(self.text.get(..mark.at).unwrap_or_default());
            placed.push((at, scalars(&shown), !mark.leads));
        }
        text.push_str(self.text.get(from..).unwrap_or_default());
        let moved = citations.iter().map(|citation| {
            let line = citation.start..citation.start.saturating_add(citation.length);
            self.moved(citation.clone(), &line, &placed, sources)
        });
        (text, moved.collect())
    }

    /// A citation in the text with links.
    fn moved(
        &self,
        mut citation: Citation,
        line: &Range<u32>,
        placed: &[(u32, u32, bool)],
        sources: &[Source],
    ) -> Citation {
        let before = |position: u32| -> u32 {
            placed
                .iter()
                .filter(|(at, _, of_before)| *at < position || *at == position && *of_before)
                .map(|(_, length, _)| *length)
                .sum()
        };
        let end = line.end.saturating_add(before(line.end));
        citation.start = line.start.saturating_add(before(line.start));
        citation.length = end.saturating_sub(citation.start);
        for (mark, (at, _, of_before)) in self.marks.iter().zip(placed) {
            let is_of_line = is_of(*at, *of_before, line);
            if let Some(source) = source(sources, mark.number).filter(|_| is_of_line) {
                citation.messages.extend(source.messages.iter().cloned());
            }
        }
        sort(&mut citation.messages);
        citation
    }
}

impl Mark {
    /// Returns true if it belongs to a line, given its place in bytes.
    fn is_of(&self, line: &Range<usize>) -> bool {
        is_of(self.at, !self.leads, line)
    }
}

/// Returns true if a mark belongs to a line: to the one behind which it stands, or else the one that it leads.
fn is_of<T: PartialOrd>(at: T, of_before: bool, line: &Range<T>) -> bool {
    match of_before {
        true => line.start < at && at <= line.end,
        false => line.start <= at && at < line.end,
    }
}

/// The source with a number.
fn source(sources: &[Source], number: usize) -> Option<&Source> {
    sources.get(number.checked_sub(1)?)
}

/// Tells code from text.
#[derive(Default)]
struct Code {
    fenced: bool,
    inline: bool,
    ticks: usize,
}

impl Code {
    fn contains(&mut self, next: char, after_tick: bool, starts_line: bool) -> bool {
        if next == '`' {
            self.ticks = if after_tick { self.ticks + 1 } else { 1 };
            match self.ticks {
                1 if !self.fenced => self.inline = !self.inline,
                2 if !self.fenced => self.inline = !self.inline,
                3 => {
                    self.fenced = !self.fenced;
                    self.inline = false;
                }
                _ => {}
            }
        } else if starts_line {
            self.inline = false;
        }
        self.fenced || self.inline
    }
}

/// The numbers in brackets at the beginning of a text, and how many bytes they take, with a link behind them.
fn numbers(text: &str) -> Option<(Vec<usize>, usize)> {
    let open = text.chars().next()?;
    let (_, close) = BRACKETS.iter().find(|(bracket, _)| *bracket == open)?;
    let inner = text.get(open.len_utf8()..)?;
    let (end, _) = inner
        .char_indices()
        .take(MAX_LIST)
        .find(|(_, c)| c == close)?;
    let list = fold(inner.get(..end)?);
    let parts = list.split([',', '、', ';', ' ']).map(str::trim);
    let mut numbers = Vec::new();
    for part in parts.filter(|part| !part.is_empty()) {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        // A number that is too large was not given.
        numbers.push(part.parse().ok().filter(|_| is_number).or_else(|| {
            let is_large = is_number && part.len() > 9;
            is_large.then_some(usize::MAX)
        })?);
    }
    if numbers.is_empty() {
        return None;
    }
    let length = open.len_utf8() + end + close.len_utf8();
    let behind = text.get(length..).unwrap_or_default();
    let link = behind.strip_prefix('(').and_then(|link| {
        let link = link.get(..link.find(')')?)?;
        link.contains("://").then_some(link.len() + 2)
    });
    Some((numbers, length + link.unwrap_or(0)))
}

fn at_line_start(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

fn sort(messages: &mut Vec<MessageRef>) {
    messages.sort_by_cached_key(|message| {
        let ts = Ts::parse(&message.ts).ok();
        (message.channel_id.clone(), ts, message.ts.clone())
    });
    messages.dedup();
}

fn scalars(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]

    use super::*;

    fn given(number: u32) -> Source {
        Source {
            channel_name: "general".to_owned(),
            user: None,
            timestamp: None,
            text: String::new(),
            messages: vec![MessageRef {
                channel_id: "C1".to_owned(),
                ts: format!("{number}.000000"),
            }],
        }
    }

    /// The text with links, and for each line its part of the text and the ids that it cites.
    fn linked(answer: &str, many: u32, lines: &[&str]) -> (String, Vec<(String, Vec<String>)>) {
        let sources: Vec<Source> = (1..=many).map(given).collect();
        let read = Answer::read(answer, sources.len());
        let citations = lines.iter().map(|line| {
            let (before, _) = read.text.split_once(line).unwrap_or_default();
            Citation {
                start: scalars(before),
                length: scalars(line),
                messages: Vec::new(),
                by_program: false,
            }
        });
        let citations: Vec<Citation> = citations.collect();
        let (text, cited) = read.with_links(&sources, &citations, &|number, _| {
            format!("[[{number}]](u)")
        });
        let part = |citation: &Citation| -> String {
            let (start, length) = (citation.start as usize, citation.length as usize);
            text.chars().skip(start).take(length).collect()
        };
        let of = |citation: &Citation| citation.messages.iter().map(|at| at.ts.clone()).collect();
        let lines = cited
            .iter()
            .map(|citation| (part(citation), of(citation)))
            .collect();
        (text, lines)
    }

    #[test]
    fn numbers_that_were_given_become_links_and_the_others_go() {
        for (answer, expected) in [
            ("22日です [1]。", "22日です [[1]](u)。"),
            ("22日です[1][9]。", "22日です[[1]](u)。"),
            ("22日です [9]。", "22日です。"),
            ("22日です【2】", "22日です[[2]](u)"),
            ("22日です［１、２］", "22日です[[1]](u)[[2]](u)"),
            ("It is [1, 7] so.", "It is [[1]](u) so."),
            ("It is [1](https://evil.example/x).", "It is [[1]](u)."),
            ("It is [0] so [99999999999999999999999].", "It is so."),
            ("a `x[1]` b [x] [ ] []", "a `x[1]` b [x] [ ] []"),
            ("```\nx[1]\n```\ny [1]", "```\nx[1]\n```\ny [[1]](u)"),
            ("[1]", "[1]"),
        ] {
            assert_eq!(linked(answer, 2, &[]).0, expected, "{answer}");
        }
    }

    #[test]
    fn a_line_cites_the_sources_of_its_numbers_wherever_these_stand() {
        let ids =
            |ids: &[&str]| -> Vec<String> { ids.iter().map(|id| format!("{id}.000000")).collect() };
        let answer = "22日です。[2] 場所は[1]熱海です。\n[1] 予算は未定です。";
        let lines = ["22日です。", "場所は熱海です。", "予算は未定です。"];
        let (text, cited) = linked(answer, 2, &lines);
        assert_eq!(
            text,
            "22日です。[[2]](u) 場所は[[1]](u)熱海です。\n[[1]](u) 予算は未定です。"
        );
        let expected = [
            ("22日です。[[2]](u)".to_owned(), ids(&["2"])),
            ("場所は[[1]](u)熱海です。".to_owned(), ids(&["1"])),
            ("予算は未定です。".to_owned(), ids(&["1"])),
        ];
        assert_eq!(cited.len(), expected.len());
        assert_eq!(cited[..2], expected[..2]);
        assert!(cited[2].0.contains("予算は未定です"));
        assert_eq!(cited[2].1, expected[2].1);
    }
}
