//! What is needed to read Slack's history.

use std::collections::BTreeMap;

use myao_plugin::state::sync::StoredId;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::records::PRIVATE_CHANNEL;

use super::{New, Stored, deleted, key, named, public, said, user};

pub async fn times_of_the_connection_and_of_the_history_never_go_back(new: New<'_>) {
    let stored = Stored::of(new);
    let workspace = &stored;
    stored
        .apply(&[named("C1", "general", "1.0"), named("C2", "other", "1.0")])
        .await;
    assert_eq!(workspace.connected_through().await, Ok(None));
    assert_eq!(workspace.history_read_through("C1").await, Ok(None));
    for second in [100, 300, 200] {
        workspace.set_connected_through(second).await.unwrap();
        let ts = myao_plugin::ts::TsKey::first_of(second);
        workspace.set_history_read_through("C1", ts).await.unwrap();
    }
    assert_eq!(workspace.connected_through().await, Ok(Some(300)));
    assert_eq!(
        workspace.history_read_through("C1").await,
        Ok(Some(key("300.0")))
    );
    assert_eq!(workspace.history_read_through("C2").await, Ok(None));
    let unknown = workspace.history_read_through("C9").await;
    assert!(matches!(&unknown, Err(StorageError::NotFound(text)) if text.contains("C9")));
}

pub async fn newest_address_of_the_workspace_is_kept(new: New<'_>) {
    let stored = Stored::of(new);
    assert_eq!(stored.address().await, Ok(None));
    for address in ["https://old.slack.com/", "https://new.slack.com/"] {
        stored.set_address(address).await.unwrap();
        assert_eq!(stored.address().await, Ok(Some(address.to_owned())));
    }
}

pub async fn recent_threads_come_with_the_newest_first(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("50.0", Some("1.0"), "long ago"),
            said("300.0", Some("2.0"), "reply"),
            said("100.0", Some("3.0"), "reply"),
            said("200.0", Some("3.0"), "reply"),
            said("400.0", None, "no thread"),
            said("500.0", Some("4.0"), "deleted"),
            deleted("500.0", "501.0"),
        ])
        .await;
    let recent = async |channel| stored.recent_threads(channel, key("100.0")).await;
    assert_eq!(recent("C1").await, Ok(vec![key("2.0"), key("3.0")]));
    assert!(matches!(recent("C9").await, Err(StorageError::NotFound(_))));
}

pub async fn messages_between_are_those_that_are_not_deleted(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("1.0", None, "before"),
            said("2.0", None, "first"),
            said("3.0", Some("2.0"), "reply"),
            said("4.0", None, "deleted"),
            deleted("4.0", "9.0"),
            said("5.0", None, "last"),
            said("6.0", None, "after"),
        ])
        .await;
    let between = stored
        .messages_between("C1", key("2.0"), key("5.0"))
        .await
        .unwrap();
    let id = |ts, thread: Option<&str>| StoredId {
        ts: key(ts),
        thread_ts: thread.map(key),
    };
    assert_eq!(
        between,
        [id("2.0", None), id("3.0", Some("2.0")), id("5.0", None)]
    );
}

pub async fn directory_holds_the_names_that_are_known(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            user("U1", "Aki", 1),
            user("U2", "", 1),
            user("U3", "Not asked for", 1),
            named("C1", "general", "1.0"),
            named("G1", "layoffs", "1.0"),
        ])
        .await;
    stored.apply(&public("C1", "2.0")).await;
    let ids = |ids: [&str; 3]| ids.map(str::to_owned).to_vec();
    let directory = stored
        .directory(ids(["U1", "U2", "U9"]), ids(["C1", "G1", "\"]"]))
        .await
        .unwrap();
    let users = directory.users.values().map(|user| user.name.as_str());
    assert_eq!(users.collect::<Vec<_>>(), ["Aki"]);
    let channels: BTreeMap<_, _> = directory.channels.into_iter().collect();
    let shown = [("C1", "general"), ("G1", PRIVATE_CHANNEL)];
    assert_eq!(
        channels,
        shown
            .map(|(id, name)| (id.to_owned(), name.to_owned()))
            .into()
    );
    assert_eq!(stored.known_user("U2").await.unwrap().unwrap().name, "");
    assert_eq!(stored.known_user("U9").await.unwrap(), None);
    assert_eq!(stored.known_channel("C9").await.unwrap(), None);
}
