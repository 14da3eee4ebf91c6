//! Codes of vectors, one bit for each dimension: the messages that may be similar to a question are found among a million
//! without a look at their vectors.
//!
//! **Invariant**: a message has a code if it has a vector that is not empty. Both change in one transaction.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::params;
use crate::search::code_cache::Block;
use crate::search::{KEY_BITS, SECOND};
use crate::session::{Connection, OptionalExtension, Result};
use crate::sight::json_array;

/// The lower bits of a row's id that do not count: so many messages of a channel may have their codes in one block.
const BLOCK_BITS: u32 = 11;
/// How many blocks a channel can have, of both generations of vectors and of one.
pub(crate) const BLOCKS: i64 = 1 << (KEY_BITS - BLOCK_BITS);
pub(crate) const BLOCKS_OF_ONE: i64 = BLOCKS / 2;
/// How many rows are looked up at once.
const AT_ONCE: usize = 10_000;
/// The bytes of a block before its entries: how long each is.
const SIZE: usize = 2;
/// The integer for a dimension's number of one.
const UNIT: f32 = 1_048_576.0;

/// A message's code.
pub(crate) struct Code<'a> {
    /// The message's id.
    pub(crate) ts: i64,
    /// The first byte of the message's vector.
    pub(crate) script: u8,
    /// A bit for each dimension, the first in the lowest bit of the first byte; set for a number above the centre's.
    pub(crate) bits: Cow<'a, [u8]>,
}

/// The bits of numbers, of which it is known if they are above the centre's.
pub(crate) fn bits(signs: &[bool]) -> Vec<u8> {
    let byte = |signs: &[bool]| {
        let bits = signs.iter().rev();
        bits.fold(0, |byte, sign| byte << 1 | u8::from(*sign))
    };
    signs.chunks(8).map(byte).collect()
}

/// How near codes are to a question's vector: the vector itself is compared, so that codes with the same number of different bits
/// differ (asymmetric distance; Gordo and Perronnin, "Asymmetric distances for binary embeddings", CVPR 2011).
pub(crate) struct Nearness {
    /// For each byte of a code, what each of its values adds.
    tables: Vec<[i32; 256]>,
}

impl Nearness {
    /// To a vector less the centre.
    pub(crate) fn to(numbers: &[f32]) -> Self {
        let table = |numbers: &[f32]| {
            std::array::from_fn(|byte| {
                let sign = |bit: usize| if byte >> bit & 1 == 1 { UNIT } else { -UNIT };
                let parts = numbers.iter().enumerate();
                let sum: f32 = parts.map(|(bit, number)| number * sign(bit)).sum();
                #[allow(clippy::cast_possible_truncation, reason = "it is far below 2^31")]
                let sum = sum as i32;
                sum
            })
        };
        Self {
            tables: numbers.chunks(8).map(table).collect(),
        }
    }

    /// The greater, the nearer.
    pub(crate) fn of(&self, bits: &[u8]) -> i32 {
        let parts = self.tables.iter().zip(bits);
        parts
            .filter_map(|(table, byte)| table.get(usize::from(*byte)))
            .sum()
    }
}

/// An entry of a block: the lower bits of the row's id, and the code.
fn written(row: i64, code: &Code<'_>) -> Vec<u8> {
    let lower = row & ((1 << BLOCK_BITS) - 1);
    let lower = u16::try_from(lower).unwrap_or_default();
    let mut bytes = lower.to_le_bytes().to_vec();
    bytes.extend(code.ts.to_le_bytes());
    bytes.push(code.script);
    bytes.extend(&*code.bits);
    bytes
}

/// The rows and codes of a block.
fn entries(block: i64, bytes: &[u8]) -> impl Iterator<Item = (i64, Code<'_>)> {
    let none: (&[u8; SIZE], &[u8]) = (&[1, 0], &[]);
    let (size, entries) = bytes.split_first_chunk().unwrap_or(none);
    let size = usize::from(u16::from_le_bytes(*size).max(1));
    entries.chunks_exact(size).filter_map(move |entry| {
        let (lower, rest) = entry.split_first_chunk()?;
        let (ts, rest) = rest.split_first_chunk()?;
        let (script, bits) = rest.split_first()?;
        let row = (block << BLOCK_BITS) | i64::from(u16::from_le_bytes(*lower));
        let code = Code {
            ts: i64::from_le_bytes(*ts),
            script: *script,
            bits: Cow::Borrowed(bits),
        };
        Some((row, code))
    })
}

