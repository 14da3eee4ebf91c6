//! For whom the commands that show memories read.

use std::sync::Arc;

use myao_plugin::state::Workspace;
use myao_plugin::state::view::View;
use myao_plugin::{Place, Scope};

use super::find::find_channel;

/// The place of a channel, by its id or name; without one the operator's.
pub(super) async fn place(
    workspace: &dyn Workspace,
    in_channel: Option<&str>,
) -> anyhow::Result<Place> {
    let Some(channel) = in_channel else {
        return Ok(Place::Operator);
    };
    let view = workspace.view(Place::Operator);
    Ok(Place::Channel(find_channel(&*view, channel).await?.id))
}

/// A workspace as it is seen from a place.
pub(super) struct Seen<'w> {
    pub(super) workspace: &'w dyn Workspace,
    pub(super) view: Arc<dyn View>,
    place: Place,
}

impl<'w> Seen<'w> {
    /// As the operator sees it: whoever may read the database file.
    pub(super) fn by_operator(workspace: &'w dyn Workspace) -> Self {
        Self::from(workspace, Place::Operator)
    }

    /// As everybody in this channel may see it.
    pub(super) async fn in_channel(
        workspace: &'w dyn Workspace,
        channel: &str,
    ) -> anyhow::Result<Self> {
        Ok(Self::from(
            workspace,
            place(workspace, Some(channel)).await?,
        ))
    }

    fn from(workspace: &'w dyn Workspace, place: Place) -> Self {
        Self {
            workspace,
            view: workspace.view(place.clone()),
            place,
        }
    }

    /// Returns true if deferrals and the cost of memories with this scope are shown.
    pub(super) fn owns(&self, scope: Scope, scope_id: &str) -> bool {
        self.place.owns(scope, scope_id)
    }
}
