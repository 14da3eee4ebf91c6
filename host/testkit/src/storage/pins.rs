//! What is pinned in a channel.

use std::collections::BTreeMap;

use myao_plugin::storage::effects::PinnedBy;
use myao_plugin::ts::TsKey;

/// What pins a message, each for itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Platform,
    /// The emoji of a person.
    Emoji(String),
    Operator,
}

/// The newest change.
#[derive(Debug, Clone)]
struct Change {
    at: TsKey,
    is_pinned: bool,
    /// Empty if not known.
    user_id: String,
}

/// The pins of a channel.
#[derive(Debug, Clone, Default)]
pub(super) struct Pins(BTreeMap<(TsKey, Source), Change>);

impl Pins {
    pub(super) fn change(&mut self, ts: TsKey, by: PinnedBy, is_pinned: bool, at: TsKey) {
        let (source, user_id) = match by {
            PinnedBy::Platform { user_id } => (Source::Platform, user_id),
            PinnedBy::Emoji { user_id, .. } => (Source::Emoji(user_id.clone()), user_id),
            PinnedBy::Operator => (Source::Operator, String::new()),
        };
        let new = Change {
            at,
            is_pinned,
            user_id,
        };
        let known = self.0.entry((ts, source)).or_insert_with(|| new.clone());
        let is_lesser = (new.is_pinned, &new.user_id) < (known.is_pinned, &known.user_id);
        if new.at > known.at || (new.at == known.at && is_lesser) {
            *known = new;
        }
    }

    /// Whether a message was pinned at a time by somebody who counts.
    pub(super) fn has(&self, ts: TsKey, until: TsKey, counts: impl Fn(&str) -> bool) -> bool {
        let mut of_message = self.0.iter().filter(|((of, _), _)| *of == ts);
        of_message.any(|((_, source), change)| {
            let is_on = change.is_pinned && change.at <= until;
            is_on && (*source == Source::Operator || counts(&change.user_id))
        })
    }

    /// What is pinned on the platform, in the order of messages: the platform's pin, then emojis by person.
    /// With it comes when each was pinned.
    pub(super) fn on_platform(&self) -> impl Iterator<Item = (TsKey, Option<String>, TsKey)> {
        let pinned = self.0.iter().filter(|(_, change)| change.is_pinned);
        pinned.filter_map(|((ts, source), change)| match source {
            Source::Platform => Some((*ts, None, change.at)),
            Source::Emoji(user_id) => Some((*ts, Some(user_id.clone()), change.at)),
            Source::Operator => None,
        })
    }
}
