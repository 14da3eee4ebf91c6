//! Masks credentials in what a host hands over, before anything is made from it. A mask is as long as what it hides, so
//! positions in texts are the same here and in the host's store.

use std::borrow::Cow;

use crate::bindings::exports::myao::memory::{responder::Question, searcher::SearchRequest};
use crate::bindings::recall::{Candidates, FoundMemory, FoundMessage};
use crate::bindings::storage::{Marked, Memory};
use crate::bindings::types::{
    ChannelMemory, Context, ConversationHistory, KeptText, Message, Notes, Source, Thread,
    ThreadMemory,
};

/// Something that people's texts are in.
pub trait Mask {
    /// Puts masks in the place of credentials.
    fn mask(&mut self);
}

impl Mask for String {
    fn mask(&mut self) {
        if let Cow::Owned(masked) = myao_secrets::mask(self) {
            *self = masked;
        }
    }
}

impl<T: Mask> Mask for Vec<T> {
    fn mask(&mut self) {
        self.iter_mut().for_each(T::mask);
    }
}

impl<T: Mask> Mask for Option<T> {
    fn mask(&mut self) {
        self.iter_mut().for_each(T::mask);
    }
}

/// Masks these fields of these records; the others hold no texts.
macro_rules! mask {
    ($($record:ty { $($field:ident),* })*) => {
        $(impl Mask for $record {
            fn mask(&mut self) {
                $(self.$field.mask();)*
            }
        })*
    };
}

mask! {
    Message { text }
    Marked { message }
    Memory { content }
    KeptText { text }
    Candidates { messages, memories }
    FoundMessage { message }
    FoundMemory { memory }
    Question { text }
    SearchRequest { text }
    Thread { messages }
    ConversationHistory { top_level_messages, threads }
    ChannelMemory { long_term_memory, short_term_memory, short_term_memory_history }
    ThreadMemory { content }
    Source { text }
    Notes { program_lines, records, pinned, corrections, sources, remarks }
    Context {
        conversation_history, workspace_long_term_memory, workspace_short_term_memory, channel_memories, thread_memories,
        notes
    }
}
