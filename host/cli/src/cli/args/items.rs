//! Items of the ledger.

use clap::{Args, Subcommand, ValueEnum};

use super::{MomentArg, moment};

/// Which items are listed, or the change of one.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ItemsArgs {
    #[command(subcommand)]
    pub(crate) change: Option<ItemsCommand>,

    #[command(flatten)]
    pub(crate) listed: ListedItems,
}

/// Which items are listed.
#[derive(Debug, Args)]
pub(crate) struct ListedItems {
    /// Only these kinds
    #[arg(long, value_name = "KIND", value_enum)]
    pub(crate) kind: Vec<KindArg>,

    /// Only those of this channel, by its name or id
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) channel: Option<String>,

    /// Only those of this person, by their name or id
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) owner: Option<String>,

    /// Those too that are done, dropped or replaced
    #[arg(long)]
    pub(crate) all: bool,

    /// Only those that are new or changed since this day, or time
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) since: Option<MomentArg>,

    /// As at the end of this day, or at this time
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) as_of: Option<MomentArg>,
}

/// The change of an item.
#[derive(Debug, Subcommand)]
pub(crate) enum ItemsCommand {
    /// Set a part of an item; no message changes that part any more
    Set(SetItem),
    /// Take back the last change by a person
    Undo {
        /// The item, as the list shows it: CHANNEL_ID:TS/KIND
        item: String,
    },
    /// Show what changed an item, and the messages that say so
    History {
        /// The item, as the list shows it: CHANNEL_ID:TS/KIND
        item: String,
    },
}

/// The item to set, and its part.
#[derive(Debug, Args)]
pub(crate) struct SetItem {
    /// The item, as the list shows it: CHANNEL_ID:TS/KIND
    pub(crate) item: String,

    #[command(flatten)]
    pub(crate) part: ItemPart,
}

/// The part of an item to set.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ItemPart {
    /// Its state; `dropped` also says that it is not true
    #[arg(long, value_enum)]
    pub(crate) state: Option<StateArg>,

    /// Who is to do it, by the name or id; empty for nobody
    #[arg(long, value_name = "NAME_OR_ID")]
    pub(crate) owner: Option<String>,

    /// The day it is due, as in 2026-08-07; empty for none
    #[arg(long, value_name = "DATE")]
    pub(crate) due: Option<String>,
}

/// A kind of item.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum KindArg {
    /// Something that people agreed on
    Decision,
    /// Something that somebody is to do
    Task,
    /// A question that waits for an answer
    Question,
    /// Something that is true until another value replaces it
    Fact,
}

/// A state that people set.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StateArg {
    /// It stands
    Open,
    /// It is done, or answered
    Done,
    /// It was taken back, or is not true
    Dropped,
}
