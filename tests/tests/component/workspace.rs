//! The workspace's memories: what is merged into them, when, and under which name.

use std::sync::Arc;

use MemoryType::{LongTerm, ShortTerm};
use Outcome::{Done, Skipped};
use myao_plugin::{MemoryType, Outcome, Scope, SkipReason};
use myao_testkit::MemoryStorage;
use myao_tests::store::utc;

use crate::component::generating::{WORKSPACE, lines};
use crate::component::host::{HOUR, Host, NOW, fill, now, outcome_of, with_every_workspace_memory};

#[tokio::test]
async fn the_settings_bring_the_retired_memory_and_a_merge_after_each_channel() {
    let host = Host::telling().with(with_every_workspace_memory);
    let report = host.generate(NOW).await;
    let both = vec![(LongTerm, 1), (ShortTerm, 1)];
    let workspace: Vec<_> = lines(&report)
        .into_iter()
        .filter(|l| l.0 == Scope::Workspace)
        .collect();
    let of_workspace = |made| (Scope::Workspace, "default".to_owned(), made);
    assert_eq!(workspace, [of_workspace(both.clone()), of_workspace(both)]);
    host.storage.say("C2", NOW + 60, "carol", "It runs.");
    let later = utc(NOW + 3 * HOUR);
    host.plugin().generate_channel("C2", later).await.unwrap();
    let merged = host.plugin().generate_workspace(later).await.unwrap();
    assert_eq!(merged.outcome, Done);
}

#[tokio::test]
async fn the_workspace_is_skipped_with_its_reason() {
    let host = Host::telling();
    let entry = host.plugin().generate_workspace(now()).await.unwrap();
    assert_eq!(entry.outcome, Skipped(SkipReason::NothingToSummarize));
    assert_eq!(host.take_calls(), WORKSPACE[..3]);
    host.generate(NOW).await;
    host.take_calls();
    let entry = host.plugin().generate_workspace(now()).await.unwrap();
    assert_eq!(entry.outcome, Skipped(SkipReason::Unchanged));
    assert_eq!(host.take_calls(), WORKSPACE[..3]);
}

#[tokio::test]
async fn the_workspaces_memory_stands_under_the_scope_id_of_the_settings() {
    let storage = MemoryStorage::new().with_workspace_scope_id("acme");
    fill(&storage);
    let host = Host {
        storage: Arc::new(storage),
        ..Host::telling()
    };
    let host = host.with(|settings| settings.set("workspace_scope_id", "acme".to_owned()));
    let report = host.generate(NOW).await;
    assert_eq!(outcome_of(&report.entries, Scope::Workspace, "acme"), &Done);
    let drafts = host.storage.drafts();
    assert_eq!(drafts.last().unwrap().scope_id, "acme");
    let requests = host.llm.requests();
    assert_eq!(requests.last().unwrap().purpose.scope_id, "acme");
    let report = host.generate(NOW).await;
    let unchanged = Skipped(SkipReason::Unchanged);
    assert_eq!(
        outcome_of(&report.entries, Scope::Workspace, "acme"),
        &unchanged
    );
}
