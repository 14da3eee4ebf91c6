//! Codes of vectors, one bit for each dimension: the messages that may be similar to a question are found among a million
//! without a look at their vectors.
//!
//! **Invariant**: a message has a code if it has a vector that is not empty. Both change in one transaction.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::params;
use crate::search::{KEY_BITS, SECOND};
use crate::session::{Connection, OptionalExtension, Result};
use crate::sight::json_array;

/// The lower bits of a row's id that do not count: so many messages of a channel may have their codes in one block.
const BLOCK_BITS: u32 = 11;
/// How many blocks a channel can have, of both generations of vectors and of one.
const BLOCKS: i64 = 1 << (KEY_BITS - BLOCK_BITS);
const BLOCKS_OF_ONE: i64 = BLOCKS / 2;
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

impl<'a> Code<'a> {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.ts.to_le_bytes());
        bytes.push(self.script);
        bytes.extend(&*self.bits);
    }

    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (ts, rest) = bytes.split_first_chunk()?;
        let (script, bits) = rest.split_first()?;
        Some(Self {
            ts: i64::from_le_bytes(*ts),
            script: *script,
            bits: Cow::Borrowed(bits),
        })
    }
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
    code.write(&mut bytes);
    bytes
}

/// The rows and codes of a block.
fn entries(block: i64, bytes: &[u8]) -> impl Iterator<Item = (i64, Code<'_>)> {
    let none: (&[u8; SIZE], &[u8]) = (&[1, 0], &[]);
    let (size, entries) = bytes.split_first_chunk().unwrap_or(none);
    let size = usize::from(u16::from_le_bytes(*size).max(1));
    entries.chunks_exact(size).filter_map(move |entry| {
        let (lower, code) = entry.split_first_chunk()?;
        let row = (block << BLOCK_BITS) | i64::from(u16::from_le_bytes(*lower));
        Some((row, Code::read(code)?))
    })
}

/// The codes of one generation in a channel.
#[derive(Default)]
pub(crate) struct Codes {
    /// The rows of the messages.
    rows: Vec<i64>,
    /// How many bytes an entry has; entries are as in a block, without the row.
    length: usize,
    entries: Vec<u8>,
}

impl Codes {
    /// Reads the codes of these channels; a channel without codes has none.
    pub(crate) fn read(
        connection: &Connection,
        channels: &BTreeSet<i64>,
        generation: i64,
    ) -> Result<BTreeMap<i64, Self>> {
        let sql = "SELECT b.block, b.codes FROM integers(?1) AS c \
            CROSS JOIN message_codes AS b ON b.block BETWEEN c.value * ?2 + ?3 AND c.value * ?2 + ?3 + ?4 - 1";
        let first = generation * BLOCKS_OF_ONE;
        let columns = params![json_array(channels), BLOCKS, first, BLOCKS_OF_ONE];
        let mut read: BTreeMap<i64, Self> =
            channels.iter().map(|c| (*c, Self::default())).collect();
        connection.each(sql, columns, |row| -> Result<()> {
            let block: i64 = row.get(0)?;
            let codes = read.entry(block / BLOCKS).or_default();
            for (row, code) in entries(block, row.get_ref(1)?.bytes()) {
                codes.add(row - generation * SECOND, &code);
            }
            Ok(())
        })?;
        Ok(read)
    }

    fn add(&mut self, row: i64, code: &Code<'_>) {
        let begin = self.entries.len();
        code.write(&mut self.entries);
        let length = self.entries.len() - begin;
        if self.rows.is_empty() {
            self.length = length;
        }
        if length == self.length {
            self.rows.push(row);
        } else {
            self.entries.truncate(begin);
        }
    }

    /// The codes, with the rows of their messages.
    pub(crate) fn each(&self) -> impl Iterator<Item = (i64, Code<'_>)> {
        let entries = self.entries.chunks_exact(self.length.max(1));
        let rows = self.rows.iter().copied().zip(entries);
        rows.filter_map(|(row, entry)| Some((row, Code::read(entry)?)))
    }

    /// How many bytes they take.
    pub(crate) fn size(&self) -> usize {
        self.entries.len() + size_of_val(self.rows.as_slice())
    }
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
    let mut changed_channels = BTreeSet::new();
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
        changed_channels.insert(block / BLOCKS);
        written_new.extend(kept.iter().map(|(row, code)| written(*row, code)));
        let Some(size) = written_new.first().map(Vec::len) else {
            connection.execute("DELETE FROM message_codes WHERE block = ?1", [block])?;
            continue;
        };
        // Those of another embedder are of no use.
        written_new.retain(|entry| entry.len() == size);
        let size = u16::try_from(size).unwrap_or_default().to_le_bytes();
        let codes = [size.to_vec(), written_new.concat()].concat();
        connection.execute(
            "INSERT INTO message_codes (block, codes) VALUES (?1, ?2) \
             ON CONFLICT (block) DO UPDATE SET codes = excluded.codes",
            params![block, codes],
        )?;
    }
    note(connection, &changed_channels)
}

/// The codes of these channels have changed.
fn note(connection: &Connection, channels: &BTreeSet<i64>) -> Result<()> {
    let sql = "UPDATE channels SET codes_version = codes_version + 1 WHERE key IN (SELECT value FROM integers(?1))";
    connection.execute(sql, [json_array(channels)])?;
    Ok(())
}

/// Removes all codes of a channel that are of a generation.
pub(crate) fn clear(connection: &Connection, channel: i64, generation: i64) -> Result<()> {
    let first = channel * BLOCKS + generation * BLOCKS_OF_ONE;
    let sql = "DELETE FROM message_codes WHERE block BETWEEN ?1 AND ?2";
    connection.execute(sql, [first, first + BLOCKS_OF_ONE - 1])?;
    note(connection, &BTreeSet::from([channel]))
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
