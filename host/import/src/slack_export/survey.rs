//! A first, quick reading of all day files. The first message of a thread may not say that it has replies, a deletion is
//! recorded days after its message, and people of other workspaces are named only in their messages. All of that must be
//! known before the first message is imported.

use myao_plugin::ts::TsKey;
use myao_slack::message::raw::{filled, profile_name};
use myao_slack::mrkdwn::readable;

use super::{archive::Archive, directory::Directory, json::RawOutline, json_array::Element};
use crate::ImportError;
use crate::limits::MemoryBudget;
use crate::ts_set::TsSet;

/// The known facts about the messages of one conversation.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Messages with replies.
    pub(super) threads: TsSet,
    /// Messages whose deletion is recorded.
    pub(super) deleted: TsSet,
}

/// Surveys the conversations in order, and adds people to the directory who are only in messages.
pub(super) fn survey(
    archive: &mut Archive,
    directory: &mut Directory,
    budget: &mut MemoryBudget,
) -> Result<Vec<Survey>, ImportError> {
    let mut surveys = Vec::with_capacity(directory.conversations.len());
    for at in 0..directory.conversations.len() {
        let mut survey = Survey::default();
        let mut day_at = 0;
        while let Some((name, number)) = directory.day(at, day_at) {
            let mut messages = archive.list(&name, number)?;
            while let Some(element) = messages.next::<RawOutline<'_>>()? {
                // An unreadable element is reported when the messages are read.
                if let Element::Value(trace, _) = element {
                    survey.add(&trace, budget)?;
                    add_author(&trace, directory, budget)?;
                }
            }
            day_at += 1;
        }
        survey.threads.sort();
        survey.deleted.sort();
        surveys.push(survey);
    }
    Ok(surveys)
}

impl Survey {
    /// Adds a message. Invalid ids are skipped: they are reported when the message is read.
    fn add(
        &mut self,
        trace: &RawOutline<'_>,
        budget: &mut MemoryBudget,
    ) -> Result<(), ImportError> {
        let key = |text| filled(text).and_then(|text| TsKey::parse(text).ok());
        if let Some(thread) = key(&trace.thread_ts) {
            self.threads.add(thread, budget)?;
        }
        if trace.reply_count.is_some_and(|count| count > 0)
            && let Some(ts) = key(&trace.ts)
        {
            self.threads.add(ts, budget)?;
        }
        if filled(&trace.subtype) == Some("message_deleted")
            && let Some(deleted) = key(&trace.deleted_ts)
        {
            self.deleted.add(deleted, budget)?;
        }
        Ok(())
    }
}

fn add_author(
    trace: &RawOutline<'_>,
    directory: &mut Directory,
    budget: &mut MemoryBudget,
) -> Result<(), ImportError> {
    let (id, profile) = match filled(&trace.user) {
        Some(user) => (
            user,
            trace.user_profile.as_ref().or(trace.bot_profile.as_ref()),
        ),
        None => match filled(&trace.bot_id) {
            Some(bot) => (bot, trace.bot_profile.as_ref()),
            None => return Ok(()),
        },
    };
    if directory
        .find_user(id)
        .is_some_and(|user| !user.name.is_empty())
    {
        return Ok(());
    }
    let is_program = filled(&trace.bot_id).is_some();
    let mut name = profile.map(profile_name).unwrap_or_default();
    if name.is_empty() && is_program {
        name = filled(&trace.username)
            .map(|name| readable(name, directory).trim_start_matches('@').to_owned())
            .unwrap_or_default();
    }
    directory.add_user(id, name, is_program, budget)
}
