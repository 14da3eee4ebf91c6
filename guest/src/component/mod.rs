//! The component: implements the exports of the WIT contract with the logic, and the ports with its imports. The
//! feature `memory` selects the world `memory`, otherwise it is `summarizer`; the linker leaves unused imports out.

#[cfg(feature = "memory")]
mod memory;
#[cfg(not(feature = "memory"))]
mod summarizer;

use crate::bindings::errors::{Error, SettingFault};
use crate::bindings::llm::{Agent, Completion, LlmError, Request};
use crate::bindings::log::Level;
use crate::bindings::{llm, log, settings};
use crate::ports::{Llm, Log};
use crate::settings::Settings;

/// Half of the cost of a call is small allocations: one for each string that comes in or goes out.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// The host, reached through the component's imports.
struct Host;

/// The version of the contract.
const CONTRACT_VERSION: &str = "0.2.0";

/// The settings of the host.
fn read_settings() -> Result<Settings, Error> {
    Settings::read(settings::get()).map_err(Error::InvalidSettings)
}

/// Every setting that is not accepted.
fn check_settings(pairs: Vec<(String, String)>) -> Vec<SettingFault> {
    crate::settings::check(pairs)
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
