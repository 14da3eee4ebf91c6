//! An export, decoded and inserted, and nothing else: no checks, no names for ids, no deletions, no repetition.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rusqlite::{Connection, params};
use serde::Deserialize;

#[derive(Deserialize)]
struct User<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    is_bot: bool,
}

#[derive(Deserialize)]
struct Channel<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    ts: Cow<'a, str>,
    #[serde(borrow)]
    user: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
    #[serde(borrow)]
    thread_ts: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The waiting messages of a channel or thread: the row of `backlog`.
struct Waiting {
    first_reply: Option<i64>,
    oldest: i64,
    newest: i64,
    count: i64,
}

/// Reads an export in a folder into an empty workspace, in one transaction.
///
/// # Errors
/// Where the export or the database is not as expected.
pub fn import(folder: &Path, database: &Path, workspace: &str) -> Result<()> {
    let mut connection = super::open(database)?;
    let transaction = connection.transaction()?;
    let key: i64 = transaction
        .prepare_cached(include_str!("sql/workspace_key.sql"))?
        .query_row([workspace], |row| row.get(0))?;
    let users = fs::read(folder.join("users.json"))?;
    for user in serde_json::from_slice::<Vec<User<'_>>>(&users)? {
        transaction
            .prepare_cached(include_str!("sql/insert_user.sql"))?
            .execute(params![key, user.id, user.name, user.is_bot])?;
    }
    let channels = fs::read(folder.join("channels.json"))?;
    let mut buffer = Vec::new();
    for channel in serde_json::from_slice::<Vec<Channel<'_>>>(&channels)? {
        let channel_key = transaction
            .prepare_cached(include_str!("sql/insert_channel.sql"))?
            .query_row(params![key, channel.id, channel.name, false], |row| {
                row.get(0)
            })?;
        let place = (key, channel_key);
        insert_messages(
            &transaction,
            place,
            &folder.join(&*channel.name),
            &mut buffer,
        )?;
    }
    Ok(transaction.commit()?)
}

fn insert_messages(
    connection: &Connection,
    (workspace, channel): (i64, i64),
    folder: &Path,
    buffer: &mut Vec<u8>,
) -> Result<()> {
    let mut days: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    days.sort();
    let mut waiting: BTreeMap<i64, Waiting> = BTreeMap::new();
    let mut insert = connection.prepare_cached(include_str!("sql/insert_message.sql"))?;
    for day in days {
        buffer.clear();
        std::io::Read::read_to_end(&mut fs::File::open(day)?, buffer)?;
        for message in serde_json::from_slice::<Vec<Message<'_>>>(buffer)? {
            let ts = key(&message.ts)?;
            let thread = message.thread_ts.map(|thread| key(&thread.0)).transpose()?;
            let reply_in = thread.filter(|thread| *thread != ts);
            insert.execute(params![
                workspace,
                channel,
                ts,
                reply_in,
                message.user,
                message.text
            ])?;
            count(&mut waiting, 0, None, ts);
            if let Some(thread) = thread {
                count(&mut waiting, thread, reply_in.map(|_| ts), ts);
            }
        }
    }
    let mut insert = connection.prepare_cached(include_str!("sql/insert_backlog.sql"))?;
    for (thread, waiting) in waiting {
        insert.execute(params![
            workspace,
            channel,
            thread,
            waiting.first_reply,
            waiting.newest,
            waiting.oldest,
            waiting.count
        ])?;
    }
    Ok(())
}

fn count(waiting: &mut BTreeMap<i64, Waiting>, thread: i64, reply: Option<i64>, ts: i64) {
    let waiting = waiting.entry(thread).or_insert(Waiting {
        first_reply: None,
        oldest: ts,
        newest: ts,
        count: 0,
    });
    waiting.first_reply = waiting.first_reply.or(reply);
    waiting.newest = ts;
    waiting.count += 1;
}

fn key(ts: &str) -> Result<i64> {
    let (seconds, sequence) = ts
        .split_once('.')
        .context("a message id has no full stop")?;
    Ok(seconds.parse::<i64>()? * 1_000_000 + sequence.parse::<i64>()?)
}
