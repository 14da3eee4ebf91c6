//! The command line.

mod database;
mod help;
mod items;
mod memory;
mod moment;
mod questions;
mod scope;
mod workspace;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use database::DatabaseCommand;
pub(crate) use items::{ItemsArgs, ItemsCommand, KindArg, ListedItems, SetItem, StateArg};
pub(crate) use memory::{ListArgs, MemoryArgs, MemoryCommand};
pub(crate) use moment::{MomentArg, moment};
pub(crate) use questions::{AskArgs, SearchArgs};
pub(crate) use scope::{MemoryTypeArg, ScopeArg};

/// Layered, versioned memory for team chat.
#[derive(Debug, Parser)]
#[command(name = "myao", version, max_term_width = 100)]
pub(crate) struct Cli {
    /// The configuration, in YAML; without one, defaults and ./myao.db
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// One of the workspaces that the configuration lists; without it, `run` runs the bots of all
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) workspace: Option<String>,

    /// Another memory component than the built-in one
    #[arg(long, global = true, value_name = "FILE.wasm")]
    pub(crate) component: Option<PathBuf>,

    /// Print JSON instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Make and show the retired workspace short-term memory
    #[arg(long, global = true)]
    pub(crate) legacy_workspace_short_term: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// The arguments of this process.
    pub(crate) fn of_process() -> Result<Self, clap::Error> {
        let matches = help::in_groups(Self::command()).try_get_matches()?;
        Self::from_arg_matches(&matches)
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a first configuration; in a terminal it asks for values
    Init(InitArgs),
    /// Show memories and answers from a Slack export, and a web page
    Try(TryArgs),
    /// Run the bot: listen to Slack, remember, answer
    Run,
    /// Show memories, sources and search as a web page; prints its link
    Serve(ServeArgs),
    /// Talk with the bot here, without Slack
    Chat(ChatArgs),
    /// Check configuration, database, models and Slack; show remedies
    Doctor(DoctorArgs),
    /// Print the settings that the bot needs in Slack
    #[command(subcommand)]
    Slack(SlackCommand),
    /// Take in a Slack export, or the Python bot's database
    Import {
        /// The export or database
        path: PathBuf,
        #[command(flatten)]
        taken: TakenArgs,
    },
    /// Make the memories that a bot would have made of stored messages
    Backfill(BackfillArgs),
    /// Make the memories that are due now
    Generate(GenerateArgs),
    /// Make memories anew from the messages: of one channel, or all
    Rebuild(RebuildArgs),
    /// Find messages by their content
    Search(SearchArgs),
    /// Answer a question from messages and memories; nothing is posted
    Ask(AskArgs),
    /// List decisions, tasks, questions and facts; change one
    Items(ItemsArgs),
    /// Answer questions whose answers you know; count what is right
    Eval {
        /// A YAML list; each has `question`, `answer` (a text, or a list of which one is enough) and maybe `in` (a channel)
        questions: PathBuf,
    },
    /// Offer search, questions and memories to agents (MCP server)
    Mcp(McpArgs),
    /// Look at memories: texts, sources, versions, changes
    Memory(MemoryArgs),
    /// Forget messages, with all that was made from them
    Forget(ForgetArgs),
    /// Pin a message, so that every prompt of its channel shows it
    Pin(PinArgs),
    /// Correct the memory of a channel
    Correct(CorrectArgs),
    /// Stop remembering a person or a channel, or list who is off
    Off(SpeakerArgs),
    /// Remember a person or a channel again, from now on
    On(SpeakerArgs),
    /// List who changed or erased something, and who signed in
    Audit {
        /// Leave out what was done before this day, or time
        #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
        since: Option<MomentArg>,
    },
    /// List work that was given up; try it again, or drop it
    Parked {
        /// Try all of it again
        #[arg(long)]
        retry: bool,
        /// Give all of it up
        #[arg(long, conflicts_with = "retry")]
        drop: bool,
    },
    /// Have the bot read again what it may have missed in Slack
    CatchUp {
        /// Since this day, or time
        #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
        since: MomentArg,
        /// Only in this channel, by its name or id
        #[arg(long, value_name = "NAME_OR_ID")]
        channel: Option<String>,
    },
    /// Show the calls of models: tokens, time and money
    Usage(UsageArgs),
    /// Make the vectors for search by meaning; the bot makes them, too
    Embed,
    /// Copy the database to a new file, also while the bot runs
    Backup {
        /// The copy; nothing is overwritten
        file: PathBuf,
    },
    /// Copy the whole database, or prepare one for this program
    #[command(subcommand)]
    Database(DatabaseCommand),
    /// Make a recorded memory again, without a network, and compare
    Replay(ReplayArgs),
    /// Print what the configuration file may hold
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print the exact prompt for a memory
    Prompt(InputArgs),
    /// Make the text of a memory and print it; nothing is saved
    Summarize(InputArgs),
    /// Print the script by which a shell completes commands
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Man {
        /// The folder; it is made if it does not exist
        folder: PathBuf,
    },
}

