//! Who reads a channel, by what events and imports say of it.

use myao_plugin::audience::{Audience, ChannelFacts};
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::ChannelRecord;
use myao_plugin::ts::TsKey;

use super::{New, Stored, key, named, present, said};
use crate::conformance::Records;

fn private(is_private: bool, at: &str) -> Effect {
    Effect::ChannelName {
        id: "C1".into(),
        name: String::new(),
        is_private: Some(is_private),
        at: key(at),
    }
}

fn shared(is_shared: Option<bool>, at: &str) -> Effect {
    Effect::ChannelShared {
        id: "C1".into(),
        is_shared,
        at: key(at),
    }
}

fn listed(members: Option<&[&str]>, at: &str) -> Effect {
    Effect::ChannelMembers {
        id: "C1".into(),
        members: members.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect()),
        at: key(at),
    }
}

fn membership(user_id: &str, is_member: bool, at: &str) -> Effect {
    Effect::Membership {
        channel_id: "C1".into(),
        user_id: user_id.into(),
        is_member,
        at: key(at),
    }
}

fn guest(user_id: &str, is_guest: bool, at: &str) -> Effect {
    Effect::Guest {
        user_id: user_id.into(),
        is_guest,
        at: key(at),
    }
}

/// C1 as a public channel with two full members.
async fn with_open_channel(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("1.0", None, "text"),
            private(false, "2.0"),
            shared(Some(false), "2.0"),
            guest("U1", false, "2.0"),
            guest("U2", false, "2.0"),
            listed(Some(&["U1", "U2"]), "2.0"),
        ])
        .await;
    stored
}

async fn audience(stored: &Stored) -> Audience {
    let known = stored.known_channel("C1").await.unwrap();
    known.unwrap().audience
}

async fn members(stored: &Stored) -> Vec<String> {
    let members = stored.members("C1").await.unwrap();
    members.into_iter().map(|member| member.user_id).collect()
}

pub async fn channel_is_open_once_everything_about_it_is_known(new: New<'_>) {
    let stored = Stored::of(new);
    let facts = [
        said("1.0", None, "text"),
        private(false, "2.0"),
        shared(Some(false), "2.0"),
        guest("U1", false, "2.0"),
        listed(Some(&["U1"]), "2.0"),
    ];
    for fact in facts {
        stored.apply(&[fact]).await;
        let is_last = stored.members("C1").await.unwrap().len() == 1;
        assert_eq!(audience(&stored).await.is_open(), is_last);
    }
    assert_eq!(stored.channels_of_unknown_audience().await, Ok(Vec::new()));
}

