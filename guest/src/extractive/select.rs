//! Picks candidates one after the other, each for what it adds to those already picked.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use super::score::{Candidate, Vocabulary};

/// A decision counts more than a number of the same weight.
const DECISION_WEIGHT: f64 = 1.25;
/// The most that the words of a sentence count.
const SUBJECT_WEIGHT: f64 = 1.5;
/// The discount on the other sentences of a line for every pick.
const LINE_DISCOUNT: f64 = 0.25;
/// The discount for sentences of a writer that was picked from already.
const WRITER_DISCOUNT: f64 = 0.08;

/// The cost of a candidate, in tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// As the first of its line, including prefix and line break.
    pub(super) alone: u32,
    /// After another one of the same line.
    pub(super) joined: u32,
}

/// Best first, by the gain over the fourth root of the cost: short ones lead, but stubs do not beat whole thoughts. Of two equals,
/// the earlier.
#[derive(PartialEq)]
struct Ranked {
    worth: f64,
    index: Reverse<usize>,
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worth
            .total_cmp(&other.worth)
            .then(self.index.cmp(&other.index))
    }
}

/// The picks so far.
pub(super) struct Selection<'a> {
    candidates: &'a [Candidate],
    term_weights: Vec<f64>,
    covered: Vec<u32>,
    /// The number of picks of each line, and of each writer.
    lines: BTreeMap<usize, u32>,
    writers: BTreeMap<usize, u32>,
}

impl<'a> Selection<'a> {
    /// Nothing picked yet.
    pub(super) fn new(candidates: &'a [Candidate], vocabulary: &Vocabulary) -> Self {
        Self {
            candidates,
            term_weights: vocabulary.term_weights(),
            covered: vec![0; vocabulary.len()],
            lines: BTreeMap::new(),
            writers: BTreeMap::new(),
        }
    }

    /// The gain of a candidate over the picks. It never grows when more is picked.
    pub(super) fn gain(&self, candidate: &Candidate) -> f64 {
        let content = &candidate.content;
        let fresh = |id: usize| 1.0 / f64::from(1 + 2 * self.covered.get(id).copied().unwrap_or(0));
        let facts: f64 = content
            .facts
            .iter()
            .map(|(id, weight)| weight * fresh(*id))
            .sum();
        let weight = |id: usize| self.term_weights.get(id).copied().unwrap_or(0.0);
        let terms: f64 = content
            .terms
            .iter()
            .map(|id| weight(*id) * fresh(*id))
            .sum();
        let ids = content.facts.iter().map(|(id, _)| id).chain(&content.terms);
        let (mut all, mut new) = (0.0, 0.0);
        for id in ids {
            all += 1.0;
            new += fresh(*id);
        }
        let overlap = if all > 0.0 { 1.0 - new / all } else { 0.0 };
        // Log lines and lists of numbers have many facts, of which few matter.
        let information = facts / (1.0 + facts / 8.0)
            + DECISION_WEIGHT * content.decision
            + SUBJECT_WEIGHT * terms / (2.0 + terms);
        let of_line = 1.0 + LINE_DISCOUNT * f64::from(picked(&self.lines, candidate.line));
        let writer = picked(&self.writers, candidate.writer);
        let of_writer = 1.0 + WRITER_DISCOUNT * f64::from(writer);
        information * candidate.factor * (1.0 - 0.7 * overlap * overlap) / (of_line * of_writer)
    }

    fn add(&mut self, candidate: &Candidate) {
        let content = &candidate.content;
        for id in content.facts.iter().map(|(id, _)| id).chain(&content.terms) {
            if let Some(covered) = self.covered.get_mut(*id) {
                *covered += 1;
            }
        }
        *self.lines.entry(candidate.line).or_default() += 1;
        *self.writers.entry(candidate.writer).or_default() += 1;
    }

    /// Picks within `budget` tokens, best first. `costs` has the cost of each candidate at its index. Leaves out what
    /// adds less than `least_gain`, even if there is room for it.
    ///
    /// Gains only fall, so if a candidate still leads after its gain was computed again, it is the best: only a few are
    /// computed per pick.
    pub(super) fn pick(mut self, costs: &[Cost], budget: u32, least_gain: f64) -> Vec<usize> {
        let mut heap: BinaryHeap<Ranked> = (0..self.candidates.len())
            .map(|index| self.rank(index, costs))
            .collect();
        let (mut picks, mut left) = (Vec::new(), budget);
        while let Some(Ranked {
            index: Reverse(index),
            ..
        }) = heap.pop()
        {
            let Some(candidate) = self.candidates.get(index) else {
                continue;
            };
            if self.cost(index, costs) > left {
                continue;
            }
            let now = self.rank(index, costs);
            if heap.peek().is_some_and(|next| *next > now) {
                heap.push(now);
                continue;
            }
            if self.gain(candidate) < least_gain && !picks.is_empty() {
                continue;
            }
            left -= self.cost(index, costs);
            self.add(candidate);
            picks.push(index);
        }
        picks
    }

    fn cost(&self, index: usize, costs: &[Cost]) -> u32 {
        let cost = costs.get(index).copied().unwrap_or(Cost {
            alone: u32::MAX,
            joined: u32::MAX,
        });
        let opened = self
            .candidates
            .get(index)
            .is_some_and(|c| picked(&self.lines, c.line) > 0);
        if opened { cost.joined } else { cost.alone }
    }

    fn rank(&self, index: usize, costs: &[Cost]) -> Ranked {
        let gain = self.candidates.get(index).map_or(0.0, |c| self.gain(c));
        let cost = costs.get(index).map_or(u32::MAX, |cost| cost.joined.max(1));
        Ranked {
            // Square roots are exact on every machine.
            worth: gain / f64::from(cost).sqrt().sqrt(),
            index: Reverse(index),
        }
    }
}

fn picked(counts: &BTreeMap<usize, u32>, id: usize) -> u32 {
    counts.get(&id).copied().unwrap_or(0)
}
