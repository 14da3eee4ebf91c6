//! Reads the message to answer, and what is known around it.

use std::collections::BTreeSet;

use super::Responder;
use crate::bindings::chat::ChatError;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::responder::Target;
use crate::bindings::llm::Agent;
use crate::bindings::storage::{Keep, Memory, MessageQuery, StorageError};
use crate::bindings::types::{
    Citation, Context, ConversationHistory, Engine, Message, Notes, Persona, Scope, Timestamp,
};
use crate::context::{
    NO_NOTES, Remembered, build_around, conversation_history, shown_thread_memories,
};
use crate::describe;
use crate::line_sources::{citations, citations_of_quotes};
use crate::marks::{Corrections, Marks};
use crate::programs::{self, program_lines};
use crate::records::{Room, Shown, shown_of};
use crate::ts::Ts;

/// The message to answer, and what is known around it.
pub(super) struct Situation {
    /// The context of the prompt.
    pub(super) context: Context,
    /// The message that is answered.
    pub(super) answered: Message,
    /// What people marked in the channel.
    pub(super) marks: Marks,
    /// The memories that were read, with their citations.
    pub(super) memories: Vec<Memory>,
}

impl Situation {
    /// The citations of an answer.
    pub(super) fn citations(&self, text: &str, engine: Engine) -> Vec<Citation> {
        let memories: Vec<&Memory> = self.memories.iter().collect();
        match engine {
            Engine::Extractive => citations_of_quotes(text, &self.context, &memories),
            Engine::Llm | Engine::Imported => {
                citations(text, engine, &self.context, &memories, &[])
            }
        }
    }
}