/// The answers to the questions of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The time zone in which times are shown, as in Asia/Tokyo [default: this machine's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) timezone: Option<String>,

    /// The model for memories and answers, as in openai/gpt-4o [default: none]
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub(crate) model: Option<String>,

    /// Where the model is, if not at its provider
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) base_url: Option<String>,
}

/// The conversations of an export that are taken, too.
#[derive(Debug, Args)]
pub(crate) struct TakenArgs {
    /// Take the private channels of an export, too
    #[arg(long)]
    pub(crate) include_private: bool,

    /// Take the direct messages and group messages of an export, too
    #[arg(long)]
    pub(crate) include_direct_messages: bool,
}

impl TakenArgs {
    /// The options of the import.
    pub(crate) fn options(&self) -> myao_import::Options {
        myao_import::Options::default().with(|options| {
            options.include_private = self.include_private;
            options.include_direct_messages = self.include_direct_messages;
        })
    }
}

/// An export to try.
#[derive(Debug, Args)]
pub(crate) struct TryArgs {
    /// The export: a folder or a zip file
    pub(crate) export: PathBuf,

    /// Keep the database in this file, which does not exist yet
    #[arg(long, value_name = "FILE")]
    pub(crate) keep: Option<PathBuf>,

    /// Let the configured models make the memories and answers; without this only the cost of the memories is estimated
    #[arg(long)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) taken: TakenArgs,

    #[command(flatten)]
    pub(crate) page: ServeArgs,
}

/// Where the page is.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The address and port of the page; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
}

/// Where an agent reads.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer only texts that everybody in this channel may see, by its name or id
    #[arg(long = "in", value_name = "NAME_OR_ID")]
    pub(crate) in_channel: Option<String>,
}

