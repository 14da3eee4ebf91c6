//! `conversations.list`, `conversations.info` and `conversations.members`.

use serde_json::{Value, json};

use super::page::{self, Page};
use super::{Answer, Refusal, require};
use crate::bot::Request;
use crate::shapes;
use crate::state::State;
use crate::world::{Channel, ChannelKind};

/// `conversations.list`, by id. As in Slack, archived channels are left out of a page after it was cut, so a page may
/// be short or empty although there are more.
pub(crate) fn list(state: &State, request: &Request) -> Answer {
    listed(state, request, |_| true)
}

/// `users.conversations`: the same, of those that a user is in.
pub(crate) fn of_user(state: &State, request: &Request) -> Answer {
    let user = request.text("user").ok_or("invalid_arguments")?;
    if !state.world.users.contains_key(user) {
        return Err("user_not_found".into());
    }
    listed(state, request, |channel| channel.members.contains(user))
}

fn listed(state: &State, request: &Request, is_meant: impl Fn(&Channel) -> bool) -> Answer {
    let mut kinds = Vec::new();
    for name in request.text("types").unwrap_or("public_channel").split(',') {
        let (kind, scope) = match name.trim() {
            "public_channel" => (ChannelKind::Public, "channels:read"),
            "private_channel" => (ChannelKind::Private, "groups:read"),
            "im" => (ChannelKind::Direct, "im:read"),
            "mpim" => (ChannelKind::Group, "mpim:read"),
            _ => return Err("invalid_types".into()),
        };
        require(state, scope)?;
        kinds.push(kind);
    }
    let page = Page::read(state, request, "channel", 100, 1000)?;
    let visible = |channel: &Channel| {
        kinds.contains(&channel.kind) && is_visible(channel) && is_meant(channel)
    };
    let channels = state
        .world
        .channels
        .iter()
        .filter(|(_, channel)| visible(channel));
    let (channels, next) = page::by_id(&page, channels);
    let without_archived = request.flag("exclude_archived");
    let shown = channels
        .into_iter()
        .filter(|channel| !(without_archived && channel.archived));
    let shown: Vec<Value> = shown.map(shapes::channel).collect();
    Ok(json!({ "channels": shown, "response_metadata": page::next_cursor("channel", next) }))
}

/// `conversations.info`.
pub(crate) fn info(state: &State, request: &Request) -> Answer {
    let channel = visible(state, request)?;
    require(state, read_scope(channel))?;
    let mut shape = shapes::channel(channel);
    if !request.flag("include_num_members")
        && let Some(fields) = shape.as_object_mut()
    {
        fields.shift_remove("num_members");
    }
    Ok(json!({ "channel": shape }))
}

/// `conversations.members`, by id.
pub(crate) fn members(state: &State, request: &Request) -> Answer {
    let channel = visible(state, request)?;
    require(state, read_scope(channel))?;
    let page = Page::read(state, request, "user", 100, 1000)?;
    let (members, next) = page::by_id(&page, channel.members.iter().map(|id| (id, id)));
    Ok(json!({ "members": members, "response_metadata": page::next_cursor("user", next) }))
}

/// The channel that a call names, if the bot may know of it.
pub(crate) fn visible<'state>(
    state: &'state State,
    request: &Request,
) -> Result<&'state Channel, Refusal> {
    let channel = request
        .text("channel")
        .and_then(|id| state.world.channels.get(id));
    let channel = channel.filter(|channel| is_visible(channel));
    Ok(channel.ok_or("channel_not_found")?)
}

fn is_visible(channel: &Channel) -> bool {
    channel.kind == ChannelKind::Public || channel.has_bot()
}

fn read_scope(channel: &Channel) -> &'static str {
    match channel.kind {
        ChannelKind::Public => "channels:read",
        ChannelKind::Private => "groups:read",
        ChannelKind::Direct => "im:read",
        ChannelKind::Group => "mpim:read",
    }
}
