//! One channel: short-term versions, each merged into the long-term memory as it is saved.

mod state;
mod window;

use super::backoff;
use super::{Run, StepResult, made_later, outcome};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Made, Outcome, SkipReason};
use crate::bindings::storage::{Backlog, Memory, MemoryDraft, MemoryId, SaveMode};
use crate::bindings::types::{Coverage, MemoryType, Scope};
use crate::fit::count;
use crate::line_sources::citations;
use crate::programs::{self, program_lines};
use crate::ts::Ts;
use state::ChannelState;

impl Run<'_> {
    pub(super) fn channel(&self, backlog: &Backlog) -> Entry {
        let mut made = Vec::new();
        let result = self.work_on_channel(backlog, &mut made);
        Entry {
            scope: Scope::Channel,
            scope_id: backlog.channel.id.clone(),
            channel_name: backlog.channel.name.clone(),
            made,
            outcome: outcome(result),
        }
    }

    /// Merges versions that an earlier run could not merge, then makes versions until nothing more is due: after a long
    /// pause there may be more messages than fit into one version.
    ///
    /// A merge that the model refuses is deferred, and versions are still made. If versions are overwritten, the merge
    /// must come first.
    fn work_on_channel(&self, backlog: &Backlog, made: &mut Vec<Made>) -> StepResult {
        if self.is_of_later(backlog)? {
            return Ok(Outcome::Skipped(made_later()));
        }
        let mut skip = self.skip_reason(backlog)?;
        if let Some(reason) = &skip
            && backlog.unmerged_count == 0
        {
            return Ok(Outcome::Skipped(reason.clone()));
        }
        let mut channel = ChannelState::load(self, &backlog.channel)?;
        let mut backlog = backlog.clone();
        if !channel.matches_backlog(&backlog) {
            // Another run saved first. What is due is read after the state, never before it: a save based on an older
            // state is refused.
            backlog = self.read_backlog(&channel.channel.id, None)?;
            skip = self.skip_reason(&backlog)?;
        }
        let mut merged = match self.merge_unless_deferred(&mut channel, made) {
            Ok(merged) => merged,
            Err(error) => {
                if skip.is_none() && backoff::is_model_error(&error) {
                    self.stand_in_for_version(&channel, &backlog, made)?;
                }
                return Err(error);
            }
        };
        while skip.is_none() {
            if merged != Ok(Outcome::Done) && self.overwrites_versions() {
                // A version that is not merged yet must not be overwritten: its content is nowhere else.
                self.stand_in_for_version(&channel, &backlog, made)?;
                return merged;
            }
            if let Some(deferral) = self.active_deferral(&channel.deferrals, MemoryType::ShortTerm)
            {
                self.stand_in_for_version(&channel, &backlog, made)?;
                return merged.and(Ok(Outcome::Deferred(deferral)));
            }
            if !self.make_version(&mut channel, &backlog, made)? {
                skip = Some(SkipReason::NothingToSummarize);
                break;
            }
            if merged == Ok(Outcome::Done) {
                merged = self.merge_unless_deferred(&mut channel, made)?;
            }
            let before = backlog.new_message_count;
            if before <= self.ports.settings.generation_message_limit {
                break;
            }
            backlog = self.read_backlog(&channel.channel.id, None)?;
            if backlog.new_message_count >= before {
                break;
            }
            skip = self.skip_reason(&backlog)?;
        }
        match skip {
            Some(reason) if made.is_empty() && merged == Ok(Outcome::Done) => {
                Ok(Outcome::Skipped(reason))
            }
            _ => merged,
        }
    }

    /// Merges the waiting versions: [`Outcome::Done`], [`Outcome::Deferred`], or the error that deferred the merge.
    /// Returns `Err` if the step cannot go on.
    fn merge_unless_deferred(
        &self,
        channel: &mut ChannelState,
        made: &mut Vec<Made>,
    ) -> Result<StepResult, Error> {
        if channel.waiting().is_empty() {
            return Ok(Ok(Outcome::Done));
        }
        if let Some(deferral) = self.active_deferral(&channel.deferrals, MemoryType::LongTerm) {
            return Ok(Ok(Outcome::Deferred(deferral)));
        }
        match self.merge_waiting(channel, made) {
            Ok(()) => Ok(Ok(Outcome::Done)),
            Err(error) if self.defer_if_lasting(&channel.subject(MemoryType::LongTerm), &error) => {
                Ok(Err(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Makes and saves the next version; returns `false` if there is nothing to summarise.
    fn make_version(
        &self,
        channel: &mut ChannelState,
        backlog: &Backlog,
        made: &mut Vec<Made>,
    ) -> Result<bool, Error> {
        let version = self.version_context(channel, backlog)?;
        let summary = self.summarizer.summarize_with(
            &version.context,
            Scope::Channel,
            MemoryType::ShortTerm,
            None,
            Self::narrowing(&channel.deferrals, MemoryType::ShortTerm),
        );
        let summary = match summary {
            Ok(summary) => summary,
            Err(error) => {
                self.defer_if_lasting(&channel.subject(MemoryType::ShortTerm), &error);
                if backoff::is_model_error(&error) {
                    self.stand_in_for_version(channel, backlog, made)?;
                }
                return Err(error);
            }
        };
        let Some(engine) = summary.engine else {
            return Ok(false);
        };
        let mode = if self.overwrites_versions() {
            SaveMode::Overwrite
        } else {
            SaveMode::NewVersion
        };
        let draft = channel.draft(self, &version, summary, engine, mode)?;
        let saved = self.save(&draft, made)?;
        if mode == SaveMode::Overwrite {
            channel.short_terms.clear();
        }
        channel.short_terms.push(saved);
        Ok(true)
    }

    /// Returns true if a channel has only one version, which the next one replaces.
    fn overwrites_versions(&self) -> bool {
        !self.ports.settings.history_enabled
    }

    /// Makes a stand-in for the next version, if the settings ask for it and there is news.
    fn stand_in_for_version(
        &self,
        channel: &ChannelState,
        backlog: &Backlog,
        made: &mut Vec<Made>,
    ) -> Result<(), Error> {
        if !self.ports.settings.extractive_stand_in {
            return Ok(());
        }
        let version = self.version_context(channel, backlog)?;
        let summary =
            self.summarizer
                .extract(&version.context, Scope::Channel, MemoryType::ShortTerm)?;
        let Some(engine) = summary.engine else {
            return Ok(());
        };
        let draft = channel.draft(self, &version, summary, engine, SaveMode::StandIn)?;
        if backoff::has_news(channel.stand_in.as_ref(), &draft) {
            self.save(&draft, made)?;
        }
        Ok(())
    }

    /// Merges every short-term version that is not in the long-term memory yet, oldest first.
    fn merge_waiting(&self, channel: &mut ChannelState, made: &mut Vec<Made>) -> Result<(), Error> {
        for short_term in channel.waiting() {
            let mut context = channel.merge_context(self, &short_term);
            let merged: Vec<&Memory> = channel.long_term.iter().chain([&short_term]).collect();
            let around: Vec<&Memory> = channel.workspace_long_term.iter().collect();
            let all = merged.iter().chain(&around).copied();
            programs::mark(&mut context, program_lines(all));
            let existing = channel.long_term.as_ref();
            let existing = existing.map(|memory| channel.corrected(self, memory));
            let summary = self.summarizer.summarize_with(
                &context,
                Scope::Channel,
                MemoryType::LongTerm,
                existing.as_deref(),
                Self::narrowing(&channel.deferrals, MemoryType::LongTerm),
            )?;
            // A version of which everything was erased has nothing to merge, and neither has a blank one of an import.
            let Some(engine) = summary.engine else {
                continue;
            };
            let mut source_memories: Vec<MemoryId> =
                channel.long_term.iter().map(|memory| memory.id).collect();
            source_memories.push(short_term.id);
            let citations = citations(&summary.text, engine, &context, &merged, &around);
            let citations = self.citations_of_merged(&summary.text, citations)?;
            let records = self.records_of_memories(&summary.text, &citations, &merged)?;
            let draft = MemoryDraft {
                scope: Scope::Channel,
                scope_id: channel.channel.id.clone(),
                memory_type: MemoryType::LongTerm,
                mode: SaveMode::Overwrite,
                expected: channel.long_term.as_ref().map(|memory| memory.id),
                content: summary.text,
                engine,
                now: self.now,
                source_channel_id: String::new(),
                source_messages: Vec::new(),
                source_memories,
                source_message_count: short_term.source_message_count,
                source_latest_message_ts: short_term.source_latest_message_ts.clone(),
                merged_through: Some(short_term.id),
                truncated: summary.truncated,
                coverage: Coverage {
                    records: count(&records),
                    ..summary.coverage
                },
                citations,
                records,
                items: Vec::new(),
            };
            channel.long_term = Some(self.save(&draft, made)?);
        }
        Ok(())
    }
}

/// The newest of the ids.
pub(super) fn newest<'a>(
    ids: impl IntoIterator<Item = &'a String>,
) -> Result<Option<String>, Error> {
    let mut newest: Option<(Ts, &String)> = None;
    for id in ids {
        let ts = Ts::parse(id)?;
        if newest.is_none_or(|(other, _)| ts > other) {
            newest = Some((ts, id));
        }
    }
    Ok(newest.map(|(_, id)| id.clone()))
}
