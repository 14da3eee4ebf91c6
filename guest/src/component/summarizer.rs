//! The exports of every world: `about`, `memory-summarizer` and `reply-prompt`.

use super::{Component, Host, read_settings};
use crate::bindings::errors::{Error, SettingFault};
use crate::bindings::exports::myao::memory::about;
use crate::bindings::exports::myao::memory::memory_summarizer::{self, Summary};
use crate::bindings::exports::myao::memory::reply_prompt::{self, Occasion};
use crate::bindings::types::{Context, MemoryType, Scope, Timestamp};
use crate::now::checked;
use crate::responder::Asker;
use crate::settings;
use crate::summarizer::Summarizer;

/// The version of the contract.
const CONTRACT_VERSION: &str = "0.2.0";

impl about::Guest for Component {
    fn describe() -> about::Component {
        about::Component {
            name: "myao".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            contract: CONTRACT_VERSION.to_owned(),
            settings: settings::settings(),
        }
    }

    fn check(settings: Vec<(String, String)>) -> Vec<SettingFault> {
        settings::check(settings)
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
        let host = Host::of(&settings);
        Summarizer::new(host, host, &settings).summarize(
            &host.handed(context),
            scope,
            memory_type,
            host.handed(existing_memory).as_deref(),
        )
    }

    fn render_prompt(
        context: Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<String>,
    ) -> Result<String, Error> {
        let settings = read_settings()?;
        let host = Host::of(&settings);
        Summarizer::new(host, host, &settings).render_prompt(
            &host.handed(context),
            scope,
            memory_type,
            host.handed(existing_memory).as_deref(),
        )
    }
}

impl reply_prompt::Guest for Component {
    fn render_reply(context: Context, occasion: Occasion, now: Timestamp) -> Result<String, Error> {
        let settings = read_settings()?;
        let host = Host::of(&settings);
        let context = host.handed(context);
        Asker::new(host, host, &settings, checked(now)?).render_reply(&context, occasion)
    }

    fn render_judgment(context: Context, now: Timestamp) -> Result<String, Error> {
        let settings = read_settings()?;
        let host = Host::of(&settings);
        let context = host.handed(context);
        Asker::new(host, host, &settings, checked(now)?).render_judgment(&context)
    }
}
