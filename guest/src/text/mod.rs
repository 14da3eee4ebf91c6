//! Texts of both languages: their characters, chunks, lines, sentences, terms, facts, values, dates and language. This file has the
//! characters, and text as one harmless line without marks that could forge the structure of a memory.

mod chunks;
pub(crate) mod cues;
pub(crate) mod dates;
pub(crate) mod facts;
pub mod language;
pub(crate) mod lines;
pub(crate) mod sentences;
pub(crate) mod terms;
pub(crate) mod times;
pub(crate) mod values;

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

/// Returns true if a character ends a line, in any way that Unicode defines.
pub(crate) fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Hiragana and katakana, including the long vowel mark.
pub(crate) fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Hiragana.
pub(crate) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

/// Katakana, including the long vowel mark.
pub(crate) fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Chinese characters, including the repetition mark.
pub(crate) fn is_kanji(c: char) -> bool {
    matches!(c, '々' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Kana and Chinese characters.
pub(crate) fn is_japanese_letter(c: char) -> bool {
    is_kana(c) || is_kanji(c)
}

/// Invisible characters, and those that change the reading direction.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// One line without control and invisible characters, white space collapsed to single spaces.
pub(crate) fn flatten(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_invisible(*c)) {
        if !(c.is_whitespace() || c.is_control()) {
            line.push(c);
        } else if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Full-width ASCII as ASCII, so that `３％` and `3%` are one fact.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    // The first byte of full-width ASCII in UTF-8.
    if !text.as_bytes().contains(&0xef) && !text.contains('\u{3000}') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().map(fold_char).collect())
    }
}

/// The same for one character.
pub(crate) fn fold_char(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        _ => c,
    }
}

/// As [`char::is_alphanumeric`], without searching its tables for common Japanese characters.
pub(crate) fn is_alphanumeric(c: char) -> bool {
    is_caseless(c) || !is_mark(c) && c.is_alphanumeric()
}

/// Common Japanese marks: not all, but `、`, `。`, brackets and the space.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{ff01}'..='\u{ff0f}')
}

/// Common Japanese letters, which have neither lower nor upper case; not all.
pub(crate) fn is_caseless(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' | '\u{4e00}'..='\u{9fff}')
}

/// The marks before the text of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Markers {
    /// A bullet or a number of a list.
    pub(crate) list: bool,
    /// One or more `#` of a heading.
    pub(crate) heading: bool,
}

/// Removes the marks of lists, headings, quotations, rules and tables from the beginning of a flattened line.
pub(crate) fn strip_markers(line: &str) -> (&str, Markers) {
    let mut rest = line.trim();
    let mut markers = Markers::default();
    loop {
        let before = rest;
        if let Some(text) = after_heading(rest) {
            (rest, markers.heading) = (text, true);
        } else if let Some(text) = after_bullet(rest).or_else(|| after_number(rest)) {
            (rest, markers.list) = (text, true);
        } else {
            rest = after_other(rest).unwrap_or(rest);
        }
        rest = rest.trim_start();
        if rest == before {
            return (rest, markers);
        }
    }
}

/// `# text` and `##text`, but not `#42`, which is an id, or `#general`, which is a channel.
fn after_heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(['#', '＃']);
    let marks = line.chars().take_while(|c| matches!(c, '#' | '＃')).count();
    let is_heading = marks > 1 || (marks == 1 && (text.is_empty() || text.starts_with(' ')));
    is_heading.then_some(text)
}

fn after_bullet(line: &str) -> Option<&str> {
    if let Some(text) = line.strip_prefix(['・', '•', '‣', '◦', '●', '○', '■', '□', '◆', '◇'])
    {
        return Some(text);
    }
    let text = line.strip_prefix(['-', '*', '+', '–', '—'])?;
    (text.is_empty() || text.starts_with(' ')).then_some(text)
}

fn after_number(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - text.len();
    let text = text.strip_prefix(['.', ')', '．', '）'])?;
    ((1..=3).contains(&digits) && (text.is_empty() || text.starts_with(' '))).then_some(text)
}

/// Quotations, fences, tables, check boxes and rules.
fn after_other(line: &str) -> Option<&str> {
    for mark in [">", "＞", "```", "~~~", "|", "[ ] ", "[x] ", "[X] "] {
        if let Some(text) = line.strip_prefix(mark) {
            return Some(text);
        }
    }
    let text = line.trim_start_matches(['-', '=', '*', '_', '~']);
    (line.len() - text.len() > 1 && (text.is_empty() || text.starts_with(' '))).then_some(text)
}

/// Columns on a terminal, roughly: a character outside ASCII takes about two columns, and about one token.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

/// The text, cut at a word boundary and marked with `…` if it is wider than so many columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let fits = |pieces: &mut dyn Iterator<Item = &str>| {
        let (mut head, mut used) = (String::new(), 2);
        for piece in pieces {
            used += width(piece);
            if used > columns {
                break;
            }
            head.push_str(piece);
        }
        head
    };
    let mut head = fits(&mut text.split_word_bounds());
    if width(&head) * 2 < columns {
        head = fits(&mut text.graphemes(true));
    }
    head.truncate(head.trim_end().len());
    head.push('…');
    head
}

/// Shorter and shorter beginnings of a text, longest first, each ending in `…`: about `most` of them at most.
pub(crate) fn shorter_heads(text: &str, most: usize) -> Vec<String> {
    let mut heads = Vec::new();
    let mut columns = width(text);
    let step = columns / most.max(1) + 1;
    while columns > 2 {
        columns = columns.saturating_sub(step).max(columns.min(2));
        let head = cut(text, columns);
        if head != "…" && heads.last() != Some(&head) && head != text {
            heads.push(head);
        }
    }
    heads
}

/// Returns true if the texts are in Japanese rather than English, by their letters.
pub(crate) fn is_japanese<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let (mut kana, mut kanji, mut other) = (0_usize, 0_usize, 0_usize);
    for word in texts
        .flat_map(str::split_whitespace)
        .filter(|w| !w.contains("://"))
    {
        for c in word.chars() {
            if is_kana(c) {
                kana += 1;
            } else if is_kanji(c) {
                kanji += 1;
            } else if c.is_alphabetic() {
                other += 1;
            }
        }
    }
    // A Japanese character says about as much as two and a half letters.
    kana > 0 && (kana + kanji) * 5 > other * 2
}

#[cfg(test)]
mod tests {
    use super::{is_alphanumeric, is_caseless, is_mark};

    #[test]
    fn quick_looks_at_characters_agree_with_unicode() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
            if is_caseless(c) {
                assert!(c.to_lowercase().eq([c]), "{c:?}");
            }
            if is_mark(c) {
                assert!(!c.is_alphanumeric(), "{c:?}");
            }
        }
    }
}
