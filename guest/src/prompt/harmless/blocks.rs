//! What would open a block that swallows what follows, by CommonMark's rules (<https://spec.commonmark.org/0.31.2/>): fences, HTML,
//! definitions of links, and tables that take the line above for their head.
//!
//! A block is told by looking at single lines, and rather too often than not. One thing alone needs more: a fence is left as it is if its
//! block is plainly closed, and what stands in it is code.

use super::appearance::{
    at_any_depth, ends_line, is_override, line_of, looks_like_structure, seen, seen_with_end,
};

/// What opens and closes a block of code, and how long it is at least.
const FENCES: [(char, &str); 2] = [('`', "```"), ('~', "~~~")];
/// Tags that open a block of HTML with whatever follows in the line; others do where they stand alone in it.
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

/// The lines of a text, and whether each is shown with a backslash.
///
/// A backslash that stands before a line already makes no difference: of the text that is shown, the same lines are marked.
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

/// Whether a line may be marked; what follows the line in the text makes no difference.
pub(super) fn may_be_marked(text: &str, is_first: bool) -> bool {
    looks_like_structure(text)
        || opens_block(text)
        || at_any_depth(text, defines_link)
        || is_first && is_below_table_head(text)
}

/// Whether a line is shown with a backslash wherever it stands, in code too.
pub(super) fn is_structure(line: &str) -> bool {
    looks_like_structure(line) || line.contains(is_override)
}

/// Lines with their breaks, and where they begin.
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

/// Three or more backticks or tildes. Backticks that are closed in the line, as in "```x``` is code", open nothing.
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

/// Where the block of code ends that begins here, if every reader sees that it does: its fence stands at the very head of
/// a line, and the next of its kind is as long and stands alone in a line. A carriage return alone ends a line for some readers, so that it
/// may stand in neither.
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
        && behind.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    is_closer.then_some(at + opener.len() + content.len() + closer.len())
}

/// A comment, an instruction, a declaration, or a tag that opens a block: one of [`BLOCK_TAGS`], or one alone in its line.
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
        // A value of an attribute may hold what ends a tag elsewhere.
        end.ends_with('>') && (end.find('>') == Some(end.len() - 1) || end.contains(['"', '\'']))
    };
    BLOCK_TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name)) || is_alone()
}

/// `[name]: address`, the name of which may go on in the next lines.
fn defines_link(line: &str) -> bool {
    let Some((begin, '[')) = seen_with_end(line).next() else {
        return false;
    };
    let rest = line.get(begin..).unwrap_or_default();
    let rest = rest.split(ends_line).next().unwrap_or_default();
    rest.contains("]:") || !rest.contains(']')
}

/// Dashes, bars and colons: the line of a table below its head, which here would be the head of a message.
fn is_below_table_head(line: &str) -> bool {
    let is_such = |c| matches!(c, '-' | '|' | ':' | ' ');
    let is_plain = line_of(line).all(|c| c.is_ascii());
    is_plain && seen(line).all(is_such) && seen(line).any(|c| c == '-')
}
