//! Items of the ledger, as people and agents name, choose and read them.

use myao_plugin::state::items::{Change, ChangedBy, ItemId, StoredItem};
use myao_plugin::ts::TsKey;
use myao_plugin::{ItemKind, ItemState, Timestamp, User, names};
use serde_json::{Value, json};

use super::links::link;
use super::times::rfc3339;

/// The order in which kinds are shown: what can be done comes first.
pub const KINDS: [ItemKind; 4] = [
    ItemKind::Task,
    ItemKind::Question,
    ItemKind::Decision,
    ItemKind::Fact,
];

/// Which items somebody wants to see.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only these kinds; empty for all.
    pub kinds: Vec<ItemKind>,
    /// Those too that are done, dropped or superseded, or of which the state is not known.
    pub closed: bool,
    /// Only those of this person.
    pub owner: Option<User>,
    /// Only those that changed from then on.
    pub since: Option<TsKey>,
}

impl Wanted {
    /// Keeps what is wanted: by kind, then what is due first, then the newest.
    pub fn choose(&self, items: &mut Vec<StoredItem>) {
        items.retain(|stored| self.has(stored));
        let kind = |stored: &StoredItem| KINDS.iter().position(|kind| *kind == stored.id.kind);
        items.sort_by(|a, b| {
            let (due_a, due_b) = (&a.item.due, &b.item.due);
            let undated = due_a.is_none().cmp(&due_b.is_none());
            let due = undated.then_with(|| due_a.cmp(due_b));
            kind(a).cmp(&kind(b)).then(due).then(b.id.ts.cmp(&a.id.ts))
        });
    }

    fn has(&self, stored: &StoredItem) -> bool {
        let item = &stored.item;
        (self.kinds.is_empty() || self.kinds.contains(&item.kind))
            && (self.closed || item.state == ItemState::Open)
            && self
                .owner
                .as_ref()
                .is_none_or(|owner| item.owner.as_ref().is_some_and(|own| is_same(own, owner)))
            && self.since.is_none_or(|since| changed_at(stored) >= since)
    }
}

/// Somebody of whom only the name is known.
#[must_use]
pub fn only_named(name: &str) -> User {
    User {
        id: String::new(),
        name: name.trim_start_matches('@').to_owned(),
        is_bot: false,
    }
}

/// By the id, or by the name where one of the two is only named. An id may stand for the name.
fn is_same(owner: &User, person: &User) -> bool {
    if owner.id.is_empty() || person.id.is_empty() {
        let is_id = !owner.id.is_empty() && owner.id == person.name;
        is_id || owner.name.to_lowercase() == person.name.to_lowercase()
    } else {
        owner.id == person.id
    }
}

/// When an item was noted, or changed last.
fn changed_at(stored: &StoredItem) -> TsKey {
    let changes = stored.changes.iter().map(|changed| changed.at);
    changes.fold(stored.id.ts, TsKey::max)
}

/// The name of an item at the command line and for agents: `C0123:1709287200.000100/task`, with `/8` behind it if the title begins
/// at the character 8 of the message.
#[must_use]
pub fn name_of(id: &ItemId) -> String {
    let ItemId {
        channel_id,
        ts,
        kind,
        start,
    } = id;
    let kind = names::item_kind(*kind);
    match start {
        0 => format!("{channel_id}:{ts}/{kind}"),
        start => format!("{channel_id}:{ts}/{kind}/{start}"),
    }
}

/// The item with a name. Returns `None` if the text does not name an item.
#[must_use]
pub fn named(text: &str) -> Option<ItemId> {
    let (message, rest) = text.split_once('/')?;
    let (channel_id, ts) = message.rsplit_once(':')?;
    let (kind, start) = rest.split_once('/').unwrap_or((rest, "0"));
    Some(ItemId {
        channel_id: channel_id.to_owned(),
        ts: TsKey::parse(ts).ok()?,
        kind: names::item_kind_of(kind)?,
        start: start.parse().ok()?,
    })
}

/// An item for agents and programs. `time` gives the local time of a message or of a change.
#[must_use]
pub fn item_json(
    stored: &StoredItem,
    address: Option<&str>,
    time: impl Fn(i64) -> Timestamp,
) -> Value {
    let item = &stored.item;
    json!({
        "id": name_of(&stored.id),
        "kind": names::item_kind(item.kind),
        "text": item.title.text,
        "state": names::item_state(item.state),
        "owner": item.owner.as_ref().map(|owner| &owner.name),
        "due": item.due,
        "author": item.title.user.name,
        "time": rfc3339(item.title.timestamp),
        "channel_name": stored.channel_name,
        "permalink": link(&item.title.span.message, address),
        "changed": rfc3339(time(changed_at(stored).unix_seconds())),
    })
}

/// The changes of an item, oldest first.
#[must_use]
pub fn changes_json(
    stored: &StoredItem,
    address: Option<&str>,
    time: impl Fn(i64) -> Timestamp,
) -> Value {
    let changes = stored.changes.iter().map(|changed| {
        let (field, value) = match &changed.change {
            Change::State(state) => ("state", Some(names::item_state(*state).to_owned())),
            Change::Owner(owner) => ("owner", owner.as_ref().map(|owner| owner.name.clone())),
            Change::Due(due) => ("due", due.clone()),
        };
        let (person, message) = match &changed.by {
            ChangedBy::Person(user) => (Some(&user.name), None),
            ChangedBy::Message(ts) => (None, Some(ts.to_string())),
        };
        let message = message.map(|ts| myao_plugin::MessageRef {
            channel_id: stored.id.channel_id.clone(),
            ts,
        });
        json!({
            "time": rfc3339(time(changed.at.unix_seconds())),
            field: value,
            "by": person,
            "message": message.as_ref().map(|message| &message.ts),
            "permalink": message.as_ref().and_then(|message| link(message, address)),
        })
    });
    changes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_the_same_by_id_or_by_name_alone() {
        let user = |id: &str, name: &str| User {
            id: id.to_owned(),
            name: name.to_owned(),
            is_bot: false,
        };
        for owner in [user("U1", "Aki"), user("", "aki")] {
            assert!(is_same(&owner, &only_named("@Aki")), "{owner:?}");
            assert!(!is_same(&owner, &user("U2", "")), "{owner:?}");
        }
        assert!(is_same(&user("U1", "Aki"), &only_named("U1")));
    }

    #[test]
    fn an_item_is_named_and_found_by_its_name() {
        for name in ["C1:1709287200.000100/task", "C1:1709287200.000100/fact/12"] {
            assert_eq!(named(name).map(|id| name_of(&id)).as_deref(), Some(name));
        }
        for name in [
            "C1:1709287200.000100",
            "C1/task",
            "C1:1709287200.000100/thing",
            "C1:x/task",
            "",
        ] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
