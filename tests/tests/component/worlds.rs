//! The components of the smaller worlds.

use myao_plugin::{CallError, LoadError, MemoryPlugin, Target};
use myao_tests::{component, component_of};

use crate::component::host::{Host, NOW, now};

fn plugin(host: &Host, component: &str) -> MemoryPlugin {
    MemoryPlugin::builder()
        .component(component_of(component))
        .storage(host.storage.clone())
        .llm(host.llm.clone() as std::sync::Arc<dyn myao_plugin::llm::Llm>)
        .settings(host.settings.clone())
        .build()
        .unwrap()
}

#[tokio::test]
async fn the_world_memory_makes_the_same_memories_and_answers_nobody() {
    let (whole, part) = (Host::telling(), Host::telling());
    let report = whole.generate(NOW).await;
    let memory = plugin(&part, "myao_memory");
    assert_eq!(memory.generate(now()).await.unwrap(), report);
    assert_eq!(part.remembered(), whole.remembered());
    assert_eq!(part.llm.prompts(), whole.llm.prompts());
    let target = Target {
        channel_id: "C1".to_owned(),
        thread_ts: None,
        message_ts: format!("{NOW}.000000"),
    };
    let reply = memory.reply_to_mention(&target, now()).await.unwrap_err();
    assert!(
        matches!(
            reply,
            CallError::NotOffered {
                call: "reply_to_mention",
                ..
            }
        ),
        "{reply:?}"
    );
}

#[tokio::test]
async fn the_world_summarizer_makes_no_memories() {
    let summarizer = plugin(&Host::telling(), "myao_summarizer");
    let error = summarizer.generate(now()).await.unwrap_err();
    assert!(matches!(error, CallError::NotOffered { .. }), "{error:?}");
    assert_eq!(summarizer.component().about().name, "myao");
}

#[test]
fn a_host_that_needs_the_whole_refuses_a_part() {
    assert!(component().with_bot().is_ok());
    for (part, world) in [("myao_memory", "memory"), ("myao_summarizer", "summarizer")] {
        let refused = component_of(part).with_bot().err().unwrap();
        assert!(
            matches!(&refused, LoadError::Incompatible { found, .. } if found.contains(world)),
            "{refused}"
        );
    }
}
