//! What a line looks like to a Markdown parser, and to a reader who overlooks characters or confuses them.
//!
//! A parameter `line` is a text from a line's start on; functions read to the end of that line.

use crate::text::is_line_break;

/// The reply prompt's text before the time; [`is_mark_of_prompt`] checks its beginning.
const CLOCK: &str = "現在時刻";
/// So many nested lists and quotations are structure, whatever they contain.
const MAX_DEPTH: usize = 16;

pub(super) fn ends_line(c: char) -> bool {
    is_line_break(c) || matches!(c, '\u{1c}'..='\u{1e}')
}

/// Letters that begin no structure: ASCII, kana, and kanji except the clock's.
pub(super) fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(c, 'ぁ'..='ヺ' | '一'..='\u{73fd}' | '\u{73ff}'..='\u{9fff}')
}

/// Whether a line looks like the prompt's own, as it is or after list and quotation marks.
pub(super) fn looks_like_structure(line: &str) -> bool {
    at_any_depth(line, is_mark_of_prompt)
}

/// Whether this holds for a line, or for its text after list and quotation marks.
pub(super) fn at_any_depth(line: &str, is_so: impl Fn(&str) -> bool) -> bool {
    let mut rest = line;
    for _ in 0..MAX_DEPTH {
        if is_so(rest) {
            return true;
        }
        match behind_marker(rest) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    true
}

/// The text after the first list or quotation mark; `None` if there is none.
fn behind_marker(line: &str) -> Option<&str> {
    let mut chars = seen_with_end(line).peekable();
    let (mut end, mark) = chars.next()?;
    let is_marker = match mark {
        '>' | '＞' | '•' | '・' | '‣' | '◦' => return line.get(end..),
        '-' | '*' | '+' => true,
        '0' => {
            let mut digits = 1;
            while chars.next_if(|(_, c)| *c == '0').is_some() {
                digits += 1;
            }
            let stop = chars.next_if(|(_, c)| matches!(c, '.' | ')' | '．' | '）'));
            end = stop.map_or(end, |(end, _)| end);
            digits < 10 && stop.is_some()
        }
        _ => false,
    };
    let is_apart = chars.next().is_some_and(|(_, next)| is_blank(next));
    line.get(end..).filter(|_| is_marker && is_apart)
}

/// Whether a line begins as the prompt's own do.
pub(super) fn is_mark_of_prompt(line: &str) -> bool {
    match seen(line).next() {
        Some('#') => is_heading(seen(line)),
        Some('-' | '=') => is_rule(line),
        Some('*' | '_') => is_rule(line) || is_message_head(line),
        Some('0' | '`' | '~' | '<' | '&') => is_message_head(line),
        Some('現') => is_clock(seen(line)),
        _ => false,
    }
}

/// `# text`, `##` and `##text`, but not `#42`, which is an id, or `#general`, which is a channel.
fn is_heading(mut line: impl Iterator<Item = char>) -> bool {
    line.next() == Some('#') && line.next().is_none_or(|c| c == '#' || c.is_whitespace())
}

/// Three or more marks of one kind, with or without white space between them. A single ASCII `-` or `=` underlines a
/// heading too.
fn is_rule(line: &str) -> bool {
    let mut marks = seen(line).filter(|c| !c.is_whitespace());
    let Some(first @ ('-' | '=' | '*' | '_')) = marks.next() else {
        return false;
    };
    let mut count = 1;
    for mark in marks {
        if mark != first {
            return false;
        }
        count += 1;
    }
    let is_long = line_of(line).any(|c| matches!(c, '⸺' | '⸻'));
    let is_plain = line_of(line).all(|c| c.is_ascii() || folded(c) != first);
    count > 2 || is_long || (is_plain && matches!(first, '-' | '='))
}

/// A date and a time in bold with a colon or seconds, or not in bold with a colon at the end.
fn is_message_head(line: &str) -> bool {
    if !line_of(line).any(|c| matches!(c, '<' | '&')) {
        return is_head(seen(line), false);
    }
    let is_tagged = seen(line).next() == Some('<');
    is_head(seen(&rendered(line)), is_tagged)
}

fn is_head(line: impl Iterator<Item = char>, is_tagged: bool) -> bool {
    let mut rest = line.peekable();
    let mut marks = usize::from(is_tagged);
    loop {
        // One mark and a space is a bullet.
        let opens = |c: &char| match c {
            '*' | '_' | '`' | '~' => true,
            ' ' | '[' | '(' => marks > 1,
            _ => false,
        };
        match rest.next_if(opens) {
            Some('*' | '_') => marks += 1,
            Some(_) => {}
            None => break,
        }
    }
    for digits in [4..=4, 1..=2, 1..=2, 1..=2, 2..=2] {
        let mut count = 0;
        while count < 4 && rest.next_if_eq(&'0').is_some() {
            count += 1;
        }
        if !digits.contains(&count) {
            return false;
        }
        while rest.next_if(|c| is_between_numbers(*c)).is_some() {}
    }
    if marks > 0 {
        let has_seconds = rest.peek() == Some(&'0');
        has_seconds || rest.any(|c| c == ':')
    } else {
        rest.filter(|c| !c.is_whitespace()).last() == Some(':')
    }
}

fn is_between_numbers(c: char) -> bool {
    c != '0'
        && (!c.is_alphanumeric() || matches!(c, 'T' | '年' | '月' | '日' | '時' | '分'))
        && !matches!(c, '*' | '_')
}

/// A line as Markdown shows it: without tags, and with character references replaced.
fn rendered(line: &str) -> String {
    let mut rest = line.split(ends_line).next().unwrap_or_default();
    let mut text = String::with_capacity(rest.len());
    let mut has_tags = rest.contains('>');
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        text.push_str(before);
        let tag = from.strip_prefix('<').filter(|_| has_tags);
        let tag = tag.map(|tag| tag.trim_start_matches('\\')).filter(|tag| {
            tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
        });
        let end = tag.and_then(|tag| tag.find('>').and_then(|end| tag.get(end + 1..)));
        has_tags &= tag.is_none() || end.is_some();
        if let Some(behind) = end {
            rest = behind;
        } else if let Some((c, behind)) = numbered_character(from) {
            text.push(c);
            rest = behind;
        } else {
            let (sign, behind) = from.split_at_checked(1).unwrap_or((from, ""));
            text.push_str(sign);
            rest = behind;
        }
    }
    text.push_str(rest);
    text
}

