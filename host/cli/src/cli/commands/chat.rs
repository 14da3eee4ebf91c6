//! `myao chat`: the bot in a terminal.

mod lines;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use myao_bot::chat::{Chat, Setting, own_channel};
use myao_bot::clock::Clock;
use myao_bot::reading::memory_json::{memory_json, reply_lines_json};
use myao_plugin::printable::line;
use myao_plugin::state::Workspace;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::{Place, Reply, Scope, names};
use serde_json::json;

use super::generate;
use crate::cli::app::{App, Explained as _};
use crate::cli::args::{ChatArgs, GenerateArgs};
use crate::cli::find::find_channel;
use crate::cli::line_sources::show_line_sources;
use crate::cli::newest::newest;
use crate::cli::{in_one_line, output};
use lines::Lines;

/// Printed by `/help`.
const HELP: &str = "\
/memory    what is remembered of this channel   (/記憶)
/sources   the messages behind each of its lines (/出典)
/generate  make the memories that are due now   (/生成)
/help      this help                            (/ヘルプ)
/quit      end the conversation; so do Ctrl-D, and Ctrl-C twice (/終了)
Everything else is said to the bot.";

/// Runs a conversation until the input ends. The exit code is a failure if something went wrong.
pub(crate) async fn run(app: &App, arguments: &ChatArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.workspace()?;
    let channel = match &arguments.channel {
        Some(name) if !is_own_channel(name) => {
            find_channel(&*workspace.view(Place::Operator), name).await?
        }
        _ => own_channel(),
    };
    let name = name_of_person(arguments);
    let setting = Setting {
        channel,
        name: name.clone(),
        bot_name: app.config.persona.name.clone(),
    };
    let clock = match arguments.now {
        Some(_) => {
            let now = app.time(arguments.now).unix_seconds;
            let since_1970 = u64::try_from(now).context("--now is before 1970")?;
            let since_1970 = Duration::from_secs(since_1970);
            Clock::new(app.config.timezone, move || since_1970)
        }
        None => {
            let clock = app.clock();
            workspace
                .bring_back_times(clock.seconds())
                .await
                .explained()?;
            clock
        }
    };
    let plugin = app.plugin_over(&workspace).await?;
    let asks_model = plugin.settings().replies_by_model();
    let chat = Chat::open(workspace.clone(), plugin, clock, setting).await?;
    let mut lines = Lines::open()?;
    let mut talk = Talk {
        app,
        arguments,
        workspace,
        chat,
        asks_model,
        in_terminal: lines.are_typed(),
        said: false,
        failed: false,
    };
    talk.greet(&name)?;
    let prompt = format!("{}> ", line(&name));
    while let Some(line) = tokio::task::block_in_place(|| lines.next(&prompt))? {
        if !talk.take(line.trim()).await? {
            break;
        }
    }
    talk.end()
}

fn is_own_channel(name: &str) -> bool {
    let own = own_channel();
    [own.id.as_str(), &own.name].contains(&name.trim_start_matches('#'))
}

fn name_of_person(arguments: &ChatArgs) -> String {
    let user = || std::env::var("USER").ok();
    let name = arguments.name.clone().or_else(user).unwrap_or_default();
    match name.trim() {
        "" => "you".to_owned(),
        name => name.to_owned(),
    }
}

/// The command in a line.
enum Command {
    Memory,
    Sources,
    Generate,
    Help,
    Quit,
    Unknown,
}

impl Command {
    /// `None` if the line is for the bot. Input methods may type a wide slash.
    fn of(line: &str) -> Option<Self> {
        let name = line.strip_prefix(['/', '／'])?;
        Some(match name.trim() {
            "memory" | "memories" | "記憶" => Self::Memory,
            "sources" | "source" | "出典" => Self::Sources,
            "generate" | "生成" => Self::Generate,
            "help" | "ヘルプ" => Self::Help,
            "quit" | "exit" | "終了" => Self::Quit,
            _ => Self::Unknown,
        })
    }
}

/// A conversation with somebody.
struct Talk<'a> {
    app: &'a App,
    arguments: &'a ChatArgs,
    workspace: Arc<dyn Workspace>,
    chat: Chat,
    asks_model: bool,
    in_terminal: bool,
    /// True if a message was sent to the bot.
    said: bool,
    /// True if something failed.
    failed: bool,
}

