//! Shows foreign text so that neither a reader nor a parser of a prompt takes it for the prompt's own structure.
//!
//! Foreign are messages, memories, and the names of people and channels; the persona is the owner's. Every such
//! value passes through here before a template sees it, so templates of users are safe too.
//!
//! | in a text or a memory | shown |
//! |---|---|
//! | a line that looks like structure: a heading (`## …`), a rule or underline (`---`, `===`, `***`, `___`), the head of a message (`**2024-03-01 10:00:00** name:`), the reply prompt's clock (`現在時刻:`), a line that overrides the reading direction | with a backslash as its first character |
//! | a line that opens a code fence which nothing closes | the same |
//! | the openings of template tags `{{`, `{%`, `{#`, and of a model's control tokens `<\|` | with a backslash between the two characters |
//!
//! White space, backslashes and what a reader cannot see make no difference to what a line looks like, nor do full-width and other
//! look-alikes. A line ends wherever Unicode or Python's `splitlines` ends one. One backslash is put in whether or not there
//! are some already, so that [`restore`] finds the text again. All other text keeps its bytes: `#1234`, `#general`,
//! `- item`, `**bold** word`, `a --- b`.
//!
//! A name stands within a line. One that could break out of it, or that looks like structure, is shown in quotation marks
//! with escapes, as in `"bob:\n## x"`.

mod scan;

use std::borrow::Cow;

use scan::first_mattering;

use crate::extractive::text::is_line_break;

/// What opens and closes a block of code.
const FENCES: [&str; 2] = ["```", "~~~"];
/// What the reply prompt says before the time; [`looks_like_structure`] knows how it begins.
const CLOCK: &str = "現在時刻";

/// A message's text or a memory, as a prompt shows it. Harmless text costs one scan.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let fences = open_fences(text);
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, line) in lines(text) {
        if is_structure(line) || fences.contains(&Some(at)) {
            shown.push('\\');
        }
        push_without_tags(&mut shown, line);
    }
    Cow::Owned(shown)
}

/// The name of a person or a channel, as a prompt shows it.
#[must_use]
pub fn name(name: &str) -> Cow<'_, str> {
    if is_plain_name(name) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::new();
    push_without_tags(&mut shown, &format!("{name:?}"));
    Cow::Owned(shown)
}

/// The text that [`text()`] shows like this. A model that copies a line copies its backslash, which would otherwise be remembered, and
/// become one more with every merge.
#[must_use]
pub fn restore(shown: &str) -> Cow<'_, str> {
    if !shown.contains('\\') {
        return Cow::Borrowed(shown);
    }
    let fences = open_fences(shown);
    let lines = lines(shown).map(|(at, line)| match line.strip_prefix('\\') {
        Some(own) if is_structure(line) || fences.contains(&Some(at)) => own,
        _ => line,
    });
    Cow::Owned(lines.fold(String::with_capacity(shown.len()), push_with_tags))
}

/// As [`restore`], for Markdown: there a backslash before a mark is not shown, unless it stands in code.
#[must_use]
pub fn restore_code(markdown: &str) -> Cow<'_, str> {
    if !markdown.contains('\\') {
        return Cow::Borrowed(markdown);
    }
    let mut in_code = false;
    let lines = lines(markdown).map(|(_, line)| {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        match line.strip_prefix('\\') {
            Some(own) if in_code && is_structure(line) => own,
            _ => line,
        }
    });
    Cow::Owned(lines.fold(String::with_capacity(markdown.len()), push_with_tags))
}

/// Whether [`text()`] has nothing to do; a text with fences may turn out to need nothing after all.
fn is_harmless(text: &str) -> bool {
    let mut rest = text;
    if may_be_structure(rest) {
        return false;
    }
    while let Some(at) = first_mattering(rest.as_bytes()) {
        let mut chars = rest.get(at..).unwrap_or_default().chars();
        let found = chars.next().unwrap_or_default();
        rest = chars.as_str();
        let is_harmful = if ends_line(found) {
            may_be_structure(rest)
        } else {
            is_override(found) || opens_tag(found, rest)
        };
        if is_harmful {
            return false;
        }
    }
    true
}

fn is_plain_name(name: &str) -> bool {
    // As most are.
    let is_word = |c: char| is_letter(c) || matches!(c, '0'..='9' | ' ' | '.' | '_' | '-');
    if name.starts_with(is_letter) && name.chars().all(is_word) {
        return true;
    }
    let is_hidden = |c: char| {
        // Emoji are joined and coloured by some of these.
        c.is_control()
            || ends_line(c)
            || (is_unseen(c) && !matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}'))
    };
    let mut chars = name.chars().map(folded).peekable();
    let mut ends = false;
    while let Some(c) = chars.next() {
        let next = chars.peek();
        ends |= c == ':' && next.is_none_or(|next| next.is_whitespace());
        ends |= c == '*' && next == Some(&'*');
    }
    let is_wide_colon = |c: char| c != ':' && folded(c) == ':';
    !(ends
        || name.starts_with(['"', '\\'])
        || name.contains(|c: char| is_hidden(c) || is_wide_colon(c))
        || !is_harmless(name))
}

/// Lines with their breaks, and where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive(ends_line).scan(0, |at, line| {
        let begin = *at;
        *at += line.len();
        Some((begin, line))
    })
}

fn ends_line(c: char) -> bool {
    is_line_break(c) || matches!(c, '\u{1c}'..='\u{1e}')
}

