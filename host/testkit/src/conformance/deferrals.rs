//! Memories that could not be made and are deferred.

use myao_plugin::storage::{Deferral, MemoryDraft, StorageError};
use myao_plugin::{MemoryType, Scope};

use super::{Fixture, WORKSPACE, channel, draft, long_term, save, short_term, stand_in, time};

fn deferral(memory_type: MemoryType, until: i64, failures: u32) -> Deferral {
    Deferral {
        memory_type,
        until: time(until),
        failures,
        reason: format!("the model failed {failures} times"),
    }
}

async fn defer(fixture: &dyn Fixture, scope: Scope, scope_id: &str, deferral: &Deferral) {
    let storage = fixture.storage();
    let done = storage.defer(scope, scope_id.into(), deferral.clone());
    done.await.unwrap();
}

/// Until when each memory is deferred, how often it failed and why.
async fn listed(
    fixture: &dyn Fixture,
    scope: Scope,
    scope_id: &str,
) -> Vec<(MemoryType, i64, u32, String)> {
    let storage = fixture.storage();
    let listed = storage
        .list_deferrals(scope, scope_id.into())
        .await
        .unwrap();
    listed.into_iter().map(row).collect()
}

fn row(deferral: Deferral) -> (MemoryType, i64, u32, String) {
    let until = deferral.until.unix_seconds;
    (
        deferral.memory_type,
        until,
        deferral.failures,
        deferral.reason,
    )
}

/// The long-term memory comes first.
pub async fn deferrals_are_listed_by_what_they_are_about(fixture: &dyn Fixture) {
    fixture.add(channel().channel("C2", "other")).await;
    let short = deferral(MemoryType::ShortTerm, 900, 1);
    let long = deferral(MemoryType::LongTerm, 1800, 2);
    let thread = deferral(MemoryType::ShortTerm, 3600, 3);
    let workspace = deferral(MemoryType::LongTerm, 7200, 4);
    defer(fixture, Scope::Channel, "C1", &short).await;
    defer(fixture, Scope::Channel, "C1", &long).await;
    defer(fixture, Scope::Thread, "C1:1.0", &thread).await;
    defer(fixture, Scope::Workspace, WORKSPACE, &workspace).await;
    assert_eq!(
        listed(fixture, Scope::Channel, "C1").await,
        [row(long), row(short)]
    );
    for scope_id in ["C1:1.0", "C1:1.000000"] {
        assert_eq!(
            listed(fixture, Scope::Thread, scope_id).await,
            [row(thread.clone())]
        );
    }
    assert_eq!(
        listed(fixture, Scope::Workspace, WORKSPACE).await,
        [row(workspace)]
    );
    assert_eq!(listed(fixture, Scope::Channel, "C2").await, []);
    assert_eq!(listed(fixture, Scope::Thread, "C1:2.0").await, []);
}

/// The newest failure is kept.
pub async fn deferring_again_replaces_the_deferral(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    for (until, failures) in [(900, 1), (2700, 2)] {
        let again = deferral(MemoryType::ShortTerm, until, failures);
        defer(fixture, Scope::Channel, "C1", &again).await;
        assert_eq!(listed(fixture, Scope::Channel, "C1").await, [row(again)]);
    }
}

/// And no other deferral.
pub async fn saved_memory_ends_its_deferral(fixture: &dyn Fixture) {
    fixture.add(channel().channel("C2", "other")).await;
    let short = deferral(MemoryType::ShortTerm, 900, 1);
    let long = deferral(MemoryType::LongTerm, 900, 1);
    for scope_id in ["C1", "C2"] {
        defer(fixture, Scope::Channel, scope_id, &short).await;
        defer(fixture, Scope::Channel, scope_id, &long).await;
    }
    let made = save(fixture, short_term("C1", "1.0")).await;
    assert_eq!(
        listed(fixture, Scope::Channel, "C1").await,
        [row(long.clone())]
    );
    save(fixture, long_term("C1", &made)).await;
    assert_eq!(listed(fixture, Scope::Channel, "C1").await, []);
    assert_eq!(listed(fixture, Scope::Channel, "C2").await.len(), 2);

    defer(fixture, Scope::Thread, "C1:1.0", &short).await;
    save(fixture, super::thread_memory("1.0", "2.0")).await;
    assert_eq!(listed(fixture, Scope::Thread, "C1:1.0").await, []);
    defer(fixture, Scope::Workspace, WORKSPACE, &long).await;
    let workspace = draft(Scope::Workspace, WORKSPACE, MemoryType::LongTerm, None);
    save(fixture, workspace).await;
    assert_eq!(listed(fixture, Scope::Workspace, WORKSPACE).await, []);
}

/// The model still has to make the memory.
pub async fn stand_in_and_refused_save_end_no_deferral(fixture: &dyn Fixture) {
    fixture.add(channel()).await;
    let short = deferral(MemoryType::ShortTerm, 900, 1);
    defer(fixture, Scope::Channel, "C1", &short).await;
    save(fixture, stand_in(None, short_term("C1", "1.0"))).await;
    let stale = MemoryDraft {
        expected: Some(77),
        ..short_term("C1", "1.0")
    };
    let unknown_source = MemoryDraft {
        source_memories: vec![77],
        ..short_term("C1", "1.0")
    };
    for draft in [stale, unknown_source] {
        let result = fixture
            .storage()
            .save_memory(draft, Default::default())
            .await;
        assert!(result.is_err(), "{result:?}");
    }
    assert_eq!(listed(fixture, Scope::Channel, "C1").await, [row(short)]);
}

/// Both when a memory is deferred and when deferrals are listed, and also for a thread of such a channel.
pub async fn deferral_of_an_unknown_channel_is_not_found(fixture: &dyn Fixture) {
    for (scope, scope_id) in [(Scope::Channel, "C9"), (Scope::Thread, "C9:1.0")] {
        let storage = fixture.storage();
        let deferral = deferral(MemoryType::ShortTerm, 900, 1);
        let deferred = storage.defer(scope, scope_id.into(), deferral).await;
        let listed = storage.list_deferrals(scope, scope_id.into()).await;
        for result in [deferred, listed.map(drop)] {
            assert!(
                matches!(&result, Err(StorageError::NotFound(text)) if text.contains("C9")),
                "{result:?}"
            );
        }
    }
}
