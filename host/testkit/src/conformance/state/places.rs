//! What is seen from a place, and what is set aside when a channel's audience changes.

use std::collections::BTreeSet;

use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::{
    ChannelFilter, DueQuery, Memory, MemoryDraft, MemoryId, MemoryQuery, MessageQuery, SaveMode,
    StorageError,
};
use myao_plugin::{MemoryType, Place, Scope};

use super::{New, Stored, draft, key, present, public};
use crate::conformance::{Records, WORKSPACE, imported, message, read};

/// A public channel `A`, another public one `B`, and a private one `P`, each with two messages.
pub(super) async fn stored(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    let mut effects = Vec::new();
    for (id, is_private) in [("A", false), ("B", false), ("P", true)] {
        effects.push(present(id, true, "1.0"));
        effects.extend(public(id, "1.0"));
        effects.push(audience(id, is_private, "2.0"));
        for ts in ["10.0", "20.0"] {
            let record = message(id, ts);
            let changed = record.ts;
            effects.push(Effect::Message { record, changed });
        }
    }
    stored.apply(&effects).await;
    stored
}

pub(super) fn audience(id: &str, is_private: bool, at: &str) -> Effect {
    Effect::ChannelName {
        id: id.into(),
        name: id.to_lowercase(),
        is_private: Some(is_private),
        at: key(at),
    }
}

fn channel(id: &str) -> Place {
    Place::Channel(id.to_owned())
}

fn everything() -> MemoryQuery {
    MemoryQuery {
        until: None,
        workspace: true,
        channels: ChannelFilter::All,
        history_limit: 10,
        unmerged: true,
        threads: Vec::new(),
        citations: false,
    }
}

async fn seen(stored: &Stored, place: Place) -> Vec<String> {
    let memories = stored.at(place).list_memories(everything()).await.unwrap();
    memories.into_iter().map(|memory| memory.content).collect()
}

async fn channels(stored: &Stored, place: Place) -> Vec<String> {
    let channels = stored.at(place).list_channels().await.unwrap();
    channels.into_iter().map(|channel| channel.id).collect()
}

/// Saves a memory of a channel, as a call there that was given these memories.
async fn save(
    stored: &Stored,
    id: &str,
    content: &str,
    handed: &[&Memory],
) -> Result<Memory, StorageError> {
    let made = MemoryDraft {
        content: content.to_owned(),
        source_channel_id: id.to_owned(),
        source_messages: vec!["10.0".into()],
        source_latest_message_ts: Some("10.0".into()),
        ..draft(id)
    };
    let handed: BTreeSet<MemoryId> = handed.iter().map(|memory| memory.id).collect();
    stored.at(channel(id)).save_memory(made, handed).await
}

/// Saves the workspace's memory.
async fn merge(stored: &Stored, content: &str, handed: &[&Memory]) -> Result<Memory, StorageError> {
    let handed: BTreeSet<MemoryId> = handed.iter().map(|memory| memory.id).collect();
    let made = MemoryDraft {
        scope: Scope::Workspace,
        scope_id: WORKSPACE.to_owned(),
        memory_type: MemoryType::LongTerm,
        mode: SaveMode::Overwrite,
        content: content.to_owned(),
        merged_through: handed.last().copied(),
        ..draft("A")
    };
    stored.at(Place::Workspace).save_memory(made, handed).await
}

pub async fn place_sees_its_own_channel_and_what_is_open_elsewhere(new: New<'_>) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    save(&stored, "P", "of P", &[&a]).await.unwrap();
    merge(&stored, "of all", &[&a]).await.unwrap();
    assert_eq!(channels(&stored, channel("B")).await, ["A", "B"]);
    assert_eq!(channels(&stored, channel("P")).await, ["A", "B", "P"]);
    assert_eq!(channels(&stored, Place::Workspace).await, ["A", "B"]);
    assert_eq!(seen(&stored, channel("B")).await, ["of all", "of A"]);
    assert_eq!(
        seen(&stored, channel("P")).await,
        ["of all", "of A", "of P"]
    );
    assert_eq!(seen(&stored, Place::Workspace).await, ["of all", "of A"]);
    // A channel that is not known sees nothing.
    assert!(seen(&stored, channel("X")).await.is_empty());
    assert!(channels(&stored, Place::Schedule).await.is_empty());
    assert!(seen(&stored, Place::Schedule).await.is_empty());
    let one = MemoryQuery {
        channels: ChannelFilter::One("P".into()),
        ..everything()
    };
    let one = stored.at(channel("A")).list_memories(one).await.unwrap();
    assert!(one.iter().all(|memory| memory.scope_id != "P"));
}

