//! The checks of the contract: a component makes them through its imports (`tests/conformance/`), the same for a store in any
//! language. All that it checks stands in the comments of `wit/storage.wit` and `wit/recall.wit`.

use std::sync::{Arc, OnceLock};

use myao_plugin::audience::ChannelFacts;
use myao_plugin::storage::records::{ChannelRecord, MessageRecord, UserRecord};
use myao_plugin::storage::{self as host, Storage};
use myao_plugin::ts::TsKey;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Engine, Store};

use self::bindings::exports::myao::conformance::suite::Outcome;
use self::bindings::myao::conformance::platform::{self, WrittenMessage};
use self::bindings::myao::memory::types::{Channel, KeptSpan, KeptText, Message, Scope, User};
use self::bindings::myao::memory::{errors, recall, storage, types};
use self::bindings::{Conformance, ConformancePre};
use super::{Fixture, Records};

/// The WIT of the suite (`wit/`) as Rust types. Those of the contract are the ones of `myao-plugin` by another name.
mod bindings {
    #![allow(
        missing_docs,
        unreachable_pub,
        clippy::all,
        clippy::restriction,
        clippy::pedantic
    )]

    wasmtime::component::bindgen!({
        path: "wit",
        world: "conformance",
        imports: { default: async | trappable },
        exports: { default: async },
        additional_derives: [serde::Serialize, serde::Deserialize],
    });
}

/// Where `make component` puts the component.
const BUILT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../target/component/myao_conformance.wasm"
);

/// Runs all checks, each over a new store, and returns the names of those that were skipped, and why.
///
/// The component is `myao_conformance.wasm` of the distribution, which `make component` builds; `MYAO_CONFORMANCE` names
/// another place for it.
///
/// # Panics
/// If a store does not keep to the contract, or the component is not there.
pub async fn check(new: impl Fn() -> Box<dyn Fixture>) -> Vec<(String, String)> {
    let (mut skipped, mut failed) = (Vec::new(), String::new());
    for check in checks(new()).await {
        match run(new(), &check).await {
            Ok(Outcome::Passed) => {}
            Ok(Outcome::Skipped(what)) => skipped.push((check, what)),
            Ok(Outcome::Failed(what)) => failed += &format!("\n{check}: {what}"),
            Err(error) => failed += &format!("\n{check}: {error:#}"),
        }
    }
    assert!(failed.is_empty(), "the contract is not kept:{failed}");
    skipped
}

/// The names of all checks.
async fn checks(fixture: Box<dyn Fixture>) -> Vec<String> {
    let (mut store, suite) = instance(fixture).await.unwrap();
    let suite = suite.myao_conformance_suite();
    suite.call_checks(&mut store).await.unwrap()
}

async fn run(fixture: Box<dyn Fixture>, check: &str) -> wasmtime::Result<Outcome> {
    let (mut store, suite) = instance(fixture).await?;
    suite
        .myao_conformance_suite()
        .call_run(&mut store, check)
        .await
}

/// The suite over one store.
async fn instance(fixture: Box<dyn Fixture>) -> wasmtime::Result<(Store<Over>, Conformance)> {
    let suite = loaded();
    let mut store = Store::new(suite.engine(), Over(fixture));
    let instance = suite.instantiate_async(&mut store).await?;
    Ok((store, instance))
}

/// The component, compiled once.
fn loaded() -> &'static ConformancePre<Over> {
    static SUITE: OnceLock<ConformancePre<Over>> = OnceLock::new();
    SUITE.get_or_init(|| {
        let file = std::env::var("MYAO_CONFORMANCE").unwrap_or_else(|_| BUILT.to_owned());
        let engine = Engine::default();
        let component = Component::from_file(&engine, &file);
        let component = component.unwrap_or_else(|error| {
            panic!("{file}: {error:#}\nRun `make component`, or set MYAO_CONFORMANCE to the file.")
        });
        let mut linker = Linker::new(&engine);
        Conformance::add_to_linker::<_, HasSelf<_>>(&mut linker, |state| state).unwrap();
        // Of WASI, Rust's standard library only asks for what it does not use here.
        linker.define_unknown_imports_as_traps(&component).unwrap();
        ConformancePre::new(linker.instantiate_pre(&component).unwrap()).unwrap()
    })
}

/// The imports of the suite over one store.
struct Over(Box<dyn Fixture>);

impl Over {
    fn storage(&self) -> Arc<dyn Storage> {
        self.0.storage()
    }
}

/// A value as the type with the same name on the other side.
fn to<T: DeserializeOwned>(value: impl Serialize) -> wasmtime::Result<T> {
    Ok(serde_json::from_value(serde_json::to_value(value)?)?)
}

