//! Blocks of codes in memory: a search reads from the database only those that have changed since the one before.
//!
//! **Invariant**: a block in memory is used only if the state of the database that the search sees has it in that version, and
//! goes with the first search that sees another one, or none.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::params;
use crate::search::codes::{BLOCKS, BLOCKS_OF_ONE};
use crate::session::{Connection, Result};
use crate::sight::json_array;

/// How many bytes of a workspace's codes are kept: those of two million messages.
const MOST: usize = 128 << 20;

/// A block's number and its codes.
pub(crate) type Block = (i64, Arc<[u8]>);

/// Versions and codes, by the blocks' numbers.
type Kept = HashMap<i64, (i64, Arc<[u8]>)>;

/// The blocks of one workspace.
#[derive(Default)]
pub(crate) struct CodeCache(Mutex<Kept>);

impl CodeCache {
    /// The blocks of a generation in these channels.
    pub(crate) fn blocks(
        &self,
        connection: &Connection,
        workspace: i64,
        channels: &BTreeSet<i64>,
        generation: i64,
    ) -> Result<Vec<Block>> {
        let sql = "SELECT b.block, b.version FROM channels AS c \
            CROSS JOIN message_codes AS b ON b.block BETWEEN c.key * ?2 + ?3 AND c.key * ?2 + ?3 + ?4 - 1 \
            WHERE c.workspace = ?1";
        let first = generation * BLOCKS_OF_ONE;
        let columns = params![workspace, BLOCKS, first, BLOCKS_OF_ONE];
        let versions = connection.query_map(sql, columns, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let versions: HashMap<i64, i64> = versions.into_iter().collect();
        let (mut blocks, mut missing) = (Vec::new(), BTreeSet::new());
        self.with(|kept| {
            kept.retain(|block, (version, _)| versions.get(block) == Some(version));
            for block in versions.keys() {
                if channels.contains(&(block / BLOCKS)) {
                    match kept.get(block) {
                        Some((_, codes)) => blocks.push((*block, codes.clone())),
                        None => drop(missing.insert(*block)),
                    }
                }
            }
        });
        let sql = "SELECT b.block, b.version, b.codes FROM integers(?1) AS i CROSS JOIN message_codes AS b ON b.block = i.value";
        let read = connection.query_map(sql, [json_array(&missing)], |row| {
            let codes: Arc<[u8]> = row.get_ref(2)?.bytes().into();
            Ok((row.get(0)?, row.get(1)?, codes))
        })?;
        self.with(|kept| {
            let mut bytes: usize = kept.values().map(|(_, codes)| codes.len()).sum();
            for (block, version, codes) in read {
                bytes += codes.len();
                if bytes <= MOST {
                    kept.insert(block, (version, codes.clone()));
                }
                blocks.push((block, codes));
            }
        });
        Ok(blocks)
    }

    fn with(&self, work: impl FnOnce(&mut Kept)) {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
