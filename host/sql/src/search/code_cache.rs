//! Codes of vectors in memory: a search reads from the database only those of channels that have changed since the one before.
//!
//! **Invariant**: the codes of a channel are used only if the state of the database that the search sees has them in that version,
//! and go with the first search that sees another one, or none.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::params;
use crate::search::codes::Codes;
use crate::session::{Connection, Result};

/// How many bytes of a workspace's codes are kept: those of two million messages.
const MOST: usize = 128 << 20;

/// Codes with their version and generation, by channel.
type Kept = HashMap<i64, ((i64, i64), Arc<Codes>)>;

/// The codes of one workspace.
#[derive(Default)]
pub(crate) struct CodeCache(Mutex<Kept>);

impl CodeCache {
    /// The codes of a generation in these channels.
    pub(crate) fn codes(
        &self,
        connection: &Connection,
        workspace: i64,
        channels: &BTreeSet<i64>,
        generation: i64,
    ) -> Result<Vec<Arc<Codes>>> {
        let sql = "SELECT key, codes_version FROM channels WHERE workspace = ?1";
        let versions = connection.query_map(sql, params![workspace], |row| {
            Ok((row.get(0)?, (row.get(1)?, generation)))
        })?;
        let versions: HashMap<i64, (i64, i64)> = versions.into_iter().collect();
        let (mut found, mut missing) = (Vec::new(), BTreeSet::new());
        self.with(|kept| {
            kept.retain(|channel, (version, _)| versions.get(channel) == Some(version));
            for channel in channels {
                match kept.get(channel) {
                    Some((_, codes)) => found.push(codes.clone()),
                    None => drop(missing.insert(*channel)),
                }
            }
        });
        if missing.is_empty() {
            return Ok(found);
        }
        let read = Codes::read(connection, &missing, generation)?;
        self.with(|kept| {
            let mut bytes: usize = kept.values().map(|(_, codes)| codes.size()).sum();
            for (channel, codes) in read {
                let codes = Arc::new(codes);
                bytes += codes.size();
                if let Some(version) = versions.get(&channel).filter(|_| bytes <= MOST) {
                    kept.insert(channel, (*version, codes.clone()));
                }
                found.push(codes);
            }
        });
        Ok(found)
    }

    fn with(&self, work: impl FnOnce(&mut Kept)) {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
