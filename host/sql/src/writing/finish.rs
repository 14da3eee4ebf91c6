//! Updates what depends on the written messages.

use std::collections::BTreeSet;

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::state::forgetting::Erased;
use myao_plugin::storage::SaveMode;
use myao_plugin::{MemoryType, Scope};

use super::Writing;
use super::threads::{ThreadState, end_changed, mark_changed};
use crate::fault::Fault;
use crate::memories::backlog::{recount_channel, recount_thread};
use crate::memories::series::Series;
use crate::messages::stored as messages;
use crate::rows;
use crate::sight::json_array;
use crate::writing::erase::{self, Anew};
use crate::writing::retraction::{self, Post};

impl Writing {
    /// Recounts what was touched, notes which threads have a memory that is older than their messages, and erases what
    /// messages said that read differently now.
    pub(crate) fn finish(mut self, connection: &Connection) -> Result<Erased, Fault> {
        self.work_off(connection)?;
        let erased = self.erase(connection)?;
        self.work_off(connection)?;
        for channel in &self.touched_channels {
            recount_channel(connection, *channel)?;
        }
        self.set_aside_memories(connection)?;
        Ok(erased)
    }

    /// Retracts the posts that were made from messages that now read differently, and those that were made from such
    /// posts. Returns how many.
    fn retract(&mut self, connection: &Connection) -> Result<usize, Fault> {
        let mut count = 0;
        let mut seen = BTreeSet::new();
        loop {
            let new: Vec<Post> = self.reworded.difference(&seen).copied().collect();
            if new.is_empty() {
                return Ok(count);
            }
            for message in new {
                let posts = retraction::made_from(connection, message)?;
                self.delete_posts(connection, &posts)?;
                count += posts.len();
                seen.insert(message);
            }
        }
    }

    /// Erases what messages said that now read differently, and ends the deferrals of their channels.
    fn erase(&mut self, connection: &Connection) -> Result<Erased, Fault> {
        let meant = self.reworded.len();
        let posts = self.retract(connection)?;
        let meant_keys = messages::keys(connection, &self.reworded)?;
        let channels: BTreeSet<i64> = self.reworded.iter().map(|(channel, _)| *channel).collect();
        let mut anew = Anew::default();
        let mut erased = erase::erase(connection, self.workspace, &meant_keys, &mut anew)?;
        if !self.unseen.is_empty() {
            let unseen = json_array(&messages::keys(connection, &self.unseen)?);
            erased.events += erase::drop_events(connection, self.workspace, &unseen)?;
        }
        self.touched_channels.extend(anew.channels);
        for (scope, scope_id) in anew.memories {
            self.make_anew(connection, scope, &scope_id)?;
        }
        for channel in channels {
            connection.execute(
                include_str!("../sql/end_deferrals_of_channel.sql"),
                [self.workspace, channel],
            )?;
        }
        Ok(Erased {
            messages: meant,
            posts,
            ..erased
        })
    }

    /// Ends the deferral of a memory that lost lines; a thread's is made again.
    fn make_anew(
        &mut self,
        connection: &Connection,
        scope: i64,
        scope_id: &str,
    ) -> Result<(), Fault> {
        connection.execute(
            "DELETE FROM deferrals WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3",
            params![self.workspace, scope, scope_id],
        )?;
        if rows::scope(scope) == Scope::Thread {
            let (channel_id, thread) = rows::thread_scope(scope_id)?;
            let channel = self.channel(connection, channel_id)?;
            self.changed.insert((channel, thread));
        }
        Ok(())
    }

    /// Updates what depends on the messages so far, except the counts of whole channels.
    pub(super) fn work_off(&mut self, connection: &Connection) -> Result<(), Fault> {
        self.find_late(connection)?;
        self.find_first_messages(connection)?;
        for (channel, thread) in std::mem::take(&mut self.touched_threads) {
            recount_thread(connection, channel, thread)?;
        }
        self.mark_changed(connection)?;
        self.unindexed.work_off(connection)?;
        self.touched_messages.clear();
        self.changed.clear();
        Ok(())
    }

    /// Marks threads for recounting if their first message was touched. A new channel has no threads.
    fn find_first_messages(&mut self, connection: &Connection) -> Result<()> {
        let has_threads = include_str!("../sql/has_threads.sql");
        let mut last = None;
        for (channel, ts) in &self.touched_messages {
            let known = last.filter(|(known, _)| known == channel);
            let (_, has) = match known {
                Some(known) => known,
                None => (
                    *channel,
                    connection.query_row(has_threads, [channel], |row| row.get(0))?,
                ),
            };
            last = Some((*channel, has));
            if has && ThreadState::read(connection, *channel, *ts)?.is_some() {
                self.touched_threads.insert((*channel, *ts));
            }
        }
        Ok(())
    }

    /// Marks threads as changed if a newer message was stored before: a memory may already cover the time of the
    /// message that came now. Messages of an import are history and do not count.
    fn find_late(&mut self, connection: &Connection) -> Result<()> {
        for (channel, ts, thread) in &self.inserted {
            let before = ThreadState::read(connection, *channel, *thread)?;
            if before.is_some_and(|state| state.newest > Some(*ts)) {
                self.changed.insert((*channel, *thread));
            }
        }
        Ok(())
    }

    fn mark_changed(&self, connection: &Connection) -> Result<()> {
        for thread in &self.changed {
            mark_changed(connection, self.workspace, *thread, self.now())?;
        }
        Ok(())
    }

    /// Marks the memories of threads as superseded if deletions left the thread without a reply: nothing else would
    /// ever replace them.
    fn set_aside_memories(&self, connection: &Connection) -> Result<(), Fault> {
        for (channel_id, thread, at) in &self.deleted {
            let Some(channel) = self.channels.get(channel_id).copied() else {
                continue;
            };
            let state = ThreadState::read(connection, channel, *thread)?;
            if state.is_some_and(|state| state.has_reply) {
                continue;
            }
            let series = Series {
                workspace: self.workspace,
                scope: Scope::Thread,
                scope_id: &rows::thread_scope_id(channel_id, *thread),
                memory_type: MemoryType::ShortTerm,
            };
            series.supersede(connection, SaveMode::Overwrite, *at)?;
            end_changed(connection, self.workspace, (channel, *thread), i64::MAX)?;
            recount_thread(connection, channel, *thread)?;
        }
        Ok(())
    }
}
