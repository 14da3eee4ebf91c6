//! The journal of model calls.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::params;
use crate::session::{Connection, Dialect, OptionalExtension, Result};
use myao_plugin::journal::{CallEntry, CallJournal, Input};
use myao_plugin::llm::{Agent, Completion, FinishReason, ModelIdentity, Purpose};
use myao_plugin::storage::StorageError;
use myao_plugin::{Engine, Scope, names};

use crate::fault::Fault;
use crate::memories::series::Series;
use crate::place::Place;
use crate::rows;
use crate::workspace::SqlWorkspace;

#[async_trait::async_trait]
impl CallJournal for SqlWorkspace {
    async fn recall(
        &self,
        purpose: &Purpose,
        input: &Input,
        now: SystemTime,
    ) -> Result<Option<Completion>, StorageError> {
        let (purpose, input) = (purpose.clone(), input.clone());
        self.writing(move |connection, place| recall(connection, place, &purpose, &input, now))
            .await
    }

    async fn record(&self, call: CallEntry) -> Result<(), StorageError> {
        self.writing(move |connection, place| Ok(insert(connection, place, &call)?))
            .await
    }

    async fn withdraw(&self, purpose: &Purpose) -> Result<(), StorageError> {
        let purpose = purpose.clone();
        self.writing(move |connection, place| {
            let columns = params![
                place.workspace,
                rows::scope_code(purpose.scope),
                scope_id(&purpose),
                purpose.memory_type.map(rows::type_code),
                true
            ];
            connection.execute(include_str!("sql/forget_answers.sql"), columns)?;
            Ok(())
        })
        .await
    }

    async fn begin_run(&self, model: &ModelIdentity) -> Result<(), StorageError> {
        let digest = model.digest().to_owned();
        self.writing(move |connection, place| {
            let is_other = connection.execute(
                "UPDATE workspaces SET model_digest = ?2 WHERE key = ?1 AND model_digest IS DISTINCT FROM ?2",
                params![place.workspace, digest],
            )? > 0;
            if is_other {
                connection.execute(
                    include_str!("sql/clear_deferrals.sql"),
                    params![place.workspace, None::<String>],
                )?;
            }
            Ok(())
        })
        .await
    }
}

/// Ends the wait of the calls for a memory. If a model made the memory, the calls belong to it. Their answers are
/// deleted.
pub(crate) fn end_wait(
    connection: &Connection,
    series: &Series<'_>,
    engine: Engine,
    memory: i64,
) -> Result<()> {
    let (workspace, scope, scope_id, memory_type) = series.columns();
    let memory = (engine == Engine::Llm).then_some(memory);
    connection.execute(
        include_str!("sql/end_wait.sql"),
        params![workspace, scope, scope_id, memory_type, memory],
    )?;
    Ok(())
}

/// Deletes the answers for a memory that is deferred.
pub(crate) fn forget_answers(connection: &Connection, series: &Series<'_>) -> Result<()> {
    let (workspace, scope, scope_id, memory_type) = series.columns();
    connection.execute(
        include_str!("sql/forget_answers.sql"),
        params![workspace, scope, scope_id, memory_type, false],
    )?;
    Ok(())
}

/// Deletes the answers for a reply that was posted, given up or bad.
pub(crate) fn forget_reply_answers(
    connection: &Connection,
    workspace: i64,
    channel_id: &str,
    thread: Option<i64>,
) -> Result<()> {
    let (scope, scope_id) = match thread {
        Some(thread) => (Scope::Thread, rows::thread_scope_id(channel_id, thread)),
        None => (Scope::Channel, channel_id.to_owned()),
    };
    connection.execute(
        include_str!("sql/forget_reply_answers.sql"),
        params![workspace, rows::scope_code(scope), scope_id],
    )?;
    Ok(())
}

