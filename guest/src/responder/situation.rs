//! The surroundings of a conversation, as far as a reply, a judgment or quotes need it.

use super::Responder;
use super::found::{self, Found};
use super::question::{self, Question};
use crate::bindings::errors::Error;
use crate::bindings::llm::Agent;
use crate::bindings::storage::Memory;
use crate::bindings::types::{
    Citation, Context, ConversationHistory, Engine, Message, Notes, Scope, User,
};
use crate::check::given;
use crate::context::{self, NO_NOTES, Remembered, build_around, shown_thread_memories};
use crate::grounding::Given;
use crate::line_sources::{citations, citations_of_quotes};
use crate::marks::{self, Corrections, Marks};
use crate::programs::{self, program_lines};
use crate::prompt::persona_for;
use crate::records::{Room, Shown, shown_of};
use crate::settings::Settings;
use crate::surroundings::reply;
use crate::text::sentences::only_asks;
use crate::ts::Ts;

/// How many tokens the prompt of a judgment shows around the conversation, at most.
const JUDGMENT_MAX_TOKENS: u32 = 1000;

/// A question that is no message of the workspace.
#[derive(Clone, Copy, Debug)]
pub struct Inquiry<'q> {
    /// The channel at whose top level it is asked; `None` outside all channels.
    pub channel_id: Option<&'q str>,
    /// The question.
    pub text: &'q str,
    /// Who asks.
    pub asker: &'q User,
}

/// The purpose for which a situation is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The prompt of a reply.
    Reply,
    /// The prompt of a judgment.
    Judgment,
    /// An answer without a model.
    Quotes,
}

impl Wanted {
    /// All that a reply needs.
    pub(super) fn reply(settings: &Settings) -> Self {
        match settings.reply_engine {
            Engine::Extractive => Self::Quotes,
            Engine::Llm | Engine::Imported => Self::Reply,
        }
    }

    fn own_prompt(self, settings: &Settings) -> &str {
        match self {
            Self::Reply | Self::Quotes => &settings.response_prompt,
            Self::Judgment => &settings.judgment_prompt,
        }
    }
}

/// A conversation, and what is answered in it.
pub(super) struct Talk<'t> {
    pub(super) history: ConversationHistory,
    /// The thread to answer in.
    pub(super) thread_ts: Option<&'t str>,
    pub(super) answered: Message,
    /// True if that is a message of the workspace.
    pub(super) is_message: bool,
}

/// The message to answer, and what is known around it.
pub(super) struct Situation {
    /// The context of the prompt.
    pub(super) context: Context,
    /// The message that is answered.
    pub(super) answered: Message,
    /// True if that is a message of the workspace: else nothing can refer to it.
    is_message: bool,
    /// The question.
    pub(super) question: Question,
    /// The sources that bear on it.
    pub(super) found: Found,
    /// The marks in the channel.
    pub(super) marks: Marks,
    /// The memories that were read, with their citations.
    pub(super) memories: Vec<Memory>,
}

impl Situation {
    /// The texts and times that a value of an answer may follow from: neither the bot's own posts nor what is only asked.
    pub(super) fn given(&self) -> Vec<Given<'_>> {
        let persona = &self.context.persona;
        let tells = |message: &Message| {
            let is_question = message.ts == self.answered.ts
                && (!self.is_message || only_asks(&question::plain(&message.text)));
            !is_question && marks::tells(message, &persona.name)
        };
        let own = [persona.system_prompt.as_str()].into_iter();
        given(&self.context, own, tells)
    }

    /// The citations of an answer.
    pub(super) fn citations(&self, text: &str, engine: Engine) -> Vec<Citation> {
        let all = self.memories.iter();
        let mut lines = match engine {
            Engine::Extractive => {
                citations_of_quotes(text, &self.context, &all.collect::<Vec<_>>())
            }
            Engine::Llm | Engine::Imported => {
                let shown: Vec<&Memory> = all
                    .filter(|memory| context::shows(&self.context, memory))
                    .collect();
                citations(text, engine, &self.context, &shown, &[])
            }
        };
        if !self.is_message {
            for line in &mut lines {
                line.messages
                    .retain(|message| message.ts != self.answered.ts);
            }
        }
        lines
    }
}

