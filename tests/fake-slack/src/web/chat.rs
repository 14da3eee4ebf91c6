//! `chat.*`: what the bot says.

use serde_json::{Value, json};

use super::{Answer, Refusal, conversations, require};
use crate::bot::{BotPost, Request};
use crate::post::NewMessage;
use crate::state::State;
use crate::world::{Author, Channel};
use crate::{blocks, shapes};

/// The longest text that Slack takes, in characters.
const MOST_CHARACTERS: usize = 40_000;

/// `chat.postMessage`. Text is stored as it comes: the app has escaped it.
pub(crate) fn post_message(state: &mut State, request: &Request) -> Answer {
    require(state, "chat:write")?;
    let channel = writable(state, request)?.id.clone();
    let (text, blocks) = content(request)?;
    let metadata = request.json("metadata");
    if metadata
        .as_ref()
        .is_some_and(|metadata| !is_metadata(metadata))
    {
        return Err("invalid_metadata_format".into());
    }
    let thread = request.ts("thread_ts", "invalid_thread_ts")?;
    let mut new = NewMessage::new(&channel, Author::the_bot(), &text, thread);
    if thread.is_some() && request.flag("reply_broadcast") {
        new = new.with_subtype("thread_broadcast");
    }
    new.blocks = blocks;
    new.metadata = metadata;
    let ts = state.post(new)?;
    let home = &state.world.channels[&channel];
    let message = &home.messages[&ts];
    let shape = shapes::message(home, message);
    state.bot.posts.push(BotPost {
        channel: channel.clone(),
        ts: ts.to_string(),
        thread_ts: message.thread_ts.map(|thread| thread.to_string()),
        text,
        blocks: message.blocks.clone(),
        metadata: message.metadata.clone(),
    });
    Ok(json!({ "channel": channel, "ts": ts.to_string(), "message": shape }))
}

/// `chat.postEphemeral`: shown to one person of the channel, and kept nowhere.
pub(crate) fn post_ephemeral(state: &mut State, request: &Request) -> Answer {
    require(state, "chat:write")?;
    let channel = writable(state, request)?;
    if !channel
        .members
        .contains(request.text("user").unwrap_or_default())
    {
        return Err("user_not_in_channel".into());
    }
    content(request)?;
    Ok(json!({ "message_ts": state.clock.tick().to_string() }))
}

/// `chat.update`: of the bot's own messages only.
pub(crate) fn update(state: &mut State, request: &Request) -> Answer {
    require(state, "chat:write")?;
    let channel = writable(state, request)?.id.clone();
    let ts = request
        .ts("ts", "message_not_found")?
        .ok_or("message_not_found")?;
    if state.message(&channel, ts)?.author != Author::the_bot() {
        return Err("cant_update_message".into());
    }
    let (text, _) = content(request)?;
    state.edit(&channel, ts, &text)?;
    Ok(json!({ "channel": channel, "ts": ts.to_string(), "text": text }))
}

/// `chat.getPermalink`.
pub(crate) fn permalink(state: &State, request: &Request) -> Answer {
    let channel = conversations::visible(state, request)?;
    let ts = request
        .ts("message_ts", "message_not_found")?
        .ok_or("invalid_arguments")?;
    let message = channel.messages.get(&ts).ok_or("message_not_found")?;
    let digits = ts.to_string().replace('.', "");
    let mut link = format!(
        "https://{}.slack.com/archives/{}/p{digits}",
        state.world.team.domain, channel.id
    );
    if let Some(thread) = message.thread_ts {
        link += &format!("?thread_ts={thread}&cid={}", channel.id);
    }
    Ok(json!({ "channel": channel.id, "permalink": link }))
}

/// The channel, if the bot may write there.
fn writable<'state>(state: &'state State, request: &Request) -> Result<&'state Channel, Refusal> {
    let channel = conversations::visible(state, request)?;
    if channel.archived {
        return Err("is_archived".into());
    }
    if channel.has_bot() {
        Ok(channel)
    } else {
        Err("not_in_channel".into())
    }
}

/// Text and blocks; one of them must be there.
fn content(request: &Request) -> Result<(String, Option<Value>), Refusal> {
    let text = request.text("text").unwrap_or_default();
    let blocks = request.json("blocks");
    if text.trim().is_empty() && blocks.is_none() {
        return Err("no_text".into());
    }
    if text.chars().count() > MOST_CHARACTERS {
        return Err("msg_too_long".into());
    }
    if let Some(blocks) = &blocks {
        blocks::check(blocks, 50).map_err(|why| Refusal::Invalid("invalid_blocks", why))?;
    }
    Ok((text.to_owned(), blocks))
}

fn is_metadata(metadata: &Value) -> bool {
    metadata["event_type"].is_string() && metadata["event_payload"].is_object()
}
