//! Answers a mention that marks something: says what is remembered now, in fixed words, without a model.

use myao_terms::addressed::{self, Mark};

use super::situation::Situation;
use crate::bindings::types::{Citation, KeptText, MessageRef};
use crate::text::lines::lines;
use crate::text::{cut, flatten};

/// Texts are repeated up to so many columns.
const MAX_SAID: usize = 240;

/// An answer of fixed words, with its citations.
pub(super) struct Confirmation {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
}

/// The answer to a message that marks itself; `None` if it asks something else. `bot` is the name that mentions have.
pub(super) fn confirmation(situation: &Situation, bot: &str) -> Option<Confirmation> {
    let answered = &situation.answered;
    let (kind, _) = addressed::mark(&answered.text, bot)?;
    let language = situation.question.language;
    let of = MessageRef {
        channel_id: situation.context.conversation_history.channel_id.clone(),
        ts: answered.ts.clone(),
    };
    let mark = situation
        .marks
        .all()
        .find(|mark| mark.span.message.ts == of.ts);
    let written = match (mark, kind) {
        (None, _) => vec![language.may_not_mark()],
        (Some(mark), Mark::Pinned) => vec![language.noted(&said(mark)), language.undone()],
        (Some(mark), Mark::Correction) => vec![
            language.corrected(&said(mark)),
            language.outranks(),
            language.undone(),
        ],
    };
    Some(cited(&written.join("\n"), &of))
}

fn said(mark: &KeptText) -> String {
    cut(&flatten(&mark.text), MAX_SAID)
}

/// All of a text comes from the message that is answered, so it goes with that.
fn cited(text: &str, answered: &MessageRef) -> Confirmation {
    let scalars = |part: Option<&str>| {
        let count = part.unwrap_or_default().chars().count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let citations = lines(text).into_iter().map(|range| Citation {
        start: scalars(text.get(..range.start)),
        length: scalars(text.get(range)),
        messages: vec![answered.clone()],
        by_program: false,
    });
    Confirmation {
        citations: citations.collect(),
        text: text.to_owned(),
    }
}
