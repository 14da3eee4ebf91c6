//! Vectors of messages, by which they are found beside their words.
//!
//! **Invariant**: a vector is that of its message's text. It goes in the transaction in which the text changes or goes
//! (`vector_rows`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter;

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use crate::sight::json_array;
use myao_plugin::embedder::Vector;
use myao_plugin::llm::CallRecord;
use myao_plugin::state::vectors::{EmbeddingUse, VectorCount, Vectors, WithoutVector};
use myao_plugin::storage::StorageError;

use crate::journal::calls::{milliseconds, since_1970};
use crate::rows::list;
use crate::search::codes::{self, Code};
use crate::search::index::{KEY_MASK, row_of};
use crate::search::{SECOND, vector_rows};
use crate::workspace::SqlWorkspace;

const SAVE: &str = "INSERT INTO message_vectors (row, vector) VALUES (?1, ?2) \
    ON CONFLICT (row) DO UPDATE SET vector = excluded.vector";
/// The bits of a message's key in the row of its vector.
const KEY_OF_VECTOR: i64 = KEY_MASK & !SECOND;
/// The largest signed byte of a stored vector.
const MOST: f32 = 127.0;

#[async_trait::async_trait]
impl Vectors for SqlWorkspace {
    async fn without_vector(
        &self,
        embedder: &str,
        limit: u32,
    ) -> Result<Vec<WithoutVector>, StorageError> {
        let embedder = embedder.to_owned();
        self.writing(move |connection, place| {
            let used = Used::find_or_begin(connection, place.workspace, &embedder)?;
            let sql = include_str!("../search/sql/without_vector.sql");
            let columns = params![
                place.workspace,
                KEY_OF_VECTOR,
                limit,
                used.bit(),
                used.offered_to
            ];
            Ok(list(connection, sql, columns, |row| {
                Ok(WithoutVector {
                    key: row.get(0)?,
                    author: row.get(1)?,
                    text: row.get(2)?,
                })
            })?)
        })
        .await
    }

    async fn save_vectors(
        &self,
        embedder: &str,
        vectors: Vec<(WithoutVector, Option<Vector>)>,
    ) -> Result<(), StorageError> {
        let embedder = embedder.to_owned();
        self.writing(move |connection, place| {
            let Some(used) = Used::find(connection, place.workspace, &embedder)? else {
                return Ok(());
            };
            let keys = vectors.iter().map(|(message, _)| message.key).collect();
            let stored = stored(connection, place.workspace, &keys)?;
            let (mut new, mut gone) = (BTreeMap::new(), BTreeSet::new());
            for (message, vector) in &vectors {
                let stored = stored.get(&message.key);
                let Some(stored) = stored.filter(|stored| stored.text == message.text) else {
                    continue;
                };
                let vector = vector.as_ref().map(|vector| written(&message.text, vector));
                let vector = vector.unwrap_or_default();
                let row = stored.row | used.bit();
                match code_of(stored.ts, &vector, &used.center) {
                    Some(code) => drop(new.insert(row, code)),
                    None => drop(gone.insert(row)),
                }
                connection.execute(SAVE, params![row, vector])?;
            }
            codes::change(connection, &new, &gone)?;
            let offered_to = vectors.iter().map(|(message, _)| message.key).max();
            connection.execute(
                "UPDATE embedders SET offered_to = MAX(offered_to, ?3) WHERE workspace = ?1 AND generation = ?2",
                params![place.workspace, used.generation, offered_to.unwrap_or(0)],
            )?;
            Ok(())
        })
        .await
    }

    async fn has_center(&self, embedder: &str) -> Result<bool, StorageError> {
        let embedder = embedder.to_owned();
        self.reading(move |connection, place| {
            let used = Used::find(connection, place.workspace, &embedder)?;
            Ok(used.is_some_and(|used| !used.center.is_empty()))
        })
        .await
    }

    async fn save_center(&self, embedder: &str, center: Vec<f32>) -> Result<(), StorageError> {
        let embedder = embedder.to_owned();
        self.writing(move |connection, place| {
            let bytes: Vec<u8> = center
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect();
            connection.execute(
                "UPDATE embedders SET center = ?3 WHERE workspace = ?1 AND digest = ?2 AND center IS NULL",
                params![place.workspace, embedder, bytes],
            )?;
            Ok(())
        })
        .await
    }