impl Responder<'_> {
    /// Reads everything with at most seven storage calls. Messages that the store lacks come from the chat platform; if
    /// it fails, the reply is made without them.
    pub(super) fn situation(&self, target: &Target, persona: &Persona) -> Result<Situation, Error> {
        let settings = &self.ports.settings;
        let until = Ts::last_of(self.now);
        let mut remembered = Remembered::load(self.ports.storage, settings, until, true)?;
        let mut memories = remembered.memories.clone();
        let channel = remembered.channel(&target.channel_id)?;
        let mut messages = self.stored_messages(target)?;
        self.fetch_what_is_missing(target, &mut messages)?;
        let answered = self.answered_message(target, &mut messages)?;
        let thread_ts = target.thread_ts.as_deref();
        let mut history = conversation_history(channel, messages, thread_ts)?;
        if thread_ts.is_none() {
            show_at_top_level(&mut history, &answered);
        }
        let by_programs = program_lines(&remembered.memories);
        let storage = self.ports.storage;
        let bot = &settings.persona.name;
        let marks = Marks::load(storage, &target.channel_id, until, bot)?;
        // A model is told what a correction supersedes; without one it is left out.
        let quotes = settings.reply_engine == Engine::Extractive;
        let corrections = Corrections::of(&marks.corrections);
        if quotes {
            remembered.memories = corrections.correct(remembered.memories);
        }
        let (mut context, of_threads) =
            build_around(storage, settings, remembered, history, thread_ts, until)?;
        if quotes {
            let corrected = corrections.correct(of_threads.clone());
            context.thread_memories = shown_thread_memories(&corrected);
        }
        memories.extend(of_threads);
        let is_near = |memory: &&Memory| match memory.scope {
            Scope::Channel => memory.scope_id == target.channel_id,
            Scope::Workspace | Scope::Thread => true,
        };
        let near: Vec<&Memory> = memories.iter().filter(is_near).collect();
        let shown = self.shown_records(&near, &context, &marks, &answered.text)?;
        context.notes = Some(notes(self.now, shown, &marks, quotes));
        context.persona = persona.clone();
        programs::mark(&mut context, by_programs);
        Ok(Situation {
            context,
            answered,
            marks,
            memories,
        })
    }

    /// The records and marks that a reply shows: twice as many as a channel's prompt.
    fn shown_records(
        &self,
        memories: &[&Memory],
        context: &Context,
        marks: &Marks,
        question: &str,
    ) -> Result<Shown, Error> {
        let llm = self.ports.llm;
        let count_tokens = |texts: &[String]| llm.count_tokens(Agent::Response, texts);
        let room = Room {
            question: Some(question),
            max_tokens: self.ports.settings.records_max_tokens.saturating_mul(2),
            count_tokens: &count_tokens,
        };
        shown_of(self.ports.storage, memories, context, marks, room)
    }

    /// The newest messages of the channel, the whole target thread, and the message that is answered, however old.
    fn stored_messages(&self, target: &Target) -> Result<Vec<Message>, Error> {
        let storage = self.ports.storage;
        let newest = MessageQuery {
            channel_id: target.channel_id.clone(),
            since: None,
            until: Ts::last_of(self.now).to_string(),
            limit: self.ports.settings.reply_message_limit,
            keep: Keep::Newest,
            whole_thread: target.thread_ts.clone(),
            thread_limit: self.ports.settings.generation_message_limit,
            only_new: false,
        };
        let mut messages = storage.list_messages(&newest).map_err(Error::Storage)?;
        if find(&messages, &target.message_ts)?.is_none() {
            let that_one = MessageQuery {
                since: Some(target.message_ts.clone()),
                until: target.message_ts.clone(),
                limit: 1,
                whole_thread: None,
                ..newest
            };
            messages.extend(storage.list_messages(&that_one).map_err(Error::Storage)?);
        }
        Ok(messages)
    }

    /// Asks the platform for the thread if its first message is not stored, and for the channel if nothing else of it
    /// is stored.
    fn fetch_what_is_missing(
        &self,
        target: &Target,
        messages: &mut Vec<Message>,
    ) -> Result<(), Error> {
        let chat = self.chat;
        let channel_id = &target.channel_id;
        let is_target = |message: &Message| match &target.thread_ts {
            Some(thread) => message.ts == *thread || message.thread_ts.as_ref() == Some(thread),
            None => message.ts == target.message_ts,
        };
        let knows_more = messages.iter().any(|message| !is_target(message));
        if let Some(thread_ts) = &target.thread_ts
            && find(messages, thread_ts)?.is_none()
        {
            let limit = self.ports.settings.generation_message_limit;
            let fetched = chat.thread(channel_id, thread_ts, limit);
            self.merge(
                &format!("thread {channel_id}:{thread_ts}"),
                messages,
                fetched,
            );
        }
        if !knows_more {
            let until = Ts::last_of(self.now).to_string();
            let limit = self.ports.settings.reply_message_limit;
            let fetched = chat.history(channel_id, &until, limit);
            self.merge(&format!("history of {channel_id}"), messages, fetched);
        }
        Ok(())
    }

    /// Adds messages that are missing. For the others the stored version is newer.
    fn merge(
        &self,
        what: &str,
        messages: &mut Vec<Message>,
        fetched: Result<Vec<Message>, ChatError>,
    ) {
        let fetched = match fetched {
            Ok(fetched) => fetched,
            Err(error) => {
                let why = describe::chat_error(&error);
                return self.warn(&format!("cannot read the {what} from the chat: {why}"));
            }
        };
        let until = Ts::last_of(self.now);
        let mut known: BTreeSet<Ts> = messages.iter().filter_map(id).collect();
        for message in fetched {
            let thread = message.thread_ts.as_deref().map(Ts::parse).transpose();
            match (id(&message), thread) {
                (Some(ts), Ok(_)) if ts <= until => {
                    if known.insert(ts) {
                        messages.push(message);
                    }
                }
                (Some(_), Ok(_)) => {}
                _ => self.warn(&format!(
                    "the {what} from the chat has an invalid message id"
                )),
            }
        }
    }

    /// The message that is answered. If its author has no name, looks the name up and sets it in all their messages.
    fn answered_message(
        &self,
        target: &Target,
        messages: &mut [Message],
    ) -> Result<Message, Error> {
        let gone = || {
            Error::Storage(StorageError::NotFound(format!(
                "message {} of channel {} is not in the store; it may have been deleted",
                target.message_ts, target.channel_id
            )))
        };
        let mut answered = find(messages, &target.message_ts)?
            .cloned()
            .ok_or_else(gone)?;
        let id = answered.user.id.clone();
        if !answered.user.name.trim().is_empty() || id.is_empty() {
            return Ok(answered);
        }
        match self.chat.get_user(&id) {
            Ok(user) if !user.name.trim().is_empty() => {
                let nameless = messages
                    .iter_mut()
                    .filter(|message| message.user.id == id && message.user.name.trim().is_empty());
                for message in nameless.chain([&mut answered]) {
                    message.user.name.clone_from(&user.name);
                }
            }
            Ok(_) => {}
            Err(error) => self.warn(&format!(
                "cannot read the name of {id} from the chat: {}",
                describe::chat_error(&error)
            )),
        }
        Ok(answered)
    }
}

/// The notes of a reply. Without a model all marks are quoted from.
fn notes(now: Timestamp, shown: Shown, marks: &Marks, quotes: bool) -> Notes {
    let Marks {
        pinned,
        corrections,
    } = if quotes { marks.clone() } else { shown.marks };
    Notes {
        now: Some(now),
        records: shown.records,
        pinned,
        corrections,
        ..NO_NOTES
    }
}

/// A message that has become the first of a thread is only in that thread; the answered message must be in the target
/// too.
fn show_at_top_level(history: &mut ConversationHistory, answered: &Message) {
    let top_level = &mut history.top_level_messages;
    if top_level.iter().all(|message| message.ts != answered.ts) {
        let at = top_level.partition_point(|message| id(message) < id(answered));
        top_level.insert(at, answered.clone());
    }
}

fn id(message: &Message) -> Option<Ts> {
    Ts::parse(&message.ts).ok()
}

fn find<'m>(messages: &'m [Message], ts: &str) -> Result<Option<&'m Message>, Error> {
    let ts = Ts::parse(ts)?;
    Ok(messages.iter().find(|message| id(message) == Some(ts)))
}
