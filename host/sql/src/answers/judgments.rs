//! Conversations that nobody answered, and how they were judged.

use crate::params;
use crate::session::OptionalExtension;
use myao_plugin::state::judgments::{Judgments, StoredJudgment, Unanswered};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use crate::messages::stored::channel_key;
use crate::rows::list;
use crate::workspace::SqlWorkspace;

/// The value of the thread column for a channel's top level.
const TOP_LEVEL: i64 = 0;

#[async_trait::async_trait]
impl Judgments for SqlWorkspace {
    async fn unanswered(
        &self,
        waited_since: i64,
        not_before: i64,
    ) -> Result<Vec<Unanswered>, StorageError> {
        self.reading(move |connection, place| {
            let unanswered = include_str!("sql/unanswered.sql");
            let columns = params![
                place.workspace,
                TsKey::first_of(not_before).to_database(),
                TsKey::first_of(waited_since).to_database(),
            ];
            Ok(list(connection, unanswered, columns, |row| {
                let thread: i64 = row.get(1)?;
                Ok(Unanswered {
                    channel_id: row.get(0)?,
                    thread_ts: (thread != TOP_LEVEL).then(|| TsKey::from_database(thread)),
                    message_ts: TsKey::from_database(row.get(2)?),
                    user_id: row.get(3)?,
                })
            })?)
        })
        .await
    }

    async fn judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<Option<StoredJudgment>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.reading(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let thread = thread_ts.map_or(TOP_LEVEL, TsKey::to_database);
            Ok(connection
                .query_row(include_str!("sql/judgment.sql"), [channel, thread], |row| {
                    Ok(StoredJudgment {
                        message_ts: TsKey::from_database(row.get(0)?),
                        should_respond: row.get(1)?,
                        confidence: row.get(2)?,
                        until: row.get(3)?,
                    })
                })
                .optional()?)
        })
        .await
    }

    async fn keep_judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        judgment: StoredJudgment,
        now: i64,
    ) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            connection.execute(
                include_str!("sql/forget_judgments.sql"),
                [place.workspace, now],
            )?;
            connection.execute(
                include_str!("sql/save_judgment.sql"),
                params![
                    place.workspace,
                    channel,
                    thread_ts.map_or(TOP_LEVEL, TsKey::to_database),
                    judgment.message_ts.to_database(),
                    judgment.should_respond,
                    judgment.confidence,
                    judgment.until,
                ],
            )?;
            Ok(())
        })
        .await
    }
}
