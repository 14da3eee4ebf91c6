//! The component: implements the exports of the WIT contract with the logic, and the ports with its imports. The
//! features `bot` and `memory` select the world, otherwise it is `summarizer`; the linker leaves unused imports out.

#[cfg(feature = "bot")]
mod bot;
#[cfg(feature = "memory")]
mod memory;
mod summarizer;
#[cfg(not(feature = "bot"))]
#[allow(
    dead_code,
    unused,
    missing_docs,
    clippy::all,
    clippy::restriction,
    reason = "generated from wit/"
)]
mod world;

use crate::bindings::errors::Error;
use crate::bindings::llm::{Agent, Completion, LlmError, Request};
use crate::bindings::log::Level;
use crate::bindings::{llm, log, settings};
use crate::handed::Handed;
use crate::ports::{Llm, Log};
use crate::settings::Settings;

/// Half of the cost of a call is small allocations: one for each string that comes in or goes out.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// The host, reached through the component's imports.
struct Host {
    /// True if credentials in its texts are masked.
    redacts: bool,
}

impl Host {
    /// The host of a call with these settings.
    fn of(settings: &Settings) -> &'static Self {
        match settings.redact_secrets {
            true => &Self { redacts: true },
            false => &Self { redacts: false },
        }
    }

    /// Something that the host hands over, as the call sees it.
    fn handed<T: Handed>(&self, mut handed: T) -> T {
        handed.receive(self.redacts);
        handed
    }
}

/// The exports that the host calls.
struct Component;

/// The settings of the host.
fn read_settings() -> Result<Settings, Error> {
    Settings::read(settings::get()).map_err(Error::InvalidSettings)
}

impl Llm for Host {
    fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        llm::complete(request)
    }
    fn complete_all(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        llm::complete_all(requests)
    }
    fn context_window(&self, agent: Agent) -> Option<u32> {
        llm::context_window(agent)
    }
    fn count_tokens(&self, agent: Agent, texts: &[String]) -> Vec<u32> {
        llm::count_tokens(agent, texts)
    }
}

impl Log for Host {
    fn write(&self, level: Level, line: &str) {
        log::write(level, line);
    }
}