type Answer<T> = wasmtime::Result<Result<T, errors::StorageError>>;

fn answer<T: DeserializeOwned>(result: Result<impl Serialize, host::StorageError>) -> Answer<T> {
    Ok(match result {
        Ok(value) => Ok(to(value)?),
        Err(error) => Err(to(error)?),
    })
}

impl types::Host for Over {}
impl errors::Host for Over {}

impl storage::Host for Over {
    async fn list_channels(&mut self) -> Answer<Vec<Channel>> {
        answer(self.storage().list_channels().await)
    }

    async fn list_messages(&mut self, query: storage::MessageQuery) -> Answer<Vec<Message>> {
        answer(self.storage().list_messages(to(query)?).await)
    }

    async fn list_marked(
        &mut self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Answer<Vec<storage::Marked>> {
        answer(self.storage().list_marked(channel_id, until, limit).await)
    }

    async fn list_strikes(&mut self) -> Answer<Vec<storage::Strike>> {
        answer(self.storage().list_strikes().await)
    }

    async fn list_memories(&mut self, query: storage::MemoryQuery) -> Answer<Vec<storage::Memory>> {
        answer(self.storage().list_memories(to(query)?).await)
    }

    async fn read_spans(&mut self, spans: Vec<KeptSpan>) -> Answer<Vec<KeptText>> {
        answer(self.storage().read_spans(to(spans)?).await)
    }

    async fn list_items(&mut self, query: storage::ItemQuery) -> Answer<Option<Vec<types::Item>>> {
        answer(self.storage().list_items(to(query)?).await)
    }

    async fn list_due(&mut self, query: storage::DueQuery) -> Answer<storage::Due> {
        answer(self.storage().list_due(to(query)?).await)
    }

    async fn get_backlog(
        &mut self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Answer<storage::Backlog> {
        let storage = self.storage();
        let backlog = storage.get_backlog(channel_id, thread_ts, until);
        answer(backlog.await)
    }

    async fn save_memory(&mut self, draft: storage::MemoryDraft) -> Answer<storage::Memory> {
        let storage = self.storage();
        let saved = storage.save_memory(to(draft)?, Default::default());
        answer(saved.await)
    }

    async fn list_deferrals(
        &mut self,
        scope: Scope,
        scope_id: String,
    ) -> Answer<Vec<storage::Deferral>> {
        answer(self.storage().list_deferrals(to(scope)?, scope_id).await)
    }

    async fn defer(
        &mut self,
        scope: Scope,
        scope_id: String,
        deferral: storage::Deferral,
    ) -> Answer<()> {
        let storage = self.storage();
        let deferred = storage.defer(to(scope)?, scope_id, to(deferral)?);
        answer(deferred.await)
    }
}

impl recall::Host for Over {
    async fn find_candidates(&mut self, query: recall::RecallQuery) -> Answer<recall::Candidates> {
        answer(self.storage().find_candidates(to(query)?, None).await)
    }

    async fn terms(&mut self, text: String) -> wasmtime::Result<Vec<String>> {
        Ok(self.storage().terms(&text))
    }
}

impl platform::Host for Over {
    async fn add_user(&mut self, User { id, name, is_bot }: User) -> wasmtime::Result<()> {
        self.0
            .add(Records {
                users: vec![UserRecord { id, name, is_bot }],
                ..Records::default()
            })
            .await;
        Ok(())
    }

    async fn add_channel(&mut self, channel: Channel) -> wasmtime::Result<()> {
        let channel = ChannelRecord {
            id: channel.id,
            name: channel.name,
            facts: ChannelFacts::without_outsiders(channel.is_private),
        };
        self.0
            .add(Records {
                channels: vec![channel],
                ..Records::default()
            })
            .await;
        Ok(())
    }

    async fn put_message(&mut self, message: WrittenMessage) -> wasmtime::Result<()> {
        let key = |ts: String| TsKey::parse(&ts).unwrap();
        let message = MessageRecord {
            channel_id: message.channel_id,
            ts: key(message.ts),
            user_id: message.user_id,
            author_name: None,
            is_bot: false,
            text: message.text,
            thread_ts: message.thread_ts.map(key),
            edited_at: message.edited_at.map(|time| time.unix_seconds),
        };
        self.0
            .add(Records {
                messages: vec![message],
                ..Records::default()
            })
            .await;
        Ok(())
    }

    async fn delete_message(&mut self, channel_id: String, ts: String) -> wasmtime::Result<()> {
        self.0.delete(&channel_id, TsKey::parse(&ts).unwrap()).await;
        Ok(())
    }
}
