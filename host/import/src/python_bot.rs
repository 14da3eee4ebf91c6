//! The SQLite file of the Python bot, from before memories had versions.
//!
//! | table | columns |
//! |---|---|
//! | `messages` | `message_id`, `channel_id`, `user_id`, `user_name`, `user_is_bot`, `text`, `timestamp`, `thread_ts`, `mentions`, `created_at` |
//! | `users` | `user_id`, `name`, `is_bot`, `updated_at` |
//! | `channels` | `channel_id`, `name`, `updated_at` |
//! | `memories` | `scope`, `scope_id`, `memory_type`, `content`, `created_at`, `updated_at`, `source_message_count`, `source_latest_message_ts` |
//!
//! Times are in UTC, without a zone. `mentions` repeats what is in the text, and is not read.

mod ids;
mod rows;
mod survey;

use std::path::Path;

use myao_plugin::storage::records::{ImportSink, MemoryRecord, MessageRecord};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope};
use myao_slack::message::LeftOut;
use myao_slack::mrkdwn::readable;
use myao_sqlite::foreign::{self, ForeignDatabase, ForeignRow};
use rows::{BotTables, flag, is_too_long, number, time, trimmed};
use survey::Survey;

use super::limits::{MAX_TEXT_BYTES, MemoryBudget};
use super::report::MAX_NAMED;
use super::{ImportError, ImportReport, Progress};

/// Warnings about messages, before their number.
const MADE_IDS: &str = "messages without a Slack id, which got one from their replies or from the time they were stored";
const LOST_THREADS: &str =
    "replies to a message that does not exist, which are now outside of threads";

/// What a memory needs in memory until the end of an import.
const MEMORY_BYTES: usize = 128;

/// The format of a time.
const TOO_LONG: &str = "a column has a value that is too long";
const TIME: &str = "a time in UTC, as in 2024-03-01 10:05:00";

/// Limits SQLite's memory in the whole process, permanently.
///
/// # Errors
/// [`ImportError`].
pub fn limit_memory() -> Result<(), ImportError> {
    Ok(foreign::limit_memory()?)
}

