//! Parked work, which is not tried again by itself: events that did not take effect, and posts that the platform does not let be replaced.

use crate::params;
use myao_plugin::state::parked::{EndOfParking, Parked, ParkedStore, ParkedWork};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use crate::rows::list;
use crate::workspace::SqlWorkspace;

const RETRY: [&str; 2] = [
    "UPDATE events SET state = 0, failures = 0, next_try_at = ?2 \
     WHERE workspace = ?1 AND state = 2 AND payload <> ''",
    "UPDATE reply_parts SET retracted = 1, retraction_failures = 0, retract_at = ?2 \
     WHERE retracted = 3 AND channel IN (SELECT key FROM channels WHERE workspace = ?1)",
];
const DROP: [&str; 2] = [
    "UPDATE events SET state = 1, payload = '', error = NULL, applied_at = ?2 \
     WHERE workspace = ?1 AND state = 2",
    "UPDATE reply_parts SET retracted = 2, retract_at = ?2 \
     WHERE retracted = 3 AND channel IN (SELECT key FROM channels WHERE workspace = ?1)",
];

#[async_trait::async_trait]
impl ParkedStore for SqlWorkspace {
    async fn parked(&self, limit: u32) -> Result<Vec<Parked>, StorageError> {
        self.reading(move |connection, place| {
            let sql = include_str!("sql/parked.sql");
            Ok(list(
                connection,
                sql,
                params![place.workspace, limit],
                |row| {
                    let what = match row.get(0)? {
                        Some(event_id) => ParkedWork::Event(event_id),
                        None => {
                            ParkedWork::Retraction(row.get(1)?, TsKey::from_database(row.get(2)?))
                        }
                    };
                    Ok(Parked {
                        what,
                        error: row.get(3)?,
                        can_be_retried: row.get(4)?,
                    })
                },
            )?)
        })
        .await
    }

    async fn end_parking(&self, end: EndOfParking, now: i64) -> Result<usize, StorageError> {
        self.writing(move |connection, place| {
            let statements = match end {
                EndOfParking::Retry => RETRY,
                EndOfParking::Drop => DROP,
            };
            let mut ended = 0;
            for statement in statements {
                ended += connection.execute(statement, [place.workspace, now])?;
            }
            Ok(ended)
        })
        .await
    }
}
