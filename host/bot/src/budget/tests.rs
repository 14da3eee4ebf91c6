#![allow(clippy::panic, clippy::unwrap_used)]

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use chrono_tz::Tz;
use futures::{FutureExt as _, StreamExt as _};
use myao_plugin::journal::CallEntry;
use myao_plugin::llm::{Completion, FinishReason, ModelIdentity, Purpose};
use myao_plugin::{MemoryType, Scope};
use tempfile::TempDir;

use super::*;

/// 2026-11-25T21:00:00+09:00.
const EVENING: i64 = 1_795_608_000;
/// 2026-11-26T00:00:00+09:00.
const MIDNIGHT: i64 = EVENING + 3 * 3600;

/// A model whose tokens are letters. It is never asked: the tests say how calls end.
struct Model(ModelIdentity);

impl Model {
    fn new() -> Self {
        Self(ModelIdentity::new("openai", "m", "", &().into()))
    }
}

#[async_trait::async_trait]
impl Llm for Model {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        Err(LlmError::TimedOut)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        text.len().try_into().unwrap()
    }

    fn identity(&self) -> Option<&ModelIdentity> {
        Some(&self.0)
    }
}

/// A token of a prompt costs 1, one of an answer 10.
struct Tenfold;

impl Pricing for Tenfold {
    fn of(&self, _: &str, _: &str, _: &str) -> TokenPrice {
        TokenPrice {
            input: 1,
            cached: 1,
            output: 10,
        }
    }
}

/// A call that may take 100 tokens: 80 of its prompt, 20 of its answer.
fn request(agent: Agent) -> Request {
    Request {
        system_prompt: "x".repeat(80 - usize::try_from(FRAME_TOKENS).unwrap()),
        max_tokens: 20,
        answer_schema: None,
        purpose: Purpose {
            agent,
            scope: Scope::Channel,
            scope_id: "C1".to_owned(),
            memory_type: (agent == Agent::Memory).then_some(MemoryType::ShortTerm),
        },
    }
}

fn record(at: i64, input: u32, output: u32) -> CallRecord {
    CallRecord {
        provider: "openai".to_owned(),
        model: "m".to_owned(),
        input_tokens: Some(input),
        output_tokens: Some(output),
        cached_tokens: None,
        started_at: UNIX_EPOCH + Duration::from_secs(at.try_into().unwrap()),
        duration: Duration::ZERO,
        attempts: 1,
        finish_reason: Some(FinishReason::Stop),
        error: None,
    }
}

/// A workspace in Tokyo whose clock the test sets.
struct World {
    store: Arc<dyn Workspace>,
    _folder: TempDir,
    now: Arc<AtomicI64>,
}

impl World {
    fn new() -> Self {
        let (folder, workspace) = crate::test_store::workspace();
        Self {
            store: Arc::new(workspace),
            _folder: folder,
            now: Arc::new(AtomicI64::new(EVENING)),
        }
    }

    fn budget(&self, day: Ceiling, run: Ceiling) -> Budget {
        let now = self.now.clone();
        let since_1970 =
            move || Duration::from_secs(now.load(Ordering::SeqCst).try_into().unwrap());
        let clock = Clock::new(Tz::Asia__Tokyo, since_1970);
        let terms = Terms {
            day,
            run,
            prices: Arc::new(Tenfold),
        };
        Budget::new(self.store.clone(), clock, terms)
    }

    fn set_clock(&self, now: i64) {
        self.now.store(now, Ordering::SeqCst);
    }

    /// Ends a call as the plugin does: with its record in the journal before it is under way no more.
    async fn end(&self, call: Box<dyn CallObserver>, agent: Agent, record: CallRecord) {
        call.observe(record.clone());
        let entry = CallEntry {
            purpose: request(agent).purpose,
            model: "m".to_owned(),
            input: None,
            record,
            answer: None,
            for_memory: true,
        };
        self.store.record(entry).await.unwrap();
    }
}

fn tokens(most: u64) -> Ceiling {
    Ceiling {
        tokens: Some(most),
        money: None,
    }
}

async fn admit(budget: &Budget, agent: Agent) -> Result<Box<dyn CallObserver>, LlmError> {
    budget.admit(&Model::new(), &request(agent)).await
}

