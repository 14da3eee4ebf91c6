//! Vectors of messages, by which they are found beside their words.
//!
//! **Invariant**: a vector is that of its message's text. It goes in the transaction in which the text changes or goes
//! (`vector_rows`).

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use crate::sight::json_array;
use myao_plugin::embedder::{Meaning, Vector};
use myao_plugin::llm::CallRecord;
use myao_plugin::state::vectors::{EmbeddingUse, VectorCount, Vectors, WithoutVector};
use myao_plugin::storage::StorageError;

use crate::fault::Fault;
use crate::journal::calls::{milliseconds, since_1970};
use crate::place::Place;
use crate::rows::list;
use crate::search::index::{KEY_MASK, rows_of};
use crate::visibility::visible::Visible;
use crate::workspace::SqlWorkspace;

/// With more messages than this in sight, only so many of the newest are compared with a question.
const MOST_COMPARED: usize = 100_000;
/// How many vectors one statement reads.
const READ_AT_ONCE: usize = 1_000;
/// Fewer messages have no mean that says anything.
const LEAST_COMPARED: usize = 8;
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
            begin_with(connection, place.workspace, &embedder)?;
            let sql = include_str!("../search/sql/without_vector.sql");
            let columns = params![place.workspace, KEY_MASK, limit];
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
            if used_embedder(connection, place.workspace)? != Some(embedder) {
                return Ok(());
            }
            for (message, vector) in &vectors {
                let vector = vector.as_ref().map(|vector| written(&message.text, vector));
                let vector = vector.unwrap_or_default();
                connection.execute(
                    include_str!("../search/sql/save_vector.sql"),
                    params![place.workspace, message.key, message.text, vector],
                )?;
            }
            let offered_to = vectors.iter().map(|(message, _)| message.key).max();
            connection.execute(
                "UPDATE embedders SET offered_to = MAX(offered_to, ?2) WHERE workspace = ?1",
                params![place.workspace, offered_to.unwrap_or(0)],
            )?;
            Ok(())
        })
        .await
    }

    async fn vector_count(&self, embedder: &str) -> Result<VectorCount, StorageError> {
        let embedder = embedder.to_owned();
        self.reading(move |connection, place| {
            let is_used = used_embedder(connection, place.workspace)? == Some(embedder);
            let sql = include_str!("../search/sql/vector_count.sql");
            let columns = params![place.workspace, KEY_MASK, is_used];
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

/// The digest of the embedder whose vectors a workspace has.
fn used_embedder(connection: &Connection, workspace: i64) -> Result<Option<String>> {
    connection
        .query_row(
            "SELECT digest FROM embedders WHERE workspace = ?1",
            [workspace],
            |row| row.get(0),
        )
        .optional()
}

/// Removes the vectors of another embedder.
fn begin_with(connection: &Connection, workspace: i64, embedder: &str) -> Result<()> {
    if used_embedder(connection, workspace)?.as_deref() == Some(embedder) {
        return Ok(());
    }
    let channels: Vec<i64> = list(
        connection,
        "SELECT key FROM channels WHERE workspace = ?1",
        params![workspace],
        |row| row.get(0),
    )?;
    for channel in channels {
        connection.execute(
            "DELETE FROM message_vectors WHERE row BETWEEN ?1 AND ?2",
            rows_of(channel),
        )?;
    }
    connection.execute(
        "INSERT INTO embedders (workspace, digest, offered_to) VALUES (?1, ?2, 0) \
         ON CONFLICT (workspace) DO UPDATE SET digest = excluded.digest, offered_to = 0",
        params![workspace, embedder],
    )?;
    Ok(())
}

/// The messages in sight, by row of the index, with how similar each is to a meaning: by how many standard deviations more than
/// the mean of those in the same script. The most similar first; none if their vectors are another embedder's.
///
/// Embedders find texts in the question's language too similar. That is why texts are compared with others in their script.
pub(crate) fn similarities(
    connection: &Connection,
    place: &Place,
    visible: &Visible,
    meaning: &Meaning,
) -> Result<Vec<(i64, f32)>, Fault> {
    if used_embedder(connection, place.workspace)?.as_deref() != Some(&meaning.embedder) {
        return Ok(Vec::new());
    }
    let mut found: [Vec<(i64, f32)>; 2] = Default::default();
    let mut compare = |row: i64, bytes: &[u8]| {
        if visible.shows(row)
            && let Some((script, cosine)) = cosine(bytes, meaning.vector.numbers())
        {
            let [others, spaceless] = &mut found;
            let found = match script {
                Script::Spaceless => spaceless,
                Script::Other => others,
            };
            found.push((row, cosine));
        }
    };
    if usize::try_from(visible.total).is_ok_and(|total| total > MOST_COMPARED) {
        let sql = "SELECT v.row, v.vector FROM integers(?1) AS wanted \
            CROSS JOIN message_vectors AS v ON v.row = wanted.value WHERE v.vector IS NOT NULL";
        for rows in visible
            .newest(connection, None, 0, MOST_COMPARED)?
            .chunks(READ_AT_ONCE)
        {
            let rows = json_array(&rows.iter().copied().collect());
            connection.each(sql, [rows], |row| -> Result<()> {
                compare(row.get(0)?, row.get_ref(1)?.bytes());
                Ok(())
            })?;
        }
    } else {
        let sql = "SELECT row, vector FROM message_vectors WHERE row BETWEEN ?1 AND ?2 AND vector IS NOT NULL";
        for channel in visible.channels.keys() {
            connection.each(sql, rows_of(*channel), |row| -> Result<()> {
                compare(row.get(0)?, row.get_ref(1)?.bytes());
                Ok(())
            })?;
        }
    }
    let [others, spaceless] = found;
    // A few messages have no mean that says anything.
    let mut found = if others.len().min(spaceless.len()) < LEAST_COMPARED {
        normalised([others, spaceless].concat())
    } else {
        [normalised(others), normalised(spaceless)].concat()
    };
    found.sort_by(|(first, a), (second, b)| b.total_cmp(a).then(first.cmp(second)));
    Ok(found)
}

/// By how many standard deviations each is above the mean.
fn normalised(mut found: Vec<(i64, f32)>) -> Vec<(i64, f32)> {
    #[allow(clippy::cast_precision_loss, reason = "there are fewer than 2^24")]
    let count = found.len() as f32;
    let mean = found.iter().map(|(_, cosine)| cosine).sum::<f32>() / count;
    let variance = found
        .iter()
        .map(|(_, cosine)| (cosine - mean).powi(2))
        .sum::<f32>()
        / count;
    let deviation = variance.sqrt();
    if found.len() < LEAST_COMPARED || !deviation.is_normal() {
        return Vec::new();
    }
    for (_, similarity) in &mut found {
        *similarity = (*similarity - mean) / deviation;
    }
    found
}

/// How a text is written.
#[derive(Clone, Copy)]
enum Script {
    /// For the most part without spaces between words: Japanese, Chinese.
    Spaceless,
    Other,
}

impl Script {
    fn of(text: &str) -> Self {
        let letters = text.chars().filter(|c| c.is_alphabetic());
        let spaceless = |c: &char| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        // One such letter says more than one of another script.
        if letters.clone().filter(spaceless).count() * 3 >= letters.count().max(1) {
            Self::Spaceless
        } else {
            Self::Other
        }
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

/// The script of a stored vector's text, and the cosine with another vector; `None` if that has other dimensions.
fn cosine(bytes: &[u8], other: &[f32]) -> Option<(Script, f32)> {
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
    let script = if *script == 1 {
        Script::Spaceless
    } else {
        Script::Other
    };
    Some((script, product * f32::from_le_bytes(*factor)))
}
