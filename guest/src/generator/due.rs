//! Decides what is due, and from when on a memory includes messages.

use super::Run;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_generator::{SkipReason, UpdateState};
use crate::bindings::storage::{Backlog, Due, DueQuery};
use crate::bindings::types::Timestamp;
use crate::settings::Settings;
use crate::ts::Ts;

/// Returns true if a channel's short-term memory gets a new version (document `01f`, `_should_update_short_term_memory`).
///
/// # Errors
/// [`Error::InvalidTs`].
pub fn should_update(
    state: &UpdateState,
    settings: &Settings,
    now: Timestamp,
) -> Result<bool, Error> {
    let has_many = state.new_message_count >= settings.message_threshold;
    if !settings.history_enabled || !state.has_memory || has_many {
        return Ok(true);
    }
    let Some(latest) = state
        .latest_message_ts
        .as_deref()
        .map(Ts::parse)
        .transpose()?
    else {
        return Ok(false);
    };
    Ok(latest <= Ts::last_of(idle_since(settings, now)))
}

/// A conversation is over if its newest message is not after this.
fn idle_since(settings: &Settings, now: Timestamp) -> Timestamp {
    let unix_seconds = now
        .unix_seconds
        .saturating_sub(i64::from(settings.conversation_idle_seconds));
    Timestamp {
        unix_seconds,
        ..now
    }
}

impl Run<'_> {
    /// The last id that exists for this run.
    pub(super) fn until(&self) -> Ts {
        Ts::last_of(self.now)
    }

    /// The first id in the message window.
    pub(super) fn window_start(&self) -> Ts {
        let hours = i64::from(self.ports.settings.short_term_window_hours);
        Ts::first_of(
            self.now
                .unix_seconds
                .saturating_sub(hours.saturating_mul(3600)),
        )
    }

    /// The first id of a memory: the window's start, but never after the first message that is not summarised yet, so
    /// that messages that arrived while nothing ran, or while the model was down, are summarised too.
    pub(super) fn since(&self, backlog: &Backlog) -> Result<Ts, Error> {
        let start = self.window_start();
        Ok(summarized_through(backlog)?.map_or(start, |through| through.min(start)))
    }

    /// The first id that is not in a memory yet and should be in the next one.
    pub(super) fn first_unsummarized(&self, backlog: &Backlog) -> Result<Ts, Error> {
        let start = self.window_start();
        Ok(match summarized_through(backlog)? {
            Some(watermark) if backlog.short_term_version.is_some() => watermark.next(),
            Some(history) => history.next().min(start),
            None => start,
        })
    }

    pub(super) fn read_due(&self) -> Result<Due, Error> {
        let settings = &self.ports.settings;
        self.ports
            .storage
            .list_due(&DueQuery {
                until: self.until().to_string(),
                window_start: self.window_start().to_string(),
                idle_since: Ts::last_of(idle_since(settings, self.now)).to_string(),
                message_threshold: settings.message_threshold,
                always: !settings.history_enabled,
            })
            .map_err(Error::Storage)
    }

    /// Why a channel gets no new version now; `None` if it gets one.
    ///
    /// By the idle rule alone, one message followed by silence would make a new version at every run, so a channel
    /// without newer messages is skipped first.
    pub(super) fn skip_reason(&self, backlog: &Backlog) -> Result<Option<SkipReason>, Error> {
        if backlog.new_message_count == 0 {
            return Ok(Some(SkipReason::NoNewMessages));
        }
        if self.is_outside_window(backlog)? {
            return Ok(Some(SkipReason::OutsideWindow));
        }
        // Until then the shown text lacks lines.
        if backlog.lost_lines {
            return Ok(None);
        }
        let state = UpdateState {
            latest_message_ts: backlog.latest_message_ts.clone(),
            has_memory: backlog.short_term_version.is_some(),
            new_message_count: backlog.new_message_count,
        };
        let due = should_update(&state, &self.ports.settings, self.now)?;
        Ok((!due).then_some(SkipReason::NotDue))
    }

    /// Returns true if the memory holds messages that are later than this run: a run in the past leaves it alone.
    pub(super) fn is_of_later(&self, backlog: &Backlog) -> Result<bool, Error> {
        let has_memory = backlog.short_term_version.is_some();
        Ok(has_memory && summarized_through(backlog)? > Some(self.until()))
    }

    /// Returns true if the channel is due for a version that shows a thread without some of its older replies, as far as the
    /// backlogs tell. The first message of a thread is always shown.
    pub(super) fn leaves_out_replies(
        &self,
        channel: &Backlog,
        thread: &Backlog,
    ) -> Result<bool, Error> {
        if self.skip_reason(channel)?.is_some() {
            return Ok(false);
        }
        // Messages that do not fit go into several versions.
        if channel.new_message_count > self.ports.settings.generation_message_limit {
            return Ok(true);
        }
        let since = self.since(channel)?;
        let parse = |ts: &Option<String>| ts.as_deref().map(Ts::parse).transpose();
        let is_older = parse(&thread.thread_ts)?.is_some_and(|first| first < since);
        let is_shown = parse(&thread.latest_message_ts)? >= Some(since);
        // The newest reply is shown: there must be another one.
        let has_more = thread.short_term_version.is_some() || thread.new_message_count > 2;
        Ok(is_older && is_shown && has_more)
    }

    /// A channel without a version counts only from the window's start, or from where the store says that its history
    /// ends; older messages are left to a backfill.
    pub(super) fn is_outside_window(&self, backlog: &Backlog) -> Result<bool, Error> {
        if backlog.short_term_version.is_some() {
            return Ok(false);
        }
        let latest = backlog
            .latest_message_ts
            .as_deref()
            .map(Ts::parse)
            .transpose()?;
        let first = self.first_unsummarized(backlog)?;
        Ok(latest.is_none_or(|latest| latest < first))
    }
}

/// The watermark of the memory. For a channel without a memory, the end of its history in the store: all later
/// messages wait for the first version, however old.
pub(super) fn summarized_through(backlog: &Backlog) -> Result<Option<Ts>, Error> {
    let through = backlog.summarized_through.as_deref();
    through.map(Ts::parse).transpose()
}
