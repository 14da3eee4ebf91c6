//! What is due for a reason that the component does not see.

use std::collections::BTreeSet;

use myao_plugin::storage::{Backlog, DueQuery, Memory, MemoryDraft, SaveMode};
use myao_plugin::{MemoryType, Scope};

use super::{Fixture, channel, draft, due_query};

async fn due_channels(fixture: &dyn Fixture, query: DueQuery) -> Vec<String> {
    let due = fixture.storage().list_due(query).await.unwrap();
    let channels = due.channels.into_iter();
    channels.map(|backlog| backlog.channel.id).collect()
}

fn always() -> DueQuery {
    DueQuery {
        always: true,
        ..due_query()
    }
}

async fn backlog(fixture: &dyn Fixture) -> Backlog {
    let storage = fixture.storage();
    let backlog = storage.get_backlog("C1".into(), None, "10000.0".into());
    backlog.await.unwrap()
}

async fn save(fixture: &dyn Fixture, draft: MemoryDraft) -> Memory {
    let storage = fixture.storage();
    storage.save_memory(draft, BTreeSet::new()).await.unwrap()
}

fn of_c1(memory_type: MemoryType, latest: Option<&str>) -> MemoryDraft {
    draft(Scope::Channel, "C1", memory_type, latest)
}

/// For a store that implements [`Storage::expect_first_version`](myao_plugin::storage::Storage::expect_first_version);
/// it is not part of the suite, because a store need not implement it. The window has moved on since the run that found
/// the channel due.
pub async fn first_version_that_was_expected_is_due_whatever_its_age(fixture: &dyn Fixture) {
    let records = channel().channel("C2", "history").message("C2", "900.0");
    let records = records.message("C1", "800.0").message("C1", "1200.0");
    fixture.add(records).await;
    let storage = fixture.storage();
    let expect = async |ids: &[&str], since: &str| {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        storage
            .expect_first_version(ids, since.into())
            .await
            .unwrap();
    };
    assert!(due_channels(fixture, due_query()).await.is_empty());
    expect(&["C1", "C2"], "1000.0").await;
    assert_eq!(due_channels(fixture, due_query()).await, ["C1"]);
    let waiting = backlog(fixture).await;
    assert_eq!(
        (
            waiting.short_term_version,
            waiting.summarized_through.as_deref()
        ),
        (None, Some("999.999999"))
    );
    assert_eq!(waiting.new_message_count, 2, "all, as without");
    let due = storage.list_due(due_query()).await.unwrap();
    assert_eq!(due.channels, [waiting]);

    // The earlier time counts.
    expect(&["C1"], "1100.0").await;
    expect(&["C1", "C9"], "700.0").await;
    let waiting = backlog(fixture).await;
    assert_eq!(waiting.summarized_through.as_deref(), Some("699.999999"));

    // It ends when the version is saved.
    let version = save(fixture, of_c1(MemoryType::ShortTerm, Some("1200.0"))).await;
    let merged = MemoryDraft {
        mode: SaveMode::Overwrite,
        merged_through: Some(version.id),
        ..of_c1(MemoryType::LongTerm, None)
    };
    save(fixture, merged).await;
    expect(&["C1"], "100.0").await;
    assert!(due_channels(fixture, always()).await.is_empty());
    let waiting = backlog(fixture).await;
    assert_eq!(waiting.summarized_through.as_deref(), Some("1200.000000"));
}
