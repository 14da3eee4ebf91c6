//! What a short answer needs before it to be understood: `alice: how many? → bob: 24`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::score::{Candidate, Preceding};
use super::terms::plain_words;
use super::text::width;

/// The context is one of so many messages before, in the same burst of talk.
const THREAD_REACH: usize = 4;
/// Outside threads talks cross each other.
const OPEN_REACH: usize = 2;
/// A sentence stands alone when it is wider than this or has more plain words.
const MAX_WIDTH: usize = 44;
const MAX_WORDS: usize = 1;
/// What is left of the worth of a sentence that needs a context and has none.
const WITHOUT_PRECEDING: f64 = 0.6;
/// A context is as wide as this, has so many plain words, and is no chatter.
const MAX_PRECEDING_WIDTH: usize = 90;
const LEAST_PRECEDING_WIDTH: usize = 24;
const LEAST_PRECEDING_WORDS: usize = 2;

/// What was said last in every burst of talk.
#[derive(Default)]
pub(super) struct Earlier(BTreeMap<usize, Said>);

/// An earlier sentence that can be a context.
struct Said {
    preceding: Preceding,
    facts: Vec<(usize, f64)>,
    terms: Vec<usize>,
    /// How many messages the burst has gone on since.
    age: usize,
}

impl Earlier {
    /// Gives the first sentence of the next message of a burst its context, and remembers the message.
    pub(super) fn go_on(&mut self, burst: usize, in_thread: bool, message: &mut [Candidate]) {
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

    /// What the context holds is told with the candidate, and counts half.
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
    let is_short = width(&candidate.text) <= MAX_WIDTH || candidate.text.contains("://");
    candidate.lead.is_none() && is_short && plain_words(&candidate.text) <= MAX_WORDS
}

fn can_precede(candidate: &Candidate) -> bool {
    let wide = width(&candidate.text);
    let says_enough = wide >= LEAST_PRECEDING_WIDTH || candidate.content.question;
    says_enough
        && wide <= MAX_PRECEDING_WIDTH
        && candidate.content.quality > 0.5
        && plain_words(&candidate.text) >= LEAST_PRECEDING_WORDS
}
