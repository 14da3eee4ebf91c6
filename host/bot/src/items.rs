//! Items of the ledger in Slack: `/memory open` and `/memory decisions`, the Home tab, and the menu of an item.

use futures::StreamExt as _;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::items::{Change, ItemFilter, StoredItem};
use myao_plugin::ts::TsKey;
use myao_plugin::{ItemKind, ItemState, Place, User};
use myao_slack::blocks::{ItemChoice, ItemLine, Source, item_changed, item_modal, nothing_to_undo};
use myao_slack::shortcut::{ChosenItem, SavedItem};

use super::reading::items::{Wanted, name_of, named, only_named};
use super::shortcuts::Shortcuts;
use super::views::{CALLS_IN_FLIGHT, Views, moment};

/// How many items the Home tab shows.
const ITEMS_AT_HOME: usize = 10;

/// The items that a command asks for.
pub(super) struct AskedItems<'a> {
    /// Who asks.
    pub(super) user_id: &'a str,
    /// The channel where they ask; `None` outside channels.
    pub(super) here: Option<&'a str>,
    /// `@somebody`, `#channel`, both, or nothing.
    pub(super) about: &'a str,
    pub(super) kinds: &'a [ItemKind],
}

impl Views {
    /// The items that somebody asks for and may see. `None` if the words are about something else than a person or a channel, or
    /// nothing was ever noted there: then messages are quoted.
    pub(super) async fn items(
        &self,
        asked: AskedItems<'_>,
    ) -> Result<Option<Vec<ItemLine>>, String> {
        let place = Place::Person(asked.user_id.to_owned());
        let (mut owner, mut channel_id) = (None, asked.here.map(str::to_owned));
        let (person, channel) = match asked.about.split_once('#') {
            Some((person, channel)) => (person.trim(), Some(channel.trim())),
            None => (asked.about.trim(), None),
        };
        if person.starts_with('@') {
            // By the name, as the command has it; names have spaces.
            owner = Some(only_named(person));
            channel_id = None;
        } else if !person.is_empty() {
            return Ok(None);
        }
        if let Some(name) = channel {
            let channels = self.workspace.view(place.clone()).channels().await;
            let mut channels = channels.map_err(explained)?.into_iter();
            let found = channels.find(|channel| channel.name == name);
            channel_id = Some(found.map(|channel| channel.id).unwrap_or_default());
        }
        let mut items = self.seen_items(place, channel_id.as_deref()).await?;
        if items.is_empty() {
            return Ok(None);
        }
        let wanted = Wanted {
            kinds: asked.kinds.to_vec(),
            owner,
            ..Wanted::default()
        };
        wanted.choose(&mut items);
        Ok(Some(self.item_lines(items).await))
    }

    /// The open tasks of a person, for the Home tab.
    pub(super) async fn items_of(&self, user_id: &str) -> Result<Vec<ItemLine>, String> {
        let wanted = Wanted {
            kinds: vec![ItemKind::Task],
            owner: Some(User {
                id: user_id.to_owned(),
                name: String::new(),
                is_bot: false,
            }),
            ..Wanted::default()
        };
        let mut items = self
            .seen_items(Place::Person(user_id.to_owned()), None)
            .await?;
        wanted.choose(&mut items);
        items.truncate(ITEMS_AT_HOME);
        Ok(self.item_lines(items).await)
    }

    async fn seen_items(
        &self,
        place: Place,
        channel_id: Option<&str>,
    ) -> Result<Vec<StoredItem>, String> {
        let items = self
            .workspace
            .view(place)
            .items(ItemFilter::default())
            .await;
        let mut items = items.map_err(explained)?;
        items.retain(|stored| channel_id.is_none_or(|id| stored.id.channel_id == id));
        Ok(items)
    }

    async fn item_lines(&self, items: Vec<StoredItem>) -> Vec<ItemLine> {
        let lines = futures::stream::iter(items).map(|stored| self.item_line(stored));
        lines.buffered(CALLS_IN_FLIGHT).collect().await
    }

    async fn item_line(&self, stored: StoredItem) -> ItemLine {
        let name = name_of(&stored.id);
        let (channel_id, ts) = (stored.id.channel_id, stored.id.ts.to_string());
        let link = self.chat.permalink(channel_id, ts).await;
        let item = stored.item;
        ItemLine {
            name,
            kind: item.kind,
            state: item.state,
            owner: item.owner.map(|owner| owner.name),
            due: item.due,
            channel: stored.channel_name,
            said: Source {
                at: moment(item.title.timestamp),
                author: item.title.user.name,
                text: item.title.text,
                permalink: link.ok(),
            },
        }
    }
}

