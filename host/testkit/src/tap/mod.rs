//! Listeners between the component and its host: they can observe, count, fail and delay calls, or let others go first.
//!
//! [`Imports::tapped`] puts one in front of a storage, a model and a chat platform. [`Recorder`](crate::Recorder) and
//! [`Faults`](crate::Faults) are listeners; a test may write its own [`Tap`]. If there are several, the one added last
//! is closest to the component: it sees a call as the others changed it.
//!
//! The imports `settings` and `log` do not pass through listeners: the settings are those given to the plugin, and log
//! lines go to `tracing`, where [`LogLines`](crate::LogLines) captures them.

mod chat;
mod llm;
mod storage;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use myao_plugin::chat::{Chat, ChatError, NoChat};
use myao_plugin::llm::{Llm, LlmError};
use myao_plugin::storage::StorageError;
use myao_plugin::{OtherReason, Places};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call::{Answer, Call, Rows};

/// A listener.
#[async_trait::async_trait]
pub trait Tap: Send + Sync {
    /// Runs before a call is done. If it returns a fault, the call is not done at all.
    async fn before(&self, _call: &Call) -> Result<(), Fault> {
        Ok(())
    }

    /// Runs after a call was done, whatever its result. If it returns a fault, the fault replaces the result.
    async fn after(&self, _call: &Call, _answer: &Answer) -> Result<(), Fault> {
        Ok(())
    }

    /// Runs after a call that cannot fail: `llm.context-window` and `llm.count-tokens`, the latter once for each text.
    fn told(&self, _call: &Call, _answer: &Answer) {}
}

/// Replaces a call's result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The error `unavailable` of the import that is called.
    Unavailable(String),
    /// An error of the import `storage`.
    Storage(StorageError),
    /// An error of the import `llm`.
    Llm(LlmError),
    /// An error of the import `chat`.
    Chat(ChatError),
    /// Not an error but this result, as JSON of the contract's type; the error `other` if the JSON does not fit that
    /// type.
    Instead(serde_json::Value),
}

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<LlmError> for Fault {
    fn from(error: LlmError) -> Self {
        Self::Llm(error)
    }
}

impl From<ChatError> for Fault {
    fn from(error: ChatError) -> Self {
        Self::Chat(error)
    }
}

/// Converts a fault to an import's error. A fault of another import becomes `other`, and its text says so.
macro_rules! errors {
    ($($error:ident: $case:ident),*) => {
        $(impl From<Fault> for $error {
            fn from(fault: Fault) -> Self {
                match fault {
                    Fault::Unavailable(reason) => Self::Unavailable(reason),
                    Fault::$case(error) => error,
                    other => Self::Other(OtherReason::new(
                        "wrong-import",
                        format!("{other:?} struck a call of another import"),
                    )),
                }
            }
        })*
    };
}

errors!(StorageError: Storage, LlmError: Llm, ChatError: Chat);

/// The implementations that a plugin needs.
#[derive(Clone)]
pub struct Imports {
    /// The store.
    pub storage: Arc<dyn Places>,
    /// The model of all agents.
    pub llm: Arc<dyn Llm>,
    /// The chat platform.
    pub chat: Arc<dyn Chat>,
}

impl Imports {
    /// A store and a model, without a chat platform.
    #[must_use]
    pub fn new(storage: Arc<dyn Places>, llm: Arc<dyn Llm>) -> Self {
        Self {
            storage,
            llm,
            chat: Arc::new(NoChat),
        }
    }

    /// Adds a chat platform.
    #[must_use]
    pub fn with_chat(self, chat: Arc<dyn Chat>) -> Self {
        Self { chat, ..self }
    }

    /// Adds a listener in front of all three; their calls are counted together from 0.
    #[must_use]
    pub fn tapped(self, tap: Arc<dyn Tap>) -> Self {
        let line = Line {
            calls: Arc::default(),
            tap,
        };
        Self {
            storage: storage::tapped(self.storage, line.clone()),
            llm: llm::tapped(self.llm, line.clone()),
            chat: chat::tapped(self.chat, line),
        }
    }
}

/// The connection of a listener to the calls.
#[derive(Clone)]
struct Line {
    calls: Arc<AtomicUsize>,
    tap: Arc<dyn Tap>,
}

impl Line {
    fn call(&self, import: &'static str, arguments: &impl Serialize) -> Call {
        Call::new(self.calls.fetch_add(1, Ordering::SeqCst), import, arguments)
    }

    /// Passes on a call that may fail.
    async fn through<T, E>(
        &self,
        call: Call,
        done: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E>
    where
        T: Rows + Serialize + DeserializeOwned,
        E: From<Fault> + Serialize,
    {
        if let Err(fault) = self.tap.before(&call).await {
            return instead(fault);
        }
        let result = done.await;
        match self.tap.after(&call, &Answer::of(&result)).await {
            Ok(()) => result,
            Err(fault) => instead(fault),
        }
    }

    /// Passes on a call that cannot fail.
    fn told<T: Rows + Serialize>(
        &self,
        import: &'static str,
        arguments: &impl Serialize,
        result: T,
    ) -> T {
        let call = self.call(import, arguments);
        let answer: Result<&T, ()> = Ok(&result);
        self.tap.told(&call, &Answer::of(&answer));
        result
    }
}

/// The result of a call that a fault replaces.
fn instead<T: DeserializeOwned, E: From<Fault>>(fault: Fault) -> Result<T, E> {
    match fault {
        Fault::Instead(value) => {
            let result = serde_json::from_value(value.clone());
            result.map_err(|_| E::from(Fault::Instead(value)))
        }
        error => Err(E::from(error)),
    }
}
