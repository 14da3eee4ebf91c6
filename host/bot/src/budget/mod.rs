//! The budget: what models may cost in a day and in a run. It is asked before each call of a model, so that it stops
//! before a limit is exceeded.
//!
//! The cost of the day is read from the journal of calls each time: it survives restarts, and includes the calls of
//! other commands. A call that is under way counts with its highest possible cost, the tokens of its prompt and of
//! its longest answer. If it does not fit for that reason alone, the next call waits for the end of one.

mod day;
mod deferred;
mod price;
mod rule;

use std::sync::{Arc, Mutex, PoisonError};

use chrono::DateTime;
use myao_plugin::OtherReason;
use myao_plugin::explain::explain_storage;
use myao_plugin::llm::{
    Agent, Allowance, BUDGET_TOO_SMALL, CallObserver, CallRecord, Llm, LlmError, ModelIdentity,
    Request, estimate_tokens,
};
use myao_plugin::state::Workspace;
use myao_plugin::waits::is_under_way;
use tokio::sync::Notify;

pub use self::day::Day;
pub use self::deferred::{Deferred, is_spent};
pub use self::price::{Pricing, TokenPrice, cost_of};
pub use self::rule::{Amount, Ceiling, Period, Unit, key};
use self::rule::{Taken, Verdict, judge};
use crate::clock::Clock;

/// The tokens that a provider adds to a prompt and its schema: the frame of a message.
const FRAME_TOKENS: u32 = 32;
/// The tokens of an answer for which the provider reported none, where they are only shown.
const UNREPORTED_TOKENS: u32 = 32_768;
/// The longest that the budget of a day can be spent, in seconds.
const LONGEST_WAIT: i64 = 28 * 3600;

/// The limits of a budget, and the prices by which money is counted.
#[derive(Clone)]
pub struct Terms {
    /// The most that a day may cost.
    pub day: Ceiling,
    /// The most that the memories of a run may cost.
    pub run: Ceiling,
    /// The prices of models.
    pub prices: Arc<dyn Pricing>,
}

/// The budget of a day is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// The key of the configuration.
    pub key: &'static str,
    /// When the next day begins, in Unix seconds.
    pub until: i64,
}

/// The budget of a workspace.
pub struct Budget {
    workspace: Arc<dyn Workspace>,
    clock: Clock,
    /// Held while a call is judged.
    judging: tokio::sync::Mutex<()>,
    ledger: Arc<Ledger>,
}

/// Amounts that are not in the journal.
struct Ledger {
    state: Mutex<State>,
    /// Notified whenever a call has ended.
    ended: Notify,
}

struct State {
    terms: Terms,
    /// The most that the calls under way may cost.
    under_way: Amount,
    /// The cost of the memories of this run.
    run: Taken,
    run_number: u64,
    spent: Option<Spent>,
}

impl Ledger {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Budget {
    /// The budget of a workspace, whose days are those of the clock's time zone. What is done with it is one run until
    /// [`Self::begin_run`] is called.
    #[must_use]
    pub fn new(workspace: Arc<dyn Workspace>, clock: Clock, terms: Terms) -> Self {
        let state = State {
            terms,
            under_way: Amount::default(),
            run: Taken::default(),
            run_number: 0,
            spent: None,
        };
        Self {
            workspace,
            clock,
            judging: tokio::sync::Mutex::default(),
            ledger: Arc::new(Ledger {
                state: Mutex::new(state),
                ended: Notify::new(),
            }),
        }
    }

    /// Sets other terms. What was spent counts on.
    pub fn set(&self, terms: Terms) {
        self.ledger.with(|state| {
            state.terms = terms;
            state.spent = None;
        });
        self.ledger.ended.notify_waiters();
    }

    /// A generation run begins: nothing of its budget is spent.
    pub fn begin_run(&self) {
        self.ledger.with(|state| {
            state.run = Taken::default();
            state.run_number += 1;
        });
    }

    /// Returns the refusal of a call today because the budget of the day is used up.
    #[must_use]
    pub fn spent(&self) -> Option<Spent> {
        let now = self.clock.seconds();
        let spent = self.ledger.with(|state| state.spent)?;
        is_under_way(spent.until, now, LONGEST_WAIT).then_some(spent)
    }

