//! Workspaces to check.

use std::sync::Arc;

use myao_plugin::Place;
use myao_plugin::state::Workspace;
use myao_plugin::state::import::ImportTarget;
use myao_plugin::storage::Storage;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;

use crate::conformance::{Fixture, Records};

/// A workspace to check, with everything that it needs to exist, such as the folder of its file.
pub trait WorkspaceFixture: Send + Sync {
    /// The workspace.
    fn workspace(&self) -> &(dyn Workspace + 'static);

    /// The target of imports into the workspace.
    fn import_target(&self) -> &dyn ImportTarget;
}

/// Creates empty workspaces.
pub type New<'a> = &'a (dyn Fn() -> Box<dyn WorkspaceFixture> + Sync);

/// A workspace that is filled by imports.
pub struct ByImport<F>(pub F);

#[async_trait::async_trait]
impl<F: WorkspaceFixture> Fixture for ByImport<F> {
    fn storage(&self) -> Arc<dyn Storage> {
        self.0.workspace().at(Place::Operator)
    }

    async fn add(&self, records: Records) {
        import(&self.0, &records).await;
    }

    async fn delete(&self, channel_id: &str, ts: TsKey) {
        delete(self.0.workspace(), channel_id, ts).await;
    }
}

/// A workspace that is filled by events. Records for which there are no events are imported.
pub struct ByEvents<F>(pub F);

#[async_trait::async_trait]
impl<F: WorkspaceFixture> Fixture for ByEvents<F> {
    fn storage(&self) -> Arc<dyn Storage> {
        self.0.workspace().at(Place::Operator)
    }

    async fn add(&self, records: Records) {
        let memories = Records {
            memories: records.memories.clone(),
            ..Records::default()
        };
        let effects = effects_of(records, TsKey::first_of(1));
        let workspace = self.0.workspace();
        workspace.apply_effects(effects, 1).await.unwrap();
        import(&self.0, &memories).await;
    }

    async fn delete(&self, channel_id: &str, ts: TsKey) {
        delete(self.0.workspace(), channel_id, ts).await;
    }
}

/// The events that bring records, but for memories, at a time: users are members, and the bot is in the channels.
#[must_use]
pub fn effects_of(records: Records, at: TsKey) -> Vec<Effect> {
    let mut effects = Vec::new();
    for record in records.users {
        let changed_at = 1;
        effects.push(Effect::Guest {
            user_id: record.id.clone(),
            is_guest: false,
            at,
        });
        effects.push(Effect::User { record, changed_at });
    }
    for channel in records.channels {
        let id = channel.id;
        effects.push(Effect::ChannelPresence {
            id: id.clone(),
            present: true,
            at,
        });
        effects.push(Effect::ChannelName {
            id: id.clone(),
            name: channel.name,
            is_private: channel.facts.is_private,
            at,
        });
        effects.push(Effect::ChannelShared {
            id: id.clone(),
            is_shared: channel.facts.is_shared,
            at,
        });
        let no_guests = channel.facts.has_guests == Some(false);
        effects.push(Effect::ChannelMembers {
            id,
            members: no_guests.then(Vec::new),
            at,
        });
    }
    for record in records.messages {
        let changed = record.changed();
        effects.push(Effect::Message { record, changed });
    }
    effects
}

async fn import(fixture: &dyn WorkspaceFixture, records: &Records) {
    let mut import = fixture
        .import_target()
        .begin_import(super::IMPORTED_AT)
        .await
        .unwrap();
    records.write(&mut *import).unwrap();
    import.commit().unwrap();
}

async fn delete(workspace: &dyn Workspace, channel_id: &str, ts: TsKey) {
    let deleted = Effect::MessageDeleted {
        channel_id: channel_id.into(),
        ts,
        at: ts,
    };
    workspace.apply_effects(vec![deleted], 1).await.unwrap();
}
