//! What a deleted message said is in no text that is stored, at once and after the next run.

use std::sync::Arc;

use myao_plugin::state::Workspace as _;
use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::effects::Effect;
use myao_plugin::{Place, run};
use myao_sql::SqlWorkspace;
use myao_testkit::Recorder;
use myao_tests::backfills::{llm_settings, tapped_plugin};
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::store::{TestStore, utc};

const HOUR: i64 = 3600;
const CODE: &str = "The door code of the harbour office is 4711.";
const LUNCH: &str = "We decided to have lunch on 9 March at 11:30.";
const KEYS: &str = "Ingrid keeps 14 keys for the harbour office.";

/// The texts of all memories, older ones included.
async fn texts(workspace: &SqlWorkspace) -> String {
    let mut texts = Vec::new();
    for superseded in [false, true] {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        let found = workspace.view(Place::Operator).memories(filter).await;
        texts.extend(
            found
                .unwrap()
                .into_iter()
                .map(|stored| stored.memory.content),
        );
    }
    texts.join("\n")
}

#[tokio::test]
async fn what_a_deleted_message_said_is_in_no_memory_and_the_rest_is_remembered() {
    let said = |n: i64, text: &str| message(&channel_id(0), ts(START + 60 * n, 1), text);
    let history = History {
        users: vec![user("alice")],
        channels: vec![channel(0)],
        messages: vec![said(0, CODE), said(1, LUNCH), said(2, KEYS)],
        ..History::default()
    };
    let (_file, workspace) = TestStore::of(&history).into_workspace();
    let settings = llm_settings().with(|settings| {
        settings.set("engines.memory", "extractive");
    });
    let plugin = tapped_plugin(&workspace, settings, Arc::new(Recorder::default()));
    let generate = async |now| {
        let report = run::generate(&plugin, utc(now), 1, &|_| {}).await.unwrap();
        assert!(report.entries.len() > 1, "{report:?}");
    };
    generate(START + 3 * HOUR).await;
    let before = texts(&workspace).await;
    assert!(before.matches("4711").count() > 2, "{before}");

    let deleted = Effect::MessageDeleted {
        channel_id: channel_id(0),
        ts: ts(START, 1),
        at: ts(START + 4 * HOUR, 1),
    };
    workspace
        .apply_effects(vec![deleted], START + 4 * HOUR)
        .await
        .unwrap();
    for now in [START + 5 * HOUR, START + 6 * HOUR] {
        let after = texts(&workspace).await;
        assert!(!after.contains("4711"), "{after}");
        if now == START + 5 * HOUR {
            generate(now).await;
        }
    }
    let after = texts(&workspace).await;
    assert!(
        after.contains("11:30") && after.contains("14 keys"),
        "{after}"
    );
}
