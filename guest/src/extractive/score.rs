//! The value of a sentence: its facts, its decisions and the recurring words of the input.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::cues;
use super::facts;
use super::names::Names;
use super::terms;
use super::text::{fold, width};

/// A sentence or an item that may become part of the memory.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its line: candidates of the same line share one prefix.
    pub(super) line: usize,
    /// The beginning of that line: `- 2024-03-01 `.
    pub(super) prefix: String,
    /// The sentence that it answers or continues, shown before it.
    pub(super) preceding: Option<Preceding>,
    /// The speaker, `alice: `, or empty.
    pub(super) speaker: Rc<str>,
    /// The line that introduces its list.
    pub(super) lead: Option<Rc<str>>,
    /// The text itself.
    pub(super) text: String,
    /// The groups it belongs to (a burst of talk and a writer, or an age and a channel), so that no group takes all the
    /// room.
    pub(super) crowds: [Crowd; 2],
    /// Its content.
    pub(super) content: Content,
    /// A factor for its value; 1 is neutral.
    pub(super) factor: f64,
}

/// An earlier sentence that a short one needs to be understood.
#[derive(Clone, Debug)]
pub(super) struct Preceding {
    /// The line of that sentence.
    pub(super) line: usize,
    /// Who says it.
    pub(super) speaker: Rc<str>,
    /// The sentence.
    pub(super) text: Rc<str>,
}

/// A group of candidates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd {
    /// Which one.
    pub(super) id: usize,
    /// The discount on its other candidates for every pick.
    pub(super) discount: f64,
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
    /// Whether it is a question.
    pub(super) question: bool,
    /// The factor that discounts greetings, agreement and stubs.
    pub(super) quality: f64,
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
    pub(super) fn read(&mut self, text: &str, names: &Names) -> Content {
        self.sentences += 1;
        let lower = fold(text).to_lowercase();
        let said = names.without_addressee(text);
        let facts = facts::facts(said, names);
        let decision = cues::decision(&lower);
        let question = cues::is_question(&lower);
        let worth: f64 = facts.iter().map(|f| f.weight).sum();
        let terms: Vec<usize> = terms::terms(said)
            .into_iter()
            .map(|term| self.id(term))
            .collect();
        let quality = quality(said, worth, decision, terms.len());
        let facts = facts
            .into_iter()
            .map(|f| (self.id(format!("={}", f.key)), f.weight))
            .collect();
        Content {
            facts,
            terms,
            decision,
            question,
            quality,
        }
    }
}

fn quality(text: &str, facts: f64, decision: f64, terms: usize) -> f64 {
    let substance = facts + decision;
    let lower = text.to_lowercase();
    let wide = width(text);
    let mut quality = 1.0;
    if is_source(text) {
        quality *= 0.35;
    }
    if cues::is_small_talk(&lower) {
        quality *= 0.4;
    }
    if cues::is_chatter(&lower) {
        quality *= if substance < 0.7 && wide < 60 {
            0.1
        } else {
            0.7
        };
    }
    if wide < 18 && facts < 0.5 || terms < 2 && substance < 0.5 {
        quality *= 0.4;
    }
    if substance < 0.3 {
        quality *= 0.7;
    }
    quality
}

/// Source code, paths and dumps: many marks among the letters, URLs aside.
fn is_source(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| !word.contains("://"));
    let (mut marks, mut letters) = (0, 0);
    for c in words.flat_map(str::chars) {
        marks += usize::from("{}[]()<>=;|$\\/_*&+~^%`\"".contains(c));
        letters += usize::from(c.is_alphabetic());
    }
    let is_log = text.starts_with('[') || (text.starts_with("at ") && text.ends_with(')'));
    is_log || (marks > 3 && marks * 8 > letters)
}
