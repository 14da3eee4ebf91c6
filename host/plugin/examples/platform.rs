//! A whole platform around the component: people write, memories are made, and a mention is answered.
//!
//! `make component && cargo run --release --example platform`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::sync::Arc;

use async_trait::async_trait;
use myao_plugin::chat::{Chat, ChatError, Message, PostOutcome, PostRequest, User};
use myao_plugin::llm::{CallObserver, Completion, FinishReason, Llm, LlmError, Request};
use myao_plugin::{MemoryPlugin, Settings, Target, Timestamp};
use myao_testkit::MemoryStorage;

/// Your model. `myao_llm::configured_model` has OpenAI's, Anthropic's, Google's and Ollama's.
struct Model;

#[async_trait]
impl Llm for Model {
    async fn complete(&self, asked: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        Ok(Completion {
            text: format!(
                "金曜の 15:00 から、司会は akari ({:?})",
                asked.purpose.agent
            ),
            finish_reason: FinishReason::Stop,
            model: "mine".to_owned(),
            input_tokens: None,
            output_tokens: None,
        })
    }
}

/// Your chat. This one posts to the terminal; all messages are in the store.
struct Terminal;

#[async_trait]
impl Chat for Terminal {
    async fn post(&self, post: PostRequest) -> Result<PostOutcome, ChatError> {
        println!("\nmyao in {}: {}", post.channel_id, post.text);
        Ok(PostOutcome::Posted(vec!["1772430000.000001".to_owned()]))
    }
    async fn thread(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
        Ok(Vec::new())
    }
    async fn history(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
        Ok(Vec::new())
    }
    async fn permalink(&self, channel: String, ts: String) -> Result<String, ChatError> {
        Ok(format!("chat://{channel}/{ts}"))
    }
    async fn get_user(&self, id: String) -> Result<User, ChatError> {
        Err(ChatError::NotFound(id))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Your messages. To use your own store, implement `myao_plugin::storage::Storage`.
    let storage = Arc::new(MemoryStorage::new());
    storage.add_channel("C1", "general");
    let (start, retro) = (1_772_420_400, "今週の振り返りは金曜の 15:00 からにします");
    storage.say("C1", start, "akari", retro);
    storage.say("C1", start + 60, "akari", "司会は私がします");
    let mention = storage.say("C1", start + 120, "ken", "@myao 振り返りは何時から?");

    let plugin = MemoryPlugin::builder()
        .component_file("target/component/myao_bot.wasm")
        .storage(storage.clone())
        .llm(Arc::new(Model) as Arc<dyn Llm>)
        .chat(Arc::new(Terminal))
        .settings(Settings::default().with(|settings| {
            settings.set("engines.memory", "llm");
            settings.set("engines.response", "llm");
        }))
        .build()?;
    let now = Timestamp {
        unix_seconds: start + 10_000,
        utc_offset_seconds: 9 * 3600,
    };
    plugin.generate(now).await?;
    for memory in storage.memories() {
        println!("memory of {}:\n{}", memory.scope_id, memory.content);
    }
    let target = Target {
        channel_id: "C1".to_owned(),
        thread_ts: None,
        message_ts: mention.to_string(),
    };
    plugin.reply_to_mention(&target, now).await?;
    Ok(())
}
