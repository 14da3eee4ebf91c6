//! The records of memories: what is kept beside the text of a memory, and which of it a prompt shows.

use std::collections::BTreeSet;

use super::Run;
use crate::bindings::errors::Error;
use crate::bindings::llm::Agent;
use crate::bindings::storage::Memory;
use crate::bindings::types::{Citation, Context, Engine, KeptSpan, KeptText, MessageRef, User};
use crate::cited_lines::cited_lines;
use crate::line_sources::narrow;
use crate::marks::{self, Marks};
use crate::ports::Ports;
use crate::prompt;
use crate::records::{Prose, Room, Said, Shown, facts, most_important, read_spans, shown_of};
use crate::ts::Ts;

/// A call reads at most so many whole messages to find what a merge lost of them, or says of them.
const MOST_MESSAGES: usize = 500;

impl Run<'_> {
    /// Facts of its messages that the text of a memory does not hold.
    pub(super) fn records_of_messages(
        &self,
        text: &str,
        citations: &[Citation],
        context: &Context,
    ) -> Vec<KeptSpan> {
        let (channel_id, bot) = (
            &context.conversation_history.channel_id,
            &self.ports.settings.bot_name,
        );
        // The bot's own posts repeat what is remembered already, and what is only said to it tells nothing.
        let messages: Vec<Said<'_>> = match &context.target_thread_ts {
            Some(_) => prompt::target_thread_messages(context).iter().collect(),
            None => prompt::conversation_messages(context).collect::<Vec<_>>(),
        }
        .into_iter()
        .filter(|message| !self.is_own(&message.user) && !marks::is_only_for(message, bot))
        .map(|message| Said {
            at: MessageRef {
                channel_id: channel_id.clone(),
                ts: message.ts.clone(),
            },
            text: &message.text,
            by_program: message.user.is_bot,
        })
        .collect();
        most_important(Prose::new(text, citations).missing(&messages))
    }

    /// The citations of a merged memory, narrowed to the messages that its lines say something of. One storage call, if a line
    /// cites several messages.
    pub(super) fn citations_of_merged(
        &self,
        text: &str,
        mut citations: Vec<Citation>,
    ) -> Result<Vec<Citation>, Error> {
        let several = citations.iter().filter(|line| line.messages.len() > 1);
        let messages = several.flat_map(|line| &line.messages);
        let mut spans: Vec<KeptSpan> = messages.cloned().map(whole).collect();
        spans.sort_by(|a, b| place(&b.message).cmp(&place(&a.message)));
        spans.dedup();
        spans.truncate(MOST_MESSAGES);
        let said = read_spans(self.ports.storage, &spans)?;
        if !said.is_empty() {
            narrow(text, &mut citations, &said);
        }
        Ok(citations)
    }

    /// Facts that the text of a merged memory does not hold of the messages behind the memories that were merged: their
    /// records, and the facts of the lines that it lost.
    pub(super) fn records_of_memories(
        &self,
        text: &str,
        citations: &[Citation],
        merged: &[&Memory],
    ) -> Result<Vec<KeptSpan>, Error> {
        let prose = Prose::new(text, citations);
        let records = merged.iter().flat_map(|memory| &memory.records);
        let mut spans: Vec<KeptSpan> = Vec::new();
        let mut seen = BTreeSet::new();
        for span in records {
            if seen.insert((
                span.message.channel_id.as_str(),
                span.message.ts.as_str(),
                span.start,
            )) {
                spans.push(span.clone());
            }
        }
        spans.extend(lost_messages(&prose, merged).into_iter().map(whole));
        let texts = read_spans(self.ports.storage, &spans)?;
        let bot = &self.ports.settings.bot_name;
        let (messages, records): (Vec<KeptText>, Vec<KeptText>) = texts
            .into_iter()
            .filter(|text| !self.is_own(&text.user) && !marks::is_text_only_for(&text.text, bot))
            .partition(|text| text.span.length == u32::MAX);
        let messages: Vec<Said<'_>> = messages
            .iter()
            .map(|text| Said {
                at: text.span.message.clone(),
                text: &text.text,
                by_program: text.user.is_bot,
            })
            .collect();
        let mut kept = prose.still_missing(&records);
        kept.extend(prose.missing(&messages));
        Ok(most_important(kept))
    }

    /// The marks of a channel.
    pub(super) fn read_marks(&self, channel_id: &str) -> Result<Marks, Error> {
        let Ports {
            storage, settings, ..
        } = self.ports;
        Marks::load(*storage, channel_id, self.until(), &settings.bot_name)
    }

    /// Returns true if memories are made without a model, which would read the marks by itself.
    pub(super) fn extracts(&self) -> bool {
        self.ports.settings.engine == Engine::Extractive
    }

    /// The marks that a prompt shows where it shows no records. Without a model they are all there: nothing is shown to
    /// anybody.
    pub(super) fn shown_marks(&self, marks: &Marks) -> Marks {
        if self.extracts() {
            return marks.clone();
        }
        let count_tokens = |texts: &[String]| self.ports.llm.count_tokens(Agent::Memory, texts);
        let room = self.ports.settings.records_max_tokens / 2;
        marks.shown(room, &count_tokens).0
    }

    /// The records of memories and the marks that a channel's prompt shows.
    pub(super) fn shown_records(
        &self,
        memories: &[&Memory],
        context: &Context,
        marks: &Marks,
    ) -> Result<Shown, Error> {
        let count_tokens = |texts: &[String]| self.ports.llm.count_tokens(Agent::Memory, texts);
        let room = Room {
            question: None,
            max_tokens: self.ports.settings.records_max_tokens,
            count_tokens: &count_tokens,
        };
        let shown = shown_of(self.ports.storage, memories, context, marks, room)?;
        Ok(Shown {
            marks: self.shown_marks(marks),
            ..shown
        })
    }

    /// Returns true if somebody is the bot itself.
    fn is_own(&self, user: &User) -> bool {
        user.is_bot && user.name == self.ports.settings.bot_name
    }
}

/// The messages of lines that hold a fact which a text that was made from them does not hold.
fn lost_messages(prose: &Prose, merged: &[&Memory]) -> Vec<MessageRef> {
    let mut lost: Vec<MessageRef> = Vec::new();
    let mut seen = BTreeSet::new();
    for memory in merged {
        for (line, citation) in cited_lines(memory) {
            let facts = facts(line, false);
            for of in &citation.messages {
                let holds_all = facts.iter().all(|fact| prose.holds(fact, of));
                if !holds_all && seen.insert((of.channel_id.as_str(), of.ts.as_str())) {
                    lost.push(of.clone());
                }
            }
        }
    }
    // The newest memory was merged last.
    let most = lost.len().saturating_sub(MOST_MESSAGES);
    lost.split_off(most)
}

/// The newer last.
fn place(of: &MessageRef) -> (Option<Ts>, &str) {
    (Ts::parse(&of.ts).ok(), &of.channel_id)
}

/// All of a message.
fn whole(message: MessageRef) -> KeptSpan {
    KeptSpan {
        message,
        start: 0,
        length: u32::MAX,
    }
}
