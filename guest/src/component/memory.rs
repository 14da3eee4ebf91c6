//! Exports and imports of the world `memory` in addition to `summarizer`: the import `storage`, and what works over it.

use super::{Component, Host, read_settings};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::context_builder::{self, BuildRequest};
use crate::bindings::exports::myao::memory::marks::{
    self as marks_export, ChannelMarks, Strikable,
};
use crate::bindings::exports::myao::memory::memory_generator::{
    self, Batch, DoneStep, Entry, UpdateState,
};
use crate::bindings::exports::myao::memory::searcher::{self, SearchRequest, SearchResult};
use crate::bindings::recall::{self, Candidates, RecallQuery};
use crate::bindings::storage;
use crate::bindings::storage::{
    Backlog, Deferral, Due, DueQuery, ItemQuery, Marked, Memory, MemoryDraft, MemoryQuery,
    MessageQuery, StorageError, Strike,
};
use crate::bindings::types::{
    Channel, Context, Item, KeptSpan, KeptText, Message, Scope, Timestamp, Ts as TsText,
};
use crate::context::{self, thread_scope_id};
use crate::generator::{self, Run, failed_entry};
use crate::handed::check_question;
use crate::marks;
use crate::now::checked;
use crate::ports::{Ports, Recall, Storage};
use crate::recall::Searcher;
use crate::ts::Ts;

impl Storage for Host {
    fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        storage::list_channels()
    }
    fn list_messages(&self, query: &MessageQuery) -> Result<Vec<Message>, StorageError> {
        storage::list_messages(query).map(|found| self.handed(found))
    }
    fn list_marked(
        &self,
        channel_id: &str,
        until: &str,
        limit: u32,
    ) -> Result<Vec<Marked>, StorageError> {
        storage::list_marked(channel_id, until, limit).map(|found| self.handed(found))
    }
    fn list_strikes(&self) -> Result<Vec<Strike>, StorageError> {
        storage::list_strikes()
    }
    fn list_memories(&self, query: &MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        storage::list_memories(query).map(|found| self.handed(found))
    }
    fn read_spans(&self, spans: &[KeptSpan]) -> Result<Vec<KeptText>, StorageError> {
        storage::read_spans(spans).map(|found| self.handed(found))
    }
    fn list_items(&self, query: &ItemQuery) -> Result<Option<Vec<Item>>, StorageError> {
        storage::list_items(query).map(|found| self.handed(found))
    }
    fn list_due(&self, query: &DueQuery) -> Result<Due, StorageError> {
        storage::list_due(query)
    }
    fn get_backlog(
        &self,
        channel_id: &str,
        thread_ts: Option<&str>,
        until: &str,
    ) -> Result<Backlog, StorageError> {
        storage::get_backlog(channel_id, thread_ts, until)
    }
    fn save_memory(&self, draft: &MemoryDraft) -> Result<Memory, StorageError> {
        storage::save_memory(draft)
    }
    fn list_deferrals(&self, scope: Scope, scope_id: &str) -> Result<Vec<Deferral>, StorageError> {
        storage::list_deferrals(scope, scope_id)
    }
    fn defer(&self, scope: Scope, scope_id: &str, deferral: &Deferral) -> Result<(), StorageError> {
        storage::defer(scope, scope_id, deferral)
    }
}

impl Recall for Host {
    fn find_candidates(&self, query: &RecallQuery) -> Result<Candidates, StorageError> {
        recall::find_candidates(query).map(|found| self.handed(found))
    }
    fn terms(&self, text: &str) -> Vec<String> {
        recall::terms(text)
    }
}

/// The run of a call, if the host's settings and its time are accepted.
pub(super) fn begin(now: Timestamp) -> Result<(Ports<'static>, Timestamp), Error> {
    let settings = read_settings()?;
    let host = Host::of(&settings);
    let ports = Ports {
        storage: host,
        recall: host,
        llm: host,
        log: host,
        settings,
    };
    Ok((ports, checked(now)?))
}

/// One step of a run; an entry says why it could not begin.
fn step<T>(
    now: Timestamp,
    begun: impl FnOnce(&Run<'_>) -> T,
    failed: impl FnOnce(Error) -> T,
) -> T {
    match begin(now) {
        Ok((ports, now)) => begun(&Run::new(&ports, now)),
        Err(error) => failed(error),
    }
}

impl context_builder::Guest for Component {
    fn build(request: BuildRequest, now: Timestamp) -> Result<Context, Error> {
        let settings = read_settings()?;
        request.since.map(checked).transpose()?;
        context::build_requested(Host::of(&settings), &settings, request, checked(now)?)
    }
}

impl memory_generator::Guest for Component {
    fn should_update(state: UpdateState, now: Timestamp) -> Result<bool, Error> {
        let settings = read_settings()?;
        generator::should_update(&state, &settings, checked(now)?)
    }

    fn next_steps(done: Vec<DoneStep>, now: Timestamp) -> Result<Batch, Error> {
        let (ports, now) = begin(now)?;
        Run::new(&ports, now).next_steps(&done)
    }

    fn generate_channel(channel_id: String, now: Timestamp) -> Entry {
        step(
            now,
            |run| run.generate_channel(&channel_id),
            |error| failed_entry(Scope::Channel, channel_id.clone(), error),
        )
    }

    fn generate_thread(channel_id: String, thread_ts: TsText, now: Timestamp) -> Entry {
        step(
            now,
            |run| run.generate_thread(&channel_id, &thread_ts),
            |error| {
                let scope_id = thread_scope_id(&channel_id, &thread_ts);
                failed_entry(Scope::Thread, scope_id, error)
            },
        )
    }

    fn generate_workspace(now: Timestamp) -> Entry {
        step(
            now,
            |run| run.generate_workspace(),
            |error| {
                let settings = read_settings().unwrap_or_default();
                failed_entry(Scope::Workspace, settings.workspace_scope_id, error)
            },
        )
    }
}

impl marks_export::Guest for Component {
    fn list_strikable(
        channel_id: String,
        correction: TsText,
        now: Timestamp,
    ) -> Result<Vec<Strikable>, Error> {
        let settings = read_settings()?;
        let (host, until) = (Host::of(&settings), Ts::last_of(checked(now)?));
        let correction = Ts::parse(&correction)?;
        marks::list_strikable((host, host), &settings, (&channel_id, correction), until)
    }

    fn read_marks(channel_id: String, now: Timestamp) -> Result<ChannelMarks, Error> {
        let settings = read_settings()?;
        let until = Ts::last_of(checked(now)?);
        marks::read_all(Host::of(&settings), &settings, &channel_id, until)
    }
}

impl searcher::Guest for Component {
    fn search(request: SearchRequest, now: Timestamp) -> Result<SearchResult, Error> {
        check_question(&request.text)?;
        let settings = read_settings()?;
        let host = Host::of(&settings);
        request.since.map(checked).transpose()?;
        request.until.map(checked).transpose()?;
        let bot = settings.bot_name.as_str();
        let ignores = |found: &recall::FoundMessage| marks::is_only_for(&found.message, bot);
        let searcher = Searcher::new(host, host, checked(now)?).ignoring(&ignores);
        searcher.search(&host.handed(request))
    }
}
