//! The answers to `/memory off` and `/memory on`.

use serde_json::Value;

use crate::command::Whose;

use super::words::Language;
use super::{Moment, ephemeral, section};

/// How a request ended.
///
/// Exhaustive on purpose: each has an answer of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffRecordOutcome {
    /// It was not said whose messages are meant. Each is `None` if the messages are remembered, and else when that ended.
    Asks {
        /// The person's.
        mine: Option<Moment>,
        /// The channel's.
        of_channel: Option<Moment>,
    },
    /// They are not remembered any more.
    Off(Whose),
    /// They are remembered from now on.
    On(Whose),
    /// Only admins may ask it for a channel.
    NotAllowed,
    /// This is no channel that is remembered.
    NoChannel,
}

/// The answer to [`crate::command::Command::OffRecord`].
#[must_use]
pub fn off_record_message(outcome: OffRecordOutcome, language: Language) -> Value {
    let words = language.words();
    let text = match outcome {
        OffRecordOutcome::Asks { mine, of_channel } => {
            let mine = language.off_record(words.mine, mine);
            let of_channel = language.off_record(words.of_channel, of_channel);
            format!("{mine}\n{of_channel}\n{}", words.off_record_help)
        }
        OffRecordOutcome::Off(Whose::Mine) => words.off_me.to_owned(),
        OffRecordOutcome::Off(Whose::OfChannel) => words.off_here.to_owned(),
        OffRecordOutcome::On(Whose::Mine) => words.on_me.to_owned(),
        OffRecordOutcome::On(Whose::OfChannel) => words.on_here.to_owned(),
        OffRecordOutcome::NotAllowed => words.only_admins.to_owned(),
        OffRecordOutcome::NoChannel => words.no_channel.to_owned(),
    };
    ephemeral(words.off_record_title, vec![section(&text)])
}
