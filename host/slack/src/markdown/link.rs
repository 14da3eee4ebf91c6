//! Escaping, and links.

use std::fmt::Write as _;

/// Longer addresses are shown as text: Slack takes up to 3,000 characters, and a post has to be split around them.
pub(super) const MAX_URL_CHARS: usize = 1_500;

/// The schemes that become links.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// The text with `&`, `<` and `>` escaped, so that Slack shows them.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out
}

/// Appends one character, escaped.
pub(super) fn push_escaped(out: &mut String, c: char) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        c => out.push(c),
    }
}

/// Returns true if an address may become a link: web and mail, nothing that runs.
pub(super) fn is_linkable(url: &str) -> bool {
    let after = |scheme: &str| {
        let start = url.get(..scheme.len())?;
        start
            .eq_ignore_ascii_case(scheme)
            .then(|| url.get(scheme.len()..))?
    };
    let rest = SCHEMES.iter().find_map(|scheme| after(scheme));
    rest.is_some_and(|rest| !rest.is_empty())
        && !url.contains(|c: char| c.is_control() || (c.is_whitespace() && c != ' '))
        && url.chars().count() <= MAX_URL_CHARS
}

/// Returns true if a label does not hide the address: it is the same, or the address is that of a message in Slack
/// and the label is not an address. A model's text comes from what anybody wrote, and a label could mislead people.
pub(super) fn is_open(url: &str, label: &str) -> bool {
    let bare = |text: &str| {
        let text = text.trim();
        let scheme = SCHEMES.iter().find(|scheme| {
            let start = text.get(..scheme.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        let rest = text.get(scheme.map_or(0, |scheme| scheme.len())..);
        rest.unwrap_or_default().trim_end_matches('/').to_owned()
    };
    bare(url) == bare(label) || is_message_of_slack(url) && !label.contains(['.', ':', '/', '．'])
}

/// `https://NAME.slack.com/archives/…`: answers link to the messages that they quote.
fn is_message_of_slack(url: &str) -> bool {
    let rest = url.strip_prefix("https://").unwrap_or_default();
    let name = rest
        .split_once(".slack.com/archives/")
        .map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

/// The entity of a link; the label is not yet escaped. The address must be [`is_linkable`].
pub(super) fn link(url: &str, label: Option<&str>) -> String {
    let mut out = String::from("<");
    for c in url.chars() {
        match c {
            '<' | '>' | '|' | ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            c => push_escaped(&mut out, c),
        }
    }
    let label = label
        .map(one_line)
        .filter(|label| !label.is_empty() && label != url);
    if let Some(label) = label {
        out.push('|');
        out.push_str(&escaped(&label));
    }
    out.push('>');
    out
}

/// A link with a label, or the label alone if the address may not become a link.
pub(crate) fn link_or_words(url: &str, label: &str) -> String {
    if is_linkable(url) {
        link(url, Some(label))
    } else {
        escaped(label)
    }
}

/// A label without characters that would end it: line breaks become spaces, and `|` its full-width form.
pub(super) fn one_line(label: &str) -> String {
    let words: Vec<_> = label.split_whitespace().collect();
    words.join(" ").replace('|', "｜")
}
