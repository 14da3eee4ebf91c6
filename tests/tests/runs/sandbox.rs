//! What a component may do and use up.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use myao::bindings::settings::{Template, Values};
use myao::bindings::types::{Context, MemoryType, Scope};
use myao::context_json;
use myao::llm::{CallObserver, Completion, Llm, LlmError, NoLlm, Request};
use myao::plugin::{CallError, Limits, MemoryPlugin};
use myao::storage::empty::EmptyStorage;
use myao_tests::backfills::llm_settings;
use myao_tests::{plugin, project_file, read_project_file};
use wasmtime::Engine;
use wasmtime::component::Component;

fn context() -> Context {
    context_json::parse(&read_project_file("tests/goldens/context.json")).unwrap()
}

fn renderer(settings: Values) -> MemoryPlugin {
    plugin(Arc::new(EmptyStorage), Arc::new(NoLlm), settings)
}

async fn render(plugin: &MemoryPlugin, context: &Context) -> Result<String, CallError> {
    plugin
        .render_prompt(context, Scope::Channel, MemoryType::ShortTerm, None)
        .await
}

/// A call that fails leaves nothing behind: the next one works.
async fn assert_next_call_works(plugin: &MemoryPlugin) {
    let state = myao::bindings::exports::myao::memory::memory_generator::UpdateState {
        latest_message_ts: None,
        has_memory: false,
        new_message_count: 1,
    };
    assert!(
        plugin
            .should_update(&state, myao_tests::store::utc(0))
            .await
            .unwrap()
    );
}

fn with_prompt(source: &str) -> Values {
    Values {
        templates: vec![Template {
            name: "memory_prompt.j2".to_owned(),
            source: source.to_owned(),
        }],
        ..llm_settings()
    }
}

#[test]
fn the_component_imports_the_contract_and_no_network() {
    let engine = Engine::default();
    let file = project_file("target/component/myao_memory.wasm");
    let component = Component::from_file(&engine, file).unwrap();
    let imports: BTreeSet<String> = component
        .component_type()
        .imports(&engine)
        .map(|(name, _)| name.to_owned())
        .collect();
    let interfaces = [
        "errors", "llm", "log", "settings", "slack", "storage", "types",
    ];
    let contract: BTreeSet<String> = interfaces
        .map(|interface| format!("myao:memory/{interface}@0.1.0"))
        .into();
    let (own, others): (BTreeSet<_>, BTreeSet<_>) = imports
        .into_iter()
        .partition(|name| name.starts_with("myao:"));
    assert_eq!(own, contract);
    // What Rust's standard library asks for; the host answers with nothing in it.
    let allowed = ["cli", "clocks", "filesystem", "io", "random"];
    for name in &others {
        let package = name
            .strip_prefix("wasi:")
            .and_then(|name| name.split('/').next());
        assert!(
            package.is_some_and(|package| allowed.contains(&package)),
            "{name}"
        );
    }
}

struct Silent;

#[async_trait::async_trait]
impl Llm for Silent {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_while_it_waits_for_the_model() {
    let deadline = Duration::from_millis(300);
    let plugin =
        plugin(Arc::new(EmptyStorage), Arc::new(Silent), llm_settings()).with_limits(Limits {
            deadline,
            ..Limits::default()
        });
    let ended = plugin
        .summarize(&context(), Scope::Channel, MemoryType::ShortTerm, None)
        .await;
    assert!(
        matches!(&ended, Err(CallError::TimedOut { call: "call_summarize", deadline: d, .. }) if *d == deadline),
        "{ended:?}"
    );
    assert_next_call_works(&plugin).await;
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_while_it_computes() {
    let endless =
        "{% for a in range(10000) %}{% for b in range(10000) %}{{ a }}{% endfor %}{% endfor %}";
    let plugin = renderer(with_prompt(endless)).with_limits(Limits {
        deadline: Duration::from_millis(300),
        memory_bytes: 1 << 30,
    });
    let ended = render(&plugin, &context()).await;
    assert!(
        matches!(ended, Err(CallError::TimedOut { .. })),
        "{ended:?}"
    );
    assert_next_call_works(&plugin).await;
}

#[tokio::test]
async fn a_call_ends_at_its_memory_limit() {
    let limits = Limits {
        memory_bytes: 16 << 20,
        ..Limits::default()
    };
    let plugin = renderer(llm_settings()).with_limits(limits);
    let mut context = context();
    context.workspace_long_term_memory = Some("much ".repeat(8 << 20));
    let ended = render(&plugin, &context).await;
    assert!(
        matches!(&ended, Err(CallError::OutOfMemory { limit, .. }) if *limit == 16 << 20),
        "{ended:?}"
    );
    assert_next_call_works(&plugin).await;
}

#[tokio::test]
async fn endless_recursion_is_an_error_of_the_call() {
    let endless = "{% macro again(n) %}{{ again(n + 1) }}{% endmacro %}{{ again(0) }}";
    let plugin = renderer(with_prompt(endless));
    let ended = render(&plugin, &context()).await;
    eprintln!("{ended:?}");
    assert!(matches!(
        ended,
        Err(CallError::Trapped { .. } | CallError::Refused(_))
    ));
    assert_next_call_works(&plugin).await;
}
