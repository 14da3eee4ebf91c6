//! A generation run of channels that have no memory yet: what is read, rendered, asked and saved, one step after the
//! other, with no component, no checks and nothing that other cases would need.

use anyhow::{Context as _, Result};
use myao_plugin::ts::TsKey;
use myao_plugin::{ChannelMemory, Context, ConversationHistory, Message, Persona, Timestamp, User};
use rusqlite::{Connection, params};

use super::context::{memory, messages, select};
use crate::native::{Native, Variables};

const WORKSPACE: i64 = 1;
/// The codes of the columns.
const CHANNEL: i64 = 1;
const LONG_TERM: i64 = 0;
const SHORT_TERM: i64 = 1;
const LIMIT: usize = 1000;

/// A run.
pub struct Run<'r> {
    /// The templates.
    pub native: &'r Native,
    /// Who the bot is.
    pub persona: Persona,
    /// The workspace's scope id.
    pub workspace_scope_id: &'r str,
    /// When, with the offset of all times.
    pub now: Timestamp,
    /// The start of the window of messages.
    pub window_start: TsKey,
    /// The model: the answer to a prompt.
    pub ask: &'r dyn Fn(&str) -> String,
}

/// A memory to insert.
struct Draft<'d> {
    scope: i64,
    scope_id: &'d str,
    memory_type: i64,
    text: &'d str,
    messages: i64,
    /// Messages that were to be summarised.
    covered: i64,
    newest: Option<i64>,
    merged_through: Option<i64>,
    /// The channels that it is made from.
    origins: &'d [i64],
}

