//! `users.*`, `views.publish` and `views.open`.

use serde_json::{Value, json};

use super::page::{self, Page};
use super::{Answer, Refusal, require};
use crate::bot::Request;
use crate::state::State;
use crate::{APP_ID, TEAM_ID, blocks, shapes};

/// `users.info`.
pub(crate) fn info(state: &State, request: &Request) -> Answer {
    require(state, "users:read")?;
    let user = request
        .text("user")
        .and_then(|id| state.world.users.get(id));
    let user = user.ok_or("user_not_found")?;
    Ok(json!({ "user": shapes::user(user) }))
}

/// `users.list`, by id; everybody at once if no limit is given.
pub(crate) fn list(state: &State, request: &Request) -> Answer {
    require(state, "users:read")?;
    let page = Page::read(state, request, "user", usize::MAX, 1000)?;
    // Slack lists nobody of other workspaces.
    let own = state.world.users.iter().filter(|(_, user)| user.is_own());
    let (users, next) = page::by_id(&page, own);
    let members: Vec<Value> = users.into_iter().map(shapes::user).collect();
    Ok(json!({
        "members": members, "cache_ts": state.clock.last().seconds(),
        "response_metadata": page::next_cursor("user", next),
    }))
}

/// `views.publish`: the App Home of one user.
pub(crate) fn publish(state: &mut State, request: &Request) -> Answer {
    let user = request
        .text("user_id")
        .ok_or("invalid_arguments")?
        .to_owned();
    if !state.world.users.contains_key(&user) {
        return Err("user_not_found".into());
    }
    let mut view = request.json("view").ok_or("invalid_arguments")?;
    if view["type"] != "home" {
        return Err("invalid_arguments".into());
    }
    blocks::check(&view["blocks"], 100)
        .map_err(|why| Refusal::Invalid("invalid_arguments", why))?;
    view["id"] = format!("V{user}").into();
    view["team_id"] = TEAM_ID.into();
    view["app_id"] = APP_ID.into();
    state.bot.views.insert(user, view.clone());
    Ok(json!({ "view": view }))
}

/// `views.open`: a window, for the person whose action gave the `trigger_id`; of use once.
pub(crate) fn open(state: &mut State, request: &Request) -> Answer {
    let trigger = request.text("trigger_id").ok_or("invalid_arguments")?;
    let user = state.bot.triggers.remove(trigger);
    let user = user.ok_or("expired_trigger_id")?;
    let view = request.json("view").ok_or("invalid_arguments")?;
    let title = view["title"]["text"].as_str().unwrap_or_default();
    if view["type"] != "modal" || title.is_empty() || title.chars().count() > 24 {
        return Err("invalid_arguments".into());
    }
    blocks::check(&view["blocks"], 100)
        .map_err(|why| Refusal::Invalid("invalid_arguments", why))?;
    state.bot.modals.push((user, view.clone()));
    Ok(json!({ "view": view }))
}
