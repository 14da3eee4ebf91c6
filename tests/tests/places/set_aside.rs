//! A memory of which it is not known what it was made from is shown to the operator alone.

use std::sync::Arc;
use std::time::Duration;

use myao_bot::clock::Clock;
use myao_bot::current::Current;
use myao_bot::settings::BotSettings;
use myao_bot::views::{Asked, Views};
use myao_plugin::chat::NoChat;
use myao_plugin::llm::NoLlm;
use myao_plugin::storage::records::{ImportSink as _, MemoryRecord};
use myao_plugin::{MemoryType, Scope};
use myao_slack::command::SourcesOf;
use myao_tests::conversation::{channel, channel_id};
use myao_tests::store::{TestStore, WORKSPACE};
use myao_tests::{default_settings, plugin};

#[tokio::test]
async fn imported_memories_are_neither_in_app_home_nor_in_answers_to_commands() {
    let file = TestStore::empty();
    let mut import = file.open().import(WORKSPACE, 1).unwrap();
    import.channel(&channel(1)).unwrap();
    for memory_type in [MemoryType::ShortTerm, MemoryType::LongTerm] {
        for (scope, scope_id) in [
            (Scope::Channel, channel_id(1)),
            (Scope::Workspace, "default".to_owned()),
        ] {
            let memory = MemoryRecord {
                scope,
                scope_id,
                memory_type,
                content: "of who knows what".to_owned(),
                created_at: 1,
                updated_at: 1,
                source_message_count: 1,
                source_latest_message_ts: None,
            };
            import.memory(&memory).unwrap();
        }
    }
    import.commit().unwrap();
    let clock = Clock::new(super::run::local_time(), || Duration::from_secs(9));
    let workspace = Arc::new(file.workspace());
    let plugin = plugin(workspace.clone(), Arc::new(NoLlm), default_settings());
    let current = Current::fixed(BotSettings::default(), plugin);
    let views = Views::new(workspace, Arc::new(NoChat), current, clock);
    let asked = || Asked {
        id: channel_id(1),
        name: "general".to_owned(),
    };
    let shown = views.memory(asked()).await.unwrap();
    assert_eq!((shown.short_term, shown.long_term), (None, None));
    assert_eq!(views.history(asked(), 9).await.unwrap().total, 0);
    assert_eq!(
        views
            .sources(asked(), SourcesOf::Newest)
            .await
            .unwrap()
            .found,
        None
    );
    let home = views.home("U0").await.unwrap();
    assert_eq!((home.workspace, home.channels.len()), (None, 0));
}