impl Run<'_> {
    /// Makes all memories that are due.
    ///
    /// # Errors
    /// Where the database is not as expected.
    pub fn make(&self, connection: &mut Connection) -> Result<()> {
        let until = TsKey::first_of(self.now.unix_seconds + 1).to_database() - 1;
        let bounds = params![WORKSPACE, self.window_start.to_database(), until];
        let due: Vec<(i64, String, String)> =
            select(connection, include_str!("sql/due.sql"), bounds, |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        for (channel, id, name) in &due {
            self.channel(connection, (*channel, id, name), until)?;
        }
        self.workspace(connection)
    }

    fn channel(
        &self,
        connection: &mut Connection,
        (channel, id, name): (i64, &str, &str),
        until: i64,
    ) -> Result<()> {
        let read = connection.transaction()?;
        let _backlog: Vec<(i64, i64, i64, i64, i64)> =
            select(&read, include_str!("sql/backlog.sql"), [channel], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                ))
            })?;
        let memories_of = include_str!("sql/memories_of.sql");
        let _memories = (
            select(
                &read,
                memories_of,
                params![WORKSPACE, 0, self.workspace_scope_id],
                memory,
            )?,
            select(&read, memories_of, params![WORKSPACE, CHANNEL, id], memory)?,
        );
        let _deferrals: Vec<(i64, i64, i64, String)> = select(
            &read,
            include_str!("sql/deferrals.sql"),
            params![WORKSPACE, CHANNEL, id],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?;
        let since = self.window_start.to_database();
        let said = messages(&read, channel, since, until, LIMIT)?;
        read.commit()?;

        let keys: Vec<i64> = said.iter().map(|message| message.key).collect();
        let newest = said.last().map(|message| message.ts);
        let mut context = self.context(id, name);
        context.conversation_history.top_level_messages =
            said.into_iter().map(|said| self.message(said)).collect();
        let text = (self.ask)(&self.native.render(&Variables::of(&context))?);
        let mut draft = Draft {
            scope: CHANNEL,
            scope_id: id,
            memory_type: SHORT_TERM,
            text: &text,
            messages: i64::try_from(keys.len())?,
            covered: i64::try_from(keys.len())?,
            newest,
            merged_through: None,
            origins: &[channel],
        };
        let write = connection.transaction()?;
        let short_term = self.insert(&write, &draft)?;
        let mut insert = write.prepare_cached(include_str!("sql/insert_source_message.sql"))?;
        for key in keys {
            insert.execute([short_term, key])?;
        }
        drop(insert);
        write
            .prepare_cached(include_str!("sql/summarized.sql"))?
            .execute(params![channel, short_term, newest])?;
        write.commit()?;

        context.conversation_history.top_level_messages.clear();
        let merged = (self.ask)(
            &self
                .native
                .render(&Variables::of_merge(&context, Some(&text)))?,
        );
        draft.memory_type = LONG_TERM;
        draft.text = &merged;
        draft.covered = 0;
        draft.merged_through = Some(short_term);
        let write = connection.transaction()?;
        let long_term = self.insert(&write, &draft)?;
        write
            .prepare_cached(include_str!("sql/insert_source_memory.sql"))?
            .execute([long_term, short_term])?;
        write
            .prepare_cached(include_str!("sql/merged.sql"))?
            .execute([channel, short_term])?;
        Ok(write.commit()?)
    }

    fn workspace(&self, connection: &mut Connection) -> Result<()> {
        let long_terms = include_str!("sql/long_terms.sql");
        let (mut sources, mut origins) = (Vec::new(), Vec::new());
        let mut count = 0;
        let mut newest: Option<i64> = None;
        let mut context = self.context("", "");
        context.channel_memories = select(connection, long_terms, [WORKSPACE], |row| {
            sources.push(row.get(2)?);
            count += row.get::<_, i64>(4)?;
            newest = newest.max(row.get(5)?);
            origins.push(row.get(6)?);
            Ok(ChannelMemory {
                long_term_memory: row.get(3)?,
                ..nothing_of(row.get(0)?, row.get(1)?)
            })
        })?;
        origins.sort_unstable();
        let text = (self.ask)(&self.native.render(&Variables::of_merge(&context, None))?);
        let write = connection.transaction()?;
        let memory = self.insert(
            &write,
            &Draft {
                scope: 0,
                scope_id: self.workspace_scope_id,
                memory_type: LONG_TERM,
                text: &text,
                messages: count,
                covered: 0,
                newest,
                merged_through: Some(*sources.iter().max().context("nothing was due")?),
                origins: &origins,
            },
        )?;
        let mut insert = write.prepare_cached(include_str!("sql/insert_source_memory.sql"))?;
        for source in sources {
            insert.execute([memory, source])?;
        }
        drop(insert);
        Ok(write.commit()?)
    }

    fn insert(&self, connection: &Connection, draft: &Draft<'_>) -> Result<i64> {
        let origins = origin_set(connection, draft.origins)?;
        connection
            .prepare_cached(include_str!("sql/insert_memory.sql"))?
            .execute(params![
                WORKSPACE,
                draft.scope,
                draft.scope_id,
                draft.memory_type,
                draft.text,
                self.now.unix_seconds,
                draft.messages,
                draft.newest,
                draft.merged_through,
                origins
            ])?;
        let id = connection.last_insert_rowid();
        connection
            .prepare_cached(include_str!("sql/insert_coverage.sql"))?
            .execute([id, draft.covered])?;
        Ok(id)
    }

    fn context(&self, id: &str, name: &str) -> Context {
        Context {
            persona: self.persona.clone(),
            conversation_history: ConversationHistory {
                channel_id: id.to_owned(),
                channel_name: name.to_owned(),
                top_level_messages: Vec::new(),
                threads: Vec::new(),
            },
            workspace_long_term_memory: None,
            workspace_short_term_memory: None,
            channel_memories: vec![nothing_of(id.to_owned(), name.to_owned())],
            thread_memories: Vec::new(),
            target_thread_ts: None,
            notes: None,
        }
    }

    fn message(&self, said: super::context::Message) -> Message {
        let ts = TsKey::from_database(said.ts);
        let time = |unix_seconds| Timestamp {
            unix_seconds,
            ..self.now
        };
        Message {
            ts: ts.to_string(),
            user: User {
                id: said.user_id,
                name: said.user_name,
                is_bot: said.is_bot,
            },
            text: said.text,
            timestamp: time(ts.unix_seconds()),
            thread_ts: None,
            edited_at: said.edited_at.map(time),
            is_for_bot: false,
        }
    }
}

fn nothing_of(channel_id: String, channel_name: String) -> ChannelMemory {
    ChannelMemory {
        channel_id,
        channel_name,
        long_term_memory: None,
        short_term_memory: None,
        short_term_memory_history: Vec::new(),
    }
}

/// The key of a set of channels. Each set is stored once.
fn origin_set(connection: &Connection, channels: &[i64]) -> Result<i64> {
    let keys: Vec<String> = channels.iter().map(i64::to_string).collect();
    let digest = myao_plugin::digest::sha256_hex(format!("[{}]", keys.join(",")));
    let known = select(
        connection,
        include_str!("sql/origins.sql"),
        [&digest],
        |row| row.get(0),
    )?;
    if let Some(key) = known.first() {
        return Ok(*key);
    }
    let key = connection
        .prepare_cached(include_str!("sql/insert_origins.sql"))?
        .query_row([&digest], |row| row.get(0))?;
    let mut insert = connection.prepare_cached(include_str!("sql/insert_origin.sql"))?;
    for channel in channels {
        insert.execute([key, *channel])?;
    }
    Ok(key)
}
