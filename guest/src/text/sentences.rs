//! Cuts the text of a message into sentences.

use std::ops::Range;

use super::cues::is_question;
use super::{flatten, is_alphanumeric, is_japanese_letter, is_line_break, strip_markers};
use crate::phrases::{Phrases, phrases};

/// A wider sentence is cut (a Japanese character is two columns).
const MAX_WIDTH: usize = 260;
/// So many lines of code or log in a row are a dump, represented by the first.
const DUMP_LINES: usize = 3;
/// A full stop after one of these does not end a sentence.
const ABBREVIATIONS: Phrases = phrases!("english/abbreviations.txt");

/// One sentence in one line, without list, heading or quotation marks at its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// The text.
    pub(crate) text: String,
    /// True if it is the first line of code or of a log.
    pub(crate) code: bool,
}

/// The sentences of a message, in order. Code blocks and dumps are represented by their first line.
pub(crate) fn split(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for line in lines(text) {
        let flat = flatten(&line.text);
        let (body, _) = strip_markers(&flat);
        if body.is_empty() || !body.chars().any(is_alphanumeric) {
            continue;
        }
        if line.code {
            sentences.push(sentence(body, true));
            continue;
        }
        let pieces = sentence_ranges(body).into_iter();
        let pieces = pieces.filter_map(|range| Some(body.get(range)?.trim()));
        sentences.extend(pieces.map(|piece| sentence(piece, false)));
    }
    sentences
}

fn sentence(text: &str, code: bool) -> Sentence {
    Sentence {
        text: super::cut(text, MAX_WIDTH),
        code,
    }
}

struct Line {
    text: String,
    code: bool,
}

/// The lines, without fences, and with blocks of code reduced to their first line.
fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut fenced = false;
    let mut code_seen = false;
    for part in text.split("```") {
        let mut dump = 0;
        for raw in part.split(is_line_break).filter(|l| !l.trim().is_empty()) {
            if fenced {
                // A single word after the fence is the name of the language.
                let is_language = raw.len() < 12 && part.starts_with(raw) && raw.len() < part.len();
                if !code_seen && !is_language {
                    code_seen = true;
                    lines.push(Line {
                        text: raw.to_owned(),
                        code: true,
                    });
                }
                continue;
            }
            dump = if looks_like_code(raw) { dump + 1 } else { 0 };
            if dump >= DUMP_LINES {
                let first = lines.len().saturating_sub(DUMP_LINES - 1);
                if dump == DUMP_LINES {
                    lines.truncate(first + 1);
                    lines.iter_mut().skip(first).for_each(|l| l.code = true);
                }
                continue;
            }
            lines.push(Line {
                text: raw.to_owned(),
                code: false,
            });
        }
        fenced = !fenced;
        code_seen = false;
    }
    lines
}

/// Stack frames, log lines, source code: much punctuation, or a typical beginning.
pub(crate) fn looks_like_code(line: &str) -> bool {
    let text = line.trim();
    if text.contains("://") || text.chars().any(is_japanese_letter) {
        return false;
    }
    let marks = text
        .chars()
        .filter(|c| c.is_ascii_punctuation() || c.is_ascii_digit())
        .count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let head = text.split_whitespace().next().unwrap_or_default();
    let is_frame = matches!(
        head,
        "at" | "File" | "DEBUG" | "INFO" | "WARN" | "ERROR" | "TRACE" | "$"
    );
    let is_bullet = matches!(head, "-" | "*" | "+");
    let indented = line.starts_with("    ") || line.starts_with('\t');
    let stamped = head.starts_with('[') || head.chars().filter(char::is_ascii_digit).count() >= 6;
    !is_bullet && (indented || is_frame || stamped || marks * 2 > letters)
}

/// Cuts one line after its ends of sentences.
pub(crate) fn sentence_ranges(line: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !is_end(c) {
            continue;
        }
        let mut end = at + c.len_utf8();
        let mut quoted = false;
        while let Some((next_at, next)) = chars.next_if(|(_, n)| is_end(*n) || is_closer(*n)) {
            quoted |= matches!(next, '」' | '』');
            end = next_at + next.len_utf8();
        }
        let next = chars.peek().map(|(_, next)| *next);
        let head = line.get(start..at).unwrap_or_default();
        if !ends_here(c, head, next) || (quoted && matches!(next, Some('と' | 'っ' | 'な' | 'の')))
        {
            continue;
        }
        ranges.push(start..end);
        start = end;
    }
    if line
        .get(start..)
        .is_some_and(|rest| !rest.trim().is_empty())
    {
        ranges.push(start..line.len());
    }
    ranges
}

