//! Lines that open a block, by CommonMark's rules (<https://spec.commonmark.org/0.31.2/>): fences, HTML, definitions of
//! links, and tables that take the line above as their head.
//!
//! Single lines are checked, and in doubt a line counts. One exception: a fence is kept if its block is plainly closed,
//! and its content is then code.

use super::appearance::{
    at_any_depth, ends_line, is_mark_of_prompt, is_override, line_of, looks_like_structure, seen,
    seen_with_end,
};

/// The mark of a code block, and its minimum length.
const FENCES: [(char, &str); 2] = [('`', "```"), ('~', "~~~")];
/// Tags that open an HTML block whatever follows in the line; other tags do so only if they are alone in their line.
const BLOCK_TAGS: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "pre",
    "script",
    "search",
    "section",
    "source",
    "style",
    "summary",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

/// The lines of a text, and whether each is marked with a backslash.
///
/// An existing backslash before a line makes no difference: in the marked text, the same lines are marked.
pub(super) fn marked_lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let last_definition = text.rfind("]:");
    let mut code_ends = 0;
    lines(text).map(move |(at, line)| {
        if is_structure(line) {
            return (line, true);
        }
        if at < code_ends {
            return (line, false);
        }
        if let Some(end) = end_of_code(text, at) {
            code_ends = end;
            return (line, false);
        }
        let may_define = last_definition.is_some_and(|last| at < last);
        let is_marked = opens_block(line)
            || at_any_depth(line, |line| may_define && defines_link(line))
            || at == 0 && is_below_table_head(line);
        (line, is_marked)
    })
}

/// Whether a line may have to be marked; the text after the line makes no difference.
pub(super) fn may_be_marked(text: &str, is_first: bool) -> bool {
    let is_marked = |line: &str| {
        is_mark_of_prompt(line) || opens_fence(line) || opens_html(line) || defines_link(line)
    };
    at_any_depth(text, is_marked) || is_first && is_below_table_head(text)
}

/// Whether a line is marked wherever it is, in code too.
pub(super) fn is_structure(line: &str) -> bool {
    looks_like_structure(line) || line.contains(is_override)
}

/// Lines with their breaks and start positions.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive(ends_line).scan(0, |at, line| {
        let begin = *at;
        *at += line.len();
        Some((begin, line))
    })
}

fn opens_block(line: &str) -> bool {
    at_any_depth(line, |line| opens_fence(line) || opens_html(line))
}

/// Three or more backticks or tildes. Backticks that are closed in the same line, as in "```x``` is code", open no
/// block.
fn opens_fence(line: &str) -> bool {
    let Some(mark @ ('`' | '~')) = seen(line).next() else {
        return false;
    };
    let length = seen(line).take_while(|c| *c == mark).count();
    let is_open = || {
        let line = line.split(ends_line).next().unwrap_or_default();
        let mut rest = seen(line).skip_while(|c| *c == mark);
        rest.all(|c| c != '`') || line.matches("```").count() % 2 == 1
    };
    length > 2 && (mark == '~' || is_open())
}

/// The end of the code block that begins here, if every reader agrees on it: its fence is at the very beginning of a
/// line, and the next fence of its kind has the same length and is alone in its line. Neither line may contain a
/// carriage return, which ends a line for some readers, and no tab may follow a fence: some take it for text.
fn end_of_code(text: &str, at: usize) -> Option<usize> {
    let (before, from) = text.split_at_checked(at)?;
    let (mark, fence) = FENCES.iter().find(|(_, fence)| from.starts_with(fence))?;
    let length = |text: &str| text.len() - text.trim_start_matches(*mark).len();
    let line = |text: &str| text.find('\n').unwrap_or(text.len());
    let opener = from.get(..line(from))?;
    let info = opener.get(length(opener)..)?;
    let is_plain = before.is_empty() || before.ends_with('\n');
    if !is_plain || info.contains(if *mark == '`' { "`" } else { fence }) {
        return None;
    }
    let inside = from.get(opener.len()..)?;
    let (content, closer) = inside.split_at_checked(inside.find(fence)?)?;
    let indentation = content.rsplit('\n').next()?;
    let closer = closer.get(..line(closer))?;
    let behind = closer.get(length(closer)..)?;
    let behind = behind.strip_suffix('\r').unwrap_or(behind);
    let is_closer = length(closer) == length(opener)
        && indentation.len() < 4
        && indentation.bytes().all(|byte| byte == b' ')
        && behind.bytes().all(|byte| byte == b' ');
    is_closer.then_some(at + opener.len() + content.len() + closer.len())
}

/// A comment, a processing instruction, a declaration, or a tag that opens a block: one of [`BLOCK_TAGS`], or one alone
/// in its line.
fn opens_html(line: &str) -> bool {
    let Some((begin, '<')) = seen_with_end(line).next() else {
        return false;
    };
    let rest = line.get(begin..).unwrap_or_default();
    let rest = rest.split(ends_line).next().unwrap_or_default();
    let rest = rest.trim_start_matches('\\');
    if rest.starts_with('?') {
        return true;
    }
    if let Some(rest) = rest.strip_prefix('!') {
        return rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '-' | '['));
    }
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let behind = rest.trim_start_matches(is_in_name);
    let name = rest.strip_suffix(behind).unwrap_or_default();
    let ends = behind.is_empty() || behind.starts_with(|c: char| c.is_whitespace() || c == '>');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !(ends || behind.starts_with('/')) {
        return false;
    }
    let is_alone = || {
        let end = behind.trim_end();
        // An attribute's value may contain `>`.
        end.ends_with('>') && (end.find('>') == Some(end.len() - 1) || end.contains(['"', '\'']))
    };
    BLOCK_TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name)) || is_alone()
}

/// `[name]: address`; the name may continue in the next lines.
fn defines_link(line: &str) -> bool {
    let Some((begin, '[')) = seen_with_end(line).next() else {
        return false;
    };
    let rest = line.get(begin..).unwrap_or_default();
    let rest = rest.split(ends_line).next().unwrap_or_default();
    rest.contains("]:") || !rest.contains(']')
}

/// Dashes, bars and colons: the delimiter line of a table, whose header would be the head of a message.
fn is_below_table_head(line: &str) -> bool {
    let is_such = |c| matches!(c, '-' | '|' | ':' | ' ');
    let is_plain = line_of(line).all(|c| c.is_ascii());
    is_plain && seen(line).all(is_such) && seen(line).any(|c| c == '-')
}