/// `&#50;` or `&#x32;`, and the text after it.
fn numbered_character(text: &str) -> Option<(char, &str)> {
    let number = text.strip_prefix("&#")?;
    let hexadecimal = number.strip_prefix(['x', 'X']);
    let (number, radix) = hexadecimal.map_or((number, 10), |number| (number, 16));
    let end = number.bytes().take(8).position(|byte| byte == b';')?;
    let code = u32::from_str_radix(number.get(..end)?, radix).ok()?;
    Some((char::from_u32(code)?, number.get(end + 1..)?))
}

fn is_clock(mut line: impl Iterator<Item = char>) -> bool {
    let says_so = CLOCK.chars().all(|c| line.next() == Some(c));
    says_so && line.find(|c| !c.is_whitespace()) == Some(':')
}

/// The characters up to the end of the line.
pub(super) fn line_of(text: &str) -> impl Iterator<Item = char> {
    text.chars().take_while(|c| !ends_line(*c))
}

/// The characters of a line from its first mark on, as they look: without invisible ones, and with look-alikes
/// replaced.
pub(super) fn seen(line: &str) -> impl Iterator<Item = char> {
    seen_with_end(line).map(|(_, c)| c)
}

/// The same, each with its end position.
pub(super) fn seen_with_end(line: &str) -> impl Iterator<Item = (usize, char)> {
    let all = line.char_indices().take_while(|(_, c)| !ends_line(*c));
    let all = all.filter(|(_, c)| !is_unseen(*c)).map(|(at, c)| {
        let look = if is_blank(c) { ' ' } else { folded(c) };
        (at + c.len_utf8(), look)
    });
    all.skip_while(|(_, c)| matches!(c, ' ' | '\\'))
}

/// The plain character that a character looks like; `0` for every digit.
pub(super) fn folded(c: char) -> char {
    match c {
        '＃' | '﹟' | '♯' => '#',
        '\u{2010}'..='\u{2015}'
        | '−'
        | '－'
        | '﹘'
        | '﹣'
        | '─'
        | '━'
        | 'ー'
        | 'ｰ'
        | '⸺'
        | '⸻'
        | '➖'
        | '⁃'
        | '˗'
        | '⎯'
        | 'ㅡ' => '-',
        '＝' | '═' | '꞊' => '=',
        '＊' | '﹡' | '∗' | '⁎' | '✱' => '*',
        '＿' | '﹍'..='﹏' => '_',
        '：' | '﹕' | '∶' | '꞉' | '︓' => ':',
        '［' => '[',
        '（' => '(',
        '0'..='9' => '0',
        c if !c.is_ascii() && c.is_numeric() => '0',
        c => c,
    }
}

/// White space, and characters that look like it.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
        )
}

/// Invisible characters: controls, and all that Unicode calls default-ignorable except the blanks.
pub(super) fn is_unseen(c: char) -> bool {
    if c.is_ascii() {
        return c.is_control() && !c.is_whitespace();
    }
    c.is_control() && !c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Characters that reverse the reading direction.
pub(super) fn is_override(c: char) -> bool {
    matches!(c, '\u{202d}' | '\u{202e}')
}