/// Who talks, and where.
#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// Your name [default: $USER]
    #[arg(long)]
    pub(crate) name: Option<String>,

    /// Talk in this channel, by its name or id: it answers from there, and stores the conversation there
    /// [default: #chat, a private channel that all such conversations with this database share]
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) channel: Option<String>,

    /// Talk as at this time, or at the end of this day
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) now: Option<MomentArg>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Also ask each model for a few tokens, which costs a little; without this only the way to it is tried
    #[arg(long)]
    pub(crate) call_models: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List all keys with their defaults
    Keys,
    /// Print the JSON schema, for editors that check the file while you write it
    Schema,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SlackCommand {
    /// Print the manifest to make the app from, at https://api.slack.com/apps
    Manifest {
        /// Take events over HTTP at this address of yours, instead of Socket Mode
        #[arg(long, value_name = "URL")]
        request_url: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// Act as at this time, or at the end of this day
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) now: Option<MomentArg>,

    /// Retry deferred memories at once
    #[arg(long)]
    pub(crate) retry: bool,

    /// Only show the expected cost
    #[arg(long)]
    pub(crate) estimate: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RebuildArgs {
    /// The channel's name or id; without it, all memories, those of the workspace included
    pub(crate) channel: Option<String>,

    /// Only show the expected cost
    #[arg(long)]
    pub(crate) estimate: bool,
}

/// The messages to forget.
#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    #[command(flatten)]
    pub(crate) what: ForgetWhat,

    /// Only show the messages and memories that would go
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ForgetWhat {
    /// This message: the link that Slack copies, or CHANNEL:TS
    #[arg(long, value_name = "PERMALINK|CHANNEL_ID:TS")]
    pub(crate) message: Option<String>,

    /// All that this person or program has said so far, by its name or id
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) user: Option<String>,

    /// All that was said so far in this channel, by its name or id, and its memories
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) channel: Option<String>,

    /// All that was said before this day, or this time
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) before: Option<MomentArg>,

    /// Keys, tokens and passwords in messages that were stored before they were recognised; the rest of each message stays
    #[arg(long)]
    pub(crate) credentials: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    /// The message: the link that Slack copies, or CHANNEL:TS
    #[arg(value_name = "PERMALINK|CHANNEL_ID:TS")]
    pub(crate) message: String,

    /// Take the pin off
    #[arg(long)]
    pub(crate) undo: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CorrectArgs {
    /// The channel, by its name or id
    #[arg(long = "in", value_name = "NAME_OR_ID")]
    pub(crate) channel: String,

    /// The correct statement
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,

    /// Strike what has the same subject and another value, without a question
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Whose messages.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct SpeakerArgs {
    /// This person or program, by its name or id
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) user: Option<String>,

    /// Everybody in this channel, by its name or id
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) channel: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BackfillArgs {
    /// Stop the simulated clock at this time, or at the end of this day [default: now]
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) until: Option<MomentArg>,

    /// Go on after failures, as a running bot would; what failed is tried again at the next tick
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// Only show the expected cost
    #[arg(long)]
    pub(crate) estimate: bool,
}

/// Which calls, and how they are summed.
#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// Groups to sum by; several, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "day,model")]
    pub(crate) by: Vec<ByArg>,

    /// Leave out calls before this day, or time
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) since: Option<MomentArg>,

    /// Leave out calls after this day, or from this time on
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) until: Option<MomentArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ByArg {
    /// The day, in the configured time zone
    Day,
    /// The channel
    Channel,
    /// Thread, channel short-term, channel long-term, workspace
    Layer,
    /// Provider and model
    Model,
}

/// Which memory to make again.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A channel's name or id, CHANNEL:THREAD_TS, `workspace`, or the id of a memory
    pub(crate) memory: String,

    /// The version, as `memory history` numbers them [default: the newest]
    pub(crate) version: Option<u32>,

    /// A text of the channel's long-term memory, instead of a version of the short-term memory
    #[arg(long)]
    pub(crate) long_term: bool,

    /// Print the prompts and answers, too
    #[arg(long)]
    pub(crate) prompts: bool,
}

/// The input of a prompt.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The scope of the memory
    #[arg(long)]
    pub(crate) scope: ScopeArg,

    /// How far back it reaches
    #[arg(long)]
    pub(crate) memory_type: MemoryTypeArg,

    /// The channel's name or id, in the store
    #[arg(long, value_name = "NAME", conflicts_with = "context")]
    pub(crate) channel: Option<String>,

    /// The thread, by the id of its first message
    #[arg(
        long,
        value_name = "TS",
        requires = "channel",
        conflicts_with = "context"
    )]
    pub(crate) thread: Option<String>,

    /// A context in JSON instead of the store; - reads standard input
    #[arg(long, value_name = "FILE.json")]
    pub(crate) context: Option<PathBuf>,

    /// The memory to merge into [default: with the store, the stored one]
    // Memories are lists: they begin with a hyphen.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) existing_memory: Option<String>,

    /// Leave out messages after this time or day, with the store; memories are shown as they are
    #[arg(long, value_name = "DATE|TIME", value_parser = moment, conflicts_with = "context")]
    pub(crate) now: Option<MomentArg>,
}
