//! The value of a sentence: its facts, its decisions and the recurring words of the input.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::text::cues;
use crate::text::facts;
use crate::text::fold;
use crate::text::terms;

/// A sentence or an item that may become part of the memory.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its line: candidates of the same line share one prefix.
    pub(super) line: usize,
    /// The beginning of that line: `- 2024-03-01 `.
    pub(super) prefix: String,
    /// The speaker, `alice: `, or empty.
    pub(super) speaker: Rc<str>,
    /// The text itself.
    pub(super) text: String,
    /// Who wrote it: nobody takes all the room.
    pub(super) writer: usize,
    /// Its content.
    pub(super) content: Content,
    /// A factor for its value; 1 is neutral.
    pub(super) factor: f64,
}

/// The content of a sentence. Facts and terms are ids of a [`Vocabulary`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Content {
    /// Facts and their weights.
    pub(super) facts: Vec<(usize, f64)>,
    /// Content words.
    pub(super) terms: Vec<usize>,
    /// How much it decides; see [`cues::decision`].
    pub(super) decision: f64,
}

/// The words and facts of one input, with the number of sentences that contain each.
#[derive(Default)]
pub(super) struct Vocabulary {
    ids: BTreeMap<String, usize>,
    counts: Vec<u32>,
    sentences: u32,
}

impl Vocabulary {
    fn id(&mut self, key: String) -> usize {
        let next = self.counts.len();
        let id = *self.ids.entry(key).or_insert(next);
        match self.counts.get_mut(id) {
            Some(count) => *count += 1,
            None => self.counts.push(1),
        }
        id
    }

    /// The number of different words and facts.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The weight of each word: recurring subjects weigh most, words of one sentence and words of every sentence
    /// little. Uses only square roots, which are exact on every machine.
    pub(super) fn term_weights(&self) -> Vec<f64> {
        let often = f64::from((self.sentences / 10).max(4));
        let weight = |count: u32| match f64::from(count) {
            count if count < 2.0 => 0.2,
            count if count <= often => (count / often).sqrt(),
            count => often / count,
        };
        self.counts.iter().map(|count| weight(*count)).collect()
    }

    /// Reads a sentence into the vocabulary.
    pub(super) fn read(&mut self, text: &str) -> Content {
        self.sentences += 1;
        let lower = fold(text).to_lowercase();
        let facts = facts::facts(text);
        let decision = cues::decision(&lower);
        let terms: Vec<usize> = terms::terms(text)
            .into_iter()
            .map(|term| self.id(term))
            .collect();
        let facts = facts
            .into_iter()
            .map(|f| (self.id(format!("={}", f.key)), f.weight))
            .collect();
        Content {
            facts,
            terms,
            decision,
        }
    }
}
