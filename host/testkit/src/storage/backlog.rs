//! What waits to be summarised, and what is due.

use super::*;

impl State {
    pub(super) fn list_due(&self, query: &DueQuery) -> Result<Due> {
        let (mut channels, mut threads) = (Vec::new(), Vec::new());
        let [until, window, idle] =
            [&query.until, &query.window_start, &query.idle_since].map(|ts| key(ts));
        let (until, window, idle) = (until?, window?, idle?);
        for (id, of) in self.channels.iter().filter(|(_, of)| !of.is_left) {
            let waiting = self.backlog(id, None, until)?;
            let latest = of.until(until).next_back().map(|(ts, ..)| ts);
            let is_due = match waiting.short_term_version {
                _ if waiting.new_message_count == 0 => false,
                None => latest >= Some(window) || latest > of.history_through.or(latest),
                Some(_) => {
                    let is_full = waiting.new_message_count >= query.message_threshold;
                    query.always || waiting.lost_lines || is_full || latest <= Some(idle)
                }
            };
            if is_due || waiting.unmerged_count > 0 {
                channels.push(waiting);
            }
            let replies = of.until(until).filter_map(|(.., of)| of.thread_ts);
            for thread in replies.collect::<BTreeSet<_>>() {
                let waiting = self.backlog(id, Some(thread), until)?;
                let latest = optional(waiting.latest_message_ts.as_ref())?;
                let is_due = match waiting.short_term_version {
                    Some(_) => waiting.new_message_count > 0,
                    None => latest >= Some(window),
                };
                threads.extend(is_due.then_some(waiting));
            }
        }
        Ok(Due {
            channels,
            threads,
            workspace_long_term: self.is_workspace_due(MemoryType::LongTerm),
            workspace_short_term: self.is_workspace_due(MemoryType::ShortTerm),
        })
    }

    /// Whether a channel's memory that the workspace may see is newer than those merged into its memory.
    fn is_workspace_due(&self, of: MemoryType) -> bool {
        let newest = |scope, id: &str| self.newest_seen(&Place::Workspace, &series(scope, id, of));
        let open = self.channels.keys().filter(|id| self.is_open(id));
        let newest_of_channels = open
            .filter_map(|id| Some(newest(Scope::Channel, id)?.id))
            .max();
        let merged = newest(Scope::Workspace, self.workspace_scope_id());
        newest_of_channels > merged.and_then(|memory| memory.merged_through)
    }

    /// What waits in a channel or a thread.
    pub(super) fn backlog(&self, id: &str, thread: Option<TsKey>, until: TsKey) -> Result<Backlog> {
        let of = self.conversation(id)?;
        let series = match thread {
            None => series(Scope::Channel, id, MemoryType::ShortTerm),
            Some(thread) => series(
                Scope::Thread,
                &format!("{id}:{thread}"),
                MemoryType::ShortTerm,
            ),
        };
        let versions = self.versions(&series);
        let newest = versions.last().copied();
        let watermark = newest.and_then(Text::latest);
        let is_late = |ts: TsKey| Some(ts) <= watermark;
        let (mut latest, mut new, mut late) = (None, 0, 0);
        match thread {
            None => {
                for (ts, said, _) in of.until(until) {
                    let waits = newest.is_none() || said.news_of.is_none();
                    latest = Some(ts);
                    new += u32::from(waits);
                    late += u32::from(waits && is_late(ts));
                }
            }
            // Without a reply there is no thread.
            Some(thread) if of.replies(thread, until).next().is_none() => {}
            Some(thread) => {
                for (ts, ..) in of.until(until).filter(|(_, said, _)| said.thread == thread) {
                    latest = Some(ts);
                    new += u32::from(!is_late(ts));
                }
                let mut said = of.messages.values().filter(|said| said.thread == thread);
                let has_changed = |text: &Text| {
                    text.revision > text.made_at || said.any(|said| said.revision > text.made_at)
                };
                new += u32::from(newest.is_some_and(has_changed));
            }
        }
        let is_channel = thread.is_none();
        let history = of
            .history_through
            .filter(|_| is_channel && newest.is_none());
        let summarized_through = watermark.or(history);
        let unmerged = versions
            .iter()
            .filter(|of| is_channel && Some(of.memory.id) > self.merged(id));
        Ok(Backlog {
            channel: of.channel(id),
            thread_ts: thread.map(|thread| thread.to_string()),
            latest_message_ts: latest.map(|ts| ts.to_string()),
            new_message_count: new,
            late_message_count: late,
            lost_lines: is_channel && of.has_lost_lines,
            short_term_version: newest.map(|text| text.memory.version),
            summarized_through: summarized_through.map(|ts| ts.to_string()),
            unmerged_count: count(unmerged),
        })
    }
}
