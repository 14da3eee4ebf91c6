//! A whole platform around the component: people write, memories are made, a mention is answered.
//!
//! `make component && cargo run --release --example platform [COMPONENT]`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use myao::bindings::exports::myao::memory::responder::Target;
use myao::bindings::settings::Values;
use myao::bindings::types::{Engine, Timestamp};
use myao::config::{Config, WORKSPACE_SCOPE_ID};
use myao::llm::scripted::answer;
use myao::llm::{Agent, CallObserver, Completion, Llm, LlmError, Request};
use myao::plugin::{Limits, MemoryPlugin};
use myao::slack::{Message, PostRequest, Slack, SlackError, User};
use myao::storage::records::{ChannelRecord, ImportSink as _, MessageRecord, UserRecord};
use myao::storage::sqlite::SqliteStore;
use myao::ts::TsKey;

/// Your model. `myao::llm::configured` has OpenAI's, Anthropic's, Google's and Ollama's.
struct Model;

#[async_trait]
impl Llm for Model {
    async fn complete(&self, asked: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        Ok(answer(match asked.purpose.agent {
            Agent::Memory => "- 振り返りは金曜 15:00 から、司会は akari",
            Agent::Response | Agent::Judgment => "金曜の 15:00 からです。司会は akari さんです。",
        }))
    }
}

/// Your chat: here it posts to the terminal, and everything that was said is in the store.
struct Terminal;

#[async_trait]
impl Slack for Terminal {
    async fn post(&self, post: PostRequest) -> Result<Vec<String>, SlackError> {
        println!("\n#{} answered:\n{}", post.channel_id, post.text);
        Ok(vec!["1772425800.000001".to_owned()])
    }
    async fn thread(&self, _: String, thread: String) -> Result<Vec<Message>, SlackError> {
        Err(SlackError::NotFound(thread))
    }
    async fn history(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, SlackError> {
        Ok(Vec::new())
    }
    async fn permalink(&self, channel: String, ts: String) -> Result<String, SlackError> {
        Ok(format!("chat://{channel}/{ts}"))
    }
    async fn get_user(&self, id: String) -> Result<User, SlackError> {
        Err(SlackError::NotFound(id))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(folder.path().join("chat.db"))?;
    let mut import = store.import("office")?;
    let (id, name, is_private) = ("general".to_owned(), "general".to_owned(), false);
    import.channel(&ChannelRecord {
        id,
        name,
        is_private,
    })?;
    let said = [
        "今週の振り返りは金曜の 15:00 からにします",
        "司会は私がします",
        "@myao 振り返りは何時から?",
    ];
    for (minute, (text, author)) in said.into_iter().zip(["akari", "akari", "ken"]).enumerate() {
        let (id, name, is_bot) = (author.to_owned(), author.to_owned(), false);
        import.user(&UserRecord { id, name, is_bot })?;
        import.message(&MessageRecord {
            channel_id: "general".to_owned(),
            ts: TsKey::parse(&format!("{}.000001", 1_772_420_400 + 60 * minute))?,
            user_id: author.to_owned(),
            author_name: None,
            is_bot,
            text: text.to_owned(),
            thread_ts: None,
            edited_at: None,
        })?;
        println!("#general {author}: {text}");
    }
    import.commit()?;
    let file = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "target/component/myao_memory.wasm".to_owned());
    let config = Config::default();
    let plugin = MemoryPlugin::builder()
        .component_file(file)
        .storage(Arc::new(store.workspace(
            "office",
            config.timezone,
            WORKSPACE_SCOPE_ID,
        )?))
        .llm(Arc::new(Model) as Arc<dyn Llm>)
        .slack(Arc::new(Terminal))
        .settings(Values {
            engine: Engine::Llm,
            reply_engine: Engine::Llm,
            ..config.settings()?
        })
        .limits(Limits {
            concurrent_calls: 4,
            ..Limits::default()
        })
        .build()?;
    let now = Timestamp {
        unix_seconds: 1_772_430_000,
        utc_offset_seconds: 9 * 3600,
    };
    for made in plugin
        .generate(now)
        .await?
        .entries
        .iter()
        .flat_map(|entry| &entry.made)
    {
        println!(
            "made the {:?} {:?} memory of {}",
            made.scope, made.memory_type, made.scope_id
        );
    }
    let (channel_id, message_ts) = ("general".to_owned(), "1772420520.000001".to_owned());
    plugin
        .reply_to_mention(
            &Target {
                channel_id,
                thread_ts: None,
                message_ts,
            },
            now,
        )
        .await?;
    Ok(())
}
