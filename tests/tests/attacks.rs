//! The attacks of `tests/attacks/` through the component: no text or name forges the structure of a prompt.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

// What knows nothing of the guest is the same for both.
#[path = "../../guest/tests/attacks/comparing.rs"]
mod comparing;
#[path = "../../guest/tests/attacks/corpus.rs"]
#[allow(dead_code, reason = "harmless names are tried natively")]
mod corpus;
#[path = "../../guest/tests/attacks/structure.rs"]
mod structure;

use std::sync::Arc;

use comparing::{NAME, TEXT, assert_same_structure};
use myao_plugin::llm::NoLlm;
use myao_plugin::storage::empty::EmptyStorage;
use myao_plugin::{
    Context, ConversationHistory, MemoryPlugin, MemoryType, Message, Occasion, Scope, Timestamp,
    context_json,
};
use myao_tests::{default_settings, plugin, read_project_file};
use structure::parts;

const COMBINATIONS: [(Scope, MemoryType); 5] = [
    (Scope::Thread, MemoryType::ShortTerm),
    (Scope::Channel, MemoryType::ShortTerm),
    (Scope::Channel, MemoryType::LongTerm),
    (Scope::Workspace, MemoryType::ShortTerm),
    (Scope::Workspace, MemoryType::LongTerm),
];
const NOW: Timestamp = Timestamp {
    unix_seconds: 1_709_298_000,
    utc_offset_seconds: 32_400,
};

fn renderer() -> MemoryPlugin {
    let settings = default_settings().with(|settings| {
        settings.set("memory.legacy_workspace_short_term", true);
    });
    plugin(Arc::new(EmptyStorage), Arc::new(NoLlm), settings)
}

/// The messages, those of threads too.
fn messages(history: &mut ConversationHistory) -> impl Iterator<Item = &mut Message> {
    let threads = history.threads.iter_mut();
    let of_threads = threads.flat_map(|thread| &mut thread.messages);
    history.top_level_messages.iter_mut().chain(of_threads)
}

/// The specification's context with this text wherever people or models wrote one.
fn with_text(text: &str) -> Context {
    let mut context = golden_context();
    for message in messages(&mut context.conversation_history) {
        message.text = text.to_owned();
    }
    context.workspace_long_term_memory = Some(text.to_owned());
    context.workspace_short_term_memory = Some(text.to_owned());
    for channel in &mut context.channel_memories {
        channel.long_term_memory = Some(text.to_owned());
        channel.short_term_memory = Some(text.to_owned());
        channel.short_term_memory_history = vec![text.to_owned(), text.to_owned()];
    }
    context
}

/// The specification's context in which every person and channel has this name.
fn with_name(name: &str) -> Context {
    let mut context = golden_context();
    for message in messages(&mut context.conversation_history) {
        message.user.name = name.to_owned();
    }
    context.conversation_history.channel_name = name.to_owned();
    for channel in &mut context.channel_memories {
        channel.channel_name = name.to_owned();
    }
    context
}

fn golden_context() -> Context {
    context_json::parse(&read_project_file("tests/goldens/context.json")).unwrap()
}

/// Every prompt that the component makes of a context.
async fn prompts(renderer: &MemoryPlugin, context: &Context) -> Vec<String> {
    let existing = context.workspace_long_term_memory.as_deref();
    let mut prompts = Vec::new();
    for (scope, memory_type) in COMBINATIONS {
        let prompt = renderer.render_prompt(context, scope, memory_type, existing);
        prompts.push(prompt.await.unwrap());
    }
    for occasion in [Occasion::Mention, Occasion::Unasked] {
        prompts.push(renderer.render_reply(context, occasion, NOW).await.unwrap());
    }
    prompts.push(renderer.render_judgment(context, NOW).await.unwrap());
    prompts
}

#[tokio::test]
async fn no_text_or_name_forges_structure_through_the_component() {
    let corpus = corpus::read();
    let renderer = renderer();
    let texts = (&corpus.texts, TEXT, with_text as fn(&str) -> Context);
    let names = (&corpus.names, NAME, with_name as fn(&str) -> Context);
    for (attacks, placeholder, with) in [texts, names] {
        let plain = prompts(&renderer, &with(placeholder)).await;
        // All but one: a prompt without messages may name nobody.
        let shown = plain.iter().filter(|plain| plain.contains(placeholder));
        let shown = shown.count();
        assert!(shown + 1 >= plain.len(), "{placeholder}: {shown}");
        for attack in attacks {
            let attacked = prompts(&renderer, &with(&attack.text)).await;
            let pairs = attacked.iter().zip(&plain);
            for (attacked, plain) in pairs.filter(|(_, plain)| plain.contains(placeholder)) {
                assert_same_structure(&attack.name, attacked, &parts(plain), &attack.text);
            }
        }
    }
}

#[tokio::test]
async fn harmless_texts_and_names_keep_their_bytes_through_the_component() {
    let corpus = corpus::read();
    let renderer = renderer();
    let text = corpus.harmless.join("\n");
    for prompt in prompts(&renderer, &with_text(&text)).await {
        assert!(prompt.contains(&text), "{prompt}");
    }
    for name in &corpus.harmless_names {
        let prompt = renderer
            .render_prompt(&with_name(name), Scope::Thread, MemoryType::ShortTerm, None)
            .await
            .unwrap();
        assert!(prompt.contains(&format!("** {name}:\n")), "{prompt}");
        assert!(prompt.contains(&format!("\n- #{name}\n")), "{prompt}");
    }
}
