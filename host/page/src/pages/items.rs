//! Items of the ledger, each with a form that changes it.

use maud::{Markup, html};
use myao_bot::reading::items::{Wanted, item_json, name_of, named};
use myao_plugin::state::items::{Change, ItemFilter, ItemId, StoredItem};
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::ts::TsKey;
use myao_plugin::{Hit, ItemState, User, names};
use serde_json::Value;

use super::sourced::Sourced;
use crate::failure::Failure;
use crate::fields::Fields;
use crate::html::{channel_link, form, name, text, time};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

/// Items on a page that are not open any more: those that changed last.
const CLOSED: usize = 20;
/// The states that people set.
const STATES: [ItemState; 3] = [ItemState::Open, ItemState::Done, ItemState::Dropped];

/// The items of a page.
pub(super) struct Items {
    /// Where the forms go; `None` for the channel of each item.
    route: Option<Route>,
    token: String,
    open: Vec<StoredItem>,
    closed: Vec<StoredItem>,
    sourced: Sourced,
}

impl Items {
    /// The items of a channel.
    pub(super) async fn of_channel(reader: &Reader, id: &str) -> Result<Self, Failure> {
        let filter = ItemFilter {
            channel_id: Some(id.to_owned()),
            until: None,
        };
        Self::read(reader, filter, Wanted::default(), |_| true).await
    }

    /// The items of messages that were found, those of the best first.
    pub(super) async fn of_hits(reader: &Reader, hits: &[Hit]) -> Result<Self, Failure> {
        let rank = |id: &ItemId| {
            let of =
                |hit: &Hit| hit.at.channel_id == id.channel_id && hit.at.ts == id.ts.to_string();
            hits.iter().position(of)
        };
        let is_found = |id: &ItemId| rank(id).is_some();
        let mut items =
            Self::read(reader, ItemFilter::default(), Wanted::default(), is_found).await?;
        items.open.sort_by_key(|stored| rank(&stored.id));
        items.closed.sort_by_key(|stored| rank(&stored.id));
        Ok(items)
    }

    /// The items of somebody, wherever they are.
    pub(super) async fn of_person(reader: &Reader, person: User) -> Result<Self, Failure> {
        let wanted = Wanted {
            owner: Some(person),
            ..Wanted::default()
        };
        let items = Self::read(reader, ItemFilter::default(), wanted, |_| true).await?;
        Ok(Self {
            route: Some(Route::Me),
            ..items
        })
    }

    async fn read(
        reader: &Reader,
        filter: ItemFilter,
        wanted: Wanted,
        is_meant: impl Fn(&ItemId) -> bool,
    ) -> Result<Self, Failure> {
        let wanted = Wanted {
            closed: true,
            ..wanted
        };
        let view = reader.site.workspace.view(reader.place());
        let mut items = view.items(filter).await?;
        items.retain(|stored| is_meant(&stored.id));
        wanted.choose(&mut items);
        let is_open = |stored: &StoredItem| stored.item.state == ItemState::Open;
        let (open, mut closed): (Vec<_>, Vec<_>) = items.into_iter().partition(is_open);
        closed.sort_by_cached_key(|stored| {
            std::cmp::Reverse(TsKey::parse(&stored.item.state_since).ok())
        });
        closed.truncate(CLOSED);
        Ok(Self {
            route: None,
            token: reader.token().to_owned(),
            open,
            closed,
            sourced: Sourced::of(reader),
        })
    }

    pub(super) fn json(&self) -> Value {
        let all = self.open.iter().chain(&self.closed);
        let time = |seconds| self.sourced.local(TsKey::first_of(seconds));
        all.map(|stored| item_json(stored, None, time)).collect()
    }

    /// Those that are open, and the others folded; nothing if there are none.
    pub(super) fn html(&self, language: Language) -> Markup {
        html! {
            @if !self.open.is_empty() || !self.closed.is_empty() {
                h2 id="items" { (texts::ITEMS.of(language)) }
                ul class="messages" {
                    @for stored in &self.open { li { (self.item(stored, language)) } }
                }
            }
            @if !self.closed.is_empty() {
                details {
                    summary { (texts::CLOSED_ITEMS.of(language)) " (" (self.closed.len()) ")" }
                    ul class="messages" {
                        @for stored in &self.closed { li { (self.item(stored, language)) } }
                    }
                }
            }
        }
    }

