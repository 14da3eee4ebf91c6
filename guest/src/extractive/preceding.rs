//! The preceding sentence that a short answer needs to be understood: `alice: how many? → bob: 24`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::score::{Candidate, Preceding};
use super::terms::plain_words;
use super::text::width;

/// In a thread it is at most so many messages earlier.
const THREAD_REACH: usize = 4;
/// Outside threads conversations overlap.
const OPEN_REACH: usize = 2;
/// A wider sentence, or one with more plain words, is understood alone.
const MAX_WIDTH: usize = 44;
const MAX_WORDS: usize = 1;
/// The factor for a sentence that needs a preceding one and has none.
const WITHOUT_PRECEDING: f64 = 0.6;
/// The limits of a preceding sentence. It is not chatter.
const MAX_PRECEDING_WIDTH: usize = 90;
const LEAST_PRECEDING_WIDTH: usize = 24;
const LEAST_PRECEDING_WORDS: usize = 2;

/// The last sentence of every burst of talk.
#[derive(Default)]
pub(super) struct Earlier(BTreeMap<usize, Said>);

/// A sentence that others may need before them.
struct Said {
    preceding: Preceding,
    facts: Vec<(usize, f64)>,
    terms: Vec<usize>,
    /// The number of later messages in the burst.
    age: usize,
}

impl Earlier {
    /// Gives the first sentence of a burst's next message its preceding sentence, and remembers the message.
    pub(super) fn next_message(
        &mut self,
        burst: usize,
        in_thread: bool,
        message: &mut [Candidate],
    ) {
        let reach = if in_thread { THREAD_REACH } else { OPEN_REACH };
        let asking = message
            .iter()
            .rposition(|c| c.content.question)
            .unwrap_or(0);
        let said = message
            .get(asking)
            .filter(|c| can_precede(c))
            .map(Said::new);
        let mut before = self.0.get_mut(&burst);
        if let Some(before) = &mut before {
            before.age += 1;
        }
        if let Some(first) = message.first_mut().filter(|c| needs_preceding(c)) {
            match before.filter(|before| before.age <= reach) {
                Some(before) => before.precede(first),
                None => first.factor *= WITHOUT_PRECEDING,
            }
        }
        if let Some(said) = said {
            self.0.insert(burst, said);
        }
    }
}

impl Said {
    fn new(candidate: &Candidate) -> Self {
        Self {
            preceding: Preceding {
                line: candidate.line,
                speaker: candidate.speaker.clone(),
                text: Rc::from(candidate.text.as_str()),
            },
            facts: candidate.content.facts.clone(),
            terms: candidate.content.terms.clone(),
            age: 0,
        }
    }

    /// The preceding sentence is shown with the candidate, and its facts count half.
    fn precede(&self, candidate: &mut Candidate) {
        candidate.preceding = Some(self.preceding.clone());
        let content = &mut candidate.content;
        content.terms.extend(&self.terms);
        content.terms.sort();
        content.terms.dedup();
        for (id, weight) in &self.facts {
            if content.facts.iter().all(|(known, _)| known != id) {
                content.facts.push((*id, weight / 2.0));
            }
        }
    }
}

fn needs_preceding(candidate: &Candidate) -> bool {
    candidate.lead.is_none() && says_little(&candidate.text)
}

/// Whether a sentence is understood only after the one that it answers.
pub(crate) fn says_little(sentence: &str) -> bool {
    let is_short = width(sentence) <= MAX_WIDTH || sentence.contains("://");
    is_short && plain_words(sentence) <= MAX_WORDS
}

fn can_precede(candidate: &Candidate) -> bool {
    let wide = width(&candidate.text);
    let says_enough = wide >= LEAST_PRECEDING_WIDTH || candidate.content.question;
    says_enough
        && wide <= MAX_PRECEDING_WIDTH
        && candidate.content.quality > 0.5
        && plain_words(&candidate.text) >= LEAST_PRECEDING_WORDS
}