/// The codes in blocks of a generation, with the rows of their messages.
pub(crate) fn of(blocks: &[Block], generation: i64) -> impl Iterator<Item = (i64, Code<'_>)> {
    let entries = blocks
        .iter()
        .flat_map(|(block, codes)| entries(*block, codes));
    entries.map(move |(row, code)| (row - generation * SECOND, code))
}

/// Gives rows codes, and others none.
pub(crate) fn change(
    connection: &Connection,
    new: &BTreeMap<i64, Code<'_>>,
    gone: &BTreeSet<i64>,
) -> Result<()> {
    let mut changed: BTreeMap<i64, Vec<Vec<u8>>> = BTreeMap::new();
    for row in gone {
        changed.entry(row >> BLOCK_BITS).or_default();
    }
    for (row, code) in new {
        let entries = changed.entry(row >> BLOCK_BITS).or_default();
        entries.push(written(*row, code));
    }
    for (block, mut written_new) in changed {
        let sql = "SELECT codes FROM message_codes WHERE block = ?1";
        let old: Option<Vec<u8>> = connection
            .query_row(sql, [block], |row| row.get(0))
            .optional()?;
        let old = old.unwrap_or_default();
        let (kept, lost): (Vec<_>, Vec<_>) = entries(block, &old)
            .partition(|(row, _)| !gone.contains(row) && !new.contains_key(row));
        if written_new.is_empty() && lost.is_empty() {
            continue;
        }
        written_new.extend(kept.iter().map(|(row, code)| written(*row, code)));
        let Some(size) = written_new.first().map(Vec::len) else {
            connection.execute("DELETE FROM message_codes WHERE block = ?1", [block])?;
            continue;
        };
        // Those of another embedder are of no use.
        written_new.retain(|entry| entry.len() == size);
        let size = u16::try_from(size).unwrap_or_default().to_le_bytes();
        let codes = [size.to_vec(), written_new.concat()].concat();
        let mut version = DefaultHasher::new();
        codes.hash(&mut version);
        connection.execute(
            "INSERT INTO message_codes (block, version, codes) VALUES (?1, ?2, ?3) \
             ON CONFLICT (block) DO UPDATE SET version = excluded.version, codes = excluded.codes",
            params![block, version.finish().cast_signed(), codes],
        )?;
    }
    Ok(())
}

/// Removes all codes of a channel that are of a generation.
pub(crate) fn clear(connection: &Connection, channel: i64, generation: i64) -> Result<()> {
    let first = channel * BLOCKS + generation * BLOCKS_OF_ONE;
    let sql = "DELETE FROM message_codes WHERE block BETWEEN ?1 AND ?2";
    connection.execute(sql, [first, first + BLOCKS_OF_ONE - 1])?;
    Ok(())
}

/// How many codes are those of no vector. There is none, unless something is broken. Looks at all workspaces, or at one.
pub(crate) fn leftovers(connection: &Connection, workspace: Option<i64>) -> Result<u32> {
    let sql = "SELECT block, codes FROM message_codes \
        WHERE ?1 IS NULL OR block / ?2 NOT IN (SELECT key FROM channels WHERE workspace <> ?1)";
    let blocks = connection.query_map(sql, params![workspace, BLOCKS], |row| {
        let block = row.get(0)?;
        let codes = row.get_ref(1)?;
        let codes = entries(block, codes.bytes());
        Ok(codes.map(|(row, _)| row).collect::<Vec<_>>())
    })?;
    let sql = "SELECT COUNT(*) FROM integers(?1) AS i JOIN message_vectors AS v ON v.row = i.value WHERE LENGTH(v.vector) > 0";
    let mut left = 0;
    for rows in blocks.concat().chunks(AT_ONCE) {
        let rows = rows.iter().copied().collect();
        let with_vector: u32 = connection.query_row(sql, [json_array(&rows)], |row| row.get(0))?;
        left += u32::try_from(rows.len()).unwrap_or(u32::MAX) - with_vector;
    }
    Ok(left)
}
