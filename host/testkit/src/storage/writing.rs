//! Stores messages, and erases from memories what an edited or deleted message said.

use super::*;

/// After every message.
fn last() -> TsKey {
    TsKey::from_database(i64::MAX)
}

impl State {
    /// A channel; one that only a message names is private.
    pub(super) fn channel(&mut self, id: &str) -> &mut Conversation {
        self.channels.entry(id.to_owned()).or_default()
    }

    pub(super) fn put(&mut self, mut record: MessageRecord) {
        self.revision += 1;
        let (id, ts) = (record.channel_id.clone(), record.ts);
        record.thread_ts = record.thread_ts.filter(|thread| *thread != ts);
        let thread = record.thread_ts.unwrap_or(ts);
        let revision = self.revision;
        let channel = self.channel(&id);
        let is_late = channel.replies(thread, last()).next_back() > Some(ts);
        let Some(said) = channel.messages.get_mut(&ts) else {
            let said = Said {
                record: Some(record),
                thread,
                revision: if is_late { revision } else { 0 },
                news_of: None,
            };
            channel.messages.insert(ts, said);
            return;
        };
        let is_newer = |old: &&mut MessageRecord| old.changed() < record.changed();
        if let Some(old) = said.record.as_mut().filter(is_newer) {
            let is_reworded = old.text != record.text;
            said.thread = thread;
            *old = record;
            if is_reworded {
                said.revision = revision;
                self.erase(&(id, ts));
            }
        }
    }

    pub(super) fn delete(&mut self, id: &str, ts: TsKey) {
        self.revision += 1;
        let revision = self.revision;
        let messages = &mut self.channel(id).messages;
        let said = messages.entry(ts).or_insert(Said {
            record: None,
            thread: ts,
            revision: 0,
            news_of: None,
        });
        if said.record.take().is_none() {
            return;
        }
        said.revision = revision;
        let thread = said.thread;
        self.erase(&(id.to_owned(), ts));
        // Nothing would ever replace the memory of a thread without a reply.
        if self.channel(id).replies(thread, last()).next().is_none() {
            let id = format!("{id}:{thread}");
            let of = series(Scope::Thread, &id, MemoryType::ShortTerm);
            let texts = self.texts.values_mut().filter(|text| text.series() == of);
            texts.for_each(|text| text.is_current = false);
        }
    }

    /// Erases what a message said, at this revision.
    fn erase(&mut self, message: &MessageId) {
        // Messages whose words are lost with a line, versions that lost lines, and memories that may hold the message.
        let mut again: BTreeSet<MessageId> = BTreeSet::new();
        let mut versions: BTreeSet<MemoryId> = BTreeSet::new();
        let said = self.channel(&message.0).messages.get(&message.1);
        versions.extend(said.and_then(|said| said.news_of));
        let mut holding: BTreeSet<MemoryId> = BTreeSet::new();
        // A memory is newer than those that its call was given.
        for (id, text) in &mut self.texts {
            let may_hold = text.messages.contains(message) || !text.memories.is_disjoint(&holding);
            let lost = text.lose(message, may_hold, self.revision);
            if !lost.is_empty() {
                holding.insert(*id);
            }
            if text.is_current && text.memory.memory_type == MemoryType::LongTerm {
                let cited = lost.iter().flat_map(|line| &line.messages);
                again.extend(cited.filter_map(|of| message_id(of).ok()));
            }
        }
        versions.extend(holding);
        versions.remove(&HISTORY);
        again.remove(message);
        // What was news of a version that lost lines comes again, and what a lost line of a long-term memory said of others.
        for (id, channel) in &mut self.channels {
            for (ts, said) in &mut channel.messages {
                let is_lost = said.news_of.is_some_and(|of| versions.contains(&of))
                    || again.contains(&(id.clone(), *ts));
                if is_lost && said.record.is_some() {
                    channel.has_lost_lines |= said.news_of.take().is_some();
                }
            }
        }
    }
}

impl Text {
    /// Loses the lines that repeat a message, or may do so, and its parts of that message. Returns the lines.
    fn lose(&mut self, message: &MessageId, may_hold: bool, revision: u64) -> Vec<Citation> {
        let is_it = |of: &MessageRef| message_id(of).is_ok_and(|of| of == *message);
        let memory = &mut self.memory;
        let records = memory.records.len();
        memory.records.retain(|span| !is_it(&span.message));
        let is_erased = memory.content == erasure::NOTHING_LEFT && memory.citations.is_empty();
        let all = erasure::lines(&memory.content, &memory.citations);
        let is_gone = |line: &&Citation| {
            let may_be = line.messages.is_empty() && may_hold && !is_erased;
            may_be || line.messages.iter().any(is_it)
        };
        let lines: Vec<Citation> = all.iter().filter(is_gone).cloned().collect();
        if !lines.is_empty() {
            let is_gone = |line: usize| all.get(line).is_some_and(|line| is_gone(&line));
            (memory.content, memory.citations) = erasure::without(&memory.content, &all, is_gone);
            if memory.content.is_empty() {
                erasure::NOTHING_LEFT.clone_into(&mut memory.content);
            }
        }
        if !lines.is_empty() || memory.records.len() < records {
            self.revision = revision;
        }
        lines
    }
}
