//! Splits a text into words, people to notify, and links.

use crate::mentions::{NotifyList, Person, bare, is_id, may_precede};

use super::link::{MAX_URL_CHARS, is_linkable};

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Words, not yet escaped.
    Words(&'t str),
    /// Words in place of an entity that is not allowed; not yet escaped.
    Neutral(String),
    /// A person to notify.
    Person {
        /// Slack's id.
        id: &'t str,
        /// The name.
        name: &'t str,
    },
    /// A link with a scheme that [`is_linkable`] allows.
    Link {
        /// The address.
        url: &'t str,
        /// The text that is shown for it.
        label: Option<&'t str>,
    },
}

/// The pieces of a text, in order. The time is linear in the length of the text.
pub(super) fn pieces<'t>(text: &'t str, people: &NotifyList<'t>) -> Vec<Piece<'t>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut words = 0; // the length of the words at the beginning of `rest`
    while let Some(at) = rest
        .get(words..)
        .and_then(|unread| unread.find(['<', '@', 'h', 'H']))
        .map(|offset| words + offset)
    {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let Some((piece, after)) = piece(from, preceding(text, rest, before), people) else {
            words = at + 1;
            continue;
        };
        if !before.is_empty() {
            found.push(Piece::Words(before));
        }
        found.push(piece);
        rest = after;
        words = 0;
    }
    if !rest.is_empty() {
        found.push(Piece::Words(rest));
    }
    found
}

/// The text as people read it; nothing in it notifies or links.
pub(super) fn readable(text: &str, people: &NotifyList<'_>) -> String {
    let words = |piece| match piece {
        Piece::Words(words) => words.to_owned(),
        Piece::Neutral(words) => words,
        Piece::Person { name, .. } => format!("@{name}"),
        Piece::Link { url, label } => label.unwrap_or(url).to_owned(),
    };
    pieces(text, people).into_iter().map(words).collect()
}

/// The character before the piece that follows `before`, which begins `rest`, the end of `text`.
fn preceding(text: &str, rest: &str, before: &str) -> Option<char> {
    let read = text.len() - rest.len();
    let earlier = || text.get(..read)?.chars().next_back();
    before.chars().next_back().or_else(earlier)
}

/// The piece at the beginning of `from`, if it is not words, and the rest.
fn piece<'t>(
    from: &'t str,
    before: Option<char>,
    people: &NotifyList<'t>,
) -> Option<(Piece<'t>, &'t str)> {
    if let Some(body) = from.strip_prefix('<') {
        let (inner, after) = body.split_at_checked(body.find(['<', '>', '\n'])?)?;
        return Some((entity(inner, people)?, after.strip_prefix('>')?));
    }
    if let Some(after) = from.strip_prefix('@') {
        let (id, name) = people.named(after).filter(|_| may_precede(before))?;
        return Some((Piece::Person { id, name }, after.strip_prefix(name)?));
    }
    let (url, after) = address(from, before)?;
    Some((Piece::Link { url, label: None }, after))
}

/// The piece for the inside of `<…>`; `None` if it is not an entity of Slack's.
fn entity<'t>(inner: &'t str, people: &NotifyList<'t>) -> Option<Piece<'t>> {
    let (target, label) = match inner.split_once('|') {
        Some((target, label)) => (target, Some(label).filter(|label| !label.trim().is_empty())),
        None => (inner, None),
    };
    if let Some(id) = target.strip_prefix('@').filter(|id| is_id(id)) {
        return Some(match people.with_id(id) {
            Some(Person { id, name }) => Piece::Person {
                id,
                name: bare(name),
            },
            None => neutral('@', label.unwrap_or(id)),
        });
    }
    if let Some(id) = target.strip_prefix('#').filter(|id| is_id(id)) {
        return Some(neutral('#', label.unwrap_or(id)));
    }
    if let Some(command) = target.strip_prefix('!') {
        return command_words(command, label);
    }
    is_linkable(target).then_some(Piece::Link { url: target, label })
}

fn command_words<'t>(command: &str, label: Option<&str>) -> Option<Piece<'t>> {
    let name = command.split('^').next().unwrap_or(command);
    let known = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if known(&["channel", "here", "everyone", "group"]) {
        return Some(neutral('@', name));
    }
    if known(&["subteam"]) {
        return Some(neutral('@', label.unwrap_or("group")));
    }
    label.map(|label| Piece::Neutral(label.to_owned()))
}

fn neutral<'t>(sign: char, name: &str) -> Piece<'t> {
    Piece::Neutral(format!("{sign}{}", name.trim().trim_start_matches(sign)))
}

/// The address at the beginning of `from`, without final marks that probably belong to the sentence, and the rest.
/// It ends before the first character that is not ASCII: Japanese follows without a space.
fn address(from: &str, before: Option<char>) -> Option<(&str, &str)> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| {
        from.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })?;
    if before.is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let in_address = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b);
    let beginning = from.bytes().take(MAX_URL_CHARS + 1);
    let mut url = from.get(..beginning.take_while(|b| in_address(*b)).count())?;
    if url.len() > MAX_URL_CHARS {
        return None;
    }
    while let Some(shorter) = without_last_mark(url) {
        url = shorter;
    }
    let host = url.get(scheme.len()..)?;
    host.starts_with(|c: char| c.is_ascii_alphanumeric())
        .then_some((url, from.strip_prefix(url)?))
}

/// The address without its last character, if that is a mark that does not belong to it.
fn without_last_mark(url: &str) -> Option<&str> {
    let shorter = url.strip_suffix(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~']);
    let closing = |open: char, close: char| {
        let count = |of: char| url.bytes().filter(|b| char::from(*b) == of).count();
        url.strip_suffix(close)
            .filter(|_| count(close) > count(open))
    };
    shorter
        .or_else(|| closing('(', ')'))
        .or_else(|| closing('[', ']'))
}
