//! Receives what a host hands over, before anything is made from it: credentials are masked, messages that are too long are cut, and
//! questions that are too long are refused. A mask is as long as what it hides, so positions in texts are the same here and
//! in the host's store.

use std::borrow::Cow;

use crate::bindings::errors::{Error, OtherReason};
use crate::bindings::exports::myao::memory::{responder::Question, searcher::SearchRequest};
use crate::bindings::recall::{Candidates, FoundMessage};
use crate::bindings::storage::{Marked, Memory};
use crate::bindings::types::{
    ChannelMemory, Context, ConversationHistory, Item, KeptText, Message, Notes, Source, Thread,
    ThreadMemory,
};

/// Something that people's texts are in.
pub trait Handed {
    /// Cuts messages, and puts masks in the place of credentials if `redacts` is true.
    fn receive(&mut self, redacts: bool);
}

impl Handed for String {
    fn receive(&mut self, redacts: bool) {
        if redacts && let Cow::Owned(masked) = myao_secrets::mask(self) {
            *self = masked;
        }
    }
}

impl<T: Handed> Handed for Vec<T> {
    fn receive(&mut self, redacts: bool) {
        self.iter_mut().for_each(|of| of.receive(redacts));
    }
}

impl<T: Handed> Handed for Option<T> {
    fn receive(&mut self, redacts: bool) {
        self.iter_mut().for_each(|of| of.receive(redacts));
    }
}

/// Receives these fields of these records; the others hold no texts. `cut` says that the text is a message.
macro_rules! handed {
    ($($record:ty { $($field:ident),* } $(=> $cut:ident)?)*) => {
        $(impl Handed for $record {
            fn receive(&mut self, redacts: bool) {
                $(self.$field.receive(redacts);)*
                $($cut(&mut self.text);)?
            }
        })*
    };
}

/// Without a change of the text this costs nothing.
fn cut(text: &mut String) {
    if let Cow::Owned(cut) = myao_secrets::cut(text) {
        *text = cut;
    }
}

/// Refuses a question or a request of a search that is too long.
///
/// # Errors
/// [`Error::Other`] with the code `question-too-long`.
pub fn check_question(text: &str) -> Result<(), Error> {
    let most = myao_secrets::MAX_QUESTION_CHARS;
    match myao_secrets::excess(text, most) {
        None => Ok(()),
        Some(chars) => Err(Error::Other(OtherReason {
            code: "question-too-long".to_owned(),
            text: format!("the question has {chars} characters; it can have {most}"),
        })),
    }
}

handed! {
    Message { text } => cut
    Marked { message }
    Memory { content }
    KeptText { text } => cut
    Candidates { messages }
    FoundMessage { message }
    Question { text }
    SearchRequest { text }
    Thread { messages }
    ConversationHistory { top_level_messages, threads }
    ChannelMemory { long_term_memory, short_term_memory, short_term_memory_history }
    ThreadMemory { content }
    Source { text } => cut
    Item { title }
    Notes { program_lines, records, pinned, corrections, sources, items, remarks }
    Context {
        conversation_history, workspace_long_term_memory, workspace_short_term_memory, channel_memories, thread_memories,
        notes
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used)]

    use super::*;
    use crate::testing::message;

    #[test]
    fn a_message_is_cut_with_a_note_in_its_language_and_its_positions_stay() {
        for (word, note) in [("log ", "too long]"), ("記録 ", "保存していません]")] {
            let whole = word.repeat(5_000_000);
            let mut handed = message(0, &whole);
            handed.receive(true);
            assert_eq!(handed.text.chars().count(), 100_000);
            assert!(handed.text.ends_with(note));
            let kept = handed.text.rsplit_once('\n').unwrap().0;
            assert!(whole.starts_with(kept));
            let once = handed.clone();
            handed.receive(false);
            assert_eq!(handed, once);
        }
    }

    #[test]
    fn a_question_of_more_than_4000_characters_is_refused_by_name() {
        assert_eq!(check_question(&"問".repeat(4000)), Ok(()));
        let Err(Error::Other(refused)) = check_question(&"問".repeat(4001)) else {
            panic!("it is taken");
        };
        assert_eq!(refused.code, "question-too-long");
        assert!(refused.text.contains("4001 characters; it can have 4000"));
    }
}
