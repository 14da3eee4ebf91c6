//! For whom the commands that show memories read.

use std::sync::Arc;

use myao_plugin::state::Workspace;
use myao_plugin::state::view::View;
use myao_plugin::{Place, Scope};

use super::find::find_channel;

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
        let view = workspace.view(Place::Operator);
        let id = find_channel(&*view, channel).await?.id;
        Ok(Self::from(workspace, Place::Channel(id)))
    }

    fn from(workspace: &'w dyn Workspace, place: Place) -> Self {
        Self {
            workspace,
            view: workspace.view(place.clone()),
            place,
        }
    }

    /// Whether deferrals and the cost of memories with this scope are shown.
    pub(super) fn owns(&self, scope: Scope, scope_id: &str) -> bool {
        self.place.owns(scope, scope_id)
    }
}
