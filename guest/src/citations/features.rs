//! The features that a line and a message may share: the form in which texts are compared, and their windows of letters.

use std::borrow::Cow;

use crate::text::values::normal;
use crate::text::{flatten, is_alphanumeric, is_kana, is_kanji, is_katakana, strip_markers};

/// The letters of a window.
pub(super) const WINDOW: usize = 4;

/// How much a value or a word that is shared says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The name of an author.
    Name,
    /// A lone kanji, a year, a number below ten.
    Slight,
    /// A word, a number below a hundred.
    Term,
    /// A date, an amount, an id and the like.
    Value,
}

/// Every [`WINDOW`] letters and digits in a row, packed into a number. Nothing else counts, so that spaces, bold type
/// and punctuation make no difference. Of rare characters only the lower bits count: at worst a line cites too much.
pub(super) fn each_window(normal: &str, found: &mut impl FnMut(u64)) {
    let (mut window, mut letters) = (0_u64, 0);
    for c in normal.chars() {
        if c.is_ascii_alphanumeric() || is_alphanumeric(c) {
            window = window << 16 | u64::from(u32::from(c) & 0xffff);
            letters += 1;
            if letters >= WINDOW {
                found(window);
            }
        }
    }
}

/// Pairs of hiragana of which endings and polite phrases are made. A window with one of them is no name and no secret.
const ENDINGS: &[&str] = &[
    "ます", "まし", "ませ", "です", "でし", "てい", "てお", "てき", "てく", "てし", "てみ", "して",
    "した", "する", "すれ", "しな", "しま", "くだ", "ださ", "さい", "から", "ので", "とい", "いう",
    "こと", "ない", "なか", "なっ", "いる", "いた", "いま", "って", "った", "られ", "れる", "れば",
    "れた", "けれ", "けど", "しょ", "ょう", "ござ", "ざい", "あり", "りが", "がと", "とう", "ろし",
    "しく", "おね", "ねが", "よう", "かも", "たら", "たい", "たの", "ども", "まで", "より", "など",
    "には", "では", "とは", "にも", "でも", "です", "ある", "のは", "のが", "だけ",
];

/// The windows inside a piece of a line that need no word around them to say what it is about: every stretch of
/// letters in scripts without spaces between words, and parts of long words.
pub(super) fn pieces(normal: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let chars: Vec<char> = normal.chars().collect();
    for run in chars.chunk_by(|a, b| script(*a) == script(*b)) {
        let least = match run.first().map_or(Script::None, |c| script(*c)) {
            Script::None => continue,
            Script::Ascii => 3,
            Script::Hiragana | Script::Katakana | Script::Other => 1,
        };
        let letters: String = run.iter().collect();
        let mut windows = Vec::new();
        each_window(&letters, &mut |window| windows.push(window));
        for (at, some) in windows.windows(least).enumerate() {
            let text: String = run.iter().skip(at).take(WINDOW).collect();
            if !ENDINGS.iter().any(|pair| text.contains(pair)) {
                pieces.push(Piece(some.to_vec()));
            }
        }
    }
    pieces
}

/// Windows that count only together.
pub(super) struct Piece(pub(super) Vec<u64>);

#[derive(Clone, Copy, PartialEq)]
enum Script {
    Ascii,
    Hiragana,
    Katakana,
    Other,
    None,
}

fn script(c: char) -> Script {
    if c.is_ascii_alphanumeric() {
        Script::Ascii
    } else if is_katakana(c) {
        Script::Katakana
    } else if is_kana(c) {
        Script::Hiragana
    } else if is_alphanumeric(c) && !is_kanji(c) {
        Script::Other
    } else {
        Script::None
    }
}

/// A line of a memory, with its source taken off: `- 2024-03-01 #general alice: text`.
#[derive(Debug, PartialEq)]
pub(super) struct Parts {
    pub(super) day: Option<String>,
    pub(super) speaker: Option<String>,
    /// The text, as [`normal`] gives it.
    pub(super) text: String,
}

impl Parts {
    /// Takes a line apart. A speaker is one for whom `is_name` holds.
    pub(super) fn of(line: &str, is_name: impl Fn(&str, bool) -> bool) -> Self {
        let flat = flatten(line);
        let lower = normal(strip_markers(&flat).0);
        let (day, rest) = match lower.split_at_checked(10) {
            Some((day, rest)) if is_day(day) && ends_word(rest) => {
                (Some(day.to_owned()), rest.trim_start_matches([' ', ':']))
            }
            _ => (None, lower.as_str()),
        };
        let rest = match rest.split_once(' ') {
            Some((label, rest)) if is_label(label) => rest,
            _ => rest,
        };
        let (speaker, text) = match rest.split_once(": ") {
            Some((name, text)) if is_name(name, day.is_some()) => (Some(name.to_owned()), text),
            _ => (None, rest),
        };
        let text = text.to_owned();
        Self { day, speaker, text }
    }
}

fn is_day(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, b)| match at {
        4 | 7 => b == b'-',
        _ => b.is_ascii_digit(),
    })
}

fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', ':'])
}

/// A leading `#name`, not `#42`, which is an id.
fn is_label(word: &str) -> bool {
    let name = word
        .strip_prefix('#')
        .map(|name| name.trim_end_matches(':'));
    name.is_some_and(|name| name.contains(char::is_alphabetic))
}

/// The text of a source to compare: of a memory's line only what was said.
pub(super) fn speaker_and_text<'a>(
    text: &str,
    author: Option<&'a str>,
) -> (Option<Cow<'a, str>>, String) {
    match author {
        Some(name) => (Some(Cow::Borrowed(name)), normal(text)),
        None => {
            // One word: `decision on the budget: 300` is no speaker.
            let parts = Parts::of(text, |name, dated| dated && !name.contains(' '));
            (parts.speaker.map(Cow::Owned), parts.text)
        }
    }
}
