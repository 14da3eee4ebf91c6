//! What people can look up.

use std::collections::BTreeSet;

use myao_plugin::audience::ChannelFacts;
use myao_plugin::state::view::{MemoryFilter, View};
use myao_plugin::storage::records::{ChannelRecord, MessageRecord};
use myao_plugin::storage::{Coverage, LeftOut, MemoryDraft, SaveMode};
use myao_plugin::{MemoryType, Place, Scope};

use super::{New, Stored, deferral, draft, key};
use crate::conformance::{Records, WORKSPACE, imported, message};

/// Four channels, two of them with the same name and one without a name, with three messages.
pub(super) async fn with_channels(new: New<'_>) -> Stored {
    let mut records = Records::default()
        .channel("C1", "general")
        .channel("C2", "random")
        .channel("C3", "random")
        .channel("C4", "");
    for (channel, ts) in [("C1", "5.0"), ("C1", "7.0"), ("C2", "6.0")] {
        records = records.with(MessageRecord {
            author_name: Some("Aki".into()),
            ..message(channel, ts)
        });
    }
    let stored = Stored::of(new);
    stored.import(records).await;
    stored
}

/// A memory of C1 made from a message, and its next text, made from the first text.
async fn fill(stored: &Stored) {
    let first = MemoryDraft {
        mode: SaveMode::Overwrite,
        source_channel_id: "C1".into(),
        source_messages: vec!["5.0".into()],
        ..draft("C1")
    };
    let first = stored
        .storage()
        .save_memory(first, Default::default())
        .await
        .unwrap();
    let second = MemoryDraft {
        mode: SaveMode::Overwrite,
        content: "newer".into(),
        expected: Some(first.id),
        source_memories: vec![first.id],
        ..draft("C1")
    };
    stored
        .storage()
        .save_memory(second, Default::default())
        .await
        .unwrap();
}

pub async fn the_newest_memories_are_found_among_those_that_may_be_seen(new: New<'_>) {
    let stored = with_channels(new).await;
    fill(&stored).await;
    let board = ChannelRecord {
        id: "C5".into(),
        name: "board".into(),
        facts: ChannelFacts::PRIVATE,
    };
    let records = Records {
        channels: vec![board],
        ..Records::default()
    };
    stored.import(records.message("C5", "8.0")).await;
    for channel in ["C2", "C5"] {
        let memory = stored
            .storage()
            .save_memory(draft(channel), Default::default());
        memory.await.unwrap();
    }
    let all = stored.all();
    let ids = async |view: &dyn View, newest: Option<u32>, superseded: bool| {
        let filter = MemoryFilter {
            newest,
            superseded,
            ..MemoryFilter::default()
        };
        let found = view.memories(filter).await.unwrap();
        let mut ids: Vec<u64> = found.iter().map(|stored| stored.memory.id).collect();
        ids.sort_unstable();
        ids
    };
    let of_channel = stored.view(Place::Channel("C1".into()));
    for (view, number) in [(all, 4), (of_channel, 3)] {
        let current = ids(&*view, None, false).await;
        let mut every = [current, ids(&*view, None, true).await].concat();
        every.sort_unstable();
        assert_eq!(every.len(), number);
        for newest in 0..=number + 1 {
            let expected = &every[number.saturating_sub(newest)..];
            let newest = u32::try_from(newest).ok();
            assert_eq!(ids(&*view, newest, false).await, expected);
        }
    }
}

pub async fn older_texts_and_sources_are_kept(new: New<'_>) {
    let stored = with_channels(new).await;
    fill(&stored).await;
    let filter = MemoryFilter {
        scope: Some(Scope::Channel),
        scope_id: Some("C1".into()),
        memory_type: Some(MemoryType::ShortTerm),
        superseded: true,
        with_text: true,
        ..MemoryFilter::default()
    };
    let older = stored.all().memories(filter).await.unwrap();
    assert_eq!(older.len(), 1);
    assert_eq!(older[0].memory.content, "a text");
    assert_eq!(older[0].channel_name.as_deref(), Some("general"));
    assert_eq!(
        older[0].superseded_at.map(|time| time.unix_seconds),
        Some(500)
    );
    let sources = stored.all().sources(older[0].memory.id).await.unwrap();
    let messages: Vec<_> = sources
        .messages
        .iter()
        .map(|m| (m.ts, m.author.as_str(), m.text.as_str()))
        .collect();
    assert_eq!(messages, [(key("5.0"), "Aki", "text of 5.0")]);
    let current = stored
        .all()
        .memories(MemoryFilter::default())
        .await
        .unwrap();
    assert_eq!((current.len(), current[0].memory.content.as_str()), (1, ""));
    let sources = stored.all().sources(current[0].memory.id).await.unwrap();
    assert_eq!(sources.memories[0].id, older[0].memory.id);
    assert!(sources.memories[0].superseded);
    assert!(
        stored
            .all()
            .sources(77)
            .await
            .unwrap_err()
            .to_string()
            .contains("77")
    );
}