    fn item(&self, stored: &StoredItem, language: Language) -> Markup {
        let item = &stored.item;
        let said = &item.title;
        let channel = || Route::channel(&stored.id.channel_id);
        let route = self.route.clone().unwrap_or_else(channel);
        html! {
            (text(&said.text))
            p class="by" {
                strong { (texts::item_kind(item.kind).of(language)) }
                @if item.state != ItemState::Open { " · " (texts::item_state(item.state).of(language)) }
                @if let Some(owner) = &item.owner { " · " (name(&owner.name)) }
                @if let Some(due) = &item.due { " · " (texts::due(due, language)) }
                " · " (name(&said.user.name)) " " (time(said.timestamp)) " "
                (channel_link(&stored.id.channel_id, &stored.channel_name)) " "
                (self.sourced.links.to(&said.span.message, language))
            }
            details {
                summary { (texts::CHANGE_ITEM.of(language)) }
                (form(&route, &self.token, &fields(stored, language)))
            }
        }
    }
}

fn fields(stored: &StoredItem, language: Language) -> Markup {
    let (item, id) = (&stored.item, name_of(&stored.id));
    let field = |of: &str| format!("{of}-{id}");
    let owner = item.owner.as_ref().map_or("", |owner| owner.name.as_str());
    html! {
        input type="hidden" name="item" value=(id);
        p class="field" {
            label for=(field("state")) { (texts::STATE.of(language)) }
            select id=(field("state")) name="state" {
                @if !STATES.contains(&item.state) {
                    option value="" selected { (texts::item_state(item.state).of(language)) }
                }
                @for state in STATES {
                    option value=(names::item_state(state)) selected[state == item.state] {
                        (texts::item_state(state).of(language))
                    }
                }
            }
        }
        p class="field grow" {
            label for=(field("owner")) { (texts::OWNER.of(language)) }
            input id=(field("owner")) name="owner" value=(owner) maxlength="100" autocomplete="off";
        }
        p class="field" {
            label for=(field("due")) { (texts::DUE.of(language)) }
            input id=(field("due")) name="due" type="date" value=[item.due.as_deref()];
        }
        p class="field" { button name="do" value="item" { (texts::CHANGE_ITEM.of(language)) } }
        p class="field" { button name="do" value="undo-item" { (texts::UNDO_ITEM.of(language)) } }
    }
}

/// Carries out the form of an item that the visitor sees.
pub(crate) async fn change(reader: &Reader, what: &str, form: &mut Fields) -> Result<(), Failure> {
    let id = named(&form.take("item")).ok_or(Failure::Form)?;
    let filter = ItemFilter {
        channel_id: Some(reader.channel(&id.channel_id).await?.id),
        until: None,
    };
    let view = reader.site.workspace.view(reader.place());
    let seen = view.items(filter).await?;
    let stored = seen.into_iter().find(|stored| stored.id == id);
    let stored = stored.ok_or(Failure::Form)?;
    let workspace = reader.changed();
    if what == "undo-item" {
        workspace.undo_item(id).await?;
        return Ok(());
    }
    let person = reader.visitor().person();
    let by = person.map_or(OPERATOR_ID, |person| person.id.as_str());
    let at = TsKey::first_of(reader.site.clock.seconds());
    for change in changes(reader, &stored, form).await? {
        let id: ItemId = id.clone();
        workspace.set_item(id, change, by.to_owned(), at).await?;
    }
    Ok(())
}

/// The parts of an item that a form has otherwise.
async fn changes(
    reader: &Reader,
    stored: &StoredItem,
    form: &mut Fields,
) -> Result<Vec<Change>, Failure> {
    let item = &stored.item;
    let mut changes = Vec::new();
    let state = names::item_state_of(&form.take("state"));
    let state = state.filter(|state| STATES.contains(state) && *state != item.state);
    changes.extend(state.map(Change::State));
    let owner = form.take("owner");
    if owner != item.owner.as_ref().map_or("", |owner| &owner.name) {
        let users = reader.site.workspace.users().await?.into_iter();
        let mut known = users.filter(|user| !user.is_bot && user.name == owner);
        let named = |id: String| User {
            id,
            name: owner.clone(),
            is_bot: false,
        };
        // Of several people with the name none is meant for sure.
        let id = known.next().filter(|_| known.next().is_none());
        let owned = named(id.map(|user| user.id).unwrap_or_default());
        changes.push(Change::Owner((!owner.is_empty()).then_some(owned)));
    }
    let due = form.take("due");
    let is_day = due.is_empty() || chrono::NaiveDate::parse_from_str(&due, "%Y-%m-%d").is_ok();
    if !is_day {
        return Err(Failure::Form);
    }
    if due != item.due.as_deref().unwrap_or_default() {
        changes.push(Change::Due((!due.is_empty()).then_some(due)));
    }
    Ok(changes)
}
