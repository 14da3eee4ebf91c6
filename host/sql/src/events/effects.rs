//! Applies the effects of events.

use std::collections::BTreeSet;

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::ts::TsKey;
use myao_terms::addressed;

use crate::agent_tokens;
use crate::audit::{correction, note_correction};
use crate::fault::Fault;
use crate::messages::channels;
use crate::messages::done;
use crate::messages::pins;
use crate::messages::strikes;
use crate::place::Place;
use crate::visibility::answers;
use crate::visibility::audience;
use crate::writing::{Source, Writing};

/// By how many seconds the time of an event may be ahead of the bot's clock. A later time was stored while that clock
/// was ahead (data read from Slack gets the time at which it was read); it is replaced by any time that is not too
/// late.
const MAX_AHEAD: i64 = 24 * 3600;

/// Effects that are being applied in one transaction.
pub struct Application<'a> {
    connection: &'a Connection,
    place: &'a Place,
    workspace: i64,
    writing: Writing,
    /// Channels with a fact, a member or a guest that may have changed.
    affected: BTreeSet<i64>,
    /// In Unix seconds, as the next.
    now: i64,
    /// It is too late for any event.
    too_late: i64,
}

impl<'a> Application<'a> {
    /// Begins at a time in Unix seconds.
    pub fn new(connection: &'a Connection, place: &'a Place, now: i64) -> Self {
        Self {
            connection,
            place,
            workspace: place.workspace,
            writing: Writing::new(place.workspace, Source::Events(now)).redacting(place.redacts),
            affected: BTreeSet::new(),
            now,
            too_late: now.saturating_add(MAX_AHEAD),
        }
    }

    /// Applies effects, in order.
    pub fn apply(&mut self, effects: &[Effect]) -> Result<(), Fault> {
        for effect in effects {
            self.apply_one(effect)?;
        }
        Ok(())
    }

    /// Updates what depends on the effects.
    pub fn finish(self) -> Result<(), Fault> {
        audience::derive(self.connection, self.workspace, &self.affected, self.now)?;
        self.writing.finish(self.connection)?;
        Ok(())
    }

    fn apply_one(&mut self, effect: &Effect) -> Result<(), Fault> {
        match effect {
            Effect::User { record, changed_at } => self.user(record, *changed_at)?,
            Effect::ChannelName {
                id,
                name,
                is_private,
                at,
            } => self.channel_name(id, name, *is_private, at.to_database())?,
            Effect::ChannelPresence { id, present, at } => {
                self.know_channel(id)?;
                if *present {
                    let come_back = include_str!("sql/come_back.sql");
                    self.execute(come_back, params![self.workspace, id, self.now])?;
                }
                let set = include_str!("sql/set_channel_present.sql");
                let (at, too_late) = (at.to_database(), self.too_late_key());
                self.execute(set, params![self.workspace, id, present, at, too_late])?;
            }
            Effect::ChannelShared { id, is_shared, at } => {
                self.affect(id)?;
                let set = include_str!("sql/set_channel_shared.sql");
                let (at, too_late) = (at.to_database(), self.too_late_key());
                self.execute(set, params![self.workspace, id, is_shared, at, too_late])?;
            }
            Effect::ChannelMembers { id, members, at } => {
                let channel = self.affect(id)?;
                let (at, too_late) = (at.to_database(), self.too_late_key());
                let members = members.as_deref();
                audience::list_members(self.connection, channel, members, at, too_late)?;
            }
            Effect::Membership {
                channel_id,
                user_id,
                is_member,
                at,
            } => {
                let channel = self.affect(channel_id)?;
                let set = include_str!("sql/set_member.sql");
                let (at, too_late) = (at.to_database(), self.too_late_key());
                self.execute(set, params![channel, user_id, is_member, at, too_late])?;
            }
            Effect::AccountClosed { user_id, at } => self.closed(user_id, at.to_database())?,
            Effect::Guest {
                user_id,
                is_guest,
                at,
            } => self.guest(user_id, *is_guest, at.to_database())?,
            Effect::Message { record, changed } => self.message(record, *changed)?,
            Effect::MessageDeleted { channel_id, ts, at } => {
                let (connection, place, at) = (self.connection, self.place, at.unix_seconds());
                let of = (channel_id.as_str(), *ts);
                let before = correction(connection, place, of)?;
                self.writing.delete(connection, channel_id, *ts, at)?;
                // An author, or an admin: no event tells.
                let change = (before, place.user(""));
                note_correction(connection, place, of, change, self.now)?;
            }
            Effect::Pin { .. } => pins::pin(self.connection, self.place, effect, self.now)?,
            Effect::Done { mark, is_given, at } => {
                done::mark(self.connection, self.workspace, mark, (*is_given, *at))?;
            }
            Effect::Strike { .. } => strikes::pick(self.connection, self.place, effect, self.now)?,
            Effect::Feedback { .. } => answers::judge(self.connection, self.workspace, effect)?,
            Effect::Mention {
                channel_id,
                ts,
                thread_ts,
                asked_at,
            } => {
                let channel = self.writing.channel(self.connection, channel_id)?;
                let ask = include_str!("sql/ask_reply.sql");
                let thread = thread_ts.map(TsKey::to_database);
                let ts = ts.to_database();
                self.execute(ask, params![self.workspace, channel, ts, thread, asked_at])?;
            }
        }
        Ok(())
    }

