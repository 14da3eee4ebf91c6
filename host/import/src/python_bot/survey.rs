//! A first reading of all messages, for their ids, threads, authors and channels.

use std::collections::{BTreeMap, HashMap};

use myao_plugin::audience::ChannelFacts;
use myao_plugin::storage::records::{ChannelRecord, UserRecord};
use myao_plugin::ts::TsKey;
use myao_slack::mrkdwn::Names;
use myao_sqlite::foreign::ForeignRow;

use super::{
    ids::ChannelIds,
    rows::{BotTables, flag, is_too_long, time, trimmed},
};
use crate::ImportError;
use crate::limits::{MemoryBudget, short_name};

/// The memory for a person or a channel, without ids and names.
const ENTRY_BYTES: usize = 220;

/// All people, all channels, and the ids of their messages.
#[derive(Debug)]
pub(super) struct Survey {
    /// By id.
    pub(super) users: BTreeMap<String, UserRecord>,
    /// By id.
    pub(super) channels: BTreeMap<String, ChannelRecord>,
    ids: HashMap<String, ChannelIds>,
    budget: MemoryBudget,
}

impl Survey {
    /// Reads users, channels, and what must be known of the messages. Rows that cannot be read are skipped.
    pub(super) fn read(bot: &BotTables<'_>, budget: MemoryBudget) -> Result<Self, ImportError> {
        let mut survey = Self {
            users: BTreeMap::new(),
            channels: BTreeMap::new(),
            ids: HashMap::new(),
            budget,
        };
        bot.each("users", &mut |row| {
            survey.add_user(
                trimmed(row, "user_id")?,
                trimmed(row, "name")?,
                flag(row, "is_bot")?,
            )
        })?;
        bot.each("channels", &mut |row| {
            survey.add_channel(trimmed(row, "channel_id")?, &trimmed(row, "name")?)
        })?;
        bot.each("messages", &mut |row| survey.add_message(row))?;
        survey.ids.values_mut().for_each(ChannelIds::make);
        Ok(survey)
    }

    /// Counts something that is kept in memory.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), ImportError> {
        self.budget.spend(bytes)
    }

    /// The ids of a channel's messages.
    pub(super) fn ids(&self, channel_id: &str) -> Option<&ChannelIds> {
        self.ids.get(channel_id)
    }

    /// How many messages got an id here.
    pub(super) fn made_ids(&self) -> usize {
        self.ids.values().map(ChannelIds::made).sum()
    }

    fn add_message(&mut self, row: &ForeignRow<'_>) -> Result<(), ImportError> {
        if is_too_long(row)? {
            return Ok(());
        }
        let message_id = trimmed(row, "message_id")?;
        let known = TsKey::parse(&message_id).ok();
        let stored_at = row.text("timestamp")?.and_then(|text| time(&text));
        if known.is_none() && stored_at.is_none() {
            return Ok(());
        }
        let channel_id = trimmed(row, "channel_id")?;
        self.add_user(
            trimmed(row, "user_id")?,
            trimmed(row, "user_name")?,
            flag(row, "user_is_bot")?,
        )?;
        self.add_channel(channel_id.clone(), "")?;
        let thread = trimmed(row, "thread_ts")?;
        let budget = &mut self.budget;
        let ids = self.ids.entry(channel_id).or_default();
        let is_reply = !thread.is_empty();
        if is_reply {
            ids.name_thread(thread, budget)?;
        }
        match (known, stored_at) {
            (Some(ts), _) => ids.add(ts, budget),
            (None, Some(stored_at)) => ids.add_without_id(message_id, stored_at, is_reply, budget),
            (None, None) => Ok(()),
        }
    }

    /// Adds a user, or gives a name to one without. An id is not a name.
    fn add_user(&mut self, id: String, name: String, is_bot: bool) -> Result<(), ImportError> {
        let name = if name == id {
            String::new()
        } else {
            short_name(name)
        };
        if let Some(known) = self.users.get_mut(&id) {
            if known.name.is_empty() {
                known.name = name;
            }
            return Ok(());
        }
        self.budget.spend(ENTRY_BYTES + 2 * id.len() + name.len())?;
        let user = UserRecord {
            id: id.clone(),
            name,
            is_bot,
        };
        self.users.insert(id, user);
        Ok(())
    }

    fn add_channel(&mut self, id: String, name: &str) -> Result<(), ImportError> {
        if self.channels.contains_key(&id) {
            return Ok(());
        }
        let name = name.trim_start_matches('#');
        let name = if name == id { "" } else { name };
        let name = short_name(name.to_owned());
        self.budget
            .spend(2 * ENTRY_BYTES + 3 * id.len() + name.len())?;
        // The database does not say who reads a channel, nor that one is public. Older ids say what is private.
        let is_private = id.starts_with(['D', 'G']).then_some(true);
        let facts = ChannelFacts {
            is_private,
            ..ChannelFacts::UNKNOWN
        };
        let channel = ChannelRecord {
            id: id.clone(),
            name,
            facts,
        };
        self.channels.insert(id, channel);
        Ok(())
    }
}

impl Names for Survey {
    fn user(&self, id: &str) -> Option<&str> {
        self.users.get(id).map(|user| user.name.as_str())
    }

    fn channel(&self, id: &str) -> Option<&str> {
        self.channels.get(id).map(|channel| channel.name.as_str())
    }
}
