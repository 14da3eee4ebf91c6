//! The world `summarizer`: for hosts that keep their own storage.

use super::{CONTRACT_VERSION, Host, check_settings, read_settings};
use crate::bindings::errors::{Error, SettingFault};
use crate::bindings::types::{Context, MemoryType, Scope, Timestamp};
use crate::now::checked;
use crate::responder::Asker;
use crate::summarizer::Summarizer;

#[allow(
    missing_docs,
    clippy::all,
    clippy::restriction,
    reason = "generated from wit/"
)]
mod world {
    wit_bindgen::generate!({
        path: "../wit",
        world: "summarizer",
        with: {
            "myao:memory/types@0.2.0": crate::bindings::types,
            "myao:memory/errors@0.2.0": crate::bindings::errors,
            "myao:memory/llm@0.2.0": crate::bindings::llm,
            "myao:memory/settings@0.2.0": crate::bindings::settings,
            "myao:memory/log@0.2.0": crate::bindings::log,
        },
        default_bindings_module: "crate::component::summarizer::world",
    });
}

use world::exports::myao::memory::about;
use world::exports::myao::memory::memory_summarizer::{self, Summary};
use world::exports::myao::memory::reply_prompt::{self, Occasion};

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
        let summarizer = Summarizer::new(&Host, &Host, &settings);
        let summary =
            summarizer.summarize(&context, scope, memory_type, existing_memory.as_deref())?;
        Ok(Summary {
            text: summary.text,
            engine: summary.engine,
            truncated: summary.truncated,
            coverage: summary.coverage,
        })
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

impl reply_prompt::Guest for Component {
    fn render_reply(context: Context, occasion: Occasion, now: Timestamp) -> Result<String, Error> {
        let occasion = match occasion {
            Occasion::Mention => {
                crate::bindings::exports::myao::memory::reply_prompt::Occasion::Mention
            }
            Occasion::Unasked => {
                crate::bindings::exports::myao::memory::reply_prompt::Occasion::Unasked
            }
        };
        let settings = read_settings()?;
        Asker::new(&Host, &Host, &settings, checked(now)?).render_reply(&context, occasion)
    }

    fn render_judgment(context: Context, now: Timestamp) -> Result<String, Error> {
        let settings = read_settings()?;
        Asker::new(&Host, &Host, &settings, checked(now)?).render_judgment(&context)
    }
}

world::export!(Component with_types_in world);
