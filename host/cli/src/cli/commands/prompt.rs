//! `myao prompt` and `myao summarize`.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use myao_bot::reading::memory_json::coverage_json;
use myao_plugin::ts::TsKey;
use myao_plugin::{
    BuildRequest, Context, MemoryPlugin, MemoryType, Place, Scope, Timestamp, context_json, names,
};

use crate::cli::app::{App, input_name, read_input};
use crate::cli::args::InputArgs;
use crate::cli::find::find_channel;
use crate::cli::{output, remarks};

/// Prints the exact prompt, and nothing else.
pub(crate) async fn prompt(app: &App, arguments: &InputArgs) -> anyhow::Result<ExitCode> {
    let input = Input::read(app, arguments).await?;
    let Input {
        plugin,
        context,
        existing_memory,
        ..
    } = &input;
    let (scope, memory_type) = (arguments.scope.into(), arguments.memory_type.into());
    let prompt = plugin
        .render_prompt(context, scope, memory_type, existing_memory.as_deref())
        .await?;
    input.warn_if_empty(scope, memory_type);
    if app.json {
        output::print_json(&serde_json::json!({ "prompt": prompt }))?;
    } else if output::in_terminal() {
        write!(output::stdout(), "{prompt}")?;
    } else {
        // For other programs: the exact bytes that a model gets.
        output::raw_stdout().write_all(prompt.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes the text of a memory and prints it.
pub(crate) async fn summarize(app: &App, arguments: &InputArgs) -> anyhow::Result<ExitCode> {
    let input = Input::read(app, arguments).await?;
    let Input {
        plugin,
        context,
        existing_memory,
        ..
    } = &input;
    let (scope, memory_type) = (arguments.scope.into(), arguments.memory_type.into());
    let summary = plugin
        .summarize(context, scope, memory_type, existing_memory.as_deref())
        .await?;
    input.warn_if_empty(scope, memory_type);
    if app.json {
        output::print_json(&serde_json::json!({
            "text": summary.text,
            "engine": summary.engine.map(names::engine),
            "truncated": summary.truncated,
            "coverage": coverage_json(&summary.coverage),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !summary.text.is_empty() {
        writeln!(output::stdout(), "{}", summary.text)?;
    }
    if let Some(remarks) = remarks::remarks(summary.truncated, Some(&summary.coverage)) {
        output::complain(&remarks);
    }
    Ok(ExitCode::SUCCESS)
}

/// The input to render or summarise, and the component for it.
struct Input {
    plugin: MemoryPlugin,
    context: Context,
    existing_memory: Option<String>,
    /// Set if the context came from the store.
    now: Option<Timestamp>,
}

impl Input {
    async fn read(app: &App, arguments: &InputArgs) -> anyhow::Result<Self> {
        match &arguments.context {
            Some(path) => {
                let text = read_input(path)?;
                let context = context_json::parse(&text)
                    .with_context(|| format!("{} is not a context", input_name(path)))?;
                let plugin = app.plugin()?.build()?;
                let existing_memory = arguments.existing_memory.clone();
                Ok(Self {
                    plugin,
                    context,
                    existing_memory,
                    now: None,
                })
            }
            None => Self::read_from_store(app, arguments).await,
        }
    }

    async fn read_from_store(app: &App, arguments: &InputArgs) -> anyhow::Result<Self> {
        let scope: Scope = arguments.scope.into();
        let workspace = app.existing_workspace()?;
        let channel_id = match (&arguments.channel, scope) {
            (Some(name), _) => {
                find_channel(&*workspace.view(Place::Operator), name)
                    .await?
                    .id
            }
            (None, Scope::Workspace) => String::new(),
            (None, _) => anyhow::bail!(
                "name the channel with --channel, or a context with --context FILE.json"
            ),
        };
        anyhow::ensure!(
            (scope == Scope::Thread) == arguments.thread.is_some(),
            "--scope thread needs --thread, which goes with it alone"
        );
        let plugin = app.plugin_over(&workspace).await?;
        let now = app.time(arguments.now);
        let settings = plugin.settings();
        let window = settings.window_seconds();
        let request = BuildRequest {
            channel_id,
            target_thread_ts: arguments.thread.clone(),
            since: Some(Timestamp {
                unix_seconds: now.unix_seconds - window,
                ..now
            }),
            message_limit: Some(settings.number("memory.generation_message_limit")),
        };
        let context = plugin.build_context(&request, now).await?;
        if let Some(thread) = &arguments.thread {
            check_thread(&context, thread, now)?;
        }
        let stored = || stored_memory(&context, scope, arguments.memory_type.into());
        let existing_memory = arguments.existing_memory.clone().or_else(stored);
        Ok(Self {
            plugin,
            existing_memory,
            context,
            now: Some(now),
        })
    }

    /// An empty prompt usually means that it was asked for at the wrong time.
    fn warn_if_empty(&self, scope: Scope, memory_type: MemoryType) {
        let history = &self.context.conversation_history;
        let empty = history.top_level_messages.is_empty() && history.threads.is_empty();
        if let Some(now) = self.now
            && empty
            && scope == Scope::Channel
            && memory_type == MemoryType::ShortTerm
        {
            output::complain(&format!(
                "#{} has no messages in the {} hours before {}; another time can be set with --now",
                history.channel_name,
                self.plugin.settings().window_seconds() / 3600,
                output::time(now)
            ));
        }
    }
}

/// A missing thread usually means a typing error.
fn check_thread(context: &Context, thread: &str, now: Timestamp) -> anyhow::Result<()> {
    let wanted = TsKey::parse(thread)?;
    let history = &context.conversation_history;
    let found = |ts: &str| TsKey::parse(ts).is_ok_and(|ts| ts == wanted);
    anyhow::ensure!(
        history
            .threads
            .iter()
            .any(|thread| found(&thread.thread_ts)),
        "#{} has no message {thread} up to {}: --thread takes the id of a thread's first message",
        history.channel_name,
        output::time(now)
    );
    Ok(())
}

/// The memory that generation would merge into.
fn stored_memory(context: &Context, scope: Scope, memory_type: MemoryType) -> Option<String> {
    match (scope, memory_type) {
        (Scope::Channel, MemoryType::LongTerm) => context
            .channel_memories
            .iter()
            .find(|memory| memory.channel_id == context.conversation_history.channel_id)
            .and_then(|memory| memory.long_term_memory.clone()),
        (Scope::Workspace, MemoryType::LongTerm) => context.workspace_long_term_memory.clone(),
        _ => None,
    }
}
