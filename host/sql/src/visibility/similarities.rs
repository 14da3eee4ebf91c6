//! How similar messages are to a question: which may be is known from their codes, how much from their vectors.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter;

use crate::params;
use crate::session::{Connection, Result};
use crate::sight::json_array;
use myao_plugin::embedder::Meaning;

use crate::search::SECOND;
use crate::search::code_cache::CodeCache;
use crate::search::codes::Nearness;
use crate::search::index::channel_of;
use crate::visibility::vectors::{Script, Used, cosine};
use crate::visibility::visible::Visible;

/// With how many messages of each script a question is compared, to know how similar they are to it on average.
const SAMPLED: usize = 2_000;
/// How many messages of each script are compared with a question because their codes are nearest to its own.
const NEAREST: usize = 1_000;
/// How many messages are found by their meaning, and how similar they are at least, in standard deviations above the mean.
const MOST_SIMILAR: usize = 50;
const LEAST_SIMILARITY: f32 = 1.0;
/// Fewer messages have no mean that says anything.
const LEAST_COMPARED: usize = 8;

/// How similar messages are to a question: by how many standard deviations more than the mean of those in the same script that
/// the place may see.
///
/// Embedders find texts in the question's language too similar. That is why texts are compared with others in their script.
#[derive(Default)]
pub(crate) struct Similarities {
    question: Vec<f32>,
    /// Of the vectors.
    generation: i64,
    /// Of each script; empty if nothing can be compared.
    scales: BTreeMap<Script, Scale>,
    /// By row.
    known: HashMap<i64, f32>,
    /// The rows of the messages whose codes are nearest to the question's.
    nearest: Vec<i64>,
}

impl Similarities {
    /// Compares a question with what a place may see. The nearest are those of these channels and since this time.
    pub(crate) fn of(
        connection: &Connection,
        cache: &CodeCache,
        visible: &Visible,
        meaning: &Meaning,
        wanted: impl Fn(i64) -> bool,
        since: i64,
    ) -> Result<Self> {
        let used = Used::find(connection, visible.workspace, &meaning.embedder)?;
        let Some(Used {
            generation, center, ..
        }) = used
        else {
            return Ok(Self::default());
        };
        let question = meaning.vector.numbers();
        let center = center.iter().copied().chain(iter::repeat(0.0));
        let numbers: Vec<f32> = question.iter().zip(center).map(|(a, b)| a - b).collect();
        let nearness = Nearness::to(&numbers);
        let mut seen = [Seen::default(), Seen::default()];
        let channels = visible.channels.keys().copied().collect();
        let codes = cache.codes(connection, visible.workspace, &channels, generation)?;
        for (row, code) in codes.iter().flat_map(|codes| codes.each()) {
            let [others, spaceless] = &mut seen;
            let seen = match Script::written(code.script) {
                Script::Other => others,
                Script::Spaceless => spaceless,
            };
            if code.ts <= visible.until {
                seen.sample.add(mixed(code.ts), row);
                if code.ts >= since && wanted(channel_of(row)) {
                    seen.nearest.add(Reverse(nearness.of(&code.bits)), row);
                }
            }
        }
        let mut sample = BTreeSet::new();
        let mut similarities = Self {
            question: question.to_vec(),
            generation,
            ..Self::default()
        };
        for seen in seen {
            sample.extend(seen.sample.rows());
            similarities.nearest.extend(seen.nearest.rows());
        }
        let mut cosines: BTreeMap<Script, Vec<f32>> = BTreeMap::new();
        for (_, script, cosine) in similarities.cosines(connection, &sample)? {
            cosines.entry(script).or_default().push(cosine);
        }
        similarities.scales = scales(cosines);
        let nearest = similarities.nearest.iter().copied().collect();
        similarities.add(connection, &nearest)?;
        Ok(similarities)
    }

    /// The rows of the most similar messages, the most similar first.
    pub(crate) fn most(&self) -> Vec<i64> {
        let similar = self
            .nearest
            .iter()
            .filter_map(|row| Some((self.get(*row)?, *row)));
        let mut similar: Vec<(f32, i64)> = similar
            .filter(|(similarity, _)| *similarity >= LEAST_SIMILARITY)
            .collect();
        similar.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
        similar.truncate(MOST_SIMILAR);
        similar.into_iter().map(|(_, row)| row).collect()
    }

    /// How similar a message is that was compared.
    pub(crate) fn get(&self, row: i64) -> Option<f32> {
        self.known.get(&row).copied()
    }