impl Shortcuts {
    /// Changes an item for somebody who may see it, and shows what it is then.
    pub(super) async fn change_item(&self, chosen: ChosenItem) -> Result<(), String> {
        let of = (chosen.user_id.as_str(), chosen.channel_id.as_deref());
        let Some(stored) = self.seen_item(of.0, &chosen.item).await? else {
            return Ok(());
        };
        let state = match chosen.choice {
            ItemChoice::Done => Some(ItemState::Done),
            ItemChoice::Open => Some(ItemState::Open),
            ItemChoice::Dropped => Some(ItemState::Dropped),
            ItemChoice::Undo => None,
            ItemChoice::Details => return self.ask_details(&chosen, &stored).await,
        };
        let mut has_changed = true;
        match state {
            Some(state) => self.set(of.0, &stored, Change::State(state)).await?,
            None => {
                let undone = self.workspace.undo_item(stored.id).await;
                has_changed = undone.map_err(explained)?;
            }
        }
        self.show_item(of, &chosen.item, has_changed).await
    }

    /// Opens the window for owner and day. What it keeps is `CHANNEL ITEM`, with an empty channel for the Home tab.
    async fn ask_details(&self, chosen: &ChosenItem, stored: &StoredItem) -> Result<(), String> {
        let item = &stored.item;
        let owner = item.owner.as_ref().map(|owner| owner.id.as_str());
        let kept = format!(
            "{} {}",
            chosen.channel_id.as_deref().unwrap_or_default(),
            chosen.item
        );
        let language = self.current.settings().language;
        let view = item_modal(
            &item.title.text,
            (owner, item.due.as_deref()),
            &kept,
            language,
        );
        let opened = self.slack.client().open_modal(&chosen.trigger_id, &view);
        opened.await.map_err(|error| error.to_string())
    }

    /// Sets what differs of the owner and the day. An owner who is only named cannot be chosen in the window, and stays if nobody is.
    pub(super) async fn save_item(&self, saved: SavedItem) -> Result<(), String> {
        let Some((channel_id, name)) = saved.kept.split_once(' ') else {
            return Ok(());
        };
        let Some(stored) = self.seen_item(&saved.user_id, name).await? else {
            return Ok(());
        };
        let owner = stored.item.owner.as_ref().map(|owner| owner.id.clone());
        let mut changes = Vec::new();
        if saved.owner != owner.filter(|id| !id.is_empty()) {
            let owner = saved.owner.map(|id| User {
                id,
                name: String::new(),
                is_bot: false,
            });
            changes.push(Change::Owner(owner));
        }
        if saved.due != stored.item.due {
            changes.push(Change::Due(saved.due));
        }
        for change in changes {
            self.set(&saved.user_id, &stored, change).await?;
        }
        let channel_id = Some(channel_id).filter(|id| !id.is_empty());
        self.show_item((&saved.user_id, channel_id), name, true)
            .await
    }

    async fn set(&self, user_id: &str, stored: &StoredItem, change: Change) -> Result<(), String> {
        let at = TsKey::first_of(self.clock.seconds());
        let set = self
            .workspace
            .set_item(stored.id.clone(), change, user_id.to_owned(), at);
        set.await.map_err(explained)
    }

    /// An item by its name; `None` if there is none that the person may see.
    async fn seen_item(&self, user_id: &str, name: &str) -> Result<Option<StoredItem>, String> {
        let Some(id) = named(name) else {
            return Ok(None);
        };
        let place = Place::Person(user_id.to_owned());
        let seen = self.views.seen_items(place, Some(&id.channel_id)).await?;
        Ok(seen.into_iter().find(|stored| stored.id == id))
    }

    /// Shows an item to the person who changed it: at Home, or where they did.
    async fn show_item(
        &self,
        (user_id, channel_id): (&str, Option<&str>),
        name: &str,
        has_changed: bool,
    ) -> Result<(), String> {
        let Some(channel_id) = channel_id else {
            self.home.show(user_id.to_owned());
            return Ok(());
        };
        let Some(stored) = self.seen_item(user_id, name).await? else {
            return Ok(());
        };
        let line = self.views.item_line(stored).await;
        let language = self.current.settings().language;
        let text = match has_changed {
            true => item_changed(&line, language),
            false => nothing_to_undo(language).to_owned(),
        };
        let told = self.slack.whisper((channel_id, None), user_id, &text, None);
        told.await.map_err(|error| error.to_string())
    }
}

fn explained(error: myao_plugin::storage::StorageError) -> String {
    explain_storage(&error)
}
