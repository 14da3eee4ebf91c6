//! Gives `myao_summarizer.wasm` its imports: a model behind OpenAI's API, settings and a log.
//!
//! `http.rs` sends and receives, `openai.rs` knows the API, `config.rs` reads the environment.

mod bindings;
mod config;
mod http;
mod openai;

use bindings::exports::myao::memory::llm::{Agent, Completion, LlmError, Request};
use bindings::exports::myao::memory::log::Level;
use bindings::exports::myao::memory::{llm, log, settings};
use config::Config;

struct Provider;

impl llm::Guest for Provider {
    fn complete(request: Request) -> Result<Completion, LlmError> {
        openai::ask(&Config::read()?, &request)?.answer()
    }

    fn complete_all(requests: Vec<Request>) -> Vec<Result<Completion, LlmError>> {
        let ask = |request| openai::ask(&Config::read()?, request);
        // All are sent before the first answer is awaited, so the model works on them side by side.
        let asked: Vec<_> = requests.iter().map(ask).collect();
        asked.into_iter().map(|asked| asked?.answer()).collect()
    }

    fn context_window(_: Agent) -> Option<u32> {
        // `complete` says what is wrong with the configuration.
        Config::read().ok()?.context_window
    }

    /// Without the model's tokenizer, one token for each character: never too low.
    fn count_tokens(_: Agent, texts: Vec<String>) -> Vec<u32> {
        let count = |text: &String| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        texts.iter().map(count).collect()
    }
}

impl settings::Guest for Provider {
    fn get() -> Vec<(String, String)> {
        let settings = [("engines.memory", "llm"), ("memory.prompt_language", "en")];
        let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        settings.map(owned).into()
    }
}

impl log::Guest for Provider {
    fn write(level: Level, line: String) {
        let level = match level {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        };
        eprintln!("{level}: {line}");
    }
}

#[allow(unsafe_code, unreachable_pub, reason = "generated code")]
mod export {
    crate::bindings::export!(Provider with_types_in crate::bindings);
    use super::Provider;
}
