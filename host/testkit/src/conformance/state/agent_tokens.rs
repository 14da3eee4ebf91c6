//! Tokens with which agents ask for a person.

use myao_plugin::state::agent_tokens::USED_SECONDS;
use myao_plugin::state::forgetting::{Forget, Mode};

use super::{New, Stored, user};

/// A token is found by its hash until its owner takes it back.
pub async fn a_token_works_until_its_owner_takes_it_back(new: New<'_>) {
    let stored = Stored::of(new);
    let add = async |user_id: &str, name: &str, hash: u8| {
        let added = stored.add_agent_token(user_id, name, [hash; 32], 100).await;
        added.unwrap()
    };
    let laptop = add("U1", "laptop", 1).await;
    let phone = add("U1", "phone", 2).await;
    let other = add("U2", "laptop", 3).await;
    assert_eq!((laptop.made_at, laptop.used_at), (100, None));
    assert_eq!(
        stored.agent_tokens("U1").await.unwrap(),
        [laptop.clone(), phone.clone()]
    );
    let used = stored.use_agent_token([1; 32], 200).await.unwrap().unwrap();
    assert_eq!((used.id, used.user_id.as_str()), (laptop.id, "U1"));
    assert_eq!(stored.use_agent_token([9; 32], 200).await.unwrap(), None);
    // Nobody takes back what is not theirs.
    assert!(
        !stored
            .remove_agent_token("U2", laptop.id, 300)
            .await
            .unwrap()
    );
    assert!(
        stored
            .remove_agent_token("U1", laptop.id, 300)
            .await
            .unwrap()
    );
    assert!(
        !stored
            .remove_agent_token("U1", laptop.id, 300)
            .await
            .unwrap()
    );
    assert_eq!(stored.use_agent_token([1; 32], 200).await.unwrap(), None);
    assert_eq!(stored.agent_tokens("U1").await.unwrap(), [phone]);
    assert_eq!(stored.agent_tokens("U2").await.unwrap(), [other]);
    // An id never comes back, so that nobody takes back another one by mistake.
    assert!(add("U1", "tablet", 4).await.id > laptop.id);
}

/// When a token was last used is kept to the hour.
pub async fn the_last_use_of_a_token_is_kept_to_the_hour(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .add_agent_token("U1", "laptop", [1; 32], 100)
        .await
        .unwrap();
    for (now, expected) in [
        (200, 200),
        (199 + USED_SECONDS, 200),
        (200 + USED_SECONDS, 200 + USED_SECONDS),
    ] {
        let used = stored.use_agent_token([1; 32], now).await.unwrap().unwrap();
        assert_eq!(used.used_at, Some(expected), "{now}");
        assert_eq!(stored.agent_tokens("U1").await.unwrap(), [used]);
    }
}

/// Whoever is forgotten has no tokens any more.
pub async fn the_tokens_of_somebody_who_is_forgotten_go(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[user("U1", "Akari", 1), user("U2", "Emiko", 1)])
        .await;
    stored
        .add_agent_token("U1", "laptop", [1; 32], 100)
        .await
        .unwrap();
    stored
        .add_agent_token("U2", "laptop", [2; 32], 100)
        .await
        .unwrap();
    let akari = || Forget::User("U1".into());
    stored.forget(akari(), 200, Mode::DryRun).await.unwrap();
    assert_eq!(stored.agent_tokens("U1").await.unwrap().len(), 1);
    stored.forget(akari(), 200, Mode::Erase).await.unwrap();
    assert_eq!(stored.agent_tokens("U1").await.unwrap(), []);
    assert_eq!(stored.agent_tokens("U2").await.unwrap().len(), 1);
}