/// Adds a line, with a backslash in what opens a tag.
fn push_without_tags(shown: &mut String, line: &str) {
    let mut rest = line;
    while let Some((head, tail)) = split_behind_opener(rest) {
        shown.push_str(head);
        if head.chars().next_back().is_some_and(|c| opens_tag(c, tail)) {
            shown.push('\\');
        }
        rest = tail;
    }
    shown.push_str(rest);
}

/// Adds a line, without the backslash in what opens a tag.
fn push_with_tags(mut text: String, line: &str) -> String {
    let mut rest = line;
    while let Some((head, tail)) = split_behind_opener(rest) {
        text.push_str(head);
        let opens = head.chars().next_back().is_some_and(|c| opens_tag(c, tail));
        rest = tail.strip_prefix('\\').filter(|_| opens).unwrap_or(tail);
    }
    text.push_str(rest);
    text
}

fn split_behind_opener(text: &str) -> Option<(&str, &str)> {
    let at = text.find(['{', '<'])?;
    text.split_at_checked(at + 1)
}

/// Whether a character and what follows, whatever backslashes stand between, are `{{`, `{%`, `{#` or `<|name`.
fn opens_tag(c: char, rest: &str) -> bool {
    if !matches!(c, '{' | '<') {
        return false;
    }
    let mut rest = rest.trim_start_matches('\\').chars();
    match (c, rest.next()) {
        ('{', Some('{' | '%' | '#')) => true,
        // `a <| b` is an operator of some languages.
        ('<', Some('|' | '｜')) => rest.next().is_some_and(|c| !c.is_whitespace()),
        _ => false,
    }
}

/// Where the fence opens that nothing closes, by kind. Fences open at the head of a line and close anywhere, as people write them.
fn open_fences(text: &str) -> [Option<usize>; 2] {
    FENCES.map(|fence| {
        let mut open = None;
        for (at, line) in lines(text) {
            let turns = line.matches(fence).count() % 2 == 1;
            open = match open {
                None => (turns && opens_fence(line, fence)).then_some(at),
                Some(_) => open.filter(|_| !turns),
            };
        }
        open
    })
}

fn opens_fence(line: &str, fence: &str) -> bool {
    seen(line).take(fence.len()).eq(fence.chars())
}

/// Letters that begin no structure: all of ASCII, kana, and kanji but the clock's.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(c, 'ぁ'..='・' | '一'..='\u{73fd}' | '\u{73ff}'..='\u{9fff}')
}

/// Whether the line at the head of a text has to be looked at: most begin with a letter.
fn may_be_structure(text: &str) -> bool {
    if text.starts_with(is_letter) {
        return false;
    }
    looks_like_structure(text) || FENCES.into_iter().any(|fence| opens_fence(text, fence))
}

/// Whether a line is shown with a backslash.
fn is_structure(line: &str) -> bool {
    looks_like_structure(line) || line.contains(is_override)
}

/// Whether a line looks like the prompt's own.
fn looks_like_structure(line: &str) -> bool {
    match seen(line).next() {
        Some('#') => is_heading(seen(line)),
        Some('-' | '=') => is_rule(line),
        Some('*' | '_') => is_rule(line) || is_message_head(seen(line)),
        Some('0') => is_message_head(seen(line)),
        Some('現') => is_clock(seen(line)),
        _ => false,
    }
}

/// `# text`, `##` and `##text`; not `#42`, which is an id, or `#general`, which is a channel.
fn is_heading(mut line: impl Iterator<Item = char>) -> bool {
    line.next() == Some('#') && line.next().is_none_or(|c| c == '#' || c.is_whitespace())
}

/// Three or more marks of one kind, with white space between them or not. ASCII's `-` and `=` underline a heading even alone.
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

/// A date and a clock in bold with a colon or seconds, or not in bold with a colon at the end.
fn is_message_head(line: impl Iterator<Item = char>) -> bool {
    let mut rest = line.peekable();
    let mut marks = 0;
    while rest.next_if(|c| matches!(c, '*' | '_')).is_some() {
        marks += 1;
    }
    // One mark and a space is a bullet.
    let opens = |c: &char| marks > 1 && matches!(c, ' ' | '[' | '(');
    while rest.next_if(opens).is_some() {}
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

fn is_clock(mut line: impl Iterator<Item = char>) -> bool {
    let says_so = CLOCK.chars().all(|c| line.next() == Some(c));
    says_so && line.find(|c| !c.is_whitespace()) == Some(':')
}

/// The characters up to the end of the line.
fn line_of(text: &str) -> impl Iterator<Item = char> {
    text.chars().take_while(|c| !ends_line(*c))
}

/// The characters of a line from its first mark on, as they look: without those that are not seen, and with plain
/// ones in the place of look-alikes.
fn seen(line: &str) -> impl Iterator<Item = char> {
    let all = line_of(line).filter(|c| !is_unseen(*c));
    let all = all.map(|c| if is_blank(c) { ' ' } else { folded(c) });
    all.skip_while(|c| matches!(c, ' ' | '\\'))
}

/// The plain character that one looks like; `0` for every digit.
fn folded(c: char) -> char {
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

/// White space, and what looks like it.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
        )
}

/// What a reader does not see.
fn is_unseen(c: char) -> bool {
    if c.is_ascii() {
        return c.is_control() && !c.is_whitespace();
    }
    c.is_control() && !c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// What makes text read backwards.
fn is_override(c: char) -> bool {
    matches!(c, '\u{202d}' | '\u{202e}')
}
