//! Finds the newest memories, and names their subjects.

use anyhow::bail;
use myao_bot::reading::memories;
use myao_plugin::printable::line;
use myao_plugin::state::view::{MemoryFilter, StoredMemory, View};
use myao_plugin::ts::TsKey;
use myao_plugin::{Scope, WORKSPACE_SCOPE_ID, names};

use super::app::{App, Explained as _};
use super::find::find_channel;

/// The newest version of each memory, followed by its stand-in; they are ordered by version. The retired short-term
/// memory of a workspace is kept, and shown only on request.
pub(super) async fn newest(
    app: &App,
    view: &dyn View,
    filter: &MemoryFilter,
) -> anyhow::Result<Vec<StoredMemory>> {
    let memories = view.memories(filter.clone()).await.explained()?;
    let keeps_retired = app.config.keeps_retired();
    Ok(memories::newest(memories, keeps_retired))
}

/// The newest memories of a scope; an error if there are none.
pub(super) async fn newest_of(
    app: &App,
    view: &dyn View,
    scope: Scope,
    scope_id: &str,
) -> anyhow::Result<Vec<StoredMemory>> {
    let filter = MemoryFilter {
        scope: Some(scope),
        scope_id: Some(scope_id.to_owned()),
        with_text: true,
        ..MemoryFilter::default()
    };
    let memories = newest(app, view, &filter).await?;
    if memories.is_empty() {
        let list = app.command("memory list");
        bail!("nothing is remembered of {scope_id} yet; `{list}` shows what there is");
    }
    Ok(memories)
}

/// Finds the scope for a scope id or for the name of a channel.
pub(super) async fn resolve(view: &dyn View, scope_id: &str) -> anyhow::Result<(Scope, String)> {
    // `list` shows the workspace by its scope.
    if [WORKSPACE_SCOPE_ID, names::scope(Scope::Workspace)].contains(&scope_id) {
        return Ok((Scope::Workspace, WORKSPACE_SCOPE_ID.to_owned()));
    }
    if let Some((channel, thread)) = scope_id.split_once(':') {
        let channel = find_channel(view, channel).await?.id;
        TsKey::parse(thread)?;
        return Ok((Scope::Thread, format!("{channel}:{thread}")));
    }
    Ok((Scope::Channel, find_channel(view, scope_id).await?.id))
}

/// The subject of a memory, as `list` shows it.
pub(super) fn place_of(stored: &StoredMemory) -> String {
    let memory = &stored.memory;
    let name = stored.channel_name.as_deref();
    place(memory.scope, &memory.scope_id, name)
}

/// `#general`, `#general:1709280000.000001` or `workspace`.
pub(super) fn place(scope: Scope, scope_id: &str, channel_name: Option<&str>) -> String {
    let place = match (scope, channel_name.filter(|name| !name.is_empty())) {
        (Scope::Workspace, _) => "workspace".to_owned(),
        (Scope::Channel, Some(name)) => format!("#{name}"),
        (Scope::Thread, Some(name)) => {
            let thread = scope_id.rsplit_once(':').map_or("", |(_, thread)| thread);
            format!("#{name}:{thread}")
        }
        (_, None) => scope_id.to_owned(),
    };
    line(&place).into_owned()
}
