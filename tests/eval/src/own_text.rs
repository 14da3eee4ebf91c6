//! The own text of an answer: without authors, dates, places and links of its sources, by which any message would answer
//! "who?" and "when?".
//!
//! A quoted answer consists of what its sources say, and of what is around that. What stands in a source is kept as it is;
//! from the rest go names, times and channels of the sources. A model writes its own words, from which only the addresses of
//! links go.

use std::cmp::Reverse;
use std::sync::LazyLock;

use chrono::{DateTime, FixedOffset};
use regex::Regex;

use crate::pattern::plain;

/// The shortest piece that counts as quoted, in characters; a whole source may be shorter.
const SHORTEST: usize = 8;
/// How dates and times of messages may be written, in the form in which texts are compared.
const TIMES: [&str; 9] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%-m月%-d日",
    "%-m/%-d",
    "%B %-d",
    "%-d %B",
    "%b %-d",
    "%-d %b",
    "%H:%M",
];

/// `[words](address)`.
static LINK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[([^\]]*)\]\([^)\s]*\)").ok());
/// A mark that Markdown would read as its own.
static ESCAPED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\\([!-/:-@\[-`{-~])").ok());

/// A message that an answer cites.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) text: String,
    pub(crate) author: String,
    pub(crate) channel: String,
    /// `None` for a line of a memory.
    pub(crate) time: Option<DateTime<FixedOffset>>,
    pub(crate) permalink: Option<String>,
    /// Then its author's name belongs to the answer: some messages say "I", and the reader sees who.
    pub(crate) is_evidence: bool,
}

impl Source {
    /// The parts of the message that are shown beside its text.
    fn origin(&self) -> Vec<String> {
        let time = self.time.iter();
        let times = time.flat_map(|time| TIMES.map(|form| time.format(form).to_string()));
        let names = [self.author.clone(), format!("#{}", self.channel)];
        let shown = names.into_iter().chain(times).map(|shown| plain(&shown));
        shown.filter(|shown| !shown.is_empty()).collect()
    }
}

/// The words of the model itself, with the names of authors in the lines that cite them.
pub(crate) fn of_model(answer: &str, sources: &[Source]) -> String {
    let mut lines: Vec<String> = answer.lines().map(str::to_owned).collect();
    for (number, source) in sources.iter().enumerate() {
        if !source.is_evidence {
            continue;
        }
        let author = &source.author;
        let mark = format!("[{}]", number + 1);
        let cites = |line: &String| {
            let link = source.permalink.as_ref();
            link.is_some_and(|link| line.contains(link)) || line.contains(&mark)
        };
        match lines.iter_mut().find(|line| cites(line)) {
            Some(line) => *line = format!("{author}: {line}"),
            None => lines.push(format!("{author}:")),
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| without_marks(line)).collect();
    lines.join("\n")
}

/// The words of a quoted answer, line by line, with the names of authors in the lines that quote them.
pub(crate) fn of_quotes(answer: &str, sources: &[Source]) -> String {
    let texts: Vec<Vec<char>> = sources
        .iter()
        .map(|source| plain(source.text.trim()).chars().collect())
        .collect();
    let mut origins: Vec<String> = sources.iter().flat_map(Source::origin).collect();
    // A longer one may contain a shorter one.
    origins.sort_by_key(|origin| Reverse(origin.chars().count()));
    let lines = answer.lines().map(|line| {
        let line: Vec<char> = plain(&without_marks(line)).chars().collect();
        let mut pieces = Vec::new();
        collect(&line, &texts, &mut pieces);
        authors(&pieces, sources) + &own_text(&pieces, &origins)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A piece of a line, and the place of the source that says it.
struct Piece {
    text: String,
    source: Option<usize>,
}

/// Splits a line: the longest piece that stands in a source, between what is before and behind it.
fn collect(line: &[char], texts: &[Vec<char>], pieces: &mut Vec<Piece>) {
    let found = texts
        .iter()
        .enumerate()
        .map(|(place, text)| (common(line, text), place, text))
        .filter(|((_, length), _, text)| *length >= SHORTEST.min(text.len()).max(1))
        .max_by_key(|((_, length), place, _)| (*length, Reverse(*place)));
    let Some(((start, length), place, _)) = found else {
        let text = line.iter().collect();
        pieces.push(Piece { text, source: None });
        return;
    };
    let (before, rest) = line.split_at_checked(start).unwrap_or_default();
    let (piece, after) = rest.split_at_checked(length).unwrap_or_default();
    collect(before, texts, pieces);
    pieces.push(Piece {
        text: piece.iter().collect(),
        source: Some(place),
    });
    collect(after, texts, pieces);
}

/// The names of the authors of evidence in a line.
fn authors(pieces: &[Piece], sources: &[Source]) -> String {
    let mut names: Vec<String> = Vec::new();
    let quoted = pieces.iter().filter_map(|piece| sources.get(piece.source?));
    for source in quoted.filter(|source| source.is_evidence) {
        let name = format!("{}: ", source.author);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.concat()
}

/// A line without what is shown of its sources beside their texts. What stands within a quote explains it, and is kept.
fn own_text(pieces: &[Piece], origins: &[String]) -> String {
    let without = |text: String, origin: &String| text.replace(origin.as_str(), "");
    let mut text = String::new();
    for (place, piece) in pieces.iter().enumerate() {
        let source_at = |place: Option<usize>| pieces.get(place?)?.source;
        let before = source_at(place.checked_sub(1));
        let is_within = before.is_some() && before == source_at(Some(place + 1));
        if piece.source.is_some() || is_within {
            text += &piece.text;
        } else {
            text += &origins.iter().fold(piece.text.clone(), without);
        }
    }
    text
}

/// Where the longest part that two texts have in common begins in the first, and its length.
fn common(line: &[char], text: &[char]) -> (usize, usize) {
    let mut best = (0, 0);
    let mut row = vec![0; text.len() + 1];
    for (at, letter) in line.iter().enumerate() {
        let mut diagonal = 0;
        for (other, length) in text.iter().zip(row.iter_mut().skip(1)) {
            let longer = if letter == other { diagonal + 1 } else { 0 };
            diagonal = std::mem::replace(length, longer);
            if longer > best.1 {
                best = (at + 1 - longer, longer);
            }
        }
    }
    best
}

/// A line of Markdown without addresses of links and without the escapes of marks.
fn without_marks(line: &str) -> String {
    let replaced = |pattern: &Option<Regex>, text: &str| match pattern {
        Some(pattern) => pattern.replace_all(text, "$1").into_owned(),
        None => text.to_owned(),
    };
    replaced(&ESCAPED, &replaced(&LINK, line))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use chrono::DateTime;

    use super::{Source, of_model, of_quotes};

    fn source(text: &str, author: &str, is_evidence: bool) -> Source {
        Source {
            text: text.to_owned(),
            author: author.to_owned(),
            channel: "general".to_owned(),
            time: DateTime::parse_from_rfc3339("2026-05-14T10:05:00+09:00").ok(),
            permalink: Some("https://x.example/p1".to_owned()),
            is_evidence,
        }
    }

    #[test]
    fn of_a_quoted_line_names_times_places_and_links_of_sources_go() {
        let answer = "Found:\n\
            - The release moves to 9 June\\! (Kenta, #general, 2026-05-14 10:05) [link](https://x.example/p1)\n\
            - 14 May: … the lunch costs 900 yen (Mari)";
        let sources = [
            source("The release moves to 9 June!", "Kenta", false),
            source("Hello, the lunch costs 900 yen from Monday", "Mari", true),
        ];
        assert_eq!(
            of_quotes(answer, &sources),
            "found:\n- the release moves to 9 june! (, ,  ) link\nMari: - : ... the lunch costs 900 yen ()"
        );
    }

    #[test]
    fn the_date_that_is_meant_is_kept_beside_the_words_that_say_it() {
        let sources = [source(
            "水漏れの件、業者さんが今日の15時に来てくれます。",
            "森田 彩",
            false,
        )];
        assert_eq!(
            of_quotes(
                "- 水漏れの件、業者さんが今日(5月14日)の15時に来てくれます。(森田 彩、5月14日)",
                &sources
            ),
            "- 水漏れの件、業者さんが今日(5月14日)の15時に来てくれます。(、)"
        );
        let sources = [source("It is open until tomorrow", "Tom", false)];
        assert_eq!(
            of_quotes(
                "It is open until tomorrow (15 May), said on 14 May",
                &sources
            ),
            "it is open until tomorrow (15 may), said on "
        );
    }

    #[test]
    fn a_name_within_a_quote_is_kept() {
        let sources = [source("Kenta and I will go, Tom", "Kenta", false)];
        assert_eq!(
            of_quotes("Kenta: Kenta and I will go", &sources),
            ": kenta and i will go"
        );
    }

    #[test]
    fn a_short_source_is_quoted_if_all_of_it_is() {
        let sources = [
            source("はい", "大野", true),
            source("It is not quoted here", "Tom", true),
        ];
        assert_eq!(of_quotes("- はい", &sources), "大野: - はい");
        assert_eq!(of_quotes("- いいえ", &sources), "- いいえ");
    }

    #[test]
    fn two_messages_in_one_line_are_both_quoted() {
        let sources = [
            source("Which antenna do they need?", "Mari", false),
            source("Six ANT-2450-07, please", "Tom", true),
        ];
        assert_eq!(
            of_quotes(
                "Which antenna do they need? → Six ANT-2450-07, please (Tom)",
                &sources
            ),
            "Tom: which antenna do they need? → six ant-2450-07, please ()"
        );
    }

    #[test]
    fn a_models_words_are_kept_with_the_authors_of_what_they_cite() {
        let sources = [
            source("I am on call", "Priya", true),
            source("x", "Tom", false),
        ];
        assert_eq!(
            of_model("On call:\nme [1](https://x.example/p1), [2]", &sources),
            "On call:\nPriya: me 1, [2]"
        );
        assert_eq!(of_model("Somebody.", &sources), "Somebody.\nPriya:");
    }
}
