//! Changes of items by people.

use crate::params;
use crate::session::{Connection, OptionalExtension};
use myao_plugin::state::items::{Change, ItemId, Ledger};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::rows;
use crate::fault::Fault;
use crate::place::Place;
use crate::workspace::SqlWorkspace;

#[async_trait::async_trait]
impl Ledger for SqlWorkspace {
    async fn set_item(
        &self,
        id: ItemId,
        change: Change,
        by: String,
        at: TsKey,
    ) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let message = message_of(connection, place, &id)?;
            let (field, value) = rows::columns_of(&change);
            // Two changes of one moment have an order, so that each is taken back by itself.
            let set = "INSERT INTO item_changes (message, kind, start, field, user_id, at, value) \
                SELECT ?1, ?2, ?3, ?4, ?5, MAX(later.at), ?7 FROM (SELECT ?6 AS at UNION ALL SELECT at + 1 FROM item_changes \
                    WHERE message = ?1 AND kind = ?2 AND start = ?3 AND user_id <> '') AS later";
            let kind = rows::kind_code(id.kind);
            let at = at.to_database();
            let columns = params![message, kind, id.start, field, by, at, value];
            connection.execute(set, columns)?;
            Ok(())
        })
        .await
    }

    async fn undo_item(&self, id: ItemId) -> Result<bool, StorageError> {
        self.writing(move |connection, place| {
            let message = message_of(connection, place, &id)?;
            let undo = "DELETE FROM item_changes WHERE message = ?1 AND kind = ?2 AND start = ?3 AND user_id <> '' AND at = \
                (SELECT MAX(at) FROM item_changes WHERE message = ?1 AND kind = ?2 AND start = ?3 AND user_id <> '')";
            let kind = rows::kind_code(id.kind);
            Ok(connection.execute(undo, params![message, kind, id.start])? > 0)
        })
        .await
    }
}

/// The key of an item's message.
fn message_of(connection: &Connection, place: &Place, id: &ItemId) -> Result<i64, Fault> {
    let sql = "SELECT i.message FROM channels AS c \
        JOIN messages AS m ON m.channel = c.key AND m.ts_key = ?3 AND m.deleted_at IS NULL \
        JOIN items AS i ON i.message = m.key AND i.kind = ?4 AND i.start = ?5 \
        WHERE c.workspace = ?1 AND c.id = ?2";
    let kind = rows::kind_code(id.kind);
    let columns = params![
        place.workspace,
        id.channel_id,
        id.ts.to_database(),
        kind,
        id.start
    ];
    let found = connection
        .query_row(sql, columns, |row| row.get(0))
        .optional()?;
    found.ok_or_else(|| {
        let text = format!(
            "there is no such item in message {} of `{}`",
            id.ts, id.channel_id
        );
        StorageError::NotFound(text).into()
    })
}
