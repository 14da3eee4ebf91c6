//! The specification's five worked prompts, to the byte, through the component.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::sync::Arc;

use myao_plugin::llm::NoLlm;
use myao_plugin::storage::empty::EmptyStorage;
use myao_plugin::{
    CallError, Combination, Context, Error, MemoryPlugin, MemoryType, Scope, context_json,
};
use myao_tests::{default_settings, plugin, read_project_file};

fn context() -> Context {
    context_json::parse(&read_project_file("tests/goldens/context.json")).unwrap()
}

fn renderer(legacy_workspace_short_term: bool) -> MemoryPlugin {
    let settings = default_settings().with(|settings| {
        settings.set(
            "memory.legacy_workspace_short_term",
            legacy_workspace_short_term,
        );
    });
    plugin(Arc::new(EmptyStorage), Arc::new(NoLlm), settings)
}

async fn assert_golden(name: &str, scope: Scope, memory_type: MemoryType, legacy: bool) {
    let context = context();
    let existing = match scope {
        Scope::Channel => context.channel_memories[0].long_term_memory.clone(),
        Scope::Workspace => context.workspace_long_term_memory.clone(),
        Scope::Thread => None,
    };
    let existing = existing.filter(|_| memory_type == MemoryType::LongTerm);
    let prompt = renderer(legacy)
        .render_prompt(&context, scope, memory_type, existing.as_deref())
        .await;
    assert_eq!(
        prompt.unwrap(),
        read_project_file(&format!("tests/goldens/{name}.txt"))
    );
}

#[tokio::test]
async fn thread_short_term_prompt_equals_its_golden() {
    assert_golden(
        "thread-short-term",
        Scope::Thread,
        MemoryType::ShortTerm,
        true,
    )
    .await;
}

#[tokio::test]
async fn channel_short_term_prompt_equals_its_golden() {
    assert_golden(
        "channel-short-term",
        Scope::Channel,
        MemoryType::ShortTerm,
        false,
    )
    .await;
}

#[tokio::test]
async fn channel_long_term_prompt_equals_its_golden() {
    assert_golden(
        "channel-long-term",
        Scope::Channel,
        MemoryType::LongTerm,
        false,
    )
    .await;
}

#[tokio::test]
async fn workspace_short_term_prompt_equals_its_golden() {
    assert_golden(
        "workspace-short-term",
        Scope::Workspace,
        MemoryType::ShortTerm,
        true,
    )
    .await;
}

#[tokio::test]
async fn workspace_long_term_prompt_equals_its_golden() {
    assert_golden(
        "workspace-long-term",
        Scope::Workspace,
        MemoryType::LongTerm,
        false,
    )
    .await;
}

#[tokio::test]
async fn the_retired_combination_is_refused_by_its_name() {
    let refused = renderer(false)
        .render_prompt(&context(), Scope::Workspace, MemoryType::ShortTerm, None)
        .await
        .unwrap_err();
    let combination = Combination {
        scope: Scope::Workspace,
        memory_type: MemoryType::ShortTerm,
    };
    assert!(
        matches!(&refused, CallError::Refused(Error::UnsupportedCombination(c)) if *c == combination)
    );
    assert!(
        refused
            .to_string()
            .contains("`memory.legacy_workspace_short_term`"),
        "{refused}"
    );
}

#[tokio::test]
async fn the_retired_section_is_not_shown_unless_the_setting_is_on() {
    let prompt = renderer(false)
        .render_prompt(&context(), Scope::Thread, MemoryType::ShortTerm, None)
        .await
        .unwrap();
    assert!(!prompt.contains("### ワークスペースの最近の出来事"));
    assert!(prompt.contains("### ワークスペースの歴史"));
}
