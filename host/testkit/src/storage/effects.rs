//! Applies the effects of events, in any order.

use std::collections::BTreeMap;

use myao_plugin::audience::Audience;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::UserRecord;
use myao_plugin::ts::TsKey;

use super::State;
use super::messages::{Conversation, StoredUser};
use super::newest::{certainty, is_newer};
use super::writing::{A_DAY, Source, Writing};

/// Effects that are being applied in one transaction.
pub(super) struct Application<'a> {
    /// Who read each channel before.
    before: BTreeMap<String, Audience>,
    /// In Unix seconds.
    now: i64,
    writing: Writing<'a>,
    /// No event can be later than this. A later time was noted while the clock was ahead, and is replaced by any time
    /// that is not.
    latest: i64,
}

/// Refuses effects that no store can hold, before anything is written.
pub(super) fn check(effects: &[Effect]) -> Result<(), StorageError> {
    for effect in effects {
        let ts = match effect {
            Effect::Message { record, .. } => record.ts,
            Effect::MessageDeleted { ts, .. }
            | Effect::Mention { ts, .. }
            | Effect::Pin { ts, .. }
            | Effect::Feedback { ts, .. } => *ts,
            Effect::Done { mark, .. } => mark.ts,
            _ => continue,
        };
        if ts < TsKey::first_of(0) {
            return Err(StorageError::Invalid(format!("{ts} is not a message id")));
        }
    }
    Ok(())
}

impl<'a> Application<'a> {
    /// Starts at a time in Unix seconds.
    pub(super) fn new(state: &'a mut State, now: i64) -> Self {
        Self {
            before: state.audiences(),
            now,
            writing: Writing::new(state, Source::Events(now)),
            latest: now.saturating_add(A_DAY),
        }
    }

    pub(super) fn apply(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.apply_one(effect);
        }
    }

    /// Applies the consequences.
    pub(super) fn finish(self) {
        let (state, _) = self.writing.finish();
        state.audiences_changed(&self.before, self.now);
    }

    fn apply_one(&mut self, effect: Effect) {
        let latest = TsKey::first_of(self.latest);
        match effect {
            Effect::User { record, changed_at } => self.user(record, changed_at),
            Effect::ChannelName {
                id,
                name,
                is_private,
                at,
            } => {
                let channel = self.known_channel(id);
                let stored = (channel.name_at, channel.name.clone());
                if !name.is_empty() && is_newer(stored, (Some(at), name.clone()), latest) {
                    (channel.name_at, channel.name) = (Some(at), name);
                }
                if let Some(is_private) = is_private {
                    let stored = (channel.private_at, channel.is_private);
                    if is_newer(stored, (Some(at), is_private), latest) {
                        (channel.private_at, channel.is_private) = (Some(at), is_private);
                    }
                }
            }
            Effect::ChannelPresence { id, present, at } => {
                let now = self.now;
                let channel = self.known_channel(id.clone());
                // If two effects have the same time, leaving wins.
                let stored = (channel.present_at, !channel.is_present);
                let is_back = present && !channel.is_present && channel.is_behind;
                let left_at = channel.present_at;
                if is_newer(stored, (Some(at), !present), latest) {
                    channel.is_behind |= channel.is_present && !present;
                    (channel.present_at, channel.is_present) = (Some(at), present);
                }
                if is_back {
                    let since = left_at.map(TsKey::unix_seconds);
                    self.writing.state.read_again(id, since, now);
                }
            }
            Effect::ChannelShared { id, is_shared, at } => {
                let channel = self.known_channel(id);
                let told = (channel.shared_at, certainty(channel.is_shared));
                if is_newer(told, (Some(at), certainty(is_shared)), latest) {
                    (channel.shared_at, channel.is_shared) = (Some(at), is_shared);
                }
            }
            Effect::ChannelMembers { id, members, at } => {
                self.known_channel(id).members.list(members, at, latest);
            }
            Effect::Membership {
                channel_id,
                user_id,
                is_member,
                at,
            } => {
                let members = &mut self.known_channel(channel_id).members;
                members.change(user_id, is_member, at, latest);
            }
            Effect::AccountClosed { user_id, at } => self.closed(user_id, at),
            Effect::Guest {
                user_id,
                is_guest,
                at,
            } => self.guest(user_id, is_guest, at),
            Effect::Message { record, changed } => {
                self.writing.message(record, changed);
            }
            Effect::MessageDeleted { channel_id, ts, at } => {
                self.writing.delete(&channel_id, ts, at.unix_seconds());
            }
            Effect::Pin {
                channel_id,
                ts,
                by,
                is_pinned,
                at,
            } => self
                .known_channel(channel_id)
                .pins
                .change(ts, by, is_pinned, at),
            Effect::Done { mark, is_given, at } => {
                self.known_channel(mark.channel_id.clone());
                self.writing.state.mark_done(mark, is_given, at);
            }
            Effect::Feedback {
                channel_id,
                ts,
                user_id,
                is_good,
                is_given,
                at,
            } => {
                self.known_channel(channel_id.clone());
                let feedback = &mut self.writing.state.feedback;
                feedback.change((channel_id, ts), user_id, is_good, (at, is_given));
            }
            Effect::Mention {
                channel_id,
                ts,
                thread_ts,
                asked_at,
            } => {
                self.writing.channel(&channel_id);
                self.writing.state.ask(&channel_id, ts, thread_ts, asked_at);
            }
        }
    }

    fn user(&mut self, record: UserRecord, changed_at: i64) {
        let has_name = !record.name.is_empty();
        let changed_at = has_name.then_some(changed_at);
        let users = &mut self.writing.state.users;
        let Some(known) = users.get_mut(&record.id) else {
            let id = record.id.clone();
            users.insert(id, StoredUser::of(record, changed_at));
            return;
        };
        if !has_name {
            // It only shows that such a user exists.
            known.record.is_bot |= known.record.name.is_empty() && record.is_bot;
            return;
        }
        let stored = (known.changed_at, (&known.record.name, known.record.is_bot));
        let reported = (changed_at, (&record.name, record.is_bot));
        if is_newer(stored, reported, self.latest) {
            (known.record, known.changed_at) = (record, changed_at);
        }
    }

    fn closed(&mut self, user_id: String, at: TsKey) {
        let latest = TsKey::first_of(self.latest);
        let known = self.known_user(user_id.clone());
        if known.closed_at < Some(at) && at <= latest {
            known.closed_at = Some(at);
            self.writing.state.agent_tokens.forget(&user_id);
        }
    }

    fn known_user(&mut self, user_id: String) -> &mut StoredUser {
        let users = &mut self.writing.state.users;
        users.entry(user_id).or_insert_with_key(|id| {
            let record = UserRecord {
                id: id.clone(),
                name: String::new(),
                is_bot: false,
            };
            StoredUser::of(record, None)
        })
    }

    fn guest(&mut self, user_id: String, is_guest: bool, at: TsKey) {
        let latest = TsKey::first_of(self.latest);
        let known = self.known_user(user_id);
        let stored = (known.guest_at, known.is_guest);
        if is_newer(stored, (Some(at), Some(is_guest)), latest) {
            (known.guest_at, known.is_guest) = (Some(at), Some(is_guest));
        }
    }

    /// A channel; if it is new, nothing shows yet that the bot is in it.
    fn known_channel(&mut self, id: String) -> &mut Conversation {
        let channels = &mut self.writing.state.channels;
        channels.entry(id).or_insert(Conversation {
            is_private: true,
            ..Conversation::default()
        })
    }
}