/// Reads the Python bot's database file, which is opened for reading only. Whatever the file holds, reading it ends.
///
/// # Errors
/// As [`read`]; the error also names the file.
pub(super) fn read_path(
    path: &Path,
    sink: &mut dyn ImportSink,
    progress: &mut dyn FnMut(Progress),
) -> Result<ImportReport, ImportError> {
    let in_file = |source| ImportError::InDatabase {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let read = |sink: &mut dyn ImportSink| self::read(&ForeignDatabase::open(path)?, sink);
    progress(Progress {
        files_total: 1,
        ..Progress::default()
    });
    let report = read(sink).map_err(in_file)?;
    progress(Progress {
        files_done: 1,
        files_total: 1,
        messages: report.messages,
    });
    Ok(report)
}

/// Reads the Python bot's tables into a sink. Nothing is written to the database. Rows that cannot be read are left out and
/// reported.
///
/// # Errors
/// [`ImportError`] if a required table or column is missing; it names them. The sink then has a part of the data, which the
/// caller must not commit.
pub fn read(
    database: &ForeignDatabase,
    sink: &mut dyn ImportSink,
) -> Result<ImportReport, ImportError> {
    let bot = BotTables::new(database)?;
    let mut survey = Survey::read(&bot, MemoryBudget::new(database.path()))?;
    let mut report = ImportReport::default();
    for user in survey.users.values() {
        sink.user(user)?;
        report.users += 1;
    }
    for channel in survey.channels.values() {
        sink.channel(channel)?;
        report.add_channel(channel.facts);
    }
    messages(&bot, &survey, sink, &mut report)?;
    memories(&bot, &mut survey, sink, &mut report)?;
    Ok(report.finished())
}

fn messages(
    bot: &BotTables<'_>,
    survey: &Survey,
    sink: &mut dyn ImportSink,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    let mut lost_threads = 0;
    bot.each("messages", &mut |row| {
        if let Some(record) = message(row, survey, report, &mut lost_threads)? {
            sink.message(&record)?;
            report.messages += 1;
        }
        Ok(())
    })?;
    let made = survey.made_ids();
    for (count, what) in [(made, MADE_IDS), (lost_threads, LOST_THREADS)] {
        if count > 0 {
            report.warnings.push(format!("{what}: {count}"));
        }
    }
    Ok(())
}

/// The message of a row; `None` if it is left out, which is reported.
fn message(
    row: &ForeignRow<'_>,
    survey: &Survey,
    report: &mut ImportReport,
    lost_threads: &mut usize,
) -> Result<Option<MessageRecord>, ImportError> {
    let channel_id = trimmed(row, "channel_id")?;
    let message_id = trimmed(row, "message_id")?;
    let place = || format!("table `messages`, row {channel_id}/{message_id}");
    if is_too_long(row)? {
        report.leave_out_unreadable(|| format!("{}: {TOO_LONG}", place()));
        return Ok(None);
    }
    let text = row.text("text")?.unwrap_or_default();
    if text.trim().is_empty() {
        report.leave_out(LeftOut::NoText);
        return Ok(None);
    }
    let ids = survey.ids(&channel_id);
    let find = |id: &str| ids.and_then(|ids| ids.find(id));
    let Some(ts) = find(&message_id) else {
        match wrong_time(row, "timestamp")? {
            Some(wrong) => report.leave_out_unreadable(|| format!("{}: {wrong}", place())),
            None => report.leave_out(LeftOut::NoFreeId),
        }
        return Ok(None);
    };
    let text = readable(&text, survey).into_owned();
    if text.len() > MAX_TEXT_BYTES {
        let most = MAX_TEXT_BYTES;
        report.leave_out_unreadable(|| format!("{}: its text has more than {most} bytes", place()));
        return Ok(None);
    }
    let thread = trimmed(row, "thread_ts")?;
    let is_thread = ids.is_some_and(|ids| ids.is_thread(ts));
    let thread_ts = find(&thread).or_else(|| is_thread.then_some(ts));
    *lost_threads += usize::from(!thread.is_empty() && find(&thread).is_none());
    Ok(Some(MessageRecord {
        user_id: trimmed(row, "user_id")?,
        author_name: None,
        is_bot: flag(row, "user_is_bot")?,
        channel_id,
        ts,
        text,
        thread_ts,
        edited_at: None,
    }))
}

fn memories(
    bot: &BotTables<'_>,
    survey: &mut Survey,
    sink: &mut dyn ImportSink,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    let mut unknown = 0;
    bot.each("memories", &mut |row| {
        if let Some(record) = memory(row, report, &mut unknown)? {
            survey.spend(MEMORY_BYTES)?;
            sink.memory(&record)?;
            report.memories += 1;
        }
        Ok(())
    })
}

/// The memory of a row; `None` if it is left out, which is reported.
fn memory(
    row: &ForeignRow<'_>,
    report: &mut ImportReport,
    unknown: &mut usize,
) -> Result<Option<MemoryRecord>, ImportError> {
    let (scope, scope_id, kind) = (
        trimmed(row, "scope")?,
        trimmed(row, "scope_id")?,
        trimmed(row, "memory_type")?,
    );
    let place = || format!("table `memories`, row {scope}/{scope_id}/{kind}");
    if is_too_long(row)? {
        report.leave_out_unreadable(|| format!("{}: {TOO_LONG}", place()));
        return Ok(None);
    }
    let (Some(known_scope), Some(known_kind)) = (scope_of(&scope), memory_type_of(&kind)) else {
        report.leave_out(LeftOut::UnknownMemory);
        *unknown += 1;
        if *unknown <= MAX_NAMED {
            report.warnings.push(format!(
                "a memory of unknown scope or type was left out: `{scope}`, `{scope_id}`, `{kind}`"
            ));
        }
        return Ok(None);
    };
    let content = trimmed(row, "content")?;
    if content.is_empty() {
        report.leave_out(LeftOut::EmptyMemory);
        return Ok(None);
    }
    let created_column = match row.text("created_at")? {
        Some(_) => "created_at",
        None => "updated_at",
    };
    let wrong = match wrong_time(row, "updated_at")? {
        None => wrong_time(row, created_column)?,
        wrong => wrong,
    };
    if let Some(wrong) = wrong {
        report.leave_out_unreadable(|| format!("{}: {wrong}", place()));
        return Ok(None);
    }
    Ok(Some(MemoryRecord {
        scope: known_scope,
        scope_id,
        memory_type: known_kind,
        content,
        created_at: seconds(row, created_column)?,
        updated_at: seconds(row, "updated_at")?,
        source_message_count: u32::try_from(number(row, "source_message_count")?)
            .unwrap_or_default(),
        source_latest_message_ts: TsKey::parse(&trimmed(row, "source_latest_message_ts")?).ok(),
    }))
}

/// What is wrong with a time; `None` if it is valid.
fn wrong_time(row: &ForeignRow<'_>, column: &str) -> Result<Option<String>, ImportError> {
    let value = row.text(column)?.unwrap_or_default();
    Ok(match time(&value) {
        Some(_) => None,
        None => Some(format!(
            "column `{column}` holds `{value}`; expected {TIME}"
        )),
    })
}

fn seconds(row: &ForeignRow<'_>, column: &str) -> Result<i64, ImportError> {
    let value = row.text(column)?.unwrap_or_default();
    Ok(time(&value).map_or(0, |time| time.timestamp()))
}

/// The scope; `workspace`, `WORKSPACE` and `MemoryScope.WORKSPACE` are the same.
fn scope_of(text: &str) -> Option<Scope> {
    match member(text).as_str() {
        "workspace" => Some(Scope::Workspace),
        "channel" => Some(Scope::Channel),
        "thread" => Some(Scope::Thread),
        _ => None,
    }
}

fn memory_type_of(text: &str) -> Option<MemoryType> {
    match member(text).as_str() {
        "long_term" => Some(MemoryType::LongTerm),
        "short_term" => Some(MemoryType::ShortTerm),
        _ => None,
    }
}

/// The member of a Python enum, in lower case, in whichever form it was stored.
fn member(text: &str) -> String {
    let (_, member) = text.rsplit_once('.').unwrap_or(("", text));
    member.trim().to_ascii_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests;
