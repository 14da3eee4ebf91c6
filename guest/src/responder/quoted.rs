//! Answers that quote: a text whose lines have the numbers of their sources.

use super::{Answered, citing};
use crate::bindings::types::{Citation, Engine, Source};
use crate::fit::NOTHING;

/// A text with the numbers of its sources, and what its lines are made from.
pub(super) struct Text {
    pub(super) answer: citing::Answer,
    pub(super) citations: Vec<Citation>,
    pub(super) sources: Vec<Source>,
}

impl Text {
    pub(super) fn new(heading: String) -> Self {
        Self {
            answer: citing::Answer::saying(heading),
            citations: Vec::new(),
            sources: Vec::new(),
        }
    }
}

/// An answer that lists items or messages.
pub(super) fn quoting(text: Text, found_nothing: bool) -> Answered {
    let answered = Answered {
        text: String::new(),
        engine: Engine::Extractive,
        truncated: false,
        left_out: NOTHING,
        citations: Vec::new(),
        found_nothing,
        says_nothing: found_nothing,
        sources: text.sources,
        unlinked: (text.answer, text.citations),
    };
    answered.shown(&|number, _| format!("[{number}]"))
}

impl Answered {
    /// The answer with its numbers shown so.
    pub(super) fn shown(mut self, shown: &dyn Fn(usize, &Source) -> String) -> Self {
        let (answer, citations) = &self.unlinked;
        let (text, citations) = answer.with_links(&self.sources, citations, shown);
        (self.text, self.citations) = (text, citations);
        self
    }
}
