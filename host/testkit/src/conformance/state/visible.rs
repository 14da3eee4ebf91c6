//! What a workspace shows of the effects that it applied.

use myao_plugin::Place;
use std::fmt::Write as _;

use myao_plugin::state::Workspace;
use myao_plugin::storage::{DueQuery, Keep, MessageQuery};
use myao_plugin::ts::TsKey;

/// Everything that a workspace shows of these channels and users, and of their messages up to a second, as text. Two
/// stores to which the same effects were applied return the same text.
///
/// # Panics
/// If a call fails.
pub(super) async fn visible(
    workspace: &dyn Workspace,
    channels: &[&str],
    users: &[&str],
    until: i64,
) -> String {
    let mut out = String::new();
    let (first, last) = (TsKey::first_of(0), TsKey::first_of(until));
    for id in users {
        line(&mut out, &workspace.known_user(id).await);
    }
    line(
        &mut out,
        &workspace.at(Place::Operator).list_channels().await,
    );
    for id in channels {
        let known = workspace.known_channel(id).await.unwrap();
        line(&mut out, &known);
        line(&mut out, &workspace.members(id).await);
        if known.is_none() {
            continue;
        }
        let query = MessageQuery {
            channel_id: (*id).to_owned(),
            since: None,
            until: last.to_string(),
            limit: 1000,
            keep: Keep::Newest,
            whole_thread: None,
            thread_limit: 0,
            only_new: false,
        };
        line(
            &mut out,
            &workspace.at(Place::Operator).list_messages(query).await,
        );
        line(&mut out, &workspace.messages_between(id, first, last).await);
        let storage = workspace.at(Place::Operator);
        let marked = storage.list_marked((*id).to_owned(), last.to_string(), 1000);
        line(&mut out, &marked.await);
        for second in 0..=until {
            let thread = (second > 0).then(|| TsKey::first_of(second).to_string());
            let storage = workspace.at(Place::Operator);
            let backlog = storage.get_backlog((*id).to_owned(), thread, last.to_string());
            line(&mut out, &backlog.await);
        }
    }
    line(&mut out, &workspace.channels_of_unknown_audience().await);
    line(&mut out, &workspace.members_of_unknown_standing(1000).await);
    let due = DueQuery {
        until: last.to_string(),
        window_start: first.to_string(),
        idle_since: last.to_string(),
        message_threshold: 1,
        always: true,
    };
    line(&mut out, &workspace.at(Place::Operator).list_due(due).await);
    // Replies that were requested at the same time have no fixed order.
    let mut replies = workspace.list_replies(None, 1000).await.unwrap();
    replies.sort_by(|a, b| (&a.channel_id, a.ts).cmp(&(&b.channel_id, b.ts)));
    line(&mut out, &replies);
    let mut waiting = workspace.waiting_replies(until, 1000).await.unwrap();
    waiting.sort_by(|a, b| (&a.channel_id, a.ts).cmp(&(&b.channel_id, b.ts)));
    line(&mut out, &waiting);
    line(&mut out, &workspace.unanswered(until, 0).await);
    line(&mut out, &workspace.oldest_new_message().await);
    line(&mut out, &workspace.newest_message(last).await);
    out
}

fn line(out: &mut String, value: &impl std::fmt::Debug) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{value:?}");
}