pub async fn memories_are_found_by_id_and_thread_and_counted(new: New<'_>) {
    let stored = with_channels(new).await;
    fill(&stored).await;
    let thread = imported(Scope::Thread, "C1:5.000000", MemoryType::ShortTerm);
    let elsewhere = imported(Scope::Thread, "C2:5.000000", MemoryType::ShortTerm);
    let records = Records::default().memory(thread).memory(elsewhere);
    stored.import(records).await;
    let read = async |filter| {
        let memories = stored.all().memories(filter).await.unwrap();
        memories.into_iter().map(|m| m.memory).collect::<Vec<_>>()
    };
    let threads = read(MemoryFilter {
        threads_of: Some("C1".into()),
        ..MemoryFilter::default()
    });
    let threads = threads.await;
    let ids: Vec<&str> = threads.iter().map(|of| of.scope_id.as_str()).collect();
    assert_eq!(ids, ["C1:5.000000"]);
    let older = read(MemoryFilter {
        superseded: true,
        ..MemoryFilter::default()
    });
    let wanted = BTreeSet::from([older.await[0].id, threads[0].id, 77]);
    let found = read(MemoryFilter {
        ids: Some(wanted.clone()),
        ..MemoryFilter::default()
    });
    let found: BTreeSet<u64> = found.await.iter().map(|memory| memory.id).collect();
    assert_eq!(found, wanted.into_iter().filter(|id| *id != 77).collect());
    let channels = ["C1", "nowhere", "C2"].map(str::to_owned).to_vec();
    let tallies = stored.all().tallies(channels).await.unwrap();
    let counted = tallies
        .iter()
        .map(|tally| (tally.versions, tally.threads, tally.newest.is_some()));
    let expected = [(1, 1, true), (0, 0, false), (0, 1, true)];
    assert_eq!(counted.collect::<Vec<_>>(), expected);
}

pub async fn coverage_and_cuts_are_kept_with_each_text(new: New<'_>) {
    let stored = with_channels(new).await;
    let coverage = Coverage {
        messages: 9,
        covered: 8,
        left_out: LeftOut {
            other_channels: 1,
            workspace: 2,
            messages: 3,
            channel: 4,
        },
        chunks: 5,
        calls: 6,
        unfounded: 0,
        doubtful: 0,
        refused: 7,
        records: 0,
        late: 8,
        refused_items: 0,
    };
    let cut = MemoryDraft {
        truncated: true,
        coverage,
        ..draft("C1")
    };
    let first = stored
        .storage()
        .save_memory(cut, Default::default())
        .await
        .unwrap();
    let whole = MemoryDraft {
        mode: SaveMode::Overwrite,
        expected: Some(first.id),
        ..draft("C1")
    };
    stored
        .storage()
        .save_memory(whole.clone(), Default::default())
        .await
        .unwrap();
    let imported = imported(Scope::Channel, "C2", MemoryType::ShortTerm);
    stored.import(Records::default().memory(imported)).await;
    let read = async |superseded| {
        let filter = MemoryFilter {
            superseded,
            ..MemoryFilter::default()
        };
        let memories = stored.all().memories(filter).await.unwrap();
        let made = memories.into_iter().map(|m| (m.truncated, m.coverage));
        made.collect::<Vec<_>>()
    };
    assert_eq!(read(true).await, [(Some(true), Some(coverage))]);
    assert_eq!(
        read(false).await,
        [(Some(false), Some(whole.coverage)), (None, None)]
    );
}

pub async fn texts_of_stand_ins_are_kept(new: New<'_>) {
    let stored = with_channels(new).await;
    let stand_in = |content: &str| MemoryDraft {
        mode: SaveMode::StandIn,
        content: content.into(),
        ..draft("C1")
    };
    for content in ["first", "second"] {
        stored
            .storage()
            .save_memory(stand_in(content), Default::default())
            .await
            .unwrap();
    }
    stored
        .storage()
        .save_memory(draft("C1"), Default::default())
        .await
        .unwrap();
    let read = async |superseded| {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        let memories = stored.all().memories(filter).await.unwrap();
        let told = memories
            .into_iter()
            .map(|m| (m.is_stand_in(), m.memory.content));
        told.collect::<Vec<_>>()
    };
    let texts = |is_stand_in, texts: &[&str]| -> Vec<(bool, String)> {
        let text = |text: &&str| (is_stand_in, (*text).to_owned());
        texts.iter().map(text).collect()
    };
    assert_eq!(read(true).await, texts(true, &["first", "second"]));
    assert_eq!(read(false).await, texts(false, &["a text"]));
}

pub async fn deferrals_are_listed_with_names_and_cleared(new: New<'_>) {
    let stored = with_channels(new).await;
    for (scope, scope_id) in [
        (Scope::Workspace, WORKSPACE),
        (Scope::Thread, "C1:5.0"),
        (Scope::Channel, "C4"),
    ] {
        let deferred = stored.storage().defer(scope, scope_id.into(), deferral());
        deferred.await.unwrap();
    }
    let listed = stored.deferrals().await.unwrap();
    let names: Vec<_> = listed
        .iter()
        .map(|deferred| (deferred.scope_id.as_str(), deferred.channel_name.as_deref()))
        .collect();
    let expected = [
        (WORKSPACE, None),
        ("C4", Some("C4")),
        ("C1:5.000000", Some("general")),
    ];
    assert_eq!(names, expected);
    let first = &listed[0].deferral;
    assert_eq!(
        (first.failures, first.reason.as_str()),
        (1, "the model failed")
    );
    assert_eq!(first.until.unix_seconds, 900);
    assert_eq!(stored.clear_deferrals().await.unwrap(), 3);
    assert_eq!(stored.deferrals().await.unwrap(), []);
}
