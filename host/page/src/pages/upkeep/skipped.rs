//! Channels with new messages, and why the last run made nothing of them.

use maud::{Markup, html};
use myao_plugin::storage::{Backlog, Channel, DueQuery};
use myao_plugin::ts::TsKey;
use myao_plugin::{Place, Scope, UpdateState};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::html::channel_link;
use crate::language::Language;
use crate::reader::Reader;
use crate::texts::{self, Text};

/// Channels that are shown.
pub(super) const SHOWN: usize = 50;

/// A channel whose messages have no memory yet.
pub(super) struct Skipped {
    channel: Channel,
    messages: u32,
    why: Why,
}

/// Why nothing was made of them.
#[derive(Debug, Clone, Copy)]
enum Why {
    /// They came after the last run.
    NotYet,
    /// The conversation goes on.
    GoesOn,
    /// They are history.
    TooOld,
}

impl Why {
    fn name(self) -> &'static str {
        match self {
            Self::NotYet => "not-yet",
            Self::GoesOn => "not-due",
            Self::TooOld => "outside-window",
        }
    }

    fn text(self) -> Text {
        match self {
            Self::NotYet => texts::NOT_YET,
            Self::GoesOn => texts::GOES_ON,
            Self::TooOld => texts::TOO_OLD,
        }
    }
}

/// The channels of this place, in their order.
pub(super) async fn read(reader: &Reader) -> Result<Vec<Skipped>, Failure> {
    let plugin = reader.site.current.plugin();
    let now = reader.now();
    let window = plugin.settings().window_seconds();
    let window = TsKey::first_of(now.unix_seconds.saturating_sub(window));
    // Every channel with a new message, whatever its age.
    let query = DueQuery {
        until: TsKey::first_of(now.unix_seconds.saturating_add(1)).to_string(),
        window_start: TsKey::first_of(0).to_string(),
        idle_since: TsKey::first_of(now.unix_seconds).to_string(),
        message_threshold: 1,
        always: true,
    };
    let schedule = reader.site.workspace.at(Place::Schedule);
    let waiting = schedule.list_due(query).await?.channels;
    // Memories that could not be made stand among the failures.
    let failed = reader.deferrals().await?;
    let failed = |id: &str| {
        let mut failed = failed.iter();
        failed.any(|stored| stored.scope == Scope::Channel && stored.scope_id == id)
    };
    let mut skipped = Vec::new();
    for channel in reader.channels().await? {
        if failed(&channel.id) {
            continue;
        }
        let backlog = waiting.iter().find(|of| of.channel.id == channel.id);
        let owns = reader.place().owns(Scope::Channel, &channel.id);
        let Some(backlog) = backlog.filter(|of| owns && of.new_message_count > 0) else {
            continue;
        };
        let why = if is_too_old(backlog, window) {
            Why::TooOld
        } else {
            let state = UpdateState {
                latest_message_ts: backlog.latest_message_ts.clone(),
                has_memory: backlog.short_term_version.is_some(),
                new_message_count: backlog.new_message_count,
            };
            let is_due = plugin.should_update(&state, now).await;
            match is_due.map_err(|error| Failure::Call(error.to_string()))? {
                true => Why::NotYet,
                false => Why::GoesOn,
            }
        };
        skipped.push(Skipped {
            messages: backlog.new_message_count,
            channel,
            why,
        });
    }
    Ok(skipped)
}

/// Returns true if a channel was never summarised, and nothing of it is in the window, or after its history if the
/// store knows where that ends.
fn is_too_old(backlog: &Backlog, window: TsKey) -> bool {
    let parse = |ts: &Option<String>| TsKey::parse(ts.as_deref()?).ok();
    let latest = parse(&backlog.latest_message_ts);
    let is_old = latest.is_none_or(|latest| match parse(&backlog.summarized_through) {
        Some(history) => latest <= history,
        None => latest < window,
    });
    backlog.short_term_version.is_none() && is_old
}

impl Skipped {
    pub(super) fn html(&self, language: Language) -> Markup {
        html! {
            (channel_link(&self.channel.id, &self.channel.name)) ": "
            (texts::new_messages(language, self.messages)) ". "
            (self.why.text().of(language))
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "channel_id": self.channel.id,
            "channel_name": self.channel.name,
            "new_messages": self.messages,
            "reason": self.why.name(),
        })
    }
}
