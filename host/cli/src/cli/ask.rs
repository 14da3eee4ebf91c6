//! `myao ask`: the answer to a question, with its sources.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use myao_plugin::llm::{CallObserver, CallRecord};
use myao_plugin::printable::line;
use myao_plugin::{Engine, MessageRef, Response, Source, names};
use serde_json::{Value, json};

use super::app::{App, Explained as _};
use super::args::AskArgs;
use super::links::{link, link_or_id};
use super::output;
use super::seen::place;
use super::server_words::ServerWords;
use super::usage::as_of;

pub(crate) async fn run(app: &App, arguments: &AskArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let place = place(&*workspace, arguments.in_channel.as_deref()).await?;
    let address = workspace.address().await.explained()?;
    let cost = Arc::new(Cost {
        calls: Mutex::default(),
        servers: app.servers.clone(),
    });
    let plugin = app.plugin()?.call_observer(cost.clone());
    let plugin = app.bind(plugin, &workspace).await?;
    let question = arguments.question.join(" ");
    let now = match arguments.as_of {
        Some(moment) => as_of(app, moment),
        None => app.time(None),
    };
    let response = {
        let bot = &app.config.persona.name;
        let is_model = plugin.settings().reply_engine == Engine::Llm;
        let _waiting = is_model.then(|| output::waiting(&format!("{bot} is writing…")));
        plugin.ask(place, &question, now).await?
    };
    if app.json {
        let response = response_json(&question, &response, address.as_deref(), &cost);
        output::print_json(&response)?;
    } else {
        print(&response, address.as_deref())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the calls of models cost.
struct Cost {
    calls: Mutex<Vec<CallRecord>>,
    servers: Arc<ServerWords>,
}

impl CallObserver for Cost {
    fn observe(&self, record: CallRecord) {
        self.servers.observe(record.clone());
        self.calls.observe(record);
    }

    fn said(&self, words: &str) {
        self.servers.said(words);
    }
}

impl Cost {
    /// The calls, and their tokens. Tokens are `null` if a call did not report them.
    fn json(&self) -> (usize, Value) {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = |tokens: fn(&CallRecord) -> Option<u32>| -> Option<u64> {
            calls.iter().map(|call| tokens(call).map(u64::from)).sum()
        };
        let tokens = json!({
            "input": sum(|call| call.input_tokens),
            "output": sum(|call| call.output_tokens),
        });
        (calls.len(), tokens)
    }
}

fn print(response: &Response, address: Option<&str>) -> anyhow::Result<()> {
    let mut out = output::stdout();
    writeln!(out, "{}", output::for_reading(response.text.trim_end()))?;
    if !response.sources.is_empty() {
        writeln!(out)?;
    }
    for (number, source) in (1..).zip(&response.sources) {
        writeln!(out, "[{number}]  {}", source_line(source, address))?;
    }
    Ok(())
}

fn source_line(source: &Source, address: Option<&str>) -> String {
    let messages = source.messages.iter();
    let links: Vec<String> = messages
        .map(|message| link_or_id(message, address))
        .collect();
    let channel = match source.channel_name.as_str() {
        "" => String::new(),
        name => format!("#{name}"),
    };
    let author = source.user.as_ref().map(|user| user.name.clone());
    let parts = [
        source.timestamp.map(output::time),
        Some(channel),
        author,
        Some(links.join(" ")),
    ];
    let parts = parts.iter().flatten().filter(|part| !part.is_empty());
    let parts: Vec<_> = parts.map(|part| line(part)).collect();
    parts.join("  ")
}

fn response_json(question: &str, response: &Response, address: Option<&str>, cost: &Cost) -> Value {
    let (calls, tokens) = cost.json();
    let outcome = match response.found_nothing {
        true => "nothing-found",
        false => "answered",
    };
    let sources = (1..).zip(&response.sources);
    let sources = sources.map(|source| source_json(source, address));
    json!({
        "question": question,
        "answer": response.text,
        "outcome": outcome,
        "engine": names::engine(response.engine),
        "truncated": response.truncated,
        "sources": sources.collect::<Value>(),
        "calls": calls,
        "tokens": tokens,
    })
}

/// The message that is cited, or a line of a memory with the messages behind it: then `ts` and `permalink` are the first's.
fn source_json((number, source): (u32, &Source), address: Option<&str>) -> Value {
    let first = source.messages.first();
    let user = source.user.as_ref();
    let message_json = |message: &MessageRef| {
        json!({
            "channel_id": message.channel_id,
            "ts": message.ts,
            "permalink": link(message, address),
        })
    };
    json!({
        "number": number,
        "channel_id": first.map(|message| message.channel_id.as_str()),
        "channel_name": source.channel_name,
        "ts": first.map(|message| message.ts.as_str()),
        "time": source.timestamp.map(output::rfc3339),
        "user_id": user.map(|user| user.id.as_str()),
        "user_name": user.map(|user| user.name.as_str()),
        "is_bot": user.is_some_and(|user| user.is_bot),
        "text": source.text,
        "permalink": first.and_then(|message| link(message, address)),
        "messages": source.messages.iter().map(message_json).collect::<Value>(),
    })
}
