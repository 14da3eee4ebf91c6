//! Language models behind the component's import `llm`: clients of several providers.
//!
//! The way of a call: [`configured_models`] makes an agent's model from the configuration. The model waits for its
//! limits (`limits`), sends the request in the provider's wire format (`wire`) over HTTP (`http`), and retries if that
//! can help (`retry`). Afterwards it reports what the call cost to a [`CallObserver`](myao_plugin::llm::CallObserver).
//!
//! Keys never leave this crate: no error, log line, record or `Debug` output holds one.
#![deny(missing_docs)]

pub mod config;
pub mod expand;

mod agent;
mod client_args;
mod configured;
mod embeddings;
mod endpoint;
mod fault;
mod http;
mod limits;
mod lines;
mod models;
mod provider;
mod retry;
mod secret;
mod timeouts;
mod tokens;
mod too_long;
mod wire;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use configured::read_stream;
pub use configured::{AgentError, configured_model, configured_models};
pub use embeddings::{Embeddings, configured_embedder, embedder_endpoint};
pub use endpoint::{ModelEndpoint, model_endpoint};
pub use limits::Limits;