pub async fn person_sees_the_channels_that_they_are_in(new: New<'_>) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    save(&stored, "P", "of P", &[]).await.unwrap();
    merge(&stored, "of all", &[&a]).await.unwrap();
    let guest = |user_id: &str, is_guest| Effect::Guest {
        user_id: user_id.into(),
        is_guest,
        at: key("3.0"),
    };
    let members = |id: &str, members: Option<&[&str]>, at: &str| Effect::ChannelMembers {
        id: id.into(),
        members: members.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect()),
        at: key(at),
    };
    stored
        .apply(&[
            guest("UIN", false),
            guest("UOUT", false),
            guest("UGUEST", true),
            members("P", Some(&["UIN", "UGUEST"]), "4.0"),
        ])
        .await;
    let person = |id: &str| Place::Person(id.to_owned());
    let texts = async |id: &str| {
        let filter = MemoryFilter {
            with_text: true,
            ..MemoryFilter::default()
        };
        let view = stored.view(person(id));
        let found = view.memories(filter).await.unwrap();
        let texts: Vec<String> = found
            .into_iter()
            .map(|stored| stored.memory.content)
            .collect();
        texts
    };
    assert_eq!(texts("UIN").await, ["of all", "of A", "of P"]);
    assert_eq!(texts("UOUT").await, ["of all", "of A"]);
    assert_eq!(texts("UGUEST").await, ["of P"]);
    assert!(texts("UNOBODY").await.is_empty());
    let shown = stored.view(person("UGUEST")).channels().await.unwrap();
    let ids: Vec<&str> = shown.iter().map(|channel| channel.id.as_str()).collect();
    assert_eq!(ids, ["P"]);
    // It is not a place where something is made.
    let refused = stored.at(person("UIN"));
    let made = refused.save_memory(draft("P"), BTreeSet::new()).await;
    assert!(matches!(made.unwrap_err(), StorageError::NotFound(_)));
    // Who is in a channel is not known any more, or the bot does not hear of deletions there.
    stored.apply(&[members("P", None, "5.0")]).await;
    assert_eq!(texts("UIN").await, ["of all", "of A"]);
    stored
        .apply(&[
            members("P", Some(&["UIN"]), "6.0"),
            present("P", false, "7.0"),
        ])
        .await;
    assert_eq!(texts("UIN").await, ["of all", "of A"]);
}

pub async fn channel_with_people_from_outside_sees_and_gives_its_own_talk_only(new: New<'_>) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    save(&stored, "B", "of both", &[&a]).await.unwrap();
    merge(&stored, "of all", &[&a]).await.unwrap();
    let shared = Effect::ChannelShared {
        id: "B".into(),
        is_shared: Some(true),
        at: key("30.0"),
    };
    stored.apply(&[shared]).await;
    assert_eq!(channels(&stored, channel("B")).await, ["B"]);
    assert!(seen(&stored, channel("B")).await.is_empty());
    let refused = save(&stored, "B", "of A again", &[&a]).await;
    assert!(
        matches!(refused, Err(StorageError::Conflict(_))),
        "{refused:?}"
    );
    save(&stored, "B", "of B", &[]).await.unwrap();
    assert_eq!(seen(&stored, channel("B")).await, ["of B"]);
    assert_eq!(seen(&stored, channel("A")).await, ["of all", "of A"]);
}

pub async fn view_of_a_place_shows_what_is_seen_there(new: New<'_>) {
    let stored = stored(new).await;
    let p = save(&stored, "P", "of P", &[]).await.unwrap();
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    let texts = async |place| {
        let filter = MemoryFilter {
            with_text: true,
            ..MemoryFilter::default()
        };
        let found = stored.view(place).memories(filter).await.unwrap();
        let texts = found.into_iter().map(|stored| stored.memory.content);
        texts.collect::<Vec<_>>()
    };
    assert_eq!(texts(Place::Workspace).await, ["of A"]);
    assert_eq!(texts(channel("A")).await, ["of A"]);
    assert_eq!(texts(channel("P")).await, ["of A", "of P"]);
    assert_eq!(texts(Place::Operator).await, ["of A", "of P"]);
    let (in_a, in_p) = (stored.view(channel("A")), stored.view(channel("P")));
    assert!(in_a.sources(p.id).await.is_err());
    assert!(in_p.sources(p.id).await.is_ok());
    let of_a = in_p.sources(a.id).await.unwrap();
    assert_eq!(of_a.messages.len(), 1);
}

