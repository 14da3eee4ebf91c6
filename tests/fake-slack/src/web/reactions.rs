//! `reactions.*`: the bot's reactions to messages.

use serde_json::json;

use super::{Answer, Refusal, conversations, require};
use crate::BOT_USER;
use crate::bot::Request;
use crate::state::State;
use crate::ts::Ts;

/// `reactions.add`.
pub(crate) fn add(state: &mut State, request: &Request) -> Answer {
    let (channel, ts, name, is_there) = wanted(state, request)?;
    if is_there {
        return Err("already_reacted".into());
    }
    state.react(BOT_USER, &channel, ts, &name)?;
    Ok(json!({}))
}

/// `reactions.remove`.
pub(crate) fn remove(state: &mut State, request: &Request) -> Answer {
    let (channel, ts, name, is_there) = wanted(state, request)?;
    if !is_there {
        return Err("no_reaction".into());
    }
    state.unreact(BOT_USER, &channel, ts, &name)?;
    Ok(json!({}))
}

/// The message, the emoji, and whether the bot has reacted with it.
fn wanted(state: &State, request: &Request) -> Result<(String, Ts, String, bool), Refusal> {
    require(state, "reactions:write")?;
    let channel = conversations::visible(state, request)?;
    if channel.archived {
        return Err("is_archived".into());
    }
    if !channel.has_bot() {
        return Err("not_in_channel".into());
    }
    let ts = request.ts("timestamp", "bad_timestamp")?;
    let ts = ts.ok_or("no_item_specified")?;
    let message = channel.messages.get(&ts).ok_or("message_not_found")?;
    let name = request.text("name").ok_or("invalid_name")?;
    let mut reactions = message.reactions.iter();
    let is_there = reactions.any(|reaction| reaction.name == name && reaction.user == BOT_USER);
    Ok((channel.id.clone(), ts, name.to_owned(), is_there))
}