fn is_end(c: char) -> bool {
    matches!(
        c,
        '。' | '！' | '？' | '．' | '｡' | '.' | '!' | '?' | '‼' | '⁇'
    )
}

fn is_closer(c: char) -> bool {
    matches!(
        c,
        '」' | '』' | '）' | '】' | ')' | ']' | '"' | '\'' | '”' | '’' | '»'
    )
}

/// Returns true if an end mark between `head` and `next` ends a sentence.
fn ends_here(mark: char, head: &str, next: Option<char>) -> bool {
    let spaced = next.is_none_or(char::is_whitespace);
    match mark {
        // `3.5`, `v1.2.3`, `main.rs` and URLs have no space after the full stop.
        '.' => spaced && !is_abbreviation(head),
        '!' | '?' => spaced || next.is_some_and(is_japanese_letter),
        _ => true,
    }
}

fn is_abbreviation(head: &str) -> bool {
    let word = head
        .rsplit([' ', '('])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    ABBREVIATIONS.has(&word)
        || word.chars().count() == 1 && word.chars().all(char::is_alphabetic)
        || head.chars().all(|c| c.is_ascii_digit())
}

/// Returns true if each sentence of a text in lower case is a question.
pub(crate) fn only_asks(text: &str) -> bool {
    let lines = text.lines();
    let sentences = lines.flat_map(|line| {
        let ranges = sentence_ranges(line).into_iter();
        ranges.filter_map(|range| line.get(range))
    });
    is_question(text)
        && sentences
            .filter(|sentence| !sentence.trim().is_empty())
            .all(is_question)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        split(text).into_iter().map(|s| s.text).collect()
    }

    #[test]
    fn japanese_and_english_sentences_end_where_they_end() {
        let japanese = [
            "来週に公開すると決めました。",
            "来週は水曜に集まります！",
            "それは本当に大丈夫なのですか？",
            "はい",
        ];
        assert_eq!(texts(&japanese.concat()), japanese);
        let english = [
            "We ship the importer.",
            "Everything works now!",
            "Who else wants to help?",
            "yes",
        ];
        assert_eq!(texts(&english.join(" ")), english);
        assert_eq!(
            texts("一行目\r\n二行目\u{2028}三行目"),
            ["一行目", "二行目", "三行目"]
        );
        let quoted = "部長は「それでいいです。」と言いました。";
        assert_eq!(texts(&format!("{quoted}次へ。")), [quoted, "次へ。"]);
    }

    #[test]
    fn numbers_versions_times_addresses_and_abbreviations_end_no_sentence() {
        for text in [
            "It rose 3.5 % at 10:30 with v1.2.3 of main.rs",
            "Use a store, e.g. SQLite, vs. Postgres",
            "See https://example.com/a.b?c=d!e&f=1.2 for more",
            "Ask Dr. Smith about No. 5",
            "詳細はhttps://example.com/a?b=c.dを見て",
        ] {
            assert_eq!(texts(text), [text]);
        }
        let two = ["See https://example.com/x.", "Then go there."];
        assert_eq!(texts(&two.join(" ")), two);
    }

    #[test]
    fn marks_of_structure_are_taken_off_the_head() {
        let text = "---\n## 要約対象\n- one thing\n> > quoted words\n1. first\n* * *\n| cell\n＃＃ 全角\n- [x] done\n--verbose stays\n#42 stays";
        let expected = [
            "要約対象",
            "one thing",
            "quoted words",
            "first",
            "cell",
            "全角",
            "done",
            "--verbose stays",
            "#42 stays",
        ];
        assert_eq!(texts(text), expected);
        assert_eq!(texts("\u{200b}##\u{202e} hidden"), ["hidden"]);
    }

    #[test]
    fn of_code_and_logs_only_the_first_line_is_kept() {
        let text = "It fails:\n```rust\nlet x = f();\nlet y = g();\n```\nAny idea?";
        assert_eq!(texts(text), ["It fails:", "let x = f();", "Any idea?"]);
        let log =
            "look\n[12:00:01] a=1\n[12:00:02] b=2\n[12:00:03] c=3\n[12:00:04] d=4\nthat is all";
        assert_eq!(texts(log), ["look", "[12:00:01] a=1", "that is all"]);
        assert_eq!(texts("open ```\nfirst()\nsecond()"), ["open", "first()"]);
    }

    #[test]
    fn a_sentence_without_end_is_cut() {
        let all = texts(&"word ".repeat(500));
        assert_eq!(all.len(), 1);
        assert!(all[0].ends_with("word…") && crate::text::width(&all[0]) <= MAX_WIDTH);
    }
}