impl Talk<'_> {
    fn greet(&self, name: &str) -> anyhow::Result<()> {
        if !self.in_terminal {
            return Ok(());
        }
        let (bot, name) = (line(&self.app.config.persona.name), line(name));
        let channel = line(&self.chat.channel().name);
        let mut out = output::stdout();
        writeln!(
            out,
            "{name} talks with {bot} in #{channel}. /help shows more, Ctrl-D ends it."
        )?;
        if !self.asks_model {
            writeln!(
                out,
                "No model is configured: {bot} answers with what it remembers."
            )?;
        }
        Ok(())
    }

    /// Handles a line; returns false if the conversation is over. Only a failure to write standard output is an error:
    /// every other failure is printed, and the conversation continues.
    async fn take(&mut self, line: &str) -> anyhow::Result<bool> {
        match Command::of(line) {
            None if line.is_empty() => {}
            None => self.say(line).await?,
            Some(Command::Quit) => return Ok(false),
            Some(Command::Help) => writeln!(output::stdout(), "{HELP}")?,
            Some(Command::Memory) => self.show_memories().await?,
            Some(Command::Sources) => self.show_sources().await?,
            Some(Command::Generate) => self.generate().await?,
            Some(Command::Unknown) => {
                self.fail(&format!("{line} is no command; /help lists them"));
            }
        }
        Ok(true)
    }

    async fn say(&mut self, line: &str) -> anyhow::Result<()> {
        self.said = true;
        let answered = {
            let bot = &self.app.config.persona.name;
            let _waiting = self
                .asks_model
                .then(|| output::waiting(&format!("{bot} is writing…")));
            tokio::select! {
                answered = self.chat.say(line) => answered.map_err(|error| error.to_string()),
                () = interrupted(self.in_terminal) => Err("interrupted".to_owned()),
            }
        };
        match answered {
            Ok(reply) => self.print(line, &reply),
            Err(error) if self.app.json => {
                self.failed = true;
                output::print_json(&json!({ "question": line, "error": error }))
            }
            Err(error) => {
                self.fail(&error);
                Ok(())
            }
        }
    }

    fn print(&self, question: &str, reply: &Reply) -> anyhow::Result<()> {
        if self.app.json {
            return output::print_json(&json!({
                "question": question,
                "answer": reply.text,
                "engine": names::engine(reply.engine),
                "truncated": reply.truncated,
                "posted": reply.posted,
                "lines": reply_lines_json(reply),
            }));
        }
        let bot = line(&self.app.config.persona.name);
        let text = reply.text.trim_end();
        let gap = if text.contains('\n') { '\n' } else { ' ' };
        let mut out = output::stdout();
        writeln!(
            out,
            "{}",
            output::for_reading(&format!("{bot}:{gap}{text}"))
        )?;
        if self.in_terminal {
            writeln!(out)?;
        }
        out.flush()?;
        Ok(())
    }

    async fn show_sources(&mut self) -> anyhow::Result<()> {
        let channel = self.chat.channel();
        let view = self.workspace.view(Place::Channel(channel.id.clone()));
        let shown = show_line_sources(self.app, &*view, Scope::Channel, &channel.id);
        match shown.await {
            Err(error) if crate::cli::is_broken_pipe(&error) => Err(error),
            Err(error) => {
                self.fail(&in_one_line(&error));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    async fn show_memories(&mut self) -> anyhow::Result<()> {
        let channel = self.chat.channel();
        let filter = MemoryFilter {
            scope: Some(Scope::Channel),
            scope_id: Some(channel.id.clone()),
            with_text: true,
            ..MemoryFilter::default()
        };
        let view = self.workspace.view(Place::Channel(channel.id.clone()));
        let memories = match newest(self.app, &*view, &filter).await {
            Ok(memories) => memories,
            Err(error) => {
                self.fail(&in_one_line(&error));
                return Ok(());
            }
        };
        if self.app.json {
            return output::print_json(&memories.iter().map(memory_json).collect());
        }
        let name = line(&channel.name);
        let mut out = output::stdout();
        if memories.is_empty() {
            writeln!(out, "Nothing is remembered of #{name} yet. Next: /generate")?;
        }
        for stored in &memories {
            let memory_type = names::memory_type(stored.memory.memory_type);
            let made = output::time(stored.memory.updated_at);
            writeln!(out, "## #{name} {memory_type}, made {made}")?;
            writeln!(out, "{}", stored.memory.content.trim_end())?;
        }
        Ok(())
    }

    async fn generate(&mut self) -> anyhow::Result<()> {
        let arguments = GenerateArgs {
            now: self.arguments.now,
            retry: false,
            estimate: false,
        };
        match generate::generate(self.app, &arguments).await {
            Ok(code) if code != ExitCode::SUCCESS => {
                self.failed = true;
                if !self.app.json {
                    self.app.servers.tell();
                }
            }
            Ok(_) => {}
            Err(error) if crate::cli::is_broken_pipe(&error) => return Err(error),
            Err(error) => self.fail(&in_one_line(&error)),
        }
        Ok(())
    }

    fn fail(&mut self, why: &str) {
        self.failed = true;
        output::complain(&self.app.servers.beside(why));
    }

    /// At a terminal, the user has seen every failure.
    fn end(&self) -> anyhow::Result<ExitCode> {
        if self.in_terminal && self.said {
            writeln!(
                output::stdout(),
                "What was said is stored. `{}` makes memories of it, as /generate does here.",
                self.app.command("generate")
            )?;
        }
        Ok(if self.failed && !self.in_terminal {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }
}

/// Returns when a user at a terminal presses Ctrl-C; without a terminal, Ctrl-C ends the program as usual.
async fn interrupted(in_terminal: bool) {
    if !in_terminal || tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