    /// Compares more messages, by row.
    pub(crate) fn add(&mut self, connection: &Connection, rows: &BTreeSet<i64>) -> Result<()> {
        let new = rows.iter().filter(|row| !self.known.contains_key(row));
        for (row, script, cosine) in self.cosines(connection, &new.copied().collect())? {
            if let Some(scale) = self.scales.get(&script) {
                self.known
                    .insert(row, (cosine - scale.mean) / scale.deviation);
            }
        }
        Ok(())
    }

    fn cosines(
        &self,
        connection: &Connection,
        rows: &BTreeSet<i64>,
    ) -> Result<Vec<(i64, Script, f32)>> {
        let sql = "SELECT wanted.value, v.vector FROM integers(?1) AS wanted \
            CROSS JOIN message_vectors AS v ON v.row = wanted.value + ?2 WHERE v.vector IS NOT NULL";
        let mut found = Vec::with_capacity(rows.len());
        connection.each(
            sql,
            params![json_array(rows), self.generation * SECOND],
            |row| -> Result<()> {
                let compared = cosine(row.get_ref(1)?.bytes(), &self.question);
                let row = row.get(0)?;
                found.extend(compared.map(|(script, cosine)| (row, script, cosine)));
                Ok(())
            },
        )?;
        // An order of its own would make another sum.
        found.sort_by_key(|(row, ..)| *row);
        Ok(found)
    }
}

/// The messages of a script that a question is compared with.
#[derive(Default)]
struct Seen {
    sample: Least<u64, SAMPLED>,
    nearest: Least<Reverse<i32>, NEAREST>,
}

/// The rows with the least numbers, at most so many.
#[derive(Default)]
struct Least<N, const MOST: usize> {
    found: Vec<(N, i64)>,
    /// Nothing greater can be among them.
    bound: Option<(N, i64)>,
}

impl<N: Ord + Copy, const MOST: usize> Least<N, MOST> {
    fn add(&mut self, number: N, row: i64) {
        if self.bound.is_none_or(|bound| (number, row) < bound) {
            self.found.push((number, row));
            if self.found.len() > 4 * MOST {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.found.len() > MOST {
            self.bound = Some(*self.found.select_nth_unstable(MOST).1);
            self.found.truncate(MOST);
        }
    }

    fn rows(mut self) -> impl Iterator<Item = i64> {
        self.cut();
        self.found.into_iter().map(|(_, row)| row)
    }
}

/// A message's id in an order that has nothing to do with time.
fn mixed(ts: i64) -> u64 {
    // The upper bits depend on all bits of the id (Knuth, "The Art of Computer Programming", volume 3, section 6.4).
    ts.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The mean similarity of messages to a question, and the standard deviation.
#[derive(Clone, Copy)]
struct Scale {
    mean: f32,
    deviation: f32,
}

impl Scale {
    /// `None` for a few messages, or if all are alike.
    fn of(cosines: &[f32]) -> Option<Self> {
        #[allow(clippy::cast_precision_loss, reason = "there are fewer than 2^24")]
        let count = cosines.len() as f32;
        let mean = cosines.iter().sum::<f32>() / count;
        let variance = cosines
            .iter()
            .map(|cosine| (cosine - mean).powi(2))
            .sum::<f32>()
            / count;
        let deviation = variance.sqrt();
        let says = cosines.len() >= LEAST_COMPARED && deviation.is_normal();
        says.then_some(Self { mean, deviation })
    }
}

/// The scale of each script; one for all if one of them has few messages.
fn scales(cosines: BTreeMap<Script, Vec<f32>>) -> BTreeMap<Script, Scale> {
    let has_few = cosines
        .values()
        .any(|cosines| cosines.len() < LEAST_COMPARED);
    let all = cosines.values().flatten().copied().collect::<Vec<f32>>();
    let scale = |(script, cosines): (Script, Vec<f32>)| {
        let cosines = if has_few { &all } else { &cosines };
        Some((script, Scale::of(cosines)?))
    };
    cosines.into_iter().filter_map(scale).collect()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::{Least, SAMPLED, mixed};

    #[test]
    fn messages_with_ids_of_each_form_are_in_the_sample() {
        let mut sample = Least::<u64, SAMPLED>::default();
        let second = |number: i64| (1_700_000_000 + 37 * number) * 1_000_000;
        for number in 0..20_000 {
            for (form, fraction) in [0, number % 4, (number * 7_919) % 1_000_000]
                .into_iter()
                .enumerate()
            {
                let row = i64::try_from(form).unwrap_or_default();
                sample.add(mixed(second(number) + fraction), row);
            }
        }
        let mut counts = [0; 3];
        for row in sample.rows() {
            counts[usize::try_from(row).unwrap_or_default()] += 1;
        }
        assert!(
            counts.iter().all(|count| (500..850).contains(count)),
            "{counts:?}"
        );
    }
}