fn recall(
    connection: &Connection,
    place: &Place,
    purpose: &Purpose,
    input: &Input,
    now: SystemTime,
) -> Result<Option<Completion>, Fault> {
    let scope_id = scope_id(purpose);
    let key = |digest: &str| {
        (
            place.workspace,
            rows::scope_code(purpose.scope),
            scope_id.clone(),
            purpose.memory_type.map(rows::type_code),
            digest.to_owned(),
        )
    };
    let waiting = connection
        .query_row(
            include_str!("sql/waiting_answer.sql"),
            key(&input.digest),
            |row| {
                let completion = Completion {
                    text: row.get(1)?,
                    finish_reason: finish_reason(row.get(2)?),
                    model: row.get(3)?,
                    input_tokens: row.get(4)?,
                    output_tokens: row.get(5)?,
                };
                Ok((row.get::<i64>(0)?, completion))
            },
        )
        .optional()?;
    if let Some((call, completion)) = waiting {
        let make_newest = match connection.dialect() {
            Dialect::Sqlite => include_str!("../sql/sqlite/make_call_newest.sql"),
            Dialect::Postgres => include_str!("../sql/postgres/make_call_newest.sql"),
        };
        connection.execute(make_newest, [call])?;
        return Ok(Some(completion));
    }
    if !input.is_first {
        return Ok(None);
    }
    let current = connection
        .query_row(
            include_str!("sql/current_text.sql"),
            key(&input.attempt),
            |row| {
                let content: String = row.get(1)?;
                let truncated: bool = row.get(2)?;
                Ok((
                    row.get::<i64>(0)?,
                    text_as_answer(content, truncated, row.get(3)?),
                ))
            },
        )
        .optional()?;
    if let Some((call, _)) = &current {
        let now = milliseconds(since_1970(now));
        connection.execute(
            include_str!("sql/insert_recall.sql"),
            params![call, input.digest, now],
        )?;
    }
    Ok(current.map(|(_, completion)| completion))
}

/// Turns such a text back into an answer. If the answer was cut off, its last line is complete, so it gets a line
/// break.
fn text_as_answer(content: String, truncated: bool, model: String) -> Completion {
    let (text, finish_reason) = if truncated {
        (content + "\n", FinishReason::Length)
    } else {
        (content, FinishReason::Stop)
    };
    Completion {
        text,
        finish_reason,
        model,
        input_tokens: None,
        output_tokens: None,
    }
}

fn insert(connection: &Connection, place: &Place, call: &CallEntry) -> Result<()> {
    let (purpose, record) = (&call.purpose, &call.record);
    // A judgment is never reused, because nothing of it is posted: the model is asked again.
    let waits = call.for_memory && purpose.agent != Agent::Judgment;
    // An answer that is not kept is never looked for, and what it was made from may be gone: a digest could confirm a guess of it.
    let is_withdrawn = call.for_memory && call.answer.is_none() && record.error.is_none();
    let digest = call.input.as_ref().filter(|_| !is_withdrawn);
    connection
        .execute("INSERT INTO llm_calls (workspace, agent, scope, scope_id, memory_type, provider, model, answered_by, input_tokens, \
             cached_tokens, output_tokens, started_at, duration, attempts, finish_reason, error, digest, attempt, waits, answer) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)", params![
            place.workspace,
            agent_code(purpose.agent),
            rows::scope_code(purpose.scope),
            scope_id(purpose),
            purpose.memory_type.map(rows::type_code),
            record.provider,
            call.model,
            record.model,
            record.input_tokens,
            record.cached_tokens,
            record.output_tokens,
            milliseconds(since_1970(record.started_at)),
            milliseconds(record.duration),
            record.attempts,
            record.finish_reason.map(finish_code),
            record.error.as_ref().map(names::llm_error),
            digest.map(|input| &input.digest),
            call.input.as_ref().map(|input| &input.attempt),
            waits,
            call.answer.as_ref().filter(|_| waits),
        ])?;
    Ok(())
}

/// The scope id in the form that memories use, with the thread in its standard form.
fn scope_id(purpose: &Purpose) -> String {
    let scope_id = &purpose.scope_id;
    match (purpose.scope, rows::thread_scope(scope_id)) {
        (Scope::Thread, Ok((channel, thread))) => rows::thread_scope_id(channel, thread),
        _ => scope_id.clone(),
    }
}

pub(crate) fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

pub(crate) fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn agent_code(agent: Agent) -> i64 {
    match agent {
        Agent::Memory => 0,
        Agent::Response => 1,
        Agent::Judgment => 2,
    }
}

/// An agent from its column value.
pub(crate) fn agent(code: i64) -> Agent {
    match code {
        0 => Agent::Memory,
        1 => Agent::Response,
        _ => Agent::Judgment,
    }
}

fn finish_code(reason: FinishReason) -> i64 {
    match reason {
        FinishReason::Stop => 0,
        FinishReason::Length => 1,
        FinishReason::ContentFilter => 2,
        FinishReason::Other => 3,
    }
}

/// Why a model stopped, from its column value.
pub(crate) fn finish_reason(code: i64) -> FinishReason {
    match code {
        0 => FinishReason::Stop,
        1 => FinishReason::Length,
        2 => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}
