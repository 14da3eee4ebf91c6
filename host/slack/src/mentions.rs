//! Whom a text may notify.
//!
//! The bot's text comes from a model, which has read what anybody wrote. So it notifies only the people whom the caller
//! names. A post notifies through entities only (`<@U1>`, `<!channel>`, `<!subteam^S1>`;
//! <https://docs.slack.dev/messaging/formatting-message-text>): [`crate::markdown`] writes `<@ID>` for those people, and
//! every other entity as words. The plain words `@channel` and `@here` stay: they notify nobody in a message that is
//! posted with `parse` `none` and without `link_names`, nor in a block whose text is `verbatim`.
//!
//! A text names a person by an entity with the id, or by `@` and the exact name. The name must end there: `@akari` is not
//! in `@akariko`, and `@田中` is not in `@田中太郎`. Japanese has no space after a name, so an honorific or a particle may
//! follow. In doubt nobody is notified.

use crate::script::is_cjk;

/// Endings that may follow a Japanese name: honorifics, then particles.
const AFTER_NAME: [&str; 28] = [
    "さん",
    "さま",
    "ちゃん",
    "くん",
    "様",
    "君",
    "氏",
    "先生",
    "先輩",
    "殿",
    "は",
    "が",
    "を",
    "に",
    "へ",
    "と",
    "も",
    "の",
    "で",
    "や",
    "か",
    "ね",
    "よ",
    "って",
    "だ",
    "まで",
    "より",
    "なら",
];

/// A person whom a text may notify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Slack's id: `U` or `W`, and letters and digits.
    pub id: String,
    /// The name that people are shown, without `@`.
    pub name: String,
}

/// The people whom a text may notify, by id and by name.
#[derive(Debug)]
pub(crate) struct NotifyList<'p> {
    people: Vec<&'p Person>,
    /// Names and ids, the longest name first, without names that two people share.
    by_name: Vec<(&'p str, &'p str)>,
}

impl<'p> NotifyList<'p> {
    pub(crate) fn new(people: &'p [Person]) -> Self {
        let people: Vec<_> = people.iter().filter(|person| is_id(&person.id)).collect();
        let mut by_name: Vec<_> = people
            .iter()
            .map(|person| (bare(&person.name), person.id.as_str()))
            .filter(|(name, _)| !name.is_empty())
            .collect();
        by_name.sort_unstable_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.cmp(b)));
        by_name.dedup();
        let shared = |name: &str| by_name.iter().filter(|entry| entry.0 == name).count() > 1;
        let by_name = by_name
            .iter()
            .copied()
            .filter(|(name, _)| !shared(name))
            .collect();
        Self { people, by_name }
    }

    /// The person with an id.
    pub(crate) fn with_id(&self, id: &str) -> Option<&'p Person> {
        self.people.iter().copied().find(|person| person.id == id)
    }

    /// The id and the name of the person whose name begins `text`, which follows an `@`.
    pub(crate) fn named(&self, text: &str) -> Option<(&'p str, &'p str)> {
        self.by_name.iter().copied().find_map(|(name, id)| {
            let after = text.strip_prefix(name)?;
            ends(name, after).then_some((id, name))
        })
    }
}

/// Returns true if a mention may begin after a character: `a@akari` is an address, and `example.com/@akari` a path.
pub(crate) fn may_precede(before: Option<char>) -> bool {
    before.is_none_or(|c| !c.is_ascii_alphanumeric() && !"._%+-/@".contains(c))
}

/// Returns true if a text has the form of Slack's ids.
pub(crate) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// The name without an `@` before it.
pub(crate) fn bare(name: &str) -> &str {
    name.trim().trim_start_matches('@')
}

/// Returns true if a name ends where `after` begins.
fn ends(name: &str, after: &str) -> bool {
    let mut following = after.chars();
    let Some(next) = following.next() else {
        return true;
    };
    if next == '@' || is_combining(next) {
        return false;
    }
    if ".-_".contains(next) {
        return !following.next().is_some_and(char::is_alphanumeric);
    }
    if !next.is_alphanumeric() {
        return true;
    }
    let name_is_cjk = name.chars().next_back().is_some_and(is_cjk);
    is_cjk(next) && (!name_is_cjk || AFTER_NAME.iter().any(|word| after.starts_with(word)))
}

/// Returns true if a character changes the letter before it.
fn is_combining(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}' | '\u{fe0f}' | '\u{200d}'
    )
}

#[cfg(test)]
mod tests;
