//! The visibility from a place.

use std::collections::{BTreeSet, HashSet};

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::Place as SeenFrom;
use myao_plugin::storage::MemoryId;

use crate::place::Place;
use crate::rows;

/// The visibility from a place, as of one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Everything.
    All,
    /// Its own channels, and what is open elsewhere.
    Bound {
        /// The keys of its own channel, or of those that a person is in.
        own: BTreeSet<i64>,
        /// True if what is open elsewhere may be shown here.
        sees_open: bool,
    },
}

impl Sight {
    /// The visibility from a place now. Nothing may be seen from a channel that is not known.
    pub(crate) fn of(connection: &Connection, place: &Place) -> Result<Self> {
        let bound = |own, sees_open| Self::Bound { own, sees_open };
        let nothing = BTreeSet::new;
        match &place.seen_from {
            SeenFrom::Operator => Ok(Self::All),
            SeenFrom::Workspace => Ok(bound(nothing(), true)),
            SeenFrom::Schedule => Ok(bound(nothing(), false)),
            SeenFrom::Person(id) => {
                let standing = "SELECT is_guest = 0, closed_at > 0 AND closed_at >= guest_at FROM users \
                    WHERE workspace = ?1 AND id = ?2";
                let standing: Option<(Option<bool>, bool)> = connection
                    .query_row(standing, params![place.workspace, id], |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })
                    .optional()?;
                let (is_full_member, is_closed) = standing.unwrap_or_default();
                if is_closed {
                    return Ok(bound(nothing(), false));
                }
                let own: Vec<i64> = rows::list(
                    connection,
                    include_str!("visibility/sql/channels_of_person.sql"),
                    params![place.workspace, id],
                    |row| row.get(0),
                )?;
                Ok(bound(
                    own.into_iter().collect(),
                    is_full_member.unwrap_or(false),
                ))
            }
            SeenFrom::Channel(id) => {
                // Of deletions in a private channel that it left the bot does not hear.
                let audience = "SELECT a.channel, a.sees_open FROM channel_audience AS a JOIN channels AS c ON c.key = a.channel \
                    WHERE a.workspace = ?1 AND a.id = ?2 AND (c.is_private = 0 OR c.is_behind = 0)";
                let found = connection
                    .query_row(audience, params![place.workspace, id], |row| {
                        Ok(bound(BTreeSet::from([row.get(0)?]), row.get(1)?))
                    })
                    .optional()?;
                Ok(found.unwrap_or(bound(nothing(), false)))
            }
        }
    }

    /// Its own channels' keys as a JSON array, or `None` if everything may be seen; and whether what is open elsewhere
    /// may be seen.
    pub(crate) fn columns(&self) -> (Option<String>, bool) {
        match self {
            Self::All => (None, true),
            Self::Bound { own, sees_open } => (Some(json_array(own)), *sees_open),
        }
    }

    /// Returns true if open messages may be seen.
    pub(crate) fn sees_open(&self) -> bool {
        matches!(
            self,
            Self::All
                | Self::Bound {
                    sees_open: true,
                    ..
                }
        )
    }

    /// Returns true if what was said in all these channels may be seen.
    pub(crate) fn sees_channels(
        &self,
        connection: &Connection,
        place: &Place,
        channels: &BTreeSet<i64>,
    ) -> Result<bool> {
        let (own, sees_open) = self.columns();
        let sql = "SELECT COUNT(*) FROM channel_audience \
            WHERE workspace = ?1 AND channel IN (SELECT value FROM integers(?2)) \
            AND (?3 IS NULL OR channel IN (SELECT value FROM integers(?3)) OR (?4 = 1 AND is_open = 1))";
        let columns = params![place.workspace, json_array(channels), own, sees_open];
        let seen: usize = connection.query_row(sql, columns, |row| row.get(0))?;
        Ok(seen == channels.len())
    }

    /// Keeps what may be seen. `origins` gives a text's set of channels; `None` if it is not known.
    pub(crate) fn retain<T>(
        &self,
        connection: &Connection,
        texts: &mut Vec<T>,
        origins: impl Fn(&T) -> Option<i64>,
    ) -> Result<()> {
        if *self == Self::All {
            return Ok(());
        }
        let sets: BTreeSet<i64> = texts.iter().filter_map(&origins).collect();
        let hidden = self.hidden(connection, &sets)?;
        texts.retain(|text| origins(text).is_some_and(|set| !hidden.contains(&set)));
        Ok(())
    }

    /// Returns true if all these memories may be seen.
    pub(crate) fn covers(
        &self,
        connection: &Connection,
        place: &Place,
        memories: &BTreeSet<MemoryId>,
    ) -> Result<bool> {
        if *self == Self::All || memories.is_empty() {
            return Ok(true);
        }
        let columns = params![place.workspace, json_ids(memories)];
        let sets: Vec<Option<i64>> = rows::list(
            connection,
            include_str!("visibility/sql/handed_origins.sql"),
            columns,
            |row| row.get(0),
        )?;
        let Some(sets) = sets.into_iter().collect::<Option<BTreeSet<i64>>>() else {
            return Ok(false);
        };
        Ok(self.hidden(connection, &sets)?.is_empty())
    }

    /// Which of these sets contain a channel that may not be seen.
    fn hidden(&self, connection: &Connection, sets: &BTreeSet<i64>) -> Result<HashSet<i64>> {
        let (Some(own), sees_open) = self.columns() else {
            return Ok(HashSet::new());
        };
        if sets.is_empty() {
            return Ok(HashSet::new());
        }
        let columns = params![json_array(sets), own, sees_open];
        let sql = include_str!("visibility/sql/hidden_origins.sql");
        let found = rows::list(connection, sql, columns, |row| row.get(0))?;
        Ok(found.into_iter().collect())
    }
}

