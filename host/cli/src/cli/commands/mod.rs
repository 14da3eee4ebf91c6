//! The commands, a file each.

mod ask;
mod audit;
mod backup;
mod catch_up;
mod chat;
mod config;
mod copy;
pub(super) mod doctor;
mod embed;
mod eval;
mod forget;
mod generate;
mod import;
mod init;
mod items;
mod marks;
mod mcp;
mod memory;
mod off_record;
mod parked;
mod prompt;
mod replay;
mod run;
mod search;
mod serve;
mod shell;
mod slack;
mod trial;
mod usage;

use std::process::ExitCode;

use super::app::App;
use super::args::Command;

/// Runs a command.
pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Init(arguments) => init::run(app, &arguments),
        Command::Run => run::run(app).await,
        Command::Serve(arguments) => serve::run(app, &arguments).await,
        Command::Chat(arguments) => chat::run(app, &arguments).await,
        Command::Doctor(arguments) => doctor::run(app, &arguments).await,
        Command::Config(command) => config::run(app, &command),
        Command::Slack(command) => slack::run(app, &command),
        Command::Import { path, taken } => import::run(app, &path, taken.options()).await,
        Command::Try(arguments) => trial::run(app, &arguments).await,
        Command::Backfill(arguments) => generate::backfill(app, &arguments).await,
        Command::Rebuild(arguments) => generate::rebuild(app, &arguments).await,
        Command::Generate(arguments) => generate::generate(app, &arguments).await,
        Command::Search(arguments) => search::run(app, &arguments).await,
        Command::Ask(arguments) => ask::run(app, &arguments).await,
        Command::Items(arguments) => items::run(app, &arguments).await,
        Command::Eval { questions } => eval::run(app, &questions).await,
        Command::Mcp(arguments) => mcp::run(app, &arguments).await,
        Command::Memory(arguments) => memory::run(app, &arguments).await,
        Command::Forget(arguments) => forget::run(app, &arguments).await,
        Command::Pin(arguments) => marks::pin(app, &arguments).await,
        Command::Correct(arguments) => marks::correct(app, &arguments).await,
        Command::Off(arguments) => off_record::switch(app, &arguments, true).await,
        Command::On(arguments) => off_record::switch(app, &arguments, false).await,
        Command::Embed => embed::run(app).await,
        Command::Backup { file } => backup::run(app, &file),
        Command::Database(command) => copy::run(app, &command),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { folder } => shell::man(&folder),
        Command::Audit { since } => audit::run(app, since).await,
        Command::Parked { retry, drop } => parked::run(app, retry, drop).await,
        Command::CatchUp { since, channel } => catch_up::run(app, since, channel.as_deref()).await,
        Command::Usage(arguments) => usage::run(app, &arguments).await,
        Command::Replay(arguments) => replay::run(app, &arguments).await,
        Command::Prompt(arguments) => prompt::prompt(app, &arguments).await,
        Command::Summarize(arguments) => prompt::summarize(app, &arguments).await,
    }
}