pub async fn others_see_nothing_of_a_channel_that_the_bot_left(new: New<'_>) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    stored.apply(&[present("A", false, "30.0")]).await;
    let shown = |place| {
        let view = stored.view(place);
        async move {
            let memories = view.memories(MemoryFilter::default()).await.unwrap();
            let sources = view.sources(a.id).await.unwrap();
            (memories.len(), sources.messages.len())
        }
    };
    assert_eq!(shown(channel("A")).await, (1, 1));
    assert_eq!(shown(channel("B")).await, (0, 0));
    let one = MemoryQuery {
        channels: ChannelFilter::One("A".into()),
        ..everything()
    };
    for query in [one, everything()] {
        let seen = stored.at(channel("B")).list_memories(query).await;
        assert_eq!(seen, Ok(Vec::new()));
    }
}

pub async fn private_channel_that_the_bot_left_is_the_operators_until_it_is_read_again(
    new: New<'_>,
) {
    let stored = stored(new).await;
    save(&stored, "P", "of P", &[]).await.unwrap();
    let members = Effect::ChannelMembers {
        id: "P".into(),
        members: Some(vec!["UIN".into()]),
        at: key("4.0"),
    };
    stored.apply(&[members]).await;
    let seen = async || {
        let mut seen = Vec::new();
        for place in [channel("P"), Place::Person("UIN".into()), Place::Operator] {
            let view = stored.view(place);
            let memories = view.memories(MemoryFilter::default()).await.unwrap();
            seen.push(memories.len());
        }
        seen
    };
    let unread = async || {
        let unread = stored.unread_channels(9_999).await.unwrap();
        let unread = unread.into_iter();
        unread
            .map(|unread| (unread.channel_id, unread.since))
            .collect::<Vec<_>>()
    };
    assert_eq!(seen().await, [1, 1, 1]);
    stored.apply(&[present("P", false, "30.0")]).await;
    assert_eq!(seen().await, [0, 0, 1]);
    // It need not be read while the bot is not there, and is not seen for that.
    stored.end_unread("P").await.unwrap();
    assert_eq!((seen().await, unread().await), (vec![0, 0, 1], vec![]));
    stored.apply(&[present("P", true, "40.0")]).await;
    assert_eq!(seen().await, [0, 0, 1]);
    assert_eq!(unread().await, [("P".to_owned(), Some(30))]);
    stored.end_unread("P").await.unwrap();
    assert_eq!((seen().await, unread().await), (vec![1, 1, 1], vec![]));
    // A public one may be seen in its own place, and is private when it becomes so.
    stored.apply(&[audience("P", false, "50.0")]).await;
    stored.apply(&[present("P", false, "51.0")]).await;
    assert_eq!(seen().await, [1, 0, 1]);
    stored.apply(&[audience("P", true, "52.0")]).await;
    assert_eq!(seen().await, [0, 0, 1]);
}

pub async fn closed_account_sees_nothing_and_its_tokens_do_not_come_back(new: New<'_>) {
    let stored = stored(new).await;
    save(&stored, "A", "of A", &[]).await.unwrap();
    let is_member = |at: &str| Effect::Guest {
        user_id: "UIN".into(),
        is_guest: false,
        at: key(at),
    };
    let closed = |at: &str| Effect::AccountClosed {
        user_id: "UIN".into(),
        at: key(at),
    };
    let seen = async || {
        let view = stored.view(Place::Person("UIN".into()));
        view.memories(MemoryFilter::default()).await.unwrap().len()
    };
    let token = async |hash: u8| {
        let added = stored.add_agent_token("UIN", "laptop", [hash; 32], 5).await;
        added.unwrap();
    };
    stored.apply(&[is_member("3.0")]).await;
    token(1).await;
    assert_eq!((seen().await, stored.closed_at("UIN").await), (1, Ok(None)));
    stored.apply(&[is_member("4.0"), closed("4.0")]).await;
    assert_eq!(
        (
            seen().await,
            stored.agent_tokens("UIN").await.unwrap().len()
        ),
        (0, 0)
    );
    stored.apply(&[is_member("5.0")]).await;
    assert_eq!(
        (
            seen().await,
            stored.agent_tokens("UIN").await.unwrap().len()
        ),
        (1, 0)
    );
    assert_eq!(stored.closed_at("UIN").await, Ok(Some(key("4.0"))));
    // The same event again is no news.
    token(2).await;
    stored.apply(&[closed("4.0")]).await;
    assert_eq!(stored.agent_tokens("UIN").await.unwrap().len(), 1);
}