/// Returns true if a call has to wait for the end of another.
async fn waits(budget: &Budget, agent: Agent) -> bool {
    let prices = budget.ledger.with(|state| state.terms.prices.clone());
    let call = Call::of(&Model::new(), &request(agent), &*prices);
    budget.try_admit(&call).await.unwrap().is_none()
}

fn text(refused: Result<Box<dyn CallObserver>, LlmError>) -> String {
    match refused {
        Err(LlmError::Other(reason)) => reason.text,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it is allowed"),
    }
}

#[tokio::test]
async fn what_is_spent_counts_after_a_restart_until_the_day_ends() {
    let world = World::new();
    let budget = world.budget(tokens(250), Ceiling::default());
    for agent in [Agent::Memory, Agent::Response] {
        let call = admit(&budget, agent).await.unwrap();
        world.end(call, agent, record(EVENING, 70, 20)).await;
    }
    drop(budget);
    let budget = world.budget(tokens(250), Ceiling::default());
    assert_eq!(budget.spent(), None);
    let said = text(admit(&budget, Agent::Judgment).await);
    assert_eq!(
        said,
        "the budget of the day is used up (budget.tokens_per_day): models are asked again from 2026-11-26 00:00 on"
    );
    let spent = Spent {
        key: "budget.tokens_per_day",
        until: MIDNIGHT,
    };
    world.set_clock(MIDNIGHT - 1);
    assert_eq!(budget.spent(), Some(spent));
    assert!(admit(&budget, Agent::Memory).await.is_err());
    world.set_clock(MIDNIGHT);
    assert_eq!(budget.spent(), None);
    assert!(admit(&budget, Agent::Memory).await.is_ok());
}

#[tokio::test]
async fn calls_side_by_side_never_take_more_than_the_budget() {
    const MOST: u64 = 1_000;
    let world = World::new();
    let budget = world.budget(tokens(MOST), Ceiling::default());
    let (taken, made) = (AtomicU64::new(0), AtomicU64::new(0));
    let calls = (0..64_u32).map(|number| {
        let (world, budget, taken, made) = (&world, &budget, &taken, &made);
        async move {
            let Ok(call) = admit(budget, Agent::Memory).await else {
                return;
            };
            // Others run while this one is under way.
            for _ in 0..=number % 3 {
                tokio::task::yield_now().await;
            }
            let output = number % 21;
            taken.fetch_add(u64::from(80 + output), Ordering::SeqCst);
            made.fetch_add(1, Ordering::SeqCst);
            let record = record(EVENING, 80, output);
            world.end(call, Agent::Memory, record).await;
        }
    });
    let all: Vec<_> = calls.collect();
    futures::stream::iter(all)
        .for_each_concurrent(16, |call| call)
        .await;
    let (taken, made) = (taken.into_inner(), made.into_inner());
    assert!(taken <= MOST, "{taken}");
    // Reserved amounts that calls did not use are there for others.
    assert!(taken > MOST - 100 && made > 10, "{made} calls took {taken}");
}

#[tokio::test]
async fn a_call_waits_for_the_end_of_one_that_may_leave_enough() {
    let world = World::new();
    let budget = world.budget(tokens(199), Ceiling::default());
    let first = admit(&budget, Agent::Memory).await.unwrap();
    assert!(waits(&budget, Agent::Memory).await);
    let mut second = Box::pin(admit(&budget, Agent::Memory));
    assert!((&mut second).now_or_never().is_none());
    world
        .end(first, Agent::Memory, record(EVENING, 79, 20))
        .await;
    let second = second.await.unwrap();
    // The second is given up: nothing of it stays reserved.
    drop(second);
    assert!(admit(&budget, Agent::Memory).await.is_ok());
}

