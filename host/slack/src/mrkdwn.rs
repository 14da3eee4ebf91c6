//! Slack's mrkdwn as readable text.
//!
//! Slack writes mentions, links and dates as `<…>` and escapes `&`, `<` and `>` everywhere else
//! (<https://docs.slack.dev/messaging/formatting-message-text>), in code as well. One pass from left to right replaces
//! both; its output is never read again, so that an escaped entity stays text. Formatting marks (`*bold*`, `_italic_`)
//! stay.

use std::borrow::Cow;

use chrono::DateTime;

/// For a user whose name is not known: an id says nothing to a reader.
const UNKNOWN_USER: &str = "@unknown user";
/// For a channel whose name is not known.
const UNKNOWN_CHANNEL: &str = "#unknown channel";
/// For a user group whose name is not known.
pub(crate) const UNKNOWN_GROUP: &str = "@unknown group";

/// Schemes of links without `//`; they are not shown.
const BARE_SCHEMES: [&str; 3] = ["mailto:", "tel:", "sms:"];

/// The names of the ids in mentions. An empty name counts as unknown.
pub trait Names {
    /// The name of a user, without `@`.
    fn user(&self, id: &str) -> Option<&str>;
    /// The name of a channel, without `#`.
    fn channel(&self, id: &str) -> Option<&str>;
}

/// The text as a person reads it in Slack. Entities that are cut off, or are not Slack's, stay as they are. The time is
/// linear in the length of the text.
#[must_use]
pub fn readable<'t>(text: &'t str, names: &dyn Names) -> Cow<'t, str> {
    replace(text, Some(names))
}

/// The text with `&amp;`, `&lt;` and `&gt;` decoded once: for names and titles, which have no entities.
#[must_use]
pub fn unescaped(text: &str) -> Cow<'_, str> {
    replace(text, None)
}

/// The mention of a user: `@` and the name; `label` is the name in the text itself.
pub(crate) fn user_mention(id: &str, label: Option<&str>, names: &dyn Names) -> String {
    mention('@', names.user(id), label.filter(|label| *label != id))
        .unwrap_or_else(|| UNKNOWN_USER.to_owned())
}

/// The mention of a channel: `#` and the name; `label` is the name in the text itself.
pub(crate) fn channel_mention(id: &str, label: Option<&str>, names: &dyn Names) -> String {
    mention('#', names.channel(id), label.filter(|label| *label != id))
        .unwrap_or_else(|| UNKNOWN_CHANNEL.to_owned())
}

/// A link: the label and then the address, or the address alone if the label is the same.
pub(crate) fn link(url: &str, label: Option<&str>) -> String {
    let bare = BARE_SCHEMES
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let url = bare.unwrap_or(url);
    match label {
        Some(label) if !label.trim().is_empty() && address(label) != address(url) => {
            format!("{label} ({url})")
        }
        _ => url.to_owned(),
    }
}

fn replace<'t>(text: &'t str, names: Option<&dyn Names>) -> Cow<'t, str> {
    let special = |c: char| c == '&' || (c == '<' && names.is_some());
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, from)) = rest.find(special).and_then(|at| rest.split_at_checked(at)) {
        out.push_str(plain);
        rest = match (from.strip_prefix('<'), names) {
            (Some(body), Some(names)) => entity(body, names, &mut out),
            _ => escape(from, &mut out),
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Writes the character that `from`, which begins with `&`, stands for; returns the rest.
fn escape<'t>(from: &'t str, out: &mut String) -> &'t str {
    for (escaped, character) in [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>')] {
        if let Some(after) = from.strip_prefix(escaped) {
            out.push(character);
            return after;
        }
    }
    out.push('&');
    from.strip_prefix('&').unwrap_or(from)
}

/// Writes the entity whose text after `<` begins `body`; returns what follows it. The search stops at the next `<`, so
/// that the time stays linear.
fn entity<'t>(body: &'t str, names: &dyn Names, out: &mut String) -> &'t str {
    let parts = body
        .find(['<', '>'])
        .and_then(|end| body.split_at_checked(end));
    if let Some((inner, after)) = parts
        && let Some(after) = after.strip_prefix('>')
        && let Some(text) = entity_text(inner, names)
    {
        out.push_str(&text);
        return after;
    }
    out.push('<');
    body
}

/// The readable text for the inside of `<…>`; `None` if it is not an entity.
fn entity_text(inner: &str, names: &dyn Names) -> Option<String> {
    let (target, label) = match inner.split_once('|') {
        Some((target, label)) => (
            target,
            Some(unescaped(label)).filter(|label| !label.trim().is_empty()),
        ),
        None => (inner, None),
    };
    let label = label.as_deref();
    if let Some(id) = target.strip_prefix('@') {
        return is_id(id).then(|| user_mention(id, label, names));
    }
    if let Some(id) = target.strip_prefix('#') {
        return is_id(id).then(|| channel_mention(id, label, names));
    }
    if let Some(command) = target.strip_prefix('!') {
        return command_text(command, label);
    }
    is_link(target).then(|| link(&unescaped(target), label))
}

fn command_text(command: &str, label: Option<&str>) -> Option<String> {
    if ["here", "channel", "everyone", "group"].contains(&command) {
        return Some(format!("@{command}"));
    }
    if let Some(id) = command.strip_prefix("subteam^") {
        let label = label.filter(|label| *label != id);
        return Some(mention('@', None, label).unwrap_or_else(|| UNKNOWN_GROUP.to_owned()));
    }
    if let Some(label) = label {
        return Some(label.to_owned());
    }
    let seconds = command
        .strip_prefix("date^")?
        .split('^')
        .next()?
        .parse()
        .ok()?;
    let time = DateTime::from_timestamp(seconds, 0)?;
    Some(time.format("%Y-%m-%d %H:%M UTC").to_string())
}

fn mention(sign: char, name: Option<&str>, label: Option<&str>) -> Option<String> {
    let name = [name, label]
        .into_iter()
        .flatten()
        .map(|name| name.trim_start_matches(sign))
        .find(|name| !name.is_empty())?;
    Some(format!("{sign}{name}"))
}

fn is_id(id: &str) -> bool {
    !id.is_empty()
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn is_link(target: &str) -> bool {
    let scheme = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    let after = match target.split_once("://") {
        Some((name, after)) if !name.is_empty() && scheme(name) => Some(after),
        _ => BARE_SCHEMES
            .iter()
            .find_map(|scheme| target.strip_prefix(scheme)),
    };
    after.is_some_and(|after| !after.is_empty() && !after.contains(char::is_whitespace))
}

/// An address without scheme and final slash, for comparison.
fn address(url: &str) -> &str {
    let url = url.trim();
    let url = url.split_once("://").map_or(url, |(_, after)| after);
    url.strip_suffix('/').unwrap_or(url)
}

#[cfg(test)]
mod tests;