/// The channels, other than the place's own, whose talk may be shown.
fn open_channels(connection: &Connection, place: &Place, sees_open: bool) -> Result<HashSet<i64>> {
    let open =
        "SELECT channel FROM channel_audience WHERE workspace = ?1 AND is_open = 1 AND ?2 = 1";
    let found = rows::list(
        connection,
        open,
        params![place.workspace, sees_open],
        |row| row.get(0),
    )?;
    Ok(found.into_iter().collect())
}

/// The channels whose talk may be shown; `None` if that is all.
pub(crate) struct SeenChannels(Option<HashSet<i64>>);

impl SeenChannels {
    pub(crate) fn of(connection: &Connection, place: &Place, sight: &Sight) -> Result<Self> {
        let Sight::Bound { own, sees_open } = sight else {
            return Ok(Self(None));
        };
        let mut seen = open_channels(connection, place, *sees_open)?;
        seen.extend(own);
        Ok(Self(Some(seen)))
    }

    pub(crate) fn has(&self, channel: i64) -> bool {
        self.0.as_ref().is_none_or(|seen| seen.contains(&channel))
    }
}

/// `[1,2,3]`, for `integers` in a statement.
pub(crate) fn json_array(keys: &BTreeSet<i64>) -> String {
    let keys: Vec<String> = keys.iter().map(i64::to_string).collect();
    format!("[{}]", keys.join(","))
}

/// `[[1,2],[3,4]]`, for `tuples`.
pub(crate) fn json_tuples<const N: usize>(tuples: impl IntoIterator<Item = [i64; N]>) -> String {
    serde_json::Value::from_iter(tuples.into_iter().map(Vec::from)).to_string()
}

/// `["a","b"]`, for `texts`. PostgreSQL's texts have no NUL character, so no text is equal to one with it.
pub(crate) fn json_texts(texts: impl IntoIterator<Item = String>) -> String {
    let texts = texts.into_iter().map(|text| text.replace('\0', "\u{fffd}"));
    serde_json::Value::from_iter(texts).to_string()
}

pub(crate) fn json_ids(memories: &BTreeSet<MemoryId>) -> String {
    json_array(&memories.iter().map(|id| rows::memory_column(*id)).collect())
}