pub async fn conversion_takes_effect_in_both_directions_and_the_newest_wins(new: New<'_>) {
    let stored = with_open_channel(new).await;
    stored.apply(&[private(true, "5.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Members);
    stored.apply(&[private(false, "4.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Members);
    stored.apply(&[private(false, "6.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
}

pub async fn shared_channel_is_read_by_people_from_outside(new: New<'_>) {
    let stored = with_open_channel(new).await;
    stored.apply(&[shared(Some(true), "5.0")]).await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    // With the same time, the statement that makes more people possible wins.
    stored
        .apply(&[shared(None, "5.0"), shared(Some(false), "5.0")])
        .await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    stored.apply(&[shared(None, "6.0")]).await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    assert_eq!(
        stored.channels_of_unknown_audience().await,
        Ok(vec!["C1".to_owned()])
    );
    stored.apply(&[shared(Some(false), "7.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
}

pub async fn guest_who_joins_leaves_or_becomes_one_changes_the_audience(new: New<'_>) {
    let stored = with_open_channel(new).await;
    stored
        .apply(&[guest("U3", true, "3.0"), membership("U3", true, "5.0")])
        .await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    stored.apply(&[membership("U3", false, "6.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
    stored.apply(&[guest("U1", true, "7.0")]).await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    stored.apply(&[guest("U1", false, "8.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
}

pub async fn member_of_whom_it_is_not_known_whether_they_are_a_guest_may_be_one(new: New<'_>) {
    let stored = with_open_channel(new).await;
    stored.apply(&[membership("U9", true, "5.0")]).await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    assert_eq!(
        stored.members_of_unknown_standing(9).await,
        Ok(vec!["U9".to_owned()])
    );
    assert_eq!(stored.members_of_unknown_standing(0).await, Ok(Vec::new()));
    stored.apply(&[guest("U9", false, "5.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
    stored.apply(&[present("C1", false, "9.0")]).await;
    stored.apply(&[membership("U8", true, "9.0")]).await;
    assert_eq!(stored.members_of_unknown_standing(9).await, Ok(Vec::new()));
}

pub async fn members_that_are_not_known_any_more_make_a_channel_private(new: New<'_>) {
    let stored = with_open_channel(new).await;
    stored.apply(&[listed(None, "5.0")]).await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    assert_eq!(members(&stored).await, Vec::<String>::new());
    assert_eq!(
        stored.channels_of_unknown_audience().await,
        Ok(vec!["C1".to_owned()])
    );
    stored.apply(&[listed(Some(&["U1"]), "4.0")]).await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    stored.apply(&[listed(Some(&["U1"]), "6.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
}

pub async fn list_of_members_and_those_who_join_and_leave_give_the_same_in_any_order(new: New<'_>) {
    let effects = [
        membership("U1", true, "3.0"),
        listed(Some(&["U2", "U3", "U3"]), "5.0"),
        membership("U3", false, "6.0"),
        membership("U4", true, "7.0"),
        // Of two statements with the same time, the one that says no wins.
        membership("U2", false, "5.0"),
        membership("U5", true, "5.0"),
    ];
    for first in 0..effects.len() {
        let stored = Stored::of(new);
        let (before, after) = effects.split_at(first);
        stored.apply(after).await;
        stored.apply(before).await;
        assert_eq!(members(&stored).await, ["U4"], "{first}");
    }
}

pub async fn membership_counts_from_when_it_is_known(new: New<'_>) {
    let stored = with_open_channel(new).await;
    stored.apply(&[membership("U2", true, "5.0")]).await;
    let is_member = async |user: &str, since: &str| {
        let asked = stored.is_member(user, "C1", key(since));
        asked.await.unwrap()
    };
    assert!(is_member("U1", "2.0").await && !is_member("U1", "2.000001").await);
    assert!(is_member("U2", "5.0").await);
    assert!(!is_member("U9", "0.0").await);
    let elsewhere = stored.is_member("U1", "C9", TsKey::first_of(0));
    assert_eq!(elsewhere.await, Ok(false));
    assert_eq!(stored.members("C9").await, Ok(Vec::new()));
}

fn imported(facts: ChannelFacts) -> Records {
    let channel = ChannelRecord {
        id: "C1".into(),
        name: "general".into(),
        facts,
    };
    Records {
        channels: vec![channel],
        ..Records::default()
    }
}

pub async fn import_says_who_reads_a_channel_until_the_platform_does(new: New<'_>) {
    let stored = Stored::of(new);
    for (facts, expected) in [
        (ChannelFacts::UNKNOWN, Audience::MembersAndOutsiders),
        (ChannelFacts::PUBLIC, Audience::Everybody),
        // What is not known changes nothing.
        (ChannelFacts::UNKNOWN, Audience::Everybody),
        (ChannelFacts::PRIVATE, Audience::Members),
        (ChannelFacts::PUBLIC, Audience::Everybody),
    ] {
        stored.import(imported(facts)).await;
        assert_eq!(audience(&stored).await, expected, "{facts:?}");
    }
    stored
        .apply(&[
            private(false, "2.0"),
            shared(Some(true), "2.0"),
            listed(Some(&[]), "2.0"),
        ])
        .await;
    stored.import(imported(ChannelFacts::PRIVATE)).await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    stored.apply(&[shared(Some(false), "3.0")]).await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
}

pub async fn guests_of_an_import_count_until_the_members_are_read(new: New<'_>) {
    let with_guests = ChannelFacts {
        has_guests: Some(true),
        ..ChannelFacts::PUBLIC
    };
    let stored = Stored::of(new);
    stored.import(imported(with_guests)).await;
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    stored
        .apply(&[guest("U1", false, "2.0"), listed(Some(&["U1"]), "2.0")])
        .await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
    stored.import(imported(with_guests)).await;
    assert_eq!(audience(&stored).await, Audience::Everybody);
}

pub async fn channel_that_only_a_message_names_is_private(new: New<'_>) {
    let stored = Stored::of(new);
    stored.import(Records::default().message("C1", "1.0")).await;
    assert!(stored.storage().list_channels().await.unwrap()[0].is_private);
    assert_eq!(audience(&stored).await, Audience::MembersAndOutsiders);
    stored.apply(&[named("C1", "general", "2.0")]).await;
    assert!(stored.storage().list_channels().await.unwrap()[0].is_private);
}
