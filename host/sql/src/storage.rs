//! The workspace, as the component sees it from a place, and the total of everything that is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::embedder::Meaning;
use myao_plugin::state::Workspace;
use myao_plugin::state::audit::Actor;
use myao_plugin::state::view::View;
use myao_plugin::storage::recall::{Candidates, RecallQuery};
use myao_plugin::storage::{
    Backlog, Channel, Deferral, Due, DueQuery, ItemQuery, Marked, Memory, MemoryDraft, MemoryId,
    MemoryQuery, Message, MessageQuery, Storage, StorageError, Strike,
};
use myao_plugin::{Item, KeptSpan, KeptText, MessageRef, Place, Places, Scope};

use crate::fault::Fault;
use crate::ledger;
use crate::memories::backlog;
use crate::memories::listed as memories;
use crate::memories::records;
use crate::messages::stored as messages;
use crate::messages::stored::{channel_keys, places};
use crate::messages::strikes;
use crate::place::Place as StorePlace;
use crate::rows;
use crate::save::{self, Handed};
use crate::schedule::deferrals;
use crate::sight::{Sight, json_ids};
use crate::visibility::candidates;
use crate::visibility::view::SeenWorkspace;
use crate::workspace::SqlWorkspace;

/// A workspace that was opened for a place, for one call.
struct Opened {
    workspace: SqlWorkspace,
    read: Mutex<Read>,
}

/// The reads so far.
#[derive(Clone, Default)]
struct Read {
    /// The store's revision at the first time.
    revision: Option<i64>,
    /// Messages, by channel id and key.
    messages: BTreeMap<String, BTreeSet<i64>>,
}

impl Opened {
    fn place(&self) -> &Place {
        &self.workspace.place.seen_from
    }

    fn read(&self) -> Read {
        let read = self.read.lock();
        read.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads what is handed out, and notes as of when.
    async fn handing_out<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &StorePlace) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StorageError> {
        let reading = self.workspace.reading(|connection, place| {
            Ok((revision(connection, place)?, work(connection, place)?))
        });
        let (revision, found) = reading.await?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.revision.get_or_insert(revision);
        Ok(found)
    }

    /// Notes which messages were handed out.
    fn note<'m>(&self, channel_id: String, ids: impl Iterator<Item = &'m str>) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = ids.filter_map(|id| rows::key(id).ok());
        read.messages.entry(channel_id).or_default().extend(keys);
    }

    /// Refuses a channel whose messages may not be read here.
    fn hear(&self, channel_id: &str) -> Result<(), StorageError> {
        self.allow(self.place().hears(channel_id), channel_id)
    }

    /// Refuses memories that are not made here.
    fn own(&self, scope: Scope, scope_id: &str) -> Result<(), StorageError> {
        self.allow(self.place().owns(scope, scope_id), scope_id)
    }

    /// Refuses what is due, unless this place decides about it.
    fn schedule(&self) -> Result<(), StorageError> {
        let may = matches!(self.place(), Place::Schedule | Place::Operator);
        self.allow(may, "what is due")
    }

    fn allow(&self, may: bool, what: &str) -> Result<(), StorageError> {
        if may {
            return Ok(());
        }
        Err(StorageError::NotFound(format!(
            "`{what}` is not seen from {}",
            self.place()
        )))
    }
}

impl Read {
    /// Returns true if something that was read, or one of these memories, has changed or gone since.
    fn has_changed(
        &self,
        connection: &Connection,
        place: &StorePlace,
        memories: &BTreeSet<MemoryId>,
    ) -> Result<bool> {
        // A replay does what was recorded.
        let Some(revision) = self.revision.filter(|_| place.seen_from != Place::Operator) else {
            return Ok(false);
        };
        let sight = Sight::of(connection, place)?;
        let ids = self.messages.keys().map(String::as_str);
        let channels = channel_keys(connection, place, ids)?;
        let keys = channels.values().copied().collect();
        if channels.len() < self.messages.len() || !sight.sees_channels(connection, place, &keys)? {
            return Ok(true);
        }
        let read = places(&channels, &self.messages);
        let columns = params![read, json_ids(memories), revision];
        let sql = include_str!("sql/changed_since.sql");
        connection.query_row(sql, columns, |row| row.get(0))
    }
}

fn revision(connection: &Connection, place: &StorePlace) -> Result<i64> {
    connection.query_row(
        "SELECT revision FROM workspaces WHERE key = ?1",
        [place.workspace],
        |row| row.get(0),
    )
}