pub async fn place_refuses_what_belongs_to_another(new: New<'_>) {
    let stored = stored(new).await;
    let a = stored.at(channel("A"));
    let of_p = || MemoryDraft {
        content: "a text".into(),
        ..draft("P")
    };
    let other = myao_plugin::storage::MessageQuery {
        channel_id: "P".into(),
        ..read("99.0")
    };
    let is_refused = |error| matches!(error, StorageError::NotFound(_));
    assert!(is_refused(a.list_messages(other).await.unwrap_err()));
    let backlog = a.get_backlog("P".into(), None, "99.0".into()).await;
    assert!(is_refused(backlog.unwrap_err()));
    let saved = a.save_memory(of_p(), BTreeSet::new()).await;
    assert!(is_refused(saved.unwrap_err()));
    let deferrals = a.list_deferrals(Scope::Channel, "P".into()).await;
    assert!(is_refused(deferrals.unwrap_err()));
    let threads = MemoryQuery {
        threads: vec!["P:10.000000".into()],
        ..everything()
    };
    assert!(is_refused(a.list_memories(threads).await.unwrap_err()));
    assert!(is_refused(a.list_due(due()).await.unwrap_err()));
    let schedule = stored.at(Place::Schedule);
    assert!(schedule.list_due(due()).await.is_ok());
    assert!(is_refused(
        schedule.list_messages(read("99.0")).await.unwrap_err()
    ));
    // Nothing was saved.
    assert!(seen(&stored, Place::Operator).await.is_empty());
}

fn due() -> DueQuery {
    DueQuery {
        until: "9000.0".into(),
        window_start: "0.0".into(),
        idle_since: "9000.0".into(),
        message_threshold: 1,
        always: true,
    }
}

async fn is_workspace_due(stored: &Stored) -> bool {
    let due = stored.at(Place::Schedule).list_due(due()).await.unwrap();
    due.workspace_long_term
}

async fn save_long_term(stored: &Stored, id: &str, content: &str) -> Memory {
    let made = MemoryDraft {
        memory_type: MemoryType::LongTerm,
        mode: SaveMode::Overwrite,
        content: content.to_owned(),
        ..draft(id)
    };
    let place = stored.at(channel(id));
    place.save_memory(made, BTreeSet::new()).await.unwrap()
}

pub async fn workspace_is_due_for_public_channels_only(new: New<'_>) {
    let stored = stored(new).await;
    save_long_term(&stored, "P", "of P").await;
    assert!(!is_workspace_due(&stored).await);
    let a = save_long_term(&stored, "A", "of A").await;
    assert!(is_workspace_due(&stored).await);
    merge(&stored, "of all", &[&a]).await.unwrap();
    save_long_term(&stored, "B", "of B").await;
    assert!(is_workspace_due(&stored).await);
}

pub async fn what_was_made_from_a_channel_that_becomes_private_is_set_aside_and_made_anew(
    new: New<'_>,
) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    let all = merge(&stored, "of all", &[&a]).await.unwrap();
    save(&stored, "B", "of B, which saw all", &[&all])
        .await
        .unwrap();
    stored.apply(&[audience("A", true, "30.0")]).await;
    assert!(seen(&stored, channel("B")).await.is_empty());
    assert!(seen(&stored, Place::Workspace).await.is_empty());
    assert_eq!(seen(&stored, channel("A")).await, ["of A"]);
    // The messages of B wait again, whatever their age.
    let late = DueQuery {
        window_start: "5000.0".into(),
        ..due()
    };
    let due = stored.at(Place::Schedule).list_due(late).await.unwrap();
    let b = due.channels.iter().find(|due| due.channel.id == "B");
    let b = b.unwrap();
    assert_eq!((b.new_message_count, b.short_term_version), (2, None));
    // The next version has the next number, and is seen.
    let again = save(&stored, "B", "of B again", &[]).await.unwrap();
    assert_eq!(again.version, 1);
    assert_eq!(seen(&stored, channel("B")).await, ["of B again"]);
}

