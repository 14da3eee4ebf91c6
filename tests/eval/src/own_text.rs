//! The own text of an answer: without authors, dates, places and links of its sources, by which any message would answer
//! "who?" and "when?".
//!
//! A quoted answer consists of what its sources say, so of each line that is kept which stands in one of them. A model
//! writes its own words, from which only the addresses of links go.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::plain;

/// The shortest piece that counts as quoted, in characters; a whole source may be shorter.
const SHORTEST: usize = 8;
/// In the form in which texts are compared.
const ELLIPSIS: &str = "...";

/// `[words](address)`.
static LINK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[([^\]]*)\]\([^)\s]*\)").ok());
/// A mark that Markdown would read as its own.
static ESCAPED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\\([!-/:-@\[-`{-~])").ok());

/// A message that an answer cites.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// Its author's name, if the message is evidence: some messages say "I", and the reader sees who.
    pub(crate) author: Option<String>,
    pub(crate) permalink: Option<String>,
}

/// What a model wrote itself, with the names of authors in the lines that cite them.
pub(crate) fn of_model(answer: &str, sources: &[Source]) -> String {
    let mut lines: Vec<String> = answer.lines().map(str::to_owned).collect();
    for (number, source) in sources.iter().enumerate() {
        let Some(author) = &source.author else {
            continue;
        };
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

/// What an answer quotes of its sources, line by line; without sources, all that it says.
pub(crate) fn of_quotes(answer: &str, sources: &[Source]) -> String {
    if sources.is_empty() {
        return answer.to_owned();
    }
    let texts: Vec<Vec<char>> = sources
        .iter()
        .map(|source| plain(source.text.trim()).chars().collect())
        .collect();
    let mut lines = Vec::new();
    for line in answer.lines() {
        let mut quoted = Quoted::default();
        for piece in plain(&without_marks(line)).split(ELLIPSIS) {
            let piece: Vec<char> = piece.chars().collect();
            collect(&piece, &texts, &mut quoted);
        }
        let mut authors: Vec<&str> = Vec::new();
        let cited = quoted
            .sources
            .iter()
            .filter_map(|place| sources.get(*place));
        for author in cited.filter_map(|source| source.author.as_deref()) {
            if !authors.contains(&author) {
                authors.push(author);
            }
        }
        if !quoted.pieces.is_empty() {
            let names = authors.iter().map(|author| format!("{author}: "));
            lines.push(names.collect::<String>() + &quoted.pieces.join(" … "));
        }
    }
    lines.join("\n")
}

/// The quotes of a line, and the places of their sources.
#[derive(Default)]
struct Quoted {
    pieces: Vec<String>,
    sources: Vec<usize>,
}

/// Takes the longest piece that stands in a source, and then what is quoted before and behind it.
fn collect(line: &[char], texts: &[Vec<char>], quoted: &mut Quoted) {
    let found = texts
        .iter()
        .enumerate()
        .map(|(place, text)| (common(line, text), place, text))
        .filter(|((_, length), _, text)| *length >= SHORTEST.min(text.len()).max(1))
        .max_by_key(|((_, length), place, _)| (*length, std::cmp::Reverse(*place)));
    let Some(((start, length), place, _)) = found else {
        return;
    };
    let (before, rest) = line.split_at_checked(start).unwrap_or_default();
    let (piece, after) = rest.split_at_checked(length).unwrap_or_default();
    collect(before, texts, quoted);
    let piece: String = piece.iter().collect();
    quoted.pieces.push(piece.trim().to_owned());
    quoted.sources.push(place);
    collect(after, texts, quoted);
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
mod tests {
    use super::{Source, of_model, of_quotes};

    fn source(text: &str, author: Option<&str>) -> Source {
        Source {
            text: text.to_owned(),
            author: author.map(str::to_owned),
            permalink: Some("https://x.example/p1".to_owned()),
        }
    }

    #[test]
    fn of_a_quoted_line_only_what_a_source_says_is_kept() {
        let answer = "I found this on 5 June:\n\
            - The release moves to 9 June\\! (Kenta, #general, 2026-05-26) [link](https://x.example/p1)\n\
            - … the lunch costs 900 yen … (Mari, #zatsudan, 2026-05-27)";
        let sources = [
            source("The release moves to 9 June!", None),
            source("Hello, the lunch costs 900 yen from Monday", Some("Mari")),
        ];
        assert_eq!(
            of_quotes(answer, &sources),
            "the release moves to 9 june!\nMari: the lunch costs 900 yen"
        );
    }

    #[test]
    fn a_short_source_is_kept_if_all_of_it_is_quoted() {
        let sources = [
            source("はい", Some("大野")),
            source("It is not quoted here", None),
        ];
        assert_eq!(of_quotes("- はい(大野)", &sources), "大野: はい");
    }

    #[test]
    fn two_messages_in_one_line_are_both_kept() {
        let sources = [
            source("Which antenna do they need?", None),
            source("Six ANT-2450-07, please", Some("Tom")),
        ];
        assert_eq!(
            of_quotes(
                "- Which antenna do they need? → Six ANT-2450-07, please (Tom)",
                &sources
            ),
            "Tom: which antenna do they need? … six ant-2450-07, please"
        );
    }

    #[test]
    fn without_sources_everything_is_kept() {
        assert_eq!(
            of_quotes("I found nothing about it.", &[]),
            "I found nothing about it."
        );
    }

    #[test]
    fn a_models_words_are_kept_with_the_authors_of_what_they_cite() {
        let sources = [source("I am on call", Some("Priya")), source("x", None)];
        assert_eq!(
            of_model("On call:\nme [1](https://x.example/p1), [2]", &sources),
            "On call:\nPriya: me 1, [2]"
        );
        assert_eq!(of_model("Somebody.", &sources), "Somebody.\nPriya:");
    }
}
