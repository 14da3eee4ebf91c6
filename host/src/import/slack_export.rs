//! A Slack workspace export, as a folder or as the zip file that Slack gives.
//!
//! The lists at its top come first, then a light survey of all day files, then the messages: channel by
//! channel, day by day, one day file in memory at a time.

mod archive;
mod directory;
mod json;
mod layout;
mod survey;

use std::path::Path;

use archive::Archive;
use directory::Directory;
use json::parse;
use layout::{Layout, some_of};

use super::{ImportError, ImportReport, LeftOut, Progress};
use crate::slack::message::{
    Outcome, Surroundings,
    raw::{RawMessage, RichContent},
};
use crate::{storage::records::ImportSink, ts::InvalidTs};

/// Reads an export into a sink: users, channels, then each channel's messages by day. `progress` is
/// called before the first and after every day file.
///
/// Deletions that the export records are left out of it; what an earlier import brought stays.
///
/// # Errors
/// [`ImportError`] where the path is no export, or a file of it is damaged; it names the file. The sink
/// has then had a part of the export, which the caller must not commit.
pub fn read(
    path: &Path,
    sink: &mut dyn ImportSink,
    progress: &mut dyn FnMut(Progress),
) -> Result<ImportReport, ImportError> {
    let mut archive = Archive::open(path)?;
    let mut layout = Layout::find(&mut archive)?;
    let mut directory = Directory::read(&mut archive, &mut layout)?;
    let surveys = survey::survey(&mut archive, &mut directory)?;
    let mut report = ImportReport {
        warnings: warnings(&layout),
        ..ImportReport::default()
    };
    for user in &directory.users {
        sink.user(user)?;
        report.users += 1;
    }
    for conversation in &directory.conversations {
        sink.channel(&conversation.record)?;
        report.channels += 1;
    }
    let files = directory
        .conversations
        .iter()
        .map(|conversation| conversation.days.len() as u64)
        .sum();
    let mut reached = Progress {
        files_total: files,
        ..Progress::default()
    };
    progress(reached);
    let mut buffer = Vec::new();
    for (conversation, survey) in directory.conversations.iter().zip(&surveys) {
        let surroundings = Surroundings {
            channel_id: &conversation.record.id,
            people: &directory,
            threads: &survey.threads,
            deleted: &survey.deleted,
        };
        for name in &conversation.days {
            archive.read(name, &mut buffer)?;
            read_day(&archive, name, &buffer, &surroundings, sink, &mut report)?;
            reached.files_done += 1;
            reached.messages = report.messages;
            progress(reached);
        }
    }
    Ok(report)
}

/// Reads the messages of one day file, which was read into `buffer`.
fn read_day(
    archive: &Archive,
    name: &str,
    buffer: &[u8],
    surroundings: &Surroundings<'_>,
    sink: &mut dyn ImportSink,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
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
            Outcome::Keep(message) => {
                sink.message(&message)?;
                report.messages += 1;
            }
            Outcome::LeaveOut(reason) => report.leave_out(reason),
            Outcome::NeedsRich => report.leave_out(LeftOut::NoText),
        }
    }
    Ok(())
}

/// What of the archive belongs to no listed conversation.
fn warnings(layout: &Layout) -> Vec<String> {
    let mut warnings: Vec<String> = layout
        .days
        .iter()
        .map(|(folder, days)| {
            let days = days.len();
            format!("day files in `{folder}`, for which no channel is listed, that were not imported: {days}")
        })
        .collect();
    if !layout.ignored.is_empty() {
        let files = layout.ignored.len();
        warnings.push(format!(
            "files that are no part of an export and were ignored: {files} ({})",
            some_of(&layout.ignored)
        ));
    }
    warnings
}

#[cfg(test)]
mod tests;
