//! Finds the channel that an argument names.

use myao_plugin::state::view::View;
use myao_plugin::storage::Channel;

use super::app::Explained as _;

/// The channel that is seen with this id, or else with this name, with or without `#`.
pub(super) async fn find_channel(view: &dyn View, id_or_name: &str) -> anyhow::Result<Channel> {
    let channels = view.channels().await.explained()?;
    Ok(find(channels, id_or_name)?)
}

/// Why a name does not identify one channel.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FindChannelError {
    /// No channel has that id or name.
    #[error("no channel `{wanted}`{}", similar(.near))]
    NotFound {
        /// What was looked for.
        wanted: String,
        /// Channels with a similar name, the most similar first.
        near: Vec<Channel>,
    },
    /// Several channels have that name.
    #[error("several channels are named `{wanted}`: give one of the ids {}", ids(.candidates))]
    Ambiguous {
        /// What was looked for.
        wanted: String,
        /// The channels, in order of their ids.
        candidates: Vec<Channel>,
    },
}

/// How many similar names to offer.
const NEAR: usize = 3;

/// The least similarity that counts, between 0 and 1.
const SIMILAR: f32 = 0.5;

fn find(channels: Vec<Channel>, wanted: &str) -> Result<Channel, FindChannelError> {
    let wanted = wanted.strip_prefix('#').unwrap_or(wanted);
    if let Some(channel) = channels.iter().find(|channel| channel.id == wanted) {
        return Ok(channel.clone());
    }
    // Channels are ordered by name and then by id, so these are in order of id.
    let mut candidates: Vec<Channel> = channels
        .iter()
        .filter(|channel| channel.name == wanted)
        .cloned()
        .collect();
    match (candidates.len(), candidates.pop()) {
        (1, Some(channel)) => Ok(channel),
        (_, Some(last)) => {
            candidates.push(last);
            Err(FindChannelError::Ambiguous {
                wanted: wanted.to_owned(),
                candidates,
            })
        }
        (_, None) => Err(FindChannelError::NotFound {
            wanted: wanted.to_owned(),
            near: near(channels, wanted),
        }),
    }
}

fn near(channels: Vec<Channel>, name: &str) -> Vec<Channel> {
    let name = name.to_lowercase();
    let likeness = |channel: &Channel| {
        let other = channel.name.to_lowercase();
        similar::TextDiff::from_chars(name.as_str(), other.as_str()).ratio()
    };
    let mut near: Vec<(f32, Channel)> = channels
        .into_iter()
        .map(|channel| (likeness(&channel), channel))
        .filter(|(likeness, _)| *likeness >= SIMILAR)
        .collect();
    // The sort is stable: equally similar names stay in alphabetical order.
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.into_iter()
        .take(NEAR)
        .map(|(_, channel)| channel)
        .collect()
}

fn similar(near: &[Channel]) -> String {
    if near.is_empty() {
        return ": `myao import` adds channels".to_owned();
    }
    let names: Vec<String> = near
        .iter()
        .map(|channel| format!("`{}` ({})", channel.name, channel.id))
        .collect();
    format!(": did you mean {}?", names.join(" or "))
}

fn ids(candidates: &[Channel]) -> String {
    let ids: Vec<String> = candidates
        .iter()
        .map(|channel| format!("`{}`", channel.id))
        .collect();
    ids.join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use myao_plugin::storage::Channel;

    use super::{FindChannelError, find};

    #[test]
    fn channel_is_found_by_id_or_name() {
        let channels = [
            ("C4", "C4"),
            ("C1", "general"),
            ("C2", "random"),
            ("C3", "random"),
        ];
        let find = |wanted: &str| {
            let channel = |(id, name): (&str, &str)| Channel {
                id: id.to_owned(),
                name: name.to_owned(),
                is_private: false,
            };
            find(channels.map(channel).to_vec(), wanted)
        };
        for wanted in ["C1", "general", "#general"] {
            assert_eq!(find(wanted).unwrap().id, "C1");
        }
        let ambiguous = find("random").unwrap_err();
        assert_eq!(
            ambiguous.to_string(),
            "several channels are named `random`: give one of the ids `C2`, `C3`"
        );
        let missing = find("genral").unwrap_err();
        assert!(matches!(missing, FindChannelError::NotFound { .. }));
        assert_eq!(
            missing.to_string(),
            "no channel `genral`: did you mean `general` (C1)?"
        );
    }
}