pub async fn later_versions_go_with_the_one_that_is_set_aside(new: New<'_>) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    let first = save(&stored, "B", "first", &[]).await.unwrap();
    let version = |content: &str, expected: &Memory| MemoryDraft {
        content: content.to_owned(),
        expected: Some(expected.id),
        source_channel_id: "B".into(),
        source_messages: vec!["20.0".into()],
        source_latest_message_ts: Some("20.0".into()),
        ..draft("B")
    };
    let b = stored.at(channel("B"));
    let second = b.save_memory(version("second", &first), BTreeSet::from([a.id]));
    let second = second.await.unwrap();
    let third = b.save_memory(version("third", &second), BTreeSet::new());
    third.await.unwrap();
    stored.apply(&[audience("A", true, "30.0")]).await;
    assert_eq!(seen(&stored, channel("B")).await, ["first"]);
    let waiting = b.get_backlog("B".into(), None, "99.0".into());
    assert_eq!(waiting.await.unwrap().new_message_count, 1);
}

pub async fn late_message_waits_though_all_versions_were_set_aside(new: New<'_>) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    save(&stored, "B", "of B", &[&a]).await.unwrap();
    stored.apply(&[audience("A", true, "30.0")]).await;
    assert!(seen(&stored, channel("B")).await.is_empty());
    let late = Records::default().with(message("B", "4.0"));
    stored.import(late).await;
    let record = message("B", "5.0");
    let changed = record.ts;
    stored.apply(&[Effect::Message { record, changed }]).await;
    // Before the first version of a channel that never had one, it is history.
    let record = message("N", "5.0");
    stored.apply(&[Effect::Message { record, changed }]).await;
    save(&stored, "B", "of B again", &[]).await.unwrap();
    let record = message("N", "10.0");
    let changed = record.ts;
    stored.apply(&[Effect::Message { record, changed }]).await;
    save(&stored, "N", "of N", &[]).await.unwrap();
    let waiting = async |id: &str| {
        let query = MessageQuery {
            channel_id: id.to_owned(),
            only_new: true,
            ..read("99.0")
        };
        let messages = stored.at(channel(id)).list_messages(query).await.unwrap();
        messages
            .into_iter()
            .map(|message| message.ts)
            .collect::<Vec<_>>()
    };
    assert_eq!(waiting("B").await, ["4.000000", "5.000000", "20.000000"]);
    assert!(waiting("N").await.is_empty());
}

pub async fn channel_that_becomes_public_is_seen_elsewhere(new: New<'_>) {
    let stored = stored(new).await;
    save(&stored, "P", "of P", &[]).await.unwrap();
    assert!(seen(&stored, channel("A")).await.is_empty());
    stored.apply(&[audience("P", false, "30.0")]).await;
    assert_eq!(seen(&stored, channel("A")).await, ["of P"]);
    assert_eq!(channels(&stored, channel("A")).await, ["A", "B", "P"]);
}

/// Although a newer memory was merged before.
pub async fn workspace_takes_in_a_channel_that_becomes_public(new: New<'_>) {
    let stored = stored(new).await;
    save_long_term(&stored, "P", "of P").await;
    let a = save_long_term(&stored, "A", "of A").await;
    merge(&stored, "of all", &[&a]).await.unwrap();
    assert!(!is_workspace_due(&stored).await);
    stored.apply(&[audience("P", false, "30.0")]).await;
    assert!(is_workspace_due(&stored).await);
    let seen = stored.at(Place::Workspace);
    let memories = seen.list_memories(everything()).await.unwrap();
    let workspace = memories
        .iter()
        .find(|memory| memory.scope == Scope::Workspace);
    assert_eq!(workspace.unwrap().merged_through, None);
}

