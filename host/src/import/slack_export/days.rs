//! The messages of day files.

use std::sync::mpsc::SyncSender;

use super::{archive::Archive, directory::Directory, json::parse, survey::Survey};
use crate::{
    import::{ImportError, LeftOut},
    slack::message::{
        Outcome, Surroundings,
        raw::{RawMessage, RichContent},
    },
    storage::records::MessageRecord,
    ts::InvalidTs,
};

/// What is needed to read all day files.
pub(super) struct Days<'d> {
    pub(super) archive: Archive,
    pub(super) directory: &'d Directory,
    /// Those of the directory's conversations.
    pub(super) surveys: &'d [Survey],
}

/// A day file's messages.
#[derive(Debug, Default)]
pub(super) struct Day {
    /// Those to store.
    pub(super) messages: Vec<MessageRecord>,
    /// Why the others are left out.
    pub(super) left_out: Vec<LeftOut>,
}

impl Days<'_> {
    /// Reads channel by channel, day by day, until there is an error, or nobody takes what was read.
    pub(super) fn decode(mut self, days: SyncSender<Result<Day, ImportError>>) {
        let mut buffer = Vec::new();
        for (conversation, survey) in self.directory.conversations.iter().zip(self.surveys) {
            let surroundings = Surroundings {
                channel_id: &conversation.record.id,
                people: self.directory,
                threads: &survey.threads,
                deleted: &survey.deleted,
            };
            for name in &conversation.days {
                let day = self
                    .archive
                    .read(name, &mut buffer)
                    .and_then(|()| read_day(&self.archive, name, &buffer, &surroundings));
                let is_last = day.is_err();
                if days.send(day).is_err() || is_last {
                    return;
                }
            }
        }
    }
}

/// Reads the messages of one day file, which was read into `buffer`.
fn read_day(
    archive: &Archive,
    name: &str,
    buffer: &[u8],
    surroundings: &Surroundings<'_>,
) -> Result<Day, ImportError> {
    let mut day = Day::default();
    let mut rich: Option<Vec<RichContent>> = None;
    for (index, raw) in parse::<Vec<RawMessage<'_>>>(archive, name, buffer)?
        .iter()
        .enumerate()
    {
        let bad = |source: InvalidTs| ImportError::BadTs {
            file: archive.shown(name),
            index: index + 1,
            source,
        };
        let mut outcome = surroundings.read(raw, None).map_err(bad)?;
        if matches!(outcome, Outcome::NeedsRich) {
            let all = match &mut rich {
                Some(all) => all,
                none => none.insert(parse(archive, name, buffer)?),
            };
            outcome = surroundings.read(raw, all.get(index)).map_err(bad)?;
        }
        match outcome {
            Outcome::Keep(message) => day.messages.push(message),
            Outcome::LeaveOut(reason) => day.left_out.push(reason),
            Outcome::NeedsRich => day.left_out.push(LeftOut::NoText),
        }
    }
    Ok(day)
}
