//! Searches and questions.

use clap::Args;

use super::{MomentArg, moment};

/// A search.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words, or a question; times (`since Friday`, `先週の火曜`) and channels (`#general`) in it are understood
    #[arg(required = true)]
    pub(crate) words: Vec<String>,

    /// Find only messages that everybody in this channel may see, by its name or id
    #[arg(long = "in", value_name = "NAME_OR_ID")]
    pub(crate) in_channel: Option<String>,

    /// Leave out messages before this day, or time
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) since: Option<MomentArg>,

    /// Leave out messages after this day, or from this time on
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) until: Option<MomentArg>,

    /// Search as at the end of this day, or at this time
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) as_of: Option<MomentArg>,

    /// The largest number of messages
    #[arg(long, default_value_t = 10)]
    pub(crate) limit: u32,
}

/// A question, and its place.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The question; times (`since Friday`, `先週の火曜`) and channels (`#general`) in it are understood
    #[arg(required = true)]
    pub(crate) question: Vec<String>,

    /// Ask in this channel, by its name or id: the answer uses only texts that everybody in it may see
    #[arg(long = "in", value_name = "NAME_OR_ID")]
    pub(crate) in_channel: Option<String>,

    /// Ask as at the end of this day, or at this time
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    pub(crate) as_of: Option<MomentArg>,
}
