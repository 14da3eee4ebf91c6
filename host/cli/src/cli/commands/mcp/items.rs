//! The tools for items of the ledger.

use anyhow::Context as _;
use myao_bot::reading::items::{Wanted, changes_json, item_json, named, only_named};
use myao_plugin::state::items::{ItemFilter, StoredItem};
use myao_plugin::ts::TsKey;
use myao_plugin::{Timestamp, names};
use serde_json::{Value, json};

use super::parameters::{ChangesParameters, ItemsParameters};
use super::tools::{Tools, when};
use crate::cli::app::Explained as _;
use crate::cli::dates::{beginning, last_second};
use crate::cli::find::find_channel;

impl Tools {
    pub(super) async fn items(&self, of: ItemsParameters) -> anyhow::Result<Value> {
        let kind = of.kind.map(|name| {
            names::item_kind_of(&name).with_context(|| {
                format!("no kind `{name}`: it is decision, task, question or fact")
            })
        });
        let until = of.as_of.map(|text| when("as_of", &text)).transpose()?;
        let wanted = Wanted {
            kinds: kind.transpose()?.into_iter().collect(),
            closed: of.closed,
            owner: of.owner.as_deref().map(only_named),
            since: None,
        };
        // The whole second counts.
        let until =
            until.map(|until| TsKey::first_of(last_second(&self.app, until).unix_seconds + 1));
        self.listed_items(of.channel.as_deref(), until, &wanted)
            .await
    }

    pub(super) async fn changed(&self, of: ChangesParameters) -> anyhow::Result<Value> {
        let since = beginning(&self.app, when("since", &of.since)?);
        let wanted = Wanted {
            closed: true,
            since: Some(TsKey::first_of(since.div_euclid(1000))),
            ..Wanted::default()
        };
        self.listed_items(of.channel.as_deref(), None, &wanted)
            .await
    }

    pub(super) async fn item(&self, name: &str) -> anyhow::Result<Value> {
        let id = named(name)
            .with_context(|| format!("`{name}` is no id of an item: take one of `list_items`"))?;
        let items = self.view.items(ItemFilter::default()).await.explained()?;
        let stored = items.into_iter().find(|stored| stored.id == id);
        let stored = stored.with_context(|| format!("there is no item `{name}`"))?;
        let mut shown = self.shown(&stored);
        let changes = changes_json(&stored, self.address.as_deref(), |seconds| {
            self.local(seconds)
        });
        if let Some(shown) = shown.as_object_mut() {
            shown.insert("changes".to_owned(), changes);
        }
        Ok(shown)
    }

    async fn listed_items(
        &self,
        channel: Option<&str>,
        until: Option<TsKey>,
        wanted: &Wanted,
    ) -> anyhow::Result<Value> {
        let channel_id = match channel {
            Some(channel) => Some(find_channel(&*self.view, channel).await?.id),
            None => None,
        };
        let filter = ItemFilter { channel_id, until };
        let mut items = self.view.items(filter).await.explained()?;
        wanted.choose(&mut items);
        let items = items.iter().map(|stored| self.shown(stored));
        Ok(json!({ "items": items.collect::<Value>() }))
    }

    fn shown(&self, stored: &StoredItem) -> Value {
        item_json(stored, self.address.as_deref(), |seconds| {
            self.local(seconds)
        })
    }

    fn local(&self, seconds: i64) -> Timestamp {
        self.app.local_time(seconds)
    }
}