    async fn vector_count(&self, embedder: &str) -> Result<VectorCount, StorageError> {
        let embedder = embedder.to_owned();
        self.reading(move |connection, place| {
            let used = Used::find(connection, place.workspace, &embedder)?;
            let (bit, offered_to) = used.map_or((0, -1), |used| (used.bit(), used.offered_to));
            let sql = include_str!("../search/sql/vector_count.sql");
            let columns = params![place.workspace, bit, offered_to];
            let counted = connection.query_row(sql, columns, |row| {
                Ok(VectorCount {
                    made: row.get::<u32>(0)?.into(),
                    missing: row.get::<u32>(1)?.into(),
                })
            })?;
            Ok(counted)
        })
        .await
    }

    async fn record_embedding(&self, call: CallRecord) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let sql = "INSERT INTO embedding_calls (workspace, provider, model, started_at, input_tokens) \
                VALUES (?1, ?2, ?3, ?4, ?5)";
            connection.execute(sql, params![
                place.workspace,
                call.provider,
                call.model,
                milliseconds(since_1970(call.started_at)),
                call.input_tokens
            ])?;
            Ok(())
        })
        .await
    }

    async fn embedding_use(&self, since: i64, before: i64) -> Result<EmbeddingUse, StorageError> {
        self.reading(move |connection, place| {
            let sql = "SELECT COUNT(*), CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT), COUNT(*) FILTER (WHERE input_tokens IS NULL) \
                FROM embedding_calls WHERE workspace = ?1 AND started_at >= ?2 AND started_at < ?3";
            let columns = params![place.workspace, since, before];
            let used = connection.query_row(sql, columns, |row| {
                let tokens: i64 = row.get(1)?;
                Ok(EmbeddingUse {
                    calls: row.get::<u32>(0)?.into(),
                    tokens: u64::try_from(tokens).unwrap_or(0),
                    unreported: row.get::<u32>(2)?.into(),
                })
            })?;
            Ok(used)
        })
        .await
    }
}

/// An embedder whose vectors a workspace's messages have.
pub(super) struct Used {
    /// Which of the two it is.
    pub(super) generation: i64,
    /// The newest message that it was offered.
    offered_to: i64,
    /// The numbers that are subtracted from vectors for their codes; empty for zeros.
    pub(super) center: Vec<f32>,
}

impl Used {
    pub(super) fn find(
        connection: &Connection,
        workspace: i64,
        embedder: &str,
    ) -> Result<Option<Self>> {
        let sql = "SELECT generation, offered_to, center FROM embedders WHERE workspace = ?1 AND digest = ?2";
        let found = connection.query_row(sql, params![workspace, embedder], |row| {
            let bytes: Option<Vec<u8>> = row.get(2)?;
            let bytes = bytes.unwrap_or_default();
            let numbers = bytes.chunks_exact(4).filter_map(<[u8]>::first_chunk);
            Ok(Self {
                generation: row.get(0)?,
                offered_to: row.get(1)?,
                center: numbers.map(|number| f32::from_le_bytes(*number)).collect(),
            })
        });
        found.optional()
    }

    /// A new one takes the place that is free, or that of the one that is further behind.
    fn find_or_begin(connection: &Connection, workspace: i64, embedder: &str) -> Result<Self> {
        if let Some(used) = Self::find(connection, workspace, embedder)? {
            return Ok(used);
        }
        let sql = "SELECT generation FROM embedders WHERE workspace = ?1 ORDER BY offered_to DESC LIMIT 1";
        let kept: Option<i64> = connection
            .query_row(sql, [workspace], |row| row.get(0))
            .optional()?;
        let generation = kept.map_or(0, |kept| 1 - kept);
        end(connection, workspace, generation)?;
        connection.execute(
            "INSERT INTO embedders (workspace, generation, digest, offered_to) VALUES (?1, ?2, ?3, 0)",
            params![workspace, generation, embedder],
        )?;
        Ok(Self {
            generation,
            offered_to: 0,
            center: Vec::new(),
        })
    }

