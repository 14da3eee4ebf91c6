//! Finds the channel or the person that an argument names.

use myao_plugin::state::forgetting::Forgetting;
use myao_plugin::state::view::View;
use myao_plugin::storage::Channel;
use myao_plugin::storage::records::UserRecord;

use super::app::Explained as _;

/// The channel that is seen with this id, or else with this name, whatever its case, with or without `#`.
pub(super) async fn find_channel(view: &dyn View, id_or_name: &str) -> anyhow::Result<Channel> {
    let channels = view.channels().await.explained()?;
    let wanted = id_or_name.strip_prefix('#').unwrap_or(id_or_name);
    Ok(find("channel", channels, wanted)?)
}

/// The same among all channels, those too that the bot is not in any more.
pub(super) async fn find_any_channel(
    workspace: &(impl Forgetting + ?Sized),
    id_or_name: &str,
) -> anyhow::Result<Channel> {
    let channels = workspace.all_channels().await.explained()?;
    let wanted = id_or_name.strip_prefix('#').unwrap_or(id_or_name);
    Ok(find("channel", channels, wanted)?)
}

/// The person or program with this id, or else with this name, whatever its case, with or without `@`.
pub(super) async fn find_user(
    users: &(impl Forgetting + ?Sized),
    id_or_name: &str,
) -> anyhow::Result<UserRecord> {
    let users = users.users().await.explained()?;
    let wanted = id_or_name.strip_prefix('@').unwrap_or(id_or_name);
    Ok(find("user", users, wanted)?)
}

/// A record with an id and a name.
trait Named: Clone {
    fn id(&self) -> &str;
    fn name(&self) -> &str;
}

impl Named for Channel {
    fn id(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for UserRecord {
    fn id(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// Why a name does not identify one channel or user.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FindError {
    /// None has that id or name.
    #[error("no {what} `{wanted}`{}", similar(what, .near))]
    NotFound {
        /// A channel or a user.
        what: &'static str,
        /// The name or id that was given.
        wanted: String,
        /// Names and ids of similar ones, the most similar first.
        near: Vec<(String, String)>,
    },
    /// Several have that name.
    #[error("several {what}s are named `{wanted}`: give one of the ids {}", .ids.join(", "))]
    Ambiguous {
        /// A channel or a user.
        what: &'static str,
        /// The name or id that was given.
        wanted: String,
        /// Their ids in backquotes, in order.
        ids: Vec<String>,
    },
}

/// How many similar names to offer.
const NEAR: usize = 3;

/// The least similarity that counts, between 0 and 1.
const SIMILAR: f32 = 0.5;

fn find<T: Named>(what: &'static str, all: Vec<T>, wanted: &str) -> Result<T, FindError> {
    if let Some(found) = all.iter().find(|one| one.id() == wanted) {
        return Ok(found.clone());
    }
    let mut candidates: Vec<&T> = all.iter().filter(|one| one.name() == wanted).collect();
    if candidates.is_empty() {
        let wanted = wanted.to_lowercase();
        let named = all.iter().filter(|one| one.name().to_lowercase() == wanted);
        candidates = named.collect();
    }
    match candidates.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(FindError::NotFound {
            what,
            wanted: wanted.to_owned(),
            near: near(&all, wanted),
        }),
        several => {
            let mut ids: Vec<String> = several
                .iter()
                .map(|one| format!("`{}`", one.id()))
                .collect();
            ids.sort();
            Err(FindError::Ambiguous {
                what,
                wanted: wanted.to_owned(),
                ids,
            })
        }
    }
}

fn near<T: Named>(all: &[T], name: &str) -> Vec<(String, String)> {
    let name = name.to_lowercase();
    let likeness = |one: &T| {
        let other = one.name().to_lowercase();
        similar::TextDiff::from_chars(name.as_str(), other.as_str()).ratio()
    };
    let mut near: Vec<(f32, &T)> = all
        .iter()
        .map(|one| (likeness(one), one))
        .filter(|(likeness, _)| *likeness >= SIMILAR)
        .collect();
    // The sort is stable: equally similar names stay in alphabetical order.
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.into_iter()
        .take(NEAR)
        .map(|(_, one)| (one.name().to_owned(), one.id().to_owned()))
        .collect()
}

fn similar(what: &str, near: &[(String, String)]) -> String {
    if near.is_empty() {
        return format!(": `myao import` adds {what}s");
    }
    let names: Vec<String> = near
        .iter()
        .map(|(name, id)| format!("`{name}` ({id})"))
        .collect();
    format!(": did you mean {}?", names.join(" or "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use myao_plugin::storage::Channel;

    use super::{FindError, find};

    #[test]
    fn channel_is_found_by_id_or_name() {
        let channels = [
            ("C4", "C4"),
            ("C1", "general"),
            ("C2", "random"),
            ("C3", "random"),
            ("C5", "Ops"),
            ("C6", "ops"),
        ];
        let find = |wanted: &str| {
            let channel = |(id, name): (&str, &str)| Channel {
                id: id.to_owned(),
                name: name.to_owned(),
                is_private: false,
            };
            find("channel", channels.map(channel).to_vec(), wanted)
        };
        for (wanted, id) in [
            ("C1", "C1"),
            ("general", "C1"),
            ("General", "C1"),
            ("Ops", "C5"),
            ("ops", "C6"),
        ] {
            assert_eq!(find(wanted).unwrap().id, id, "{wanted}");
        }
        assert!(matches!(find("OPS"), Err(FindError::Ambiguous { .. })));
        let ambiguous = find("random").unwrap_err();
        assert_eq!(
            ambiguous.to_string(),
            "several channels are named `random`: give one of the ids `C2`, `C3`"
        );
        let missing = find("genral").unwrap_err();
        assert!(matches!(missing, FindError::NotFound { .. }));
        assert_eq!(
            missing.to_string(),
            "no channel `genral`: did you mean `general` (C1)?"
        );
    }
}