    fn message(&mut self, record: &MessageRecord, changed: TsKey) -> Result<(), Fault> {
        let (connection, place) = (self.connection, self.place);
        if changed <= record.ts && !addressed::corrects(&record.text, &place.bot) {
            self.writing.message(connection, record, changed)?;
            return Ok(());
        }
        let of = (record.channel_id.as_str(), record.ts);
        let before = correction(connection, place, of)?;
        self.writing.message(connection, record, changed)?;
        let change = (before, place.user(&record.user_id));
        Ok(note_correction(connection, place, of, change, self.now)?)
    }

    fn user(&self, user: &UserRecord, changed_at: i64) -> Result<()> {
        let (workspace, id, name, is_bot) = (self.workspace, &user.id, &user.name, user.is_bot);
        let named_at = if name.is_empty() { 0 } else { changed_at };
        let insert = include_str!("sql/insert_user.sql");
        if self.execute(insert, params![workspace, id, name, is_bot, named_at])? == 1 {
            return Ok(());
        }
        if name.is_empty() {
            let mark = "UPDATE users SET is_bot = 1 WHERE workspace = ?1 AND id = ?2 AND name = '' AND is_bot < ?3";
            self.execute(mark, params![workspace, id, is_bot])?;
        } else {
            let rename = include_str!("sql/rename_user.sql");
            let too_late = self.too_late;
            self.execute(
                rename,
                params![workspace, id, name, is_bot, changed_at, too_late],
            )?;
        }
        Ok(())
    }

    fn guest(&mut self, id: &str, is_guest: bool, at: i64) -> Result<()> {
        let insert = include_str!("sql/insert_user.sql");
        self.execute(insert, params![self.workspace, id, "", false, 0])?;
        let set = include_str!("sql/set_guest.sql");
        let too_late = self.too_late_key();
        if self.execute(set, params![self.workspace, id, is_guest, at, too_late])? == 1 {
            let channels = audience::channels_of(self.connection, self.workspace, id)?;
            self.affected.extend(channels);
        }
        Ok(())
    }

    /// An account that is opened again does not bring its agents back.
    fn closed(&self, id: &str, at: i64) -> Result<()> {
        let insert = include_str!("sql/insert_user.sql");
        self.execute(insert, params![self.workspace, id, "", false, 0])?;
        let close = "UPDATE users SET closed_at = ?3 WHERE workspace = ?1 AND id = ?2 AND closed_at < ?3 AND ?3 <= ?4";
        let too_late = self.too_late_key();
        if self.execute(close, params![self.workspace, id, at, too_late])? == 1 {
            agent_tokens::remove(self.connection, self.place, (id, None), self.now)?;
        }
        Ok(())
    }

    fn channel_name(
        &mut self,
        id: &str,
        name: &str,
        is_private: Option<bool>,
        at: i64,
    ) -> Result<()> {
        self.know_channel(id)?;
        let rename = include_str!("sql/rename_channel.sql");
        let too_late = self.too_late_key();
        self.execute(rename, params![self.workspace, id, name, at, too_late])?;
        if let Some(is_private) = is_private {
            self.affect(id)?;
            let set = include_str!("sql/set_channel_private.sql");
            let columns = params![self.workspace, id, is_private, at, too_late];
            self.execute(set, columns)?;
        }
        Ok(())
    }

    fn too_late_key(&self) -> i64 {
        TsKey::first_of(self.too_late).to_database()
    }

    /// Adds a channel. It is not known yet whether the bot takes part in it.
    fn know_channel(&self, id: &str) -> Result<()> {
        channels::known_or_added(self.connection, self.workspace, id, false)?;
        Ok(())
    }

    /// The key of a channel whose audience may change. A new channel is added.
    fn affect(&mut self, id: &str) -> Result<i64> {
        let key = channels::known_or_added(self.connection, self.workspace, id, false)?;
        self.affected.insert(key);
        Ok(key)
    }

    fn execute(&self, sql: &str, columns: &[&dyn crate::session::ToSql]) -> Result<usize> {
        self.connection.execute(sql, columns)
    }
}