pub async fn save_is_a_conflict_when_what_it_was_given_became_private(new: New<'_>) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    let handed = BTreeSet::from([a.id]);
    let b = stored.at(channel("B"));
    assert!(b.may_show(handed.clone()).await.unwrap());
    stored.apply(&[audience("A", true, "30.0")]).await;
    assert!(!b.may_show(handed.clone()).await.unwrap());
    assert!(!b.may_show(BTreeSet::from([9999])).await.unwrap());
    let late = save(&stored, "B", "of B", &[&a]).await;
    assert!(matches!(late.unwrap_err(), StorageError::Conflict(_)));
    assert!(seen(&stored, channel("B")).await.is_empty());
    // In its own channel it is still shown.
    assert!(stored.at(channel("A")).may_show(handed).await.unwrap());
}

pub async fn memory_that_was_set_aside_is_accepted(new: New<'_>) {
    let stored = stored(new).await;
    let records = Records::default()
        .memory(imported(Scope::Channel, "A", MemoryType::ShortTerm))
        .memory(imported(Scope::Channel, "P", MemoryType::ShortTerm))
        .memory(imported(Scope::Workspace, WORKSPACE, MemoryType::LongTerm));
    stored.import(records).await;
    assert_eq!(stored.accept_memories(Some("A".into()), 50).await, Ok(1));
    assert_eq!(seen(&stored, channel("B")).await, ["short-term of A"]);
    assert_eq!(stored.accept_memories(None, 50).await, Ok(2));
    assert_eq!(stored.accept_memories(None, 50).await, Ok(0));
    let (of_workspace, a) = ("long-term of default", "short-term of A");
    assert_eq!(seen(&stored, channel("B")).await, [of_workspace, a]);
    let all = [of_workspace, a, "short-term of P"];
    assert_eq!(seen(&stored, channel("P")).await, all);
    let place = stored.at(channel("A"));
    let backlog = place.get_backlog("A".into(), None, "99.0".into()).await;
    assert_eq!(backlog.unwrap().new_message_count, 0);
}

pub async fn imported_memory_is_set_aside(new: New<'_>) {
    let stored = stored(new).await;
    let records = Records::default();
    let records = records.memory(imported(Scope::Channel, "A", MemoryType::ShortTerm));
    stored.import(records).await;
    assert!(seen(&stored, channel("A")).await.is_empty());
    assert!(seen(&stored, Place::Workspace).await.is_empty());
    let all = stored
        .all()
        .memories(MemoryFilter::default())
        .await
        .unwrap();
    assert!(all.iter().all(|stored| stored.is_set_aside) && all.len() == 1);
    // It does not count: the channel's messages still wait.
    let place = stored.at(channel("A"));
    let backlog = place.get_backlog("A".into(), None, "99.0".into()).await;
    assert_eq!(backlog.unwrap().new_message_count, 2);
    let next = save(&stored, "A", "made here", &[]).await.unwrap();
    assert_eq!((next.version, next.source_message_count), (2, 1));
    assert_eq!(seen(&stored, channel("A")).await, ["made here"]);
}

pub async fn memories_that_begin_again_are_set_aside_and_their_messages_wait(new: New<'_>) {
    let stored = stored(new).await;
    let a = save(&stored, "A", "of A", &[]).await.unwrap();
    save(&stored, "B", "of B", &[&a]).await.unwrap();
    merge(&stored, "of all", &[&a]).await.unwrap();
    stored.set_backfill_tick(50).await.unwrap();
    assert_eq!(stored.begin_again(Some("A".into()), 40).await, Ok(1));
    assert_eq!(seen(&stored, channel("B")).await, ["of all", "of B"]);
    assert_eq!(stored.backfill_tick().await, Ok(Some(50)));
    let oldest = stored.oldest_history_message().await.unwrap();
    assert_eq!(oldest, Some(key("10.0")));
    let place = stored.at(channel("A"));
    let waiting = place.get_backlog("A".into(), None, "99.0".into()).await;
    assert_eq!(waiting.unwrap().new_message_count, 2);
    let missing = stored.begin_again(Some("X".into()), 40).await;
    assert!(matches!(missing, Err(StorageError::NotFound(_))));

    assert_eq!(stored.begin_again(None, 41).await, Ok(2));
    assert!(seen(&stored, channel("B")).await.is_empty());
    assert_eq!(stored.backfill_tick().await, Ok(None));
    // The next one is a first version again.
    let next = save(&stored, "A", "made anew", &[]).await.unwrap();
    assert_eq!(next.version, 1);
    assert!(next.id > a.id);
}