    /// The cost of the day so far, from the journal. `longest` is the number of tokens of an answer, with its prompt,
    /// whose tokens the provider did not report.
    ///
    /// # Errors
    /// An error of the store, as text.
    pub async fn spent_in(&self, day: Day, longest: u32) -> Result<Amount, String> {
        let prices = self.ledger.with(|state| state.terms.prices.clone());
        let (begin, end) = (day.begin.saturating_mul(1000), day.end.saturating_mul(1000));
        let used = self.workspace.use_of_models(begin, end).await;
        let used = used.map_err(|error| explain_storage(&error))?;
        let amounts = used.iter().map(|of| price::cost_of(of, &*prices, longest));
        Ok(amounts.fold(Amount::default(), Amount::plus))
    }

    /// The spent part of each limit of the day: 1 is all of it.
    ///
    /// # Errors
    /// An error of the store, as text.
    pub(crate) async fn spent_parts(&self) -> Result<Vec<(&'static str, f64)>, String> {
        let most = self.ledger.with(|state| state.terms.day);
        if !most.is_set() {
            return Ok(Vec::new());
        }
        let spent = self
            .spent_in(Day::today(&self.clock), UNREPORTED_TOKENS)
            .await?;
        let part = |spent: u128, most: u128| {
            let part = spent.saturating_mul(10_000).checked_div(most);
            let part = u32::try_from(part.unwrap_or(10_000)).unwrap_or(u32::MAX);
            f64::from(part) / 10_000.0
        };
        let tokens = most.tokens.map(|most| part(spent.tokens, most.into()));
        let money = most.money.map(|most| part(spent.money, most));
        let parts = [("tokens", tokens), ("money", money)].into_iter();
        Ok(parts
            .filter_map(|(unit, part)| Some((unit, part?)))
            .collect())
    }

    /// Allows the call of an embedder for these texts, or says why it may not be made. It counts for the day alone.
    ///
    /// # Errors
    /// As [`Allowance::admit`].
    pub async fn admit_texts(
        &self,
        embedder: &ModelIdentity,
        texts: &[String],
    ) -> Result<Box<dyn CallObserver>, LlmError> {
        let tokens = texts.iter().fold(0_u32, |sum, text| {
            let of_text = estimate_tokens(text).saturating_add(FRAME_TOKENS);
            sum.saturating_add(of_text)
        });
        let model = embedder.model();
        let prices = self.ledger.with(|state| state.terms.prices.clone());
        let price = prices.of(embedder.provider(), model, model);
        let call = Call {
            in_run: false,
            model: model.to_owned(),
            most: price.cost(tokens.into(), 0, 0),
            longest: tokens,
        };
        self.admit_call(call).await
    }

    async fn admit_call(&self, call: Call) -> Result<Box<dyn CallObserver>, LlmError> {
        loop {
            let ended = self.ledger.ended.notified();
            tokio::pin!(ended);
            // From here on: a call may end while this one is judged.
            ended.as_mut().enable();
            if let Some(under_way) = self.try_admit(&call).await? {
                return Ok(Box::new(under_way));
            }
            ended.await;
        }
    }

    /// Judges a call once. If it is allowed, it is under way from now on.
    async fn try_admit(&self, call: &Call) -> Result<Option<UnderWay>, LlmError> {
        let _judging = self.judging.lock().await;
        let day = Day::today(&self.clock);
        let (terms, under_way) = self
            .ledger
            .with(|state| (state.terms.clone(), state.under_way));
        let of_day = match terms.day.is_set() {
            true => {
                // Read after `under_way`: a call that ends in between counts twice, and never not at all.
                let spent = self.spent_in(day, call.longest).await.map_err(unreadable)?;
                judge(&terms.day, &Taken { spent, under_way }, call.most)
            }
            false => Verdict::Allowed,
        };
        let in_run = call.in_run;
        self.ledger.with(|state| {
            let of_run = match in_run {
                true => judge(&terms.run, &state.run, call.most),
                false => Verdict::Allowed,
            };
            for (period, verdict) in [(Period::Day, of_day), (Period::Run, of_run)] {
                match verdict {
                    Verdict::Allowed | Verdict::NotYet => {}
                    Verdict::TooLarge(unit) => return Err(too_large(key(period, unit))),
                    Verdict::Spent(unit) => {
                        return Err(self.refuse(state, period, unit, day.end));
                    }
                }
            }
            if Verdict::NotYet == of_day || Verdict::NotYet == of_run {
                return Ok(None);
            }
            state.under_way = state.under_way.plus(call.most);
            if in_run {
                state.run.under_way = state.run.under_way.plus(call.most);
            }
            Ok(Some(UnderWay {
                ledger: self.ledger.clone(),
                prices: terms.prices.clone(),
                model: call.model.clone(),
                most: call.most,
                run: in_run.then_some(state.run_number),
                cost: Mutex::default(),
            }))
        })
    }