#[async_trait::async_trait]
impl Storage for Opened {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.workspace.reading(messages::channels).await
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        self.hear(&query.channel_id)?;
        let channel_id = query.channel_id.clone();
        let messages = self
            .handing_out(move |connection, place| messages::messages(connection, place, &query))
            .await?;
        self.note(channel_id, messages.iter().map(|message| &*message.ts));
        Ok(messages)
    }

    async fn list_marked(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Marked>, StorageError> {
        self.hear(&channel_id)?;
        let of = channel_id.clone();
        let marked = self
            .handing_out(move |connection, place| {
                messages::marked(connection, place, (of.as_str(), until.as_str()), limit)
            })
            .await?;
        self.note(channel_id, marked.iter().map(|marked| &*marked.message.ts));
        Ok(marked)
    }

    async fn list_strikes(&self) -> Result<Vec<Strike>, StorageError> {
        self.workspace.reading(strikes::all).await
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        for thread in &query.threads {
            self.own(Scope::Thread, thread)?;
        }
        self.handing_out(move |connection, place| memories::memories(connection, place, &query))
            .await
    }

    async fn find_candidates(
        &self,
        query: RecallQuery,
        meaning: Option<Meaning>,
    ) -> Result<Candidates, StorageError> {
        let codes = self.workspace.codes.clone();
        let found = self
            .handing_out(move |connection, place| {
                candidates::candidates(connection, &codes, place, &query, meaning.as_ref())
            })
            .await?;
        for MessageRef { channel_id, ts } in found.messages.iter().map(|found| &found.at) {
            self.note(channel_id.clone(), std::iter::once(&**ts));
        }
        Ok(found)
    }

    fn terms(&self, text: &str) -> Vec<String> {
        myao_terms::terms(text)
    }

    async fn read_spans(&self, spans: Vec<KeptSpan>) -> Result<Vec<KeptText>, StorageError> {
        let texts = self
            .handing_out(move |connection, place| records::texts(connection, place, &spans))
            .await?;
        for MessageRef { channel_id, ts } in texts.iter().map(|text| &text.span.message) {
            self.note(channel_id.clone(), std::iter::once(&**ts));
        }
        Ok(texts)
    }

    async fn list_items(&self, query: ItemQuery) -> Result<Option<Vec<Item>>, StorageError> {
        match &query.channel_id {
            Some(channel_id) => self.hear(channel_id)?,
            None => self.allow(*self.place() != Place::Schedule, "items")?,
        }
        let items = self
            .handing_out(move |connection, place| ledger::selected(connection, place, &query))
            .await?;
        for MessageRef { channel_id, ts } in items.iter().map(|item| &item.title.span.message) {
            self.note(channel_id.clone(), std::iter::once(&**ts));
        }
        Ok(Some(items))
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        self.schedule()?;
        self.workspace
            .reading(move |connection, place| backlog::due(connection, place, &query))
            .await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        self.hear(&channel_id)?;
        self.workspace
            .reading(move |connection, place| {
                backlog::backlog(connection, place, &channel_id, thread_ts.as_deref(), &until)
            })
            .await
    }

    async fn save_memory(
        &self,
        draft: MemoryDraft,
        handed: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError> {
        self.own(draft.scope, &draft.scope_id)?;
        let read = self.read();
        self.workspace
            .writing(move |connection, place| {
                if read.has_changed(connection, place, &handed)? {
                    let text = "a message or a memory that this one was made from has changed or gone: read again";
                    return Err(StorageError::Conflict(text.to_owned()).into());
                }
                let given = Handed {
                    memories: handed,
                    messages: read.messages,
                };
                save::save(connection, place, &draft, &given)
            })
            .await
    }

    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool, StorageError> {
        let read = self.read();
        self.workspace
            .reading(move |connection, place| {
                let sight = Sight::of(connection, place)?;
                Ok(sight.covers(connection, place, &memories)?
                    && !read.has_changed(connection, place, &memories)?)
            })
            .await
    }

    async fn hand_out(&self, channel_id: String, ids: Vec<String>) -> Result<(), StorageError> {
        self.hear(&channel_id)?;
        self.handing_out(|_, _| Ok(())).await?;
        self.note(channel_id, ids.iter().map(String::as_str));
        Ok(())
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        self.own(scope, &scope_id)?;
        self.workspace
            .reading(move |connection, place| deferrals::of(connection, place, scope, &scope_id))
            .await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        self.own(scope, &scope_id)?;
        self.workspace
            .writing(move |connection, place| {
                deferrals::set(connection, place, scope, &scope_id, &deferral)
            })
            .await
    }

    async fn expect_first_version(
        &self,
        channel_ids: Vec<String>,
        since: String,
    ) -> Result<(), StorageError> {
        self.schedule()?;
        self.workspace
            .writing(move |connection, place| {
                backlog::expect_first_version(connection, place, channel_ids, &since)
            })
            .await
    }
}

impl Places for SqlWorkspace {
    fn at(&self, place: Place) -> Arc<dyn Storage> {
        Arc::new(Opened {
            workspace: self.seen_from(place),
            read: Mutex::default(),
        })
    }
}

impl Workspace for SqlWorkspace {
    fn view(&self, place: Place) -> Arc<dyn View> {
        Arc::new(SeenWorkspace(self.seen_from(place)))
    }

    fn by(&self, actor: Actor) -> Arc<dyn Workspace> {
        Arc::new(self.acting(actor))
    }
}
