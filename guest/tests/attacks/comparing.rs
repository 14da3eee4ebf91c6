//! Checks that a prompt has the same structure as one with harmless words instead of an attack, and still contains the
//! whole attack.

use super::structure::{Mark, Part, parts};

/// A text instead of an attack.
pub(crate) const TEXT: &str = "plain words in the place of the attack";
/// A name instead of an attack.
pub(crate) const NAME: &str = "placeholder";

/// Panics if structure differs, or text was lost. One prompt has `attack` where the other has `TEXT` or `NAME`.
pub(crate) fn assert_same_structure(label: &str, attacked: &str, plain: &[Part], attack: &str) {
    let (found, wanted) = (parts(attacked), plain);
    let marks = |parts: &[Part]| {
        parts
            .iter()
            .map(|part| part.mark.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found.len(),
        wanted.len(),
        "{label}: {:#?}\n{attacked}",
        marks(&found)
    );
    for (found, wanted) in found.iter().zip(wanted) {
        let same_mark = match (&found.mark, &wanted.mark) {
            (Some(Mark::Message(found)), Some(Mark::Message(wanted))) => {
                is_same_line(found, wanted, attack)
            }
            (Some(Mark::Heading(found_level, found)), Some(Mark::Heading(level, wanted))) => {
                found_level == level && is_same_line(found, wanted, attack)
            }
            (found, wanted) => found == wanted,
        };
        assert!(
            same_mark,
            "{label}: {found:?} is not {wanted:?}\n{attacked}"
        );
        assert_same_body(label, &found.body, &wanted.body, attack);
    }
}

fn assert_same_body(label: &str, found: &str, wanted: &str, attack: &str) {
    if let Some((before, after)) = wanted.split_once(TEXT) {
        let shown = found
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after));
        let is_whole = shown.is_some_and(|shown| {
            is_with_backslashes(shown, attack) || is_in_one_line(shown, attack)
        });
        assert!(is_whole, "{label}: {found:?} does not hold {attack:?}");
    } else {
        let (found, wanted) = (found.split('\n'), wanted.split('\n'));
        assert_eq!(found.clone().count(), wanted.clone().count(), "{label}");
        for (found, wanted) in found.zip(wanted) {
            assert!(
                is_same_line(found, wanted, attack),
                "{label}: {found:?} is not {wanted:?}"
            );
        }
    }
}

/// Returns true if a line is the same except for the name in it, which can be read back.
fn is_same_line(found: &str, wanted: &str, name: &str) -> bool {
    let Some((before, after)) = wanted.split_once(NAME) else {
        return found == wanted;
    };
    let shown = found
        .strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after));
    shown.is_some_and(|shown| is_quoted(shown, name) || (shown == name && !shown.starts_with('"')))
}

/// Returns true if a shown text is the text, except for one backslash added at the beginning of lines and after `<` and `[`.
fn is_with_backslashes(shown: &str, text: &str) -> bool {
    let mut rest = text.chars().peekable();
    // The text before the backslashes.
    let mut before = '\n';
    let mut added = false;
    for c in shown.chars() {
        let may_add = matches!(before, '<' | '[' | '＜' | '［') || is_break(before);
        if c == '\\' && rest.peek() != Some(&c) && may_add && !added {
            added = true;
            continue;
        }
        if rest.next() != Some(c) {
            return false;
        }
        if c != '\\' {
            (before, added) = (c, false);
        }
    }
    rest.next().is_none()
}

/// Returns true if a shown text is the text in one line.
fn is_in_one_line(shown: &str, text: &str) -> bool {
    let letters = |text: &str| -> String {
        let fillers = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'];
        let is_shown = |c: &char| c.is_alphanumeric() || c.is_ascii_punctuation();
        let letters = text.chars().filter(is_shown);
        letters
            .filter(|c| *c != '\\' && !fillers.contains(c))
            .collect()
    };
    !shown.contains(is_break) && letters(shown) == letters(text)
}

fn is_break(c: char) -> bool {
    "\n\r\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{85}\u{2028}\u{2029}".contains(c)
}

/// Returns true if a shown name is the name in quotation marks, with escapes.
fn is_quoted(shown: &str, name: &str) -> bool {
    let inner = shown
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.is_some_and(|inner| unescaped(inner) == name)
}

fn unescaped(quoted: &str) -> String {
    let mut text = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next() } else { None };
        text.push(match escaped {
            None => c,
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('0') => '\0',
            Some('u') => {
                let code: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let code = u32::from_str_radix(code.trim_start_matches('{'), 16).unwrap();
                char::from_u32(code).unwrap()
            }
            Some(other) => other,
        });
    }
    text
}