impl Responder<'_> {
    /// The surroundings of a conversation, as far as they are wanted.
    pub(super) fn situation_of(
        &self,
        talk: Talk<'_>,
        remembered: Remembered,
        wanted: Wanted,
    ) -> Result<Situation, Error> {
        let (storage, settings) = (self.ports.storage, &self.ports.settings);
        let until = Ts::last_of(self.now);
        let channel_id = talk.history.channel_id.clone();
        let channels = remembered.channels.clone();
        let mut memories = remembered.memories.clone();
        let marks = self.marks(&channel_id)?;
        let corrections = Corrections::of(&marks);
        let mut own = remembered.only(&channel_id);
        // A model is told of the corrections; without one, struck lines are left out.
        let quotes = wanted == Wanted::Quotes;
        if quotes {
            own.memories = corrections.correct(own.memories);
        }
        let (mut context, of_threads) =
            build_around(storage, settings, own, talk.history, talk.thread_ts, until)?;
        if quotes {
            let corrected = corrections.correct(of_threads.clone());
            context.thread_memories = shown_thread_memories(&corrected);
        }
        memories.extend(of_threads);
        memories.sort_by_key(|memory| nearness(memory, &channel_id));
        context.persona = persona_for(settings, wanted.own_prompt(settings), &context);
        let answered = talk.answered;
        let question = question::asked(&context, &answered);
        let hits = self.hits(&question, &context, &answered, quotes)?;
        let of_lines = memories
            .iter()
            .filter(|memory| wanted != Wanted::Reply || !is_of(memory, &channel_id));
        let lines = found::lines(of_lines, &channels, &question, &hits);
        let mut found = Found { hits, lines };
        if quotes {
            found.correct(&corrections);
        }
        let shown = self.shown(&memories, &context, &marks, &question)?;
        context.notes = Some(self.notes(shown, &marks, quotes));
        self.bound(&mut context, &answered, &found, wanted);
        programs::mark(&mut context, program_lines(&memories));
        Ok(Situation {
            context,
            answered,
            is_message: talk.is_message,
            question,
            found,
            marks,
            memories,
        })
    }

    /// Leaves in a context what is wanted and fits.
    pub(super) fn bound(
        &self,
        context: &mut Context,
        answered: &Message,
        found: &Found,
        wanted: Wanted,
    ) {
        let settings = &self.ports.settings;
        let (agent, max_tokens) = match wanted {
            Wanted::Quotes => {
                let notes = context.notes.get_or_insert(NO_NOTES);
                notes.sources = found.sources();
                return;
            }
            Wanted::Reply => (Agent::Response, settings.surroundings_max_tokens),
            Wanted::Judgment => {
                reply::for_judgment(context, answered);
                let max_tokens = settings.surroundings_max_tokens;
                (Agent::Judgment, max_tokens.min(JUDGMENT_MAX_TOKENS))
            }
        };
        // The workspace's memory is shown whole only where nothing is found.
        if !(found.hits.is_empty() && found.lines.is_empty()) {
            context.workspace_long_term_memory = None;
            context.workspace_short_term_memory = None;
        }
        let llm = self.ports.llm;
        let count_tokens = |texts: &[String]| llm.count_tokens(agent, texts);
        let (sources, hits) = (found.sources(), found.hits.len());
        reply::bound(context, sources, hits, max_tokens, &count_tokens);
    }

    /// The marks in a channel; none outside all channels.
    fn marks(&self, channel_id: &str) -> Result<Marks, Error> {
        if channel_id.is_empty() {
            return Ok(Marks::default());
        }
        let bot = &self.ports.settings.bot_name;
        Marks::load(self.ports.storage, channel_id, Ts::last_of(self.now), bot)
    }

    /// The notes of a reply. Without a model all marks are quoted from.
    fn notes(&self, shown: Shown, marks: &Marks, quotes: bool) -> Notes {
        let Marks {
            pinned,
            corrections,
            ..
        } = if quotes { marks.clone() } else { shown.marks };
        Notes {
            now: Some(self.now),
            records: shown.records,
            pinned,
            corrections,
            ..NO_NOTES
        }
    }

    /// The records and marks that a reply shows: twice as many as a channel's prompt.
    fn shown(
        &self,
        memories: &[Memory],
        context: &Context,
        marks: &Marks,
        question: &Question,
    ) -> Result<Shown, Error> {
        let channel_id = &context.conversation_history.channel_id;
        let near: Vec<&Memory> = memories
            .iter()
            .filter(|memory| memory.scope != Scope::Channel || is_of(memory, channel_id))
            .collect();
        let llm = self.ports.llm;
        let count_tokens = |texts: &[String]| llm.count_tokens(Agent::Response, texts);
        let room = Room {
            question: Some(&question.text),
            max_tokens: self.ports.settings.records_max_tokens.saturating_mul(2),
            count_tokens: &count_tokens,
        };
        shown_of(self.ports.storage, &near, context, marks, room)
    }
}

/// How near a memory is to a channel: its own come first.
fn nearness(memory: &Memory, channel_id: &str) -> u8 {
    match memory.scope {
        Scope::Channel if memory.scope_id == channel_id => 0,
        Scope::Thread => 1,
        Scope::Workspace => 2,
        Scope::Channel => 3,
    }
}

fn is_of(memory: &Memory, channel_id: &str) -> bool {
    memory.scope == Scope::Channel && memory.scope_id == channel_id
}
