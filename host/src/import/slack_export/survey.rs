//! A first, light reading of all day files. A thread's parent may not say that it is one, a deletion
//! is recorded days after its message, and people of other workspaces are named only where they
//! write: all of that must be known before the first message is imported.

use std::collections::HashSet;

use super::{
    archive::Archive,
    directory::Directory,
    json::{RawTrace, parse},
};
use crate::{
    import::{ImportError, mrkdwn::readable},
    slack::message::raw::{filled, profile_name},
    ts::TsKey,
};

/// What is known of the messages of one conversation.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Messages that others reply to.
    pub(super) threads: HashSet<TsKey>,
    /// Messages whose deletion is recorded.
    pub(super) deleted: HashSet<TsKey>,
}

/// Surveys the conversations, in their order, and adds to the directory who only shows in messages.
pub(super) fn survey(
    archive: &mut Archive,
    directory: &mut Directory,
) -> Result<Vec<Survey>, ImportError> {
    let mut buffer = Vec::new();
    let mut surveys = Vec::with_capacity(directory.conversations.len());
    let days: Vec<Vec<String>> = directory
        .conversations
        .iter()
        .map(|conversation| conversation.days.clone())
        .collect();
    for day in days {
        let mut survey = Survey::default();
        for name in day {
            archive.read(&name, &mut buffer)?;
            for trace in parse::<Vec<RawTrace<'_>>>(archive, &name, &buffer)? {
                survey.add(&trace);
                add_author(&trace, directory);
            }
        }
        surveys.push(survey);
    }
    Ok(surveys)
}

impl Survey {
    /// Ids that are none are passed over here: importing the message names them.
    fn add(&mut self, trace: &RawTrace<'_>) {
        let key = |text| filled(text).and_then(|text| TsKey::parse(text).ok());
        self.threads.extend(key(&trace.thread_ts));
        if trace.reply_count.is_some_and(|count| count > 0) {
            self.threads.extend(key(&trace.ts));
        }
        if filled(&trace.subtype) == Some("message_deleted") {
            self.deleted.extend(key(&trace.deleted_ts));
        }
    }
}

fn add_author(trace: &RawTrace<'_>, directory: &mut Directory) {
    let (id, profile) = match filled(&trace.user) {
        Some(user) => (
            user,
            trace.user_profile.as_ref().or(trace.bot_profile.as_ref()),
        ),
        None => match filled(&trace.bot_id) {
            Some(bot) => (bot, trace.bot_profile.as_ref()),
            None => return,
        },
    };
    if directory
        .find_user(id)
        .is_some_and(|user| !user.name.is_empty())
    {
        return;
    }
    let is_program = filled(&trace.bot_id).is_some();
    let mut name = profile.map(profile_name).unwrap_or_default();
    if name.is_empty() && is_program {
        name = filled(&trace.username)
            .map(|name| readable(name, directory).trim_start_matches('@').to_owned())
            .unwrap_or_default();
    }
    directory.add_user(id, name, is_program);
}
