//! The answers to `/memory off`, `/memory on` and `/memory mode`.

use serde_json::{Value, json};

use crate::command::Mode;

use super::words::Language;
use super::{Moment, ephemeral, section};

/// The id of the list of modes at Home.
pub const CHOOSE_MODE: &str = "mode";

const MODES: [Mode; 4] = [Mode::Off, Mode::Remember, Mode::Answer, Mode::Join];

/// How a request about the person's own messages ended.
///
/// Exhaustive on purpose: each has an answer of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffRecordOutcome {
    /// The person asked: since when they are not remembered; `None` if they are.
    Asks(Option<Moment>),
    /// They are not remembered any more.
    Off,
    /// They are remembered from now on.
    On,
}

/// The answer to [`crate::command::Command::OffRecord`].
#[must_use]
pub fn off_record_message(outcome: OffRecordOutcome, language: Language) -> Value {
    let words = language.words();
    let text = match outcome {
        OffRecordOutcome::Asks(since) => {
            let mine = language.off_record(words.mine, since);
            format!("{mine}\n{}", words.off_record_help)
        }
        OffRecordOutcome::Off => words.off_me.to_owned(),
        OffRecordOutcome::On => words.on_me.to_owned(),
    };
    ephemeral(words.off_record_title, vec![section(&text)])
}

/// How a request about the mode of a channel ended.
///
/// Exhaustive on purpose: each has an answer of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeOutcome {
    /// The mode that was there and stays.
    Is(Mode),
    /// The mode from now on.
    Set(Mode),
    /// A person from outside asked for a change.
    NotAllowed,
    /// Somebody who is no admin asked for an end of [`Mode::Off`].
    OnlyAdmins,
    /// This is no channel that the bot is in.
    NoChannel,
}

/// The answer to [`crate::command::Command::Mode`]: the present mode, and how to choose each.
#[must_use]
pub fn mode_message(outcome: ModeOutcome, language: Language) -> Value {
    let words = language.words();
    let text = match outcome {
        ModeOutcome::Is(mode) => mode_list(mode, language),
        ModeOutcome::Set(Mode::Off) => {
            format!("{}\n\n{}", words.mode_off, mode_list(Mode::Off, language))
        }
        ModeOutcome::Set(mode) => format!("{}\n\n{}", words.mode_set, mode_list(mode, language)),
        ModeOutcome::OnlyAdmins => words.mode_only_admins.to_owned(),
        ModeOutcome::NotAllowed => words.mode_not_allowed.to_owned(),
        ModeOutcome::NoChannel => words.no_channel.to_owned(),
    };
    ephemeral(words.mode_title, vec![section(&text)])
}

/// A line for each mode; the present one is bold.
fn mode_list(present: Mode, language: Language) -> String {
    let lines = MODES.map(|mode| {
        let (name, what) = language.mode(mode);
        match mode == present {
            true => format!("• *`/memory {name}` — {what}*"),
            false => format!("• `/memory {name}` — {what}"),
        }
    });
    lines.join("\n")
}

/// A list to choose a channel's mode from (<https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element>).
pub(super) fn mode_select(channel_id: &str, present: Mode, language: Language) -> Value {
    let option = |mode: Mode| {
        let text = json!({ "type": "plain_text", "text": language.mode_in_short(mode) });
        json!({ "text": text, "value": format!("{channel_id}:{}", mode.name()) })
    };
    json!({
        "type": "static_select", "action_id": CHOOSE_MODE, "options": MODES.map(option), "initial_option": option(present),
    })
}
