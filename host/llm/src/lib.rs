//! Language models: what the component asks through its import `llm`.
//!
//! The way of a call: [`AgentLlm`] asks its limits for leave ([`limits`]), sends the request in the provider's
//! own words (`wire`) over HTTP (`http`), and tries again where that can help ([`retry`]). Afterwards it tells a
//! [`CallObserver`] what the call cost. [`configured`] makes an agent's model from the configuration.
//!
//! Keys never leave this module: no error, log line, record or `Debug` holds one.

mod agent;
pub mod config;
mod configured;
pub mod expand;
mod fault;
mod http;
pub mod limits;
mod lines;
mod models;
mod outlook;
mod provider;
pub mod retry;
mod secret;
mod timeouts;
mod tokens;
mod too_long;
mod wire;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use agent::AgentLlm;
#[doc(hidden)]
pub use configured::read_stream;
pub use configured::{AgentError, configured, configured_agents};
pub use models::known_context_window;
pub use outlook::{Outlook, outlook};
pub use timeouts::Timeouts;
pub use tokens::TokenCounter;
