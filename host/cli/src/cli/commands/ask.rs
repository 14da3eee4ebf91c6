//! `myao ask`: the answer to a question, with its sources.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use myao_bot::reading::answers;
use myao_bot::reading::links::link_or_id;
use myao_plugin::llm::{CallObserver, CallRecord};
use myao_plugin::printable::line;
use myao_plugin::{Response, Source};
use serde_json::{Value, json};

use crate::cli::app::{App, Explained as _};
use crate::cli::args::AskArgs;
use crate::cli::dates::as_of;
use crate::cli::output;
use crate::cli::seen::place;
use crate::cli::server_words::ServerWords;

pub(crate) async fn run(app: &App, arguments: &AskArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let place = place(&*workspace, arguments.in_channel.as_deref()).await?;
    let address = workspace.address().await.explained()?;
    let cost = Cost::of(app);
    let plugin = app.plugin()?.call_observer(cost.clone());
    let plugin = app
        .bind(plugin, &workspace, Some(app.budget(&workspace)?))
        .await?;
    let question = arguments.question.join(" ");
    let now = match arguments.as_of {
        Some(moment) => as_of(app, moment),
        None => app.time(None),
    };
    let response = {
        let bot = &app.config.persona.name;
        let is_model = plugin.settings().replies_by_model();
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

/// The cost of the calls of models.
pub(super) struct Cost {
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
    pub(super) fn of(app: &App) -> Arc<Self> {
        Arc::new(Self {
            calls: Mutex::default(),
            servers: app.servers.clone(),
        })
    }

    /// The calls, and their tokens. Tokens are `null` if a call did not report them.
    pub(super) fn json(&self) -> (usize, Value) {
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

pub(super) fn print(response: &Response, address: Option<&str>) -> anyhow::Result<()> {
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
    let mut value = answers::response_json(question, response, address);
    if let Value::Object(fields) = &mut value {
        fields.insert("calls".to_owned(), calls.into());
        fields.insert("tokens".to_owned(), tokens);
    }
    value
}
