//! What a prompt says of programs: who of the authors is one, and which lines of memories only programs said.

use std::collections::BTreeSet;

use super::selection::{channel_short_term_memory, conversation_messages, memory_of_type};
use super::variables::{Request, Variables};
use super::views::{Name, Text, Time};
use crate::bindings::types::{MemoryType, Scope, Timestamp, User};
use crate::notes::kept_texts;

/// A line is recognised by so many characters.
const LINE_BEGINNING: usize = 60;

/// A program among the authors of messages.
pub(super) struct Program<'a> {
    name: &'a str,
    times: Vec<Time>,
}

impl<'a> Program<'a> {
    pub(super) fn name(&self) -> Name<'a> {
        Name(self.name)
    }

    /// The times of its messages, if a person has the same name; else none.
    pub(super) fn times(&self) -> Vec<Time> {
        self.times.clone()
    }
}

impl<'a> Variables<'a> {
    /// The programs among the authors of the messages and records, each name once.
    pub(super) fn programs(&self) -> Vec<Program<'a>> {
        let is_shown = self
            .context
            .notes
            .as_ref()
            .is_some_and(|notes| notes.programs);
        let records = self.context.notes.iter().flat_map(kept_texts);
        let records = records.map(|record| (&record.user, record.timestamp));
        let sources = self.context.notes.iter().flat_map(|notes| &notes.sources);
        let sources = sources.filter_map(|source| Some((source.user.as_ref()?, source.timestamp?)));
        let said: Vec<(&'a User, Timestamp)> = conversation_messages(self.context)
            .map(|message| (&message.user, message.timestamp))
            .chain(records)
            .chain(sources)
            .filter(|_| is_shown)
            .collect();
        let people: BTreeSet<&str> = said
            .iter()
            .filter(|(user, _)| !user.is_bot)
            .map(|(user, _)| user.name.as_str())
            .collect();
        let mut programs: Vec<Program<'a>> = Vec::new();
        for (user, timestamp) in said.into_iter().filter(|(user, _)| user.is_bot) {
            let name = user.name.as_str();
            let time = people.contains(name).then_some(Time(timestamp));
            match programs.iter_mut().find(|program| program.name == name) {
                Some(program) => program.times.extend(time),
                None => programs.push(Program {
                    name,
                    times: time.into_iter().collect(),
                }),
            }
        }
        programs
    }

    /// The beginnings of the lines that programs wrote every message of, in the memories that the prompt shows.
    pub(super) fn program_lines(&self) -> Vec<Text<'a>> {
        let notes = self.context.notes.as_ref();
        let lines = notes.map_or(&[][..], |notes| &notes.program_lines);
        if lines.is_empty() {
            return Vec::new();
        }
        let shown = self.shown_memories();
        // Nearly always a line is found here, without a search through every memory.
        let whole: BTreeSet<&str> = shown.iter().flat_map(|memory| memory.lines()).collect();
        let is_shown = |line: &&String| {
            whole.contains(line.as_str()) || shown.iter().any(|memory| memory.contains(*line))
        };
        let lines = lines.iter().filter(is_shown);
        lines.map(|line| Text(beginning(line))).collect()
    }

    /// The memories in the prompt.
    fn shown_memories(&self) -> Vec<&'a str> {
        let context = self.context;
        let overview = context.workspace_long_term_memory.as_deref();
        let channels = context.channel_memories.iter();
        let (scope, memory_type, existing) = match self.request {
            Request::Memory {
                scope,
                memory_type,
                existing,
            } => (scope, memory_type, existing),
            Request::Merge { summaries, .. } => {
                return summaries.iter().map(String::as_str).collect();
            }
            // As in the prompt of a thread.
            Request::Reply { .. } => (Scope::Thread, MemoryType::ShortTerm, None),
        };
        match (scope, memory_type) {
            (Scope::Channel, MemoryType::ShortTerm) => {
                let threads = context.thread_memories.iter();
                let threads = threads.map(|memory| memory.content.as_str());
                overview.into_iter().chain(threads).collect()
            }
            (Scope::Channel, MemoryType::LongTerm) => {
                let newest = channel_short_term_memory(context);
                [overview, existing, newest].into_iter().flatten().collect()
            }
            (Scope::Workspace, memory_type) => {
                let merged = channels.filter_map(|channel| memory_of_type(channel, memory_type));
                existing.into_iter().chain(merged).collect()
            }
            (Scope::Thread, _) => {
                let texts = channels.flat_map(|channel| {
                    let history = channel.short_term_memory_history.iter();
                    channel.long_term_memory.iter().chain(history)
                });
                let short_term = context.workspace_short_term_memory.as_deref();
                let workspace = overview.into_iter().chain(short_term);
                let sources = context.notes.iter().flat_map(|notes| &notes.sources);
                let sources = sources.map(|source| source.text.as_str());
                let texts = texts.map(String::as_str).chain(sources);
                workspace.chain(texts).collect()
            }
        }
    }
}

/// Where a line begins: its first physical line, cut.
fn beginning(line: &str) -> &str {
    let first = line.split('\n').next().unwrap_or_default();
    let end = first.char_indices().nth(LINE_BEGINNING);
    let end = end.map_or(first.len(), |(at, _)| at);
    first.get(..end).unwrap_or_default()
}