    fn bit(&self) -> i64 {
        self.generation * SECOND
    }
}

/// Removes an embedder's vectors.
fn end(connection: &Connection, workspace: i64, generation: i64) -> Result<()> {
    let sql = "DELETE FROM embedders WHERE workspace = ?1 AND generation = ?2";
    if connection.execute(sql, params![workspace, generation])? == 0 {
        return Ok(());
    }
    let sql = "SELECT key FROM channels WHERE workspace = ?1";
    let channels: Vec<i64> = list(connection, sql, params![workspace], |row| row.get(0))?;
    channels
        .into_iter()
        .try_for_each(|channel| vector_rows::clear(connection, channel, generation))
}

/// A message as it is stored.
struct Stored {
    row: i64,
    ts: i64,
    text: String,
}

/// The messages with these keys that are not deleted.
fn stored(
    connection: &Connection,
    workspace: i64,
    keys: &BTreeSet<i64>,
) -> Result<HashMap<i64, Stored>> {
    let sql = "SELECT m.key, m.channel, m.ts_key, m.text FROM integers(?2) AS wanted \
        CROSS JOIN messages AS m ON m.key = wanted.value WHERE m.workspace = ?1 AND m.deleted_at IS NULL";
    let found = list(
        connection,
        sql,
        params![workspace, json_array(keys)],
        |row| {
            let key = row.get(0)?;
            let stored = Stored {
                row: row_of(row.get(1)?, key),
                ts: row.get(2)?,
                text: row.get(3)?,
            };
            Ok((key, stored))
        },
    )?;
    Ok(found.into_iter().collect())
}

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Script {
    Other,
    /// For the most part without spaces between words: Japanese, Chinese.
    Spaceless,
}

impl Script {
    /// The script whose byte is stored.
    pub(super) fn written(byte: u8) -> Self {
        if byte == 1 {
            Self::Spaceless
        } else {
            Self::Other
        }
    }

    fn of(text: &str) -> Self {
        Self::written(myao_terms::is_spaceless(text).into())
    }
}

/// A vector as it is stored; empty for none: a byte that is 1 if the text is spaceless, a factor as four bytes beginning with
/// the lowest, and a signed byte for each dimension. Factor and byte make the number, to a percent of the largest.
fn written(text: &str, vector: &Vector) -> Vec<u8> {
    let numbers = vector.numbers();
    let largest = numbers.iter().fold(f32::MIN_POSITIVE, |largest, number| {
        largest.max(number.abs())
    });
    let factor = largest / MOST;
    let mut bytes = vec![u8::from(matches!(Script::of(text), Script::Spaceless))];
    bytes.extend(factor.to_le_bytes());
    #[allow(clippy::cast_possible_truncation, reason = "none is larger than MOST")]
    let steps = numbers.iter().map(|number| (number / factor).round() as i8);
    bytes.extend(steps.map(i8::cast_unsigned));
    bytes
}

/// The code of a stored vector; `None` if it is empty.
fn code_of(ts: i64, vector: &[u8], center: &[f32]) -> Option<Code<'static>> {
    let (script, rest) = vector.split_first()?;
    let (factor, steps) = rest.split_first_chunk()?;
    let factor = f32::from_le_bytes(*factor);
    let center = center.iter().copied().chain(iter::repeat(0.0));
    let signs = steps.iter().zip(center);
    let signs = signs.map(|(step, center)| f32::from(step.cast_signed()) * factor > center);
    Some(Code {
        ts,
        script: *script,
        bits: codes::bits(&signs.collect::<Vec<_>>()).into(),
    })
}

/// The script of a stored vector's text, and the cosine with another vector; `None` if that has other dimensions.
pub(super) fn cosine(bytes: &[u8], other: &[f32]) -> Option<(Script, f32)> {
    let (script, rest) = bytes.split_first()?;
    let (factor, steps) = rest.split_first_chunk()?;
    if steps.len() != other.len() {
        return None;
    }
    let product: f32 = steps
        .iter()
        .zip(other)
        .map(|(step, number)| f32::from(step.cast_signed()) * number)
        .sum();
    Some((
        Script::written(*script),
        product * f32::from_le_bytes(*factor),
    ))
}
