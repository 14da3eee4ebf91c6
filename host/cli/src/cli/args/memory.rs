//! Memories.

use clap::{Args, Subcommand};

use super::moment::{MomentArg, moment};
use super::scope::ScopeArg;

#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    /// Show only texts that everybody in this channel may see, by its name or id
    #[arg(long = "in", global = true, value_name = "NAME_OR_ID")]
    pub(crate) in_channel: Option<String>,

    #[command(subcommand)]
    pub(crate) command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// The newest version of each memory: a table in a terminal, else whole texts
    List(ListArgs),
    /// One channel, thread or the workspace: texts, sources and times
    Show {
        /// A channel's name or id, CHANNEL:THREAD_TS, or `workspace`
        scope_id: String,
    },
    /// Each line of the newest texts with the messages that it was made from
    Sources {
        /// A channel's name or id, CHANNEL:THREAD_TS, or `workspace`
        scope_id: String,
    },
    /// The versions of a memory: of a channel's short-term memory, or the texts that another one has had
    History {
        /// A channel's name or id, CHANNEL:THREAD_TS, or `workspace`
        scope_id: String,
        /// The texts that a channel's long-term memory has had, instead
        #[arg(long)]
        long_term: bool,
    },
    /// Show what the newest version changed, or the changes between two versions
    Diff {
        /// A channel's name or id, CHANNEL:THREAD_TS, or `workspace`
        scope_id: String,
        /// The older version, as `history` numbers them [default: the last but one]
        v1: Option<u32>,
        /// The newer version [default: the newest]
        v2: Option<u32>,
        /// Compare texts of a channel's long-term memory, instead
        #[arg(long)]
        long_term: bool,
    },
    /// Use memories again that are set aside, because their sources are not known
    Accept {
        /// The channel's name or id; without it, all memories, those of the workspace included
        channel: Option<String>,
    },
}

/// Which memories to list.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only memories of threads, of channels, or of the workspace
    #[arg(long)]
    pub(crate) scope: Option<ScopeArg>,

    /// Only memories of this channel and its threads, by its name or id
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) channel: Option<String>,

    /// Only memories made since this day, or time
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) since: Option<MomentArg>,
}
