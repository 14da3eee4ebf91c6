//! The world `memory`: everything.

use super::{CONTRACT_VERSION, Host, check_settings, read_settings};
use crate::bindings::chat::{ChatError, PostRequest};
use crate::bindings::errors::{Error, SettingFault};
use crate::bindings::exports::myao::memory::about;
use crate::bindings::exports::myao::memory::context_builder::{self, BuildRequest};
use crate::bindings::exports::myao::memory::memory_generator::{
    self, DueWork, Entry, Report, UpdateState,
};
use crate::bindings::exports::myao::memory::memory_summarizer::{self, Summary};
use crate::bindings::exports::myao::memory::reply_prompt::{self, Occasion};
use crate::bindings::exports::myao::memory::responder::{
    self as responder_export, Judgment, Reply, Target,
};
use crate::bindings::storage::{
    Backlog, Deferral, Due, DueQuery, Memory, MemoryDraft, MemoryQuery, MessageQuery, StorageError,
};
use crate::bindings::types::{
    Channel, Context, MemoryType, Message, Scope, Timestamp, Ts as TsText, User,
};
use crate::bindings::{chat, storage};
use crate::context::{self, thread_scope_id};
use crate::generator::{self, Run, failed_entry};
use crate::now::checked;
use crate::ports::{Chat, Ports, Storage};
use crate::responder::{Asker, Responder};
use crate::settings::Settings;
use crate::summarizer::Summarizer;

impl Storage for Host {
    fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        storage::list_channels()
    }
    fn list_messages(&self, query: &MessageQuery) -> Result<Vec<Message>, StorageError> {
        storage::list_messages(query)
    }
    fn list_memories(&self, query: &MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        storage::list_memories(query)
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

impl Chat for Host {
    fn post(&self, request: &PostRequest) -> Result<Vec<TsText>, ChatError> {
        chat::post(request)
    }
    fn thread(&self, channel_id: &str, thread_ts: &str) -> Result<Vec<Message>, ChatError> {
        chat::thread(channel_id, thread_ts)
    }
    fn history(
        &self,
        channel_id: &str,
        until: &str,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        chat::history(channel_id, until, limit)
    }
    fn permalink(&self, channel_id: &str, ts: &str) -> Result<String, ChatError> {
        chat::permalink(channel_id, ts)
    }
    fn get_user(&self, id: &str) -> Result<User, ChatError> {
        chat::get_user(id)
    }
}

fn ports(settings: Settings) -> Ports<'static> {
    Ports {
        storage: &Host,
        llm: &Host,
        chat: &Host,
        log: &Host,
        settings,
    }
}

/// What a call works with, if the host's settings and its time are accepted.
fn begin(now: Timestamp) -> Result<(Ports<'static>, Timestamp), Error> {
    Ok((ports(read_settings()?), checked(now)?))
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

struct Component;

impl about::Guest for Component {
    fn describe() -> about::Component {
        about::Component {
            name: "myao".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            contract: CONTRACT_VERSION.to_owned(),
        }
    }

    fn check(settings: Vec<(String, String)>) -> Vec<SettingFault> {
        check_settings(settings)
    }
}

impl memory_summarizer::Guest for Component {
    fn summarize(
        context: Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<String>,
    ) -> Result<Summary, Error> {
        let settings = read_settings()?;
        Summarizer::new(&Host, &Host, &settings).summarize(
            &context,
            scope,
            memory_type,
            existing_memory.as_deref(),
        )
    }

    fn render_prompt(
        context: Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<String>,
    ) -> Result<String, Error> {
        let settings = read_settings()?;
        Summarizer::new(&Host, &Host, &settings).render_prompt(
            &context,
            scope,
            memory_type,
            existing_memory.as_deref(),
        )
    }
}

impl context_builder::Guest for Component {
    fn build(request: BuildRequest, now: Timestamp) -> Result<Context, Error> {
        let settings = read_settings()?;
        request.since.map(checked).transpose()?;
        context::build_requested(&Host, &settings, request, checked(now)?)
    }
}

impl memory_generator::Guest for Component {
    fn should_update(state: UpdateState, now: Timestamp) -> Result<bool, Error> {
        let settings = read_settings()?;
        generator::should_update(&state, &settings.short_term_history, checked(now)?)
    }

    fn list_due(now: Timestamp) -> Result<DueWork, Error> {
        let (ports, now) = begin(now)?;
        Run::new(&ports, now).list_due()
    }

    fn generate(now: Timestamp) -> Result<Report, Error> {
        let (ports, now) = begin(now)?;
        Run::new(&ports, now).generate()
    }

    fn generate_channel(channel_id: String, now: Timestamp) -> Vec<Entry> {
        step(
            now,
            |run| run.generate_channel(&channel_id),
            |error| vec![failed_entry(Scope::Channel, channel_id.clone(), error)],
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
        step(now, Run::generate_workspace, |error| {
            let settings = read_settings().unwrap_or_default();
            failed_entry(Scope::Workspace, settings.workspace_scope_id, error)
        })
    }
}

impl reply_prompt::Guest for Component {
    fn render_reply(context: Context, occasion: Occasion, now: Timestamp) -> Result<String, Error> {
        let settings = read_settings()?;
        Asker::new(&Host, &Host, &settings, checked(now)?).render_reply(&context, occasion)
    }

    fn render_judgment(context: Context, now: Timestamp) -> Result<String, Error> {
        let settings = read_settings()?;
        Asker::new(&Host, &Host, &settings, checked(now)?).render_judgment(&context)
    }
}

impl responder_export::Guest for Component {
    fn reply_to_mention(target: Target, now: Timestamp) -> Result<Reply, Error> {
        let (ports, now) = begin(now)?;
        Responder::new(&ports, now).reply_to_mention(&target)
    }

    fn judge(target: Target, now: Timestamp) -> Result<Judgment, Error> {
        let (ports, now) = begin(now)?;
        Responder::new(&ports, now).judge(&target)
    }

    fn reply_unasked(target: Target, now: Timestamp) -> Result<Reply, Error> {
        let (ports, now) = begin(now)?;
        Responder::new(&ports, now).reply_unasked(&target)
    }
}

crate::bindings::export!(Component with_types_in crate::bindings);
