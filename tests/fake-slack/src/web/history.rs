//! `conversations.history` and `conversations.replies`.

use serde_json::{Value, json};

use super::page::{self, Page};
use super::{Answer, Refusal, conversations, require};
use crate::bot::Request;
use crate::shapes;
use crate::state::State;
use crate::ts::Ts;
use crate::world::{Channel, ChannelKind, Message};

/// The most messages of a history's page.
const MOST: usize = 999;

/// A range of times.
struct Range {
    oldest: Option<Ts>,
    latest: Option<Ts>,
    inclusive: bool,
}

impl Range {
    fn read(request: &Request) -> Result<Self, Refusal> {
        Ok(Self {
            oldest: request.ts("oldest", "invalid_ts_oldest")?,
            latest: request.ts("latest", "invalid_ts_latest")?,
            inclusive: request.flag("inclusive"),
        })
    }

    fn contains(&self, ts: Ts) -> bool {
        let after = self
            .oldest
            .is_none_or(|oldest| ts > oldest || (self.inclusive && ts == oldest));
        let before = self
            .latest
            .is_none_or(|latest| ts < latest || (self.inclusive && ts == latest));
        after && before
    }
}

/// `conversations.history`: what the channel itself shows, newest first.
pub(crate) fn history(state: &State, request: &Request) -> Answer {
    let channel = readable(state, request)?;
    let range = Range::read(request)?;
    let page = Page::read(state, request, "next_ts", 100, MOST)?;
    let until = cursor_ts(&page)?;
    let shown = channel.messages.values().rev().filter(|message| {
        message.is_top_level()
            && is_shown(state, &range, message.ts)
            && range.contains(message.ts)
            && until.is_none_or(|until| message.ts <= until)
    });
    let mut shown: Vec<&Message> = shown.take(page.limit.saturating_add(1)).collect();
    // The cursor names the first message of the next page.
    let next = (shown.len() > page.limit).then(|| shown.pop().unwrap().ts);
    let mut answer = messages(state, request, channel, &shown, next);
    answer["pin_count"] = 0.into();
    if let Some((_, true)) = state.script.kept_since {
        answer["is_limited"] = true.into();
    }
    Ok(answer)
}

/// `conversations.replies`: the parent, then its replies, oldest first. The parent begins every page and does not
/// count there, whatever range is asked for. For a message without replies, and for a reply, it is that message alone.
pub(crate) fn replies(state: &State, request: &Request) -> Answer {
    let channel = readable(state, request)?;
    let ts = request
        .ts("ts", "invalid_arguments")?
        .ok_or("invalid_arguments")?;
    let root = channel.messages.get(&ts).ok_or("thread_not_found")?;
    let range = Range::read(request)?;
    if state.script.kept_since.is_some_and(|(since, _)| ts < since) {
        return Err("thread_not_found".into());
    }
    let page = Page::read(state, request, "next_ts", 1000, 1000)?;
    let from = cursor_ts(&page)?;
    let shown = channel
        .replies(ts)
        .filter(|reply| is_shown(state, &range, reply.ts))
        .filter(|reply| range.contains(reply.ts) && from.is_none_or(|from| reply.ts >= from));
    let mut shown: Vec<&Message> = shown.take(page.limit.saturating_add(1)).collect();
    let next = (shown.len() > page.limit).then(|| shown.pop().unwrap().ts);
    shown.insert(0, root);
    Ok(messages(state, request, channel, &shown, next))
}

/// The channel, if the bot may read it.
fn readable<'state>(state: &'state State, request: &Request) -> Result<&'state Channel, Refusal> {
    let channel = conversations::visible(state, request)?;
    let scope = match channel.kind {
        ChannelKind::Public => "channels:history",
        ChannelKind::Private => "groups:history",
        ChannelKind::Direct => "im:history",
        ChannelKind::Group => "mpim:history",
    };
    require(state, scope)?;
    if let Some(error) = state.script.refused.get(&channel.id) {
        return Err((*error).into());
    }
    if channel.has_bot() {
        Ok(channel)
    } else {
        Err("not_in_channel".into())
    }
}

/// Returns true if no fault of the script hides a message.
fn is_shown(state: &State, range: &Range, ts: Ts) -> bool {
    let script = &state.script;
    let is_kept = script.kept_since.is_none_or(|(since, _)| ts >= since);
    is_kept && (range.latest.is_some() || !script.lacking.contains(&ts))
}

fn cursor_ts(page: &Page) -> Result<Option<Ts>, Refusal> {
    let ts = page
        .after
        .as_deref()
        .map(|after| Ts::parse(after).ok_or("invalid_cursor"));
    Ok(ts.transpose()?)
}

fn messages(
    state: &State,
    request: &Request,
    channel: &Channel,
    shown: &[&Message],
    next: Option<Ts>,
) -> Value {
    let all_metadata = request.flag("include_all_metadata");
    let shape = |message: &&Message| {
        let mut shape = shapes::message(channel, message);
        if !all_metadata {
            shapes::hide_metadata(&mut shape, &state.metadata_subscriptions);
        }
        shape
    };
    let messages: Vec<Value> = shown.iter().map(shape).collect();
    let mut answer = json!({ "messages": messages, "has_more": next.is_some() });
    if let Some(next) = next {
        answer["response_metadata"] = page::next_cursor("next_ts", Some(&next.to_string()));
    }
    answer
}
