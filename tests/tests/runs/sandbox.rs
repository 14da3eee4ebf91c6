//! What a component may do and use up. `tests/faulty-component` does what it is told to do wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use myao_plugin::llm::{CallObserver, Completion, FinishReason, Llm, LlmError, NoLlm, Request};
use myao_plugin::recording::{Export, Head, Recording};
use myao_plugin::storage::empty::EmptyStorage;
use myao_plugin::{
    CallError, Context, Error, Limits, MemoryPlugin, MemoryType, Scope, Timestamp, context_json,
};
use myao_tests::backfills::llm_settings;
use myao_tests::{builder, project_file, read_project_file};
use tokio::sync::Semaphore;

fn context() -> Context {
    context_json::parse(&read_project_file("tests/goldens/context.json")).unwrap()
}

/// Where the faulty component is.
const FAULTY: &str = "target/component/faulty.wasm";

/// A model that lets `places` calls go on, and the others wait.
struct Gate {
    places: Semaphore,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Gate {
    fn with_places(places: usize) -> Arc<Self> {
        Arc::new(Self {
            places: Semaphore::new(places),
            at_once: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
        })
    }
}

#[async_trait::async_trait]
impl Llm for Gate {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        let at_once = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(at_once, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.places.acquire().await.unwrap().forget();
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        Ok(Completion {
            text: "an answer".to_owned(),
            finish_reason: FinishReason::Stop,
            model: "gate".to_owned(),
            input_tokens: None,
            output_tokens: None,
        })
    }
}

pub(crate) fn faulty(llm: Arc<dyn Llm>, limits: Limits) -> MemoryPlugin {
    MemoryPlugin::builder()
        .component_file(project_file(FAULTY))
        .cache_dir(project_file("target/component-cache"))
        .llm(llm)
        .limits(limits)
        .build()
        .unwrap_or_else(|error| panic!("{error}; run `scripts/build-component faulty` first"))
}

pub(crate) async fn told_to(plugin: &MemoryPlugin, what: &str) -> Result<String, CallError> {
    let context = context();
    plugin
        .render_prompt(&context, Scope::Workspace, MemoryType::LongTerm, Some(what))
        .await
}

/// How a call ends that misbehaves. It is told with the component's name, and the next one works.
pub(crate) async fn ending(what: &str, limits: Limits) -> CallError {
    let plugin = faulty(Arc::new(NoLlm), limits);
    let error = told_to(&plugin, what).await.unwrap_err();
    assert!(error.to_string().contains("faulty.wasm"), "{error}");
    assert!(error.to_string().contains("`render_prompt`"), "{error}");
    assert_eq!(told_to(&plugin, "work").await.unwrap(), "a prompt");
    error
}

const SOON: Duration = Duration::from_millis(300);

fn soon() -> Limits {
    Limits::default().with(|limits| limits.deadline = SOON)
}

#[tokio::test]
async fn a_loop_ends_at_the_deadline() {
    let error = ending("loop", soon()).await;
    assert!(
        matches!(error, CallError::TimedOut { deadline, .. } if deadline == SOON),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_import_that_never_answers_ends_at_the_deadline() {
    let plugin = faulty(Gate::with_places(0), soon());
    let error = told_to(&plugin, "ask the model").await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error:?}");
    assert_eq!(told_to(&plugin, "work").await.unwrap(), "a prompt");
}

#[tokio::test]
async fn a_memory_bomb_ends_at_the_limit() {
    let limits = Limits::default().with(|limits| limits.memory_bytes = 16 << 20);
    let error = ending("eat memory", limits).await;
    assert!(
        matches!(error, CallError::OutOfMemory { limit, .. } if limit == 16 << 20),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_panic_is_an_error_of_the_call() {
    let error = ending("panic", Limits::default()).await;
    assert!(matches!(error, CallError::Trapped { .. }), "{error:?}");
}

#[tokio::test]
async fn endless_recursion_is_an_error_of_the_call() {
    let error = ending("recurse", Limits::default()).await;
    assert!(
        matches!(error, CallError::StackOverflow { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_giant_result_or_argument_does_not_reach_the_host() {
    for what in ["return much", "say much"] {
        let error = ending(what, Limits::default()).await;
        let is_limit = matches!(error, CallError::TooMuchData { limit, .. } if limit == 64 << 20);
        assert!(is_limit, "{what}: {error:?}");
    }
    let generous = Limits::default().with(|limits| {
        limits.transfer_bytes = 256 << 20;
        limits.memory_bytes = 1 << 30;
    });
    let plugin = faulty(Arc::new(NoLlm), generous);
    assert_eq!(
        told_to(&plugin, "return much").await.unwrap().len(),
        "much ".len() * (40 << 20)
    );
}

#[tokio::test]
async fn calls_of_imports_are_counted() {
    let limits = Limits::default().with(|limits| limits.import_calls = 1000);
    let error = ending("call without end", limits).await;
    assert!(
        matches!(error, CallError::TooManyImportCalls { limit: 1000, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_the_small_world_does_not_offer_is_named() {
    let plugin = faulty(Arc::new(NoLlm), Limits::default());
    let error = plugin
        .generate(myao_tests::store::utc(0))
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            CallError::NotOffered {
                call: "next_steps",
                ..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn more_calls_than_places_wait_and_all_come_to_their_turn() {
    const CALLS: usize = 40;
    let gate = Gate::with_places(CALLS);
    let limits = Limits::default().with(|limits| limits.concurrent_calls = 3);
    let plugin = faulty(gate.clone(), limits);
    let calls = (0..CALLS).map(|_| told_to(&plugin, "ask the model"));
    for result in futures::future::join_all(calls).await {
        assert_eq!(result.unwrap(), "an answer");
    }
    assert_eq!(gate.most_at_once.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_call_finds_nothing_of_those_before_it() {
    let limits = Limits::default().with(|limits| limits.memory_bytes = 16 << 20);
    let plugin = faulty(Arc::new(NoLlm), limits);
    for fault in ["work", "panic", "eat memory", "recurse"] {
        for _ in 0..2 {
            assert_eq!(told_to(&plugin, "count calls").await.unwrap(), "1");
            let _ = told_to(&plugin, fault).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_finds_no_place_in_time_is_told_so() {
    let gate = Gate::with_places(0);
    let limits = Limits::default().with(|limits| {
        limits.concurrent_calls = 1;
        limits.admission_wait = Duration::from_secs(60);
    });
    let plugin = faulty(gate.clone(), limits);
    let other = plugin.clone();
    let first = tokio::spawn(async move { told_to(&other, "ask the model").await });
    while gate.at_once.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let error = told_to(&plugin, "work").await.unwrap_err();
    assert!(
        matches!(error, CallError::Busy { running: 1, waited, .. } if waited == Duration::from_secs(60)),
        "{error:?}"
    );
    gate.places.add_permits(1);
    assert_eq!(first.await.unwrap().unwrap(), "an answer");
    assert_eq!(told_to(&plugin, "work").await.unwrap(), "a prompt");
}

#[tokio::test(start_paused = true)]
async fn a_replay_waits_for_a_place_too() {
    let gate = Gate::with_places(0);
    let llm: Arc<dyn Llm> = gate.clone();
    let limits = Limits::default().with(|limits| {
        limits.concurrent_calls = 1;
        limits.admission_wait = Duration::from_secs(60);
    });
    let plugin = builder(Arc::new(EmptyStorage), llm, llm_settings());
    let plugin = plugin.limits(limits).build().unwrap();
    let other = plugin.clone();
    let first = tokio::spawn(async move {
        let context = context();
        let summary = other.summarize(&context, Scope::Channel, MemoryType::ShortTerm, None);
        summary.await
    });
    while gate.at_once.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let now = Timestamp {
        unix_seconds: 0,
        utc_offset_seconds: 0,
    };
    let recording = Recording {
        head: Head {
            export: Export::GenerateWorkspace { now },
            component: plugin.component_digest().to_owned(),
            started_at: 0,
        },
        calls: Vec::new(),
    };
    let error = plugin.replay(recording).await.err().unwrap();
    assert!(
        matches!(error, CallError::Busy { call: "replay", .. }),
        "{error:?}"
    );
    first.abort();
}

#[tokio::test]
async fn a_template_that_never_ends_is_an_error_of_the_call() {
    let nested =
        "{% for a in range(10000) %}{% for b in range(10000) %}{{ a }}{% endfor %}{% endfor %}";
    let recursive = "{% macro again(n) %}{{ again(n + 1) }}{% endmacro %}{{ again(0) }}";
    for (source, is_expected) in [
        (
            nested,
            (|e| matches!(e, CallError::TimedOut { .. })) as fn(&CallError) -> bool,
        ),
        (recursive, |e| {
            matches!(e, CallError::Refused(Error::Template(_)))
        }),
    ] {
        let settings = llm_settings().with(|settings| {
            settings.set("templates.memory_prompt.j2", source);
        });
        let plugin = builder(Arc::new(EmptyStorage), Arc::new(NoLlm), settings)
            .limits(soon().with(|limits| limits.memory_bytes = 1 << 30))
            .build()
            .unwrap();
        let error = told_to(&plugin, "").await.unwrap_err();
        assert!(is_expected(&error), "{error:?}");
    }
}