    /// Says why a call is not made, and notes that the day's budget is used up.
    fn refuse(&self, state: &mut State, period: Period, unit: Unit, end: i64) -> LlmError {
        let key = key(period, unit);
        let text = match period {
            Period::Day => {
                let spent = Some(Spent { key, until: end });
                let text = format!(
                    "the budget of the day is used up ({key}): models are asked again from {} on",
                    self.time(end)
                );
                if std::mem::replace(&mut state.spent, spent) != spent {
                    tracing::warn!("{text}");
                }
                text
            }
            Period::Run => {
                format!("the budget of the run is used up ({key}): the next run goes on from here")
            }
        };
        LlmError::budget_spent(text)
    }

    /// A time in the configured time zone, for people.
    fn time(&self, unix_seconds: i64) -> String {
        let offset = i64::from(self.clock.local(unix_seconds).utc_offset_seconds);
        let local = DateTime::from_timestamp(unix_seconds.saturating_add(offset), 0);
        local
            .unwrap_or_default()
            .format("%Y-%m-%d %H:%M")
            .to_string()
    }
}

fn unreadable(error: String) -> LlmError {
    LlmError::Other(OtherReason::new(
        "journal-unreadable",
        format!("it was not asked, as it cannot be read what the day has cost: {error}"),
    ))
}

fn too_large(key: &str) -> LlmError {
    LlmError::Other(OtherReason::new(
        BUDGET_TOO_SMALL,
        format!("one call may cost more than {key} allows at all; raise it"),
    ))
}

/// A call that is to be made.
struct Call {
    /// True if the budget of the run counts it.
    in_run: bool,
    /// The model that is asked, by the configuration's name.
    model: String,
    /// The most that it may cost.
    most: Amount,
    /// The most tokens of prompt and answer together.
    longest: u32,
}

impl Call {
    fn of(llm: &dyn Llm, request: &Request, prices: &dyn Pricing) -> Self {
        let schema = request.answer_schema.as_deref().unwrap_or_default();
        let input = llm
            .count_tokens(&request.system_prompt)
            .saturating_add(llm.count_tokens(schema))
            .saturating_add(FRAME_TOKENS);
        let configured = llm.destination().and_then(|asked| asked.max_tokens);
        let output = request.max_tokens.min(configured.unwrap_or(u32::MAX));
        let (provider, model) = llm
            .identity()
            .map_or(("", ""), |identity| (identity.provider(), identity.model()));
        let price = prices.of(provider, model, model);
        let longest = input.saturating_add(output);
        Self {
            in_run: request.purpose.agent == Agent::Memory,
            model: model.to_owned(),
            most: price.cost(input.into(), 0, output.into()),
            longest: llm.context_window().unwrap_or(longest).max(longest),
        }
    }
}

#[async_trait::async_trait]
impl Allowance for Budget {
    async fn admit(
        &self,
        llm: &dyn Llm,
        request: &Request,
    ) -> Result<Box<dyn CallObserver>, LlmError> {
        let prices = self.ledger.with(|state| state.terms.prices.clone());
        self.admit_call(Call::of(llm, request, &*prices)).await
    }
}

/// A call under way: it ends when this is dropped.
struct UnderWay {
    ledger: Arc<Ledger>,
    prices: Arc<dyn Pricing>,
    model: String,
    most: Amount,
    /// The number of its run, if it belongs to one.
    run: Option<u64>,
    cost: Mutex<Amount>,
}

impl CallObserver for UnderWay {
    fn observe(&self, record: CallRecord) {
        let cost = match (&record.error, record.input_tokens, record.output_tokens) {
            // The cost of a failed call is not known.
            (Some(_), _, _) => Amount::default(),
            (None, Some(input), Some(output)) => {
                let price = self.prices.of(&record.provider, &record.model, &self.model);
                let cached = record.cached_tokens.unwrap_or(0).min(input);
                price.cost(input.into(), cached.into(), output.into())
            }
            (None, _, _) => self.most,
        };
        *self.cost.lock().unwrap_or_else(PoisonError::into_inner) = cost;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let cost = *self.cost.lock().unwrap_or_else(PoisonError::into_inner);
        self.ledger.with(|state| {
            state.under_way = state.under_way.minus(self.most);
            if self.run == Some(state.run_number) {
                state.run.under_way = state.run.under_way.minus(self.most);
                state.run.spent = state.run.spent.plus(cost);
            }
        });
        self.ledger.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