#[tokio::test]
async fn a_call_without_an_answer_takes_nothing_and_one_without_numbers_all_it_may() {
    let world = World::new();
    let budget = world.budget(tokens(100), tokens(100));
    let call = admit(&budget, Agent::Memory).await.unwrap();
    let failed = CallRecord {
        error: Some(LlmError::TimedOut),
        finish_reason: None,
        ..record(EVENING, 50, 5)
    };
    world.end(call, Agent::Memory, failed).await;
    let call = admit(&budget, Agent::Memory).await.unwrap();
    let unreported = CallRecord {
        output_tokens: None,
        ..record(EVENING, 1, 1)
    };
    world.end(call, Agent::Memory, unreported).await;
    for budget in [
        &budget,
        &world.budget(tokens(199), Ceiling::default()),
        &world.budget(
            Ceiling {
                tokens: None,
                money: Some(1_200),
            },
            Ceiling::default(),
        ),
    ] {
        let refused = admit(budget, Agent::Memory).await.err().unwrap();
        assert!(refused.is_budget_spent(), "{refused:?}");
    }
}

#[tokio::test]
async fn a_run_has_a_budget_of_its_own_which_answers_do_not_take() {
    let world = World::new();
    let budget = world.budget(Ceiling::default(), tokens(150));
    let call = admit(&budget, Agent::Memory).await.unwrap();
    world
        .end(call, Agent::Memory, record(EVENING, 60, 10))
        .await;
    let said = text(admit(&budget, Agent::Memory).await);
    assert_eq!(
        said,
        "the budget of the run is used up (budget.tokens_per_run): the next run goes on from here"
    );
    assert_eq!(budget.spent(), None, "the day's is not");
    assert!(admit(&budget, Agent::Response).await.is_ok());
    let left_over = admit(
        &world.budget(Ceiling::default(), tokens(150)),
        Agent::Memory,
    )
    .await;
    assert!(left_over.is_ok(), "another process is another run");
    budget.begin_run();
    assert!(admit(&budget, Agent::Memory).await.is_ok());
}

#[tokio::test]
async fn money_is_counted_by_the_prices_of_prompt_and_answer() {
    // 80 + 20 × 10 for a call.
    let money = |most| Ceiling {
        tokens: None,
        money: Some(most),
    };
    let world = World::new();
    let budget = world.budget(money(559), Ceiling::default());
    let call = admit(&budget, Agent::Response).await.unwrap();
    world
        .end(call, Agent::Response, record(EVENING, 80, 20))
        .await;
    let said = text(admit(&budget, Agent::Response).await);
    assert!(said.contains("(budget.money_per_day)"), "{said}");
    let budget = world.budget(money(560), Ceiling::default());
    assert!(admit(&budget, Agent::Response).await.is_ok());
    let budget = world.budget(money(279), Ceiling::default());
    let refused = admit(&budget, Agent::Response).await.err().unwrap();
    assert!(!refused.is_budget_spent(), "{refused:?}");
    assert!(text(Err(refused)).contains("budget.money_per_day allows at all"));
}

#[tokio::test]
async fn higher_limits_count_at_once() {
    let world = World::new();
    let budget = world.budget(tokens(100), Ceiling::default());
    let call = admit(&budget, Agent::Memory).await.unwrap();
    world
        .end(call, Agent::Memory, record(EVENING, 80, 20))
        .await;
    assert!(admit(&budget, Agent::Memory).await.is_err());
    budget.set(Terms {
        day: tokens(200),
        run: Ceiling::default(),
        prices: Arc::new(Tenfold),
    });
    assert_eq!(budget.spent(), None);
    assert!(admit(&budget, Agent::Memory).await.is_ok());
}

#[tokio::test]
async fn a_call_for_vectors_counts_for_the_day_while_it_is_under_way_and_for_no_run() {
    let world = World::new();
    let embedder = ModelIdentity::new("openai", "e", "", &().into());
    let texts = ["word ".repeat(60)];
    let most = estimate_tokens(&texts[0]) + FRAME_TOKENS;
    let day = tokens(u64::from(most) + 99);
    let budget = world.budget(day, tokens(100));
    let call = budget.admit_texts(&embedder, &texts).await.unwrap();
    assert!(waits(&budget, Agent::Memory).await);
    let mut waiting = Box::pin(admit(&budget, Agent::Memory));
    assert!((&mut waiting).now_or_never().is_none());
    call.observe(record(EVENING, most - 1, 0));
    drop(call);
    assert!(waiting.await.is_ok());
    let small = world.budget(tokens(u64::from(most) - 1), Ceiling::default());
    let refused = text(small.admit_texts(&embedder, &texts).await);
    assert!(
        refused.contains("budget.tokens_per_day allows at all"),
        "{refused}"
    );
}
