//! Summarises a target that does not fit into one prompt: chunk by chunk, in order of time, and then merges the
//! summaries.
//!
//! A chunk takes whole conversations. A thread that is longer than a chunk is split between messages, and a message
//! that is longer than a chunk within its text, so that every message is covered.

mod units;

use super::{Summarizer, Task};
use crate::answer::Accepted;
use crate::ask::Failure;
use crate::bindings::errors::Error;
use crate::bindings::llm::Agent;
use crate::bindings::types::{Context, MemoryType, Scope};
use crate::fit::count;
use crate::prompt;
use units::{Remaining, Unit, channel_conversations, target_messages};

/// Tokens around a message's text: time, name, marks.
const AROUND_A_MESSAGE: u32 = 24;

/// The part of a target that goes into one prompt.
struct Chunk {
    context: Context,
    prompt: String,
}

impl Summarizer<'_> {
    /// The summary of a target that is too long, and the number of its chunks.
    pub(super) fn ask_in_chunks(
        &self,
        task: Task<'_>,
        budget: Option<u32>,
    ) -> Result<(Accepted, u32), Failure> {
        let mut remaining = self.split(task, budget)?;
        if (task.scope, task.memory_type) == (Scope::Workspace, MemoryType::LongTerm) {
            return self.merge_one_after_the_other(task, remaining, budget);
        }
        let mut chunks = Vec::new();
        while let Some(chunk) = self.next_chunk(task, &mut remaining, budget)? {
            chunks.push(chunk);
        }
        let questions = chunks
            .iter()
            .map(|chunk| {
                let task = Task {
                    context: &chunk.context,
                    ..task
                };
                self.question(chunk.prompt.clone(), task)
            })
            .collect();
        let summaries = self.model.ask_all(questions)?;
        let merged = self.merge_summaries(task, summaries, budget)?;
        Ok((merged, count(&chunks)))
    }

    /// The first prompt of [`Self::ask_in_chunks`].
    pub(super) fn first_chunk_prompt(
        &self,
        task: Task<'_>,
        budget: Option<u32>,
    ) -> Result<String, Error> {
        let mut remaining = self.split(task, budget)?;
        let chunk = self.next_chunk(task, &mut remaining, budget)?;
        Ok(chunk.map(|chunk| chunk.prompt).unwrap_or_default())
    }

    /// Merges as many channels as fit into the long-term memory, then as many more, and so on.
    fn merge_one_after_the_other(
        &self,
        task: Task<'_>,
        mut remaining: Remaining,
        budget: Option<u32>,
    ) -> Result<(Accepted, u32), Failure> {
        let mut merged = Accepted {
            text: task.existing_memory.unwrap_or_default().to_owned(),
            truncated: false,
            unfounded: 0,
            doubtful: 0,
            reports: Vec::new(),
        };
        let mut chunks = 0;
        loop {
            let existing = merged.text.clone();
            let task = Task {
                existing_memory: Some(existing.as_str()).filter(|text| !text.is_empty()),
                ..task
            };
            let Some(chunk) = self.next_chunk(task, &mut remaining, budget)? else {
                return Ok((merged, chunks));
            };
            let task = Task {
                context: &chunk.context,
                ..task
            };
            let (request, job) = self.question(chunk.prompt.clone(), task);
            let accepted = self.model.ask(request, job)?;
            merged = Accepted {
                truncated: merged.truncated || accepted.truncated,
                unfounded: merged.unfounded.saturating_add(accepted.unfounded),
                ..accepted
            };
            chunks += 1;
        }
    }

    /// Merges summaries into one: as many at once as fit, then the results.
    fn merge_summaries(
        &self,
        task: Task<'_>,
        summaries: Vec<Accepted>,
        budget: Option<u32>,
    ) -> Result<Accepted, Failure> {
        let mut truncated = summaries.iter().any(|summary| summary.truncated);
        let dropped = |all: &[Accepted]| all.iter().map(|summary| summary.unfounded).sum::<u32>();
        let kept = |all: &[Accepted]| all.iter().map(|summary| summary.doubtful).sum::<u32>();
        let (mut unfounded, mut doubtful) = (dropped(&summaries), kept(&summaries));
        let mut reports = Vec::new();
        let mut texts = Vec::new();
        for summary in summaries {
            reports.extend(summary.reports);
            texts.push(summary.text);
        }
        while texts.len() > 1 {
            let mut groups = Vec::new();
            self.group(task, &texts, budget, &mut groups)?;
            if groups.len() == texts.len() {
                let prompt = self
                    .renderer
                    .get()?
                    .render_merge(task.context, task.scope, &texts)?;
                return Err(self.model.window.excess(&prompt, budget).into());
            }
            let (merging, single): (Vec<_>, Vec<_>) = groups
                .into_iter()
                .enumerate()
                .partition(|(_, (group, _))| group.len() > 1);
            let questions = merging
                .iter()
                .map(|(_, (group, prompt))| self.merge_question(prompt.clone(), task, group))
                .collect();
            let merged = self.model.ask_all(questions)?;
            truncated |= merged.iter().any(|merged| merged.truncated);
            unfounded += dropped(&merged);
            // Doubtful lines are judged anew in the merged text.
            doubtful = kept(&merged);
            let mut next: Vec<(usize, String)> = merging
                .iter()
                .zip(merged)
                .map(|((position, _), merged)| (*position, merged.text))
                .collect();
            next.extend(
                single
                    .into_iter()
                    .map(|(position, (group, _))| (position, group.concat())),
            );
            next.sort_by_key(|(position, _)| *position);
            texts = next.into_iter().map(|(_, text)| text).collect();
        }
        let text = texts.pop().unwrap_or_default();
        Ok(Accepted {
            text,
            truncated,
            unfounded,
            doubtful,
            reports,
        })
    }

    /// Splits the summaries in halves until each part fits into a prompt, or is a single summary.
    fn group<'s>(
        &self,
        task: Task<'_>,
        texts: &'s [String],
        budget: Option<u32>,
        groups: &mut Vec<(&'s [String], String)>,
    ) -> Result<(), Error> {
        let prompt = self
            .renderer
            .get()?
            .render_merge(task.context, task.scope, texts)?;
        if texts.len() == 1 || self.model.window.fits(&prompt, budget) {
            groups.push((texts, prompt));
            return Ok(());
        }
        let (older, newer) = texts.split_at(texts.len() / 2);
        self.group(task, older, budget, groups)?;
        self.group(task, newer, budget, groups)
    }

    /// Takes as many units as fit into one prompt; returns `None` if no units are left.
    fn next_chunk(
        &self,
        task: Task<'_>,
        remaining: &mut Remaining,
        budget: Option<u32>,
    ) -> Result<Option<Chunk>, Error> {
        let around = self.render(Task {
            context: &remaining.around,
            ..task
        })?;
        let room = budget.map_or(u32::MAX, |budget| {
            budget.saturating_sub(self.model.window.count_tokens(&around))
        });
        while !remaining.units.is_empty() {
            let mut taken = remaining.fitting(room);
            while taken > 0 {
                let context = remaining.with_first(taken);
                let prompt = self.render(Task {
                    context: &context,
                    ..task
                })?;
                if self.model.window.fits(&prompt, budget) {
                    remaining.units.drain(..taken);
                    return Ok(Some(Chunk { context, prompt }));
                }
                if taken == 1 && !remaining.halve_first() {
                    return Err(self.model.window.excess(&prompt, budget));
                }
                taken /= 2;
            }
        }
        Ok(None)
    }

    fn split(&self, task: Task<'_>, budget: Option<u32>) -> Result<Remaining, Error> {
        let mut around = task.context.clone();
        let units: Vec<Unit> = match (task.scope, task.memory_type) {
            (Scope::Channel, MemoryType::LongTerm) => {
                return Err(self.model.window.excess(&self.render(task)?, budget));
            }
            (Scope::Workspace, memory_type) => std::mem::take(&mut around.channel_memories)
                .into_iter()
                .filter(|memory| prompt::memory_of_type(memory, memory_type).is_some())
                .map(Unit::Memory)
                .collect(),
            (Scope::Channel, MemoryType::ShortTerm) => channel_conversations(&mut around),
            (Scope::Thread, _) => target_messages(&mut around),
        };
        let texts: Vec<String> = units
            .iter()
            .flat_map(|unit| unit.texts(task.memory_type))
            .collect();
        let mut counts = self.llm.count_tokens(Agent::Memory, &texts).into_iter();
        let weigh = |unit: Unit| {
            let weight = unit.texts(task.memory_type).fold(0_u32, |sum, _| {
                let text = counts.next().unwrap_or(u32::MAX);
                sum.saturating_add(text).saturating_add(AROUND_A_MESSAGE)
            });
            (unit, weight)
        };
        Ok(Remaining {
            around,
            units: units.into_iter().map(weigh).collect(),
        })
    }
}
