//! A Slack workspace export, as a folder or as Slack's zip file.
//!
//! The lists at its top are read first, then a quick survey of all day files, then the messages: channel by channel, day
//! by day. A second thread decodes some messages ahead of the sink.

mod archive;
mod days;
mod directory;
mod json;
mod json_array;
mod layout;
mod survey;
mod zip_file;

use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;

use archive::Archive;
use days::{Batch, Days};
use directory::Directory;
use layout::Layout;
use myao_plugin::storage::records::ImportSink;

use super::{
    ImportError, ImportReport, Options, Progress, limits::MemoryBudget, report::MAX_NAMED,
};

/// How many batches of messages are decoded ahead.
const AHEAD: usize = 2;

/// Reads an export into a sink: users, channels, then each channel's messages by day. Conversations that `options` do not
/// take, and records that cannot be read, are left out and reported.
///
/// Messages that the export records as deleted are not imported; those of an earlier import stay.
///
/// # Errors
/// [`ImportError`] if the path is not an export, or a file of it is damaged; it names the file.
pub(super) fn read(
    path: &Path,
    options: Options,
    sink: &mut dyn ImportSink,
    progress: &mut dyn FnMut(Progress),
) -> Result<ImportReport, ImportError> {
    let mut budget = MemoryBudget::new(path);
    let mut report = ImportReport::default();
    let mut archive = Archive::open(path)?;
    let mut layout = Layout::find(&mut archive, &mut budget)?;
    let mut directory =
        Directory::read(&mut archive, &mut layout, options, &mut budget, &mut report)?;
    let surveys = survey::survey(&mut archive, &mut directory, &mut budget)?;
    archive.read_again();
    report.warnings = warnings(&layout);
    drop(layout);
    for user in &directory.users {
        sink.user(user)?;
        report.users += 1;
    }
    for conversation in &directory.conversations {
        sink.channel(&conversation.record)?;
        report.add_channel(conversation.record.facts);
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
    let days = Days {
        archive,
        directory: &directory,
        surveys: &surveys,
    };
    let mut import = |batch: Batch| -> Result<(), ImportError> {
        for message in &batch.messages {
            sink.message(message)?;
        }
        for pin in &batch.pins {
            sink.pin(pin)?;
        }
        for mark in &batch.done {
            sink.done(mark)?;
        }
        report.messages += batch.messages.len() as u64;
        report.add_left_out(batch.left_out);
        if batch.is_last {
            reached.files_done += 1;
            reached.messages = report.messages;
            progress(reached);
        }
        Ok(())
    };
    decode_ahead(path, days, &mut import)?;
    Ok(report.finished())
}

/// Passes all batches of messages to `import`, while a second thread decodes the next ones.
fn decode_ahead(
    path: &Path,
    days: Days<'_>,
    import: &mut dyn FnMut(Batch) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    thread::scope(|scope| {
        let (sender, decoded) = sync_channel(AHEAD);
        thread::Builder::new()
            .spawn_scoped(scope, || days.decode(sender))
            .map_err(|source| ImportError::Io {
                path: path.to_owned(),
                source,
            })?;
        decoded.into_iter().try_for_each(|batch| import(batch?))
    })
}

/// Warnings about files that belong to no listed conversation.
fn warnings(layout: &Layout) -> Vec<String> {
    let mut warnings: Vec<String> = layout
        .days
        .iter()
        .take(MAX_NAMED)
        .map(|(folder, days)| {
            let days = days.len();
            format!("day files in `{folder}` that were not imported, because no list has a channel for them: {days}")
        })
        .collect();
    let unnamed = layout.days.len().saturating_sub(MAX_NAMED);
    if unnamed > 0 {
        warnings.push(format!(
            "more folders without a channel in a list: {unnamed}"
        ));
    }
    if !layout.ignored.is_empty() {
        let (files, some) = (layout.ignored.len(), &layout.ignored);
        warnings.push(format!(
            "files that do not belong to an export and were ignored: {files} ({some})"
        ));
    }
    warnings
}

#[cfg(test)]
mod tests;
