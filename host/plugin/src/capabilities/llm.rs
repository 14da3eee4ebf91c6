//! The import `llm`, over the agents' [`Llm`]s. Keys and addresses stay behind that trait. If there is a journal, every
//! call goes through it. If there is an allowance, it is asked before each call that the journal cannot answer.

use std::collections::BTreeSet;

use futures::StreamExt as _;

use super::budget::Budget;
use super::{CallState, Capabilities};
use crate::bindings::errors::OtherReason;
use crate::bindings::llm::{Agent, Completion, Host, LlmError, Request};
use crate::explain::explain_storage;
use crate::journal::{CallEntry, CallJournal, Input};
use crate::llm::CallObserver;
use crate::llm::record::{Both, RecordTap};
use crate::storage::{MemoryId, Storage};
use crate::{Excess, spans, system_clock};

impl Host for CallState {
    async fn complete(
        &mut self,
        request: Request,
    ) -> wasmtime::Result<Result<Completion, LlmError>> {
        self.bound
            .accounts(request.purpose.scope, &request.purpose.scope_id)?;
        import!(self, "llm.complete", request, {
            let answer = self.ask(vec![request]).await?.pop();
            answer.unwrap_or_else(|| {
                Err(LlmError::Other(OtherReason::new(
                    "no-result",
                    "the call has no result",
                )))
            })
        })
    }

    async fn complete_all(
        &mut self,
        requests: Vec<Request>,
    ) -> wasmtime::Result<Vec<Result<Completion, LlmError>>> {
        for request in &requests {
            self.bound
                .accounts(request.purpose.scope, &request.purpose.scope_id)?;
        }
        import!(
            self,
            "llm.complete-all",
            requests,
            self.ask(requests).await?
        )
    }

    async fn context_window(&mut self, agent: Agent) -> wasmtime::Result<Option<u32>> {
        import!(self, "llm.context-window", agent, {
            self.capabilities.agents.of(agent).context_window()
        })
    }

    async fn count_tokens(
        &mut self,
        agent: Agent,
        texts: Vec<String>,
    ) -> wasmtime::Result<Vec<u32>> {
        import!(self, "llm.count-tokens", (agent, &texts), {
            let llm = self.capabilities.agents.of(agent);
            texts
                .iter()
                .map(|text| llm.count_tokens(text))
                .collect::<Vec<_>>()
        })
    }
}

/// The messages and memories that the answers of a call are made from.
struct Origin<'c> {
    storage: &'c dyn Storage,
    handed: BTreeSet<MemoryId>,
}

impl Origin<'_> {
    /// Returns true if nothing of it was edited, deleted or forgotten since: an answer about that is stored nowhere.
    async fn is_still_there(&self) -> bool {
        let may_show = self.storage.may_show(self.handed.clone()).await;
        may_show.unwrap_or(false)
    }
}

impl CallState {
    /// Returns the answers in the order of the requests. If a limit is exceeded, the answers that the model gave before
    /// are in the journal.
    async fn ask(
        &mut self,
        requests: Vec<Request>,
    ) -> Result<Vec<Result<Completion, LlmError>>, Excess> {
        let Some(first) = requests.first() else {
            return Ok(Vec::new());
        };
        // A call that has not started has no deadline yet, so only as many start as may be in flight.
        let in_flight = self
            .capabilities
            .agents
            .of(first.purpose.agent)
            .calls_in_flight();
        let purposes: Vec<_> = requests
            .iter()
            .map(|request| request.purpose.clone())
            .collect();
        let inputs = self.inputs(&requests);
        let (capabilities, budget) = (&self.capabilities, &self.budget);
        let origin = Origin {
            storage: &*self.storage,
            handed: self.bound.handed(),
        };
        let origin = self.keeps_answers.then_some(&origin);
        // Waits for all of them to end: a call that was sent has to be paid for.
        let results: Vec<_> = futures::stream::iter(requests.into_iter().zip(inputs))
            .map(|(request, input)| capabilities.complete(request, input, origin, budget))
            .buffered(in_flight)
            .collect()
            .await;
        let results: Vec<_> = results.into_iter().collect::<Result<_, Excess>>()?;
        for (purpose, result) in purposes.iter().zip(&results) {
            if result.is_err() {
                self.attempts.failed(purpose);
            }
        }
        Ok(results)
    }

    /// The input of each request; `None` if it cannot be found again in the journal.
    fn inputs(&mut self, requests: &[Request]) -> Vec<Option<Input>> {
        let digests: Option<Vec<_>> = requests
            .iter()
            .map(|request| {
                let identity = self
                    .capabilities
                    .agents
                    .of(request.purpose.agent)
                    .identity();
                Some((request.purpose.clone(), identity?.input_digest(request)))
            })
            .collect();
        match digests {
            Some(digests) => {
                let inputs = self.attempts.inputs(&digests);
                inputs.into_iter().map(Some).collect()
            }
            None => requests.iter().map(|_| None).collect(),
        }
    }
}

impl Capabilities {
    /// Returns one answer. If the journal has it, it comes from there; else from the model, and it is written to the
    /// journal first. Only the model's answers count towards the call's limits, so work that is too much for one call
    /// continues in the next one. Without an `origin` the answer is only shown.
    async fn complete(
        &self,
        request: Request,
        input: Option<Input>,
        origin: Option<&Origin<'_>>,
        budget: &Budget,
    ) -> Result<Result<Completion, LlmError>, Excess> {
        if origin.is_some()
            && let (Some(journal), Some(input)) = (&self.journal, &input)
            && let Some(recalled) = recall(&**journal, &request, input).await
        {
            return Ok(recalled);
        }
        budget.ask(&request)?;
        let llm = self.agents.of(request.purpose.agent);
        let leave: Box<dyn CallObserver> = match &self.allowance {
            Some(allowance) => match allowance.admit(llm, &request).await {
                Ok(leave) => leave,
                Err(error) => return Ok(Err(error)),
            },
            None => Box::new(()),
        };
        let calls = Both(&*self.calls, &*leave);
        let answer = match &self.journal {
            Some(journal) => {
                let entry = (request, input);
                self.ask_for(&**journal, entry, origin, &calls).await
            }
            None => spans::ask(llm, request, &calls, self.captures_content).await,
        };
        // Only now: until it is in the journal, the call counts as under way.
        drop(leave);
        if let Ok(answer) = &answer {
            budget.answered(answer.text.len())?;
        }
        Ok(answer)
    }

    /// Asks the model and writes its answer to the journal.
    async fn ask_for(
        &self,
        journal: &dyn CallJournal,
        (request, input): (Request, Option<Input>),
        origin: Option<&Origin<'_>>,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let llm = self.agents.of(request.purpose.agent);
        let purpose = request.purpose.clone();
        let tap = RecordTap::of(calls);
        let result = spans::ask(llm, request, &tap, self.captures_content).await;
        if let Some(record) = tap.record() {
            let asked = llm.identity().map(|identity| identity.model().to_owned());
            // An answer that could not be found again is not kept.
            let is_kept = match origin {
                Some(origin) => input.is_some() && origin.is_still_there().await,
                None => false,
            };
            let answer = result.as_ref().ok().filter(|_| is_kept);
            let entry = CallEntry {
                purpose: purpose.clone(),
                model: asked.unwrap_or_else(|| record.model.clone()),
                input,
                record,
                answer: answer.map(|answer| answer.text.clone()),
                for_memory: origin.is_some(),
            };
            // The answer was paid for, so it is returned even if the journal fails.
            if let Err(error) = journal.record(entry).await {
                tracing::warn!(
                    "a call of the model is not in the journal: {}",
                    explain_storage(&error)
                );
            }
            // Later erasures take the answer along; those meanwhile did not find it.
            if let Some(origin) = origin.filter(|_| is_kept)
                && !origin.is_still_there().await
                && let Err(error) = journal.withdraw(&purpose).await
            {
                tracing::warn!(
                    "an answer of the model from what is gone is still in the journal: {}",
                    explain_storage(&error)
                );
            }
        }
        result
    }
}

/// The answer from the journal; `None` if there is none.
async fn recall(
    journal: &dyn CallJournal,
    request: &Request,
    input: &Input,
) -> Option<Result<Completion, LlmError>> {
    let recalled = journal.recall(&request.purpose, input, system_clock::now());
    match recalled.await {
        Ok(recalled) => {
            let completion = recalled?;
            let scope_id = &request.purpose.scope_id;
            tracing::info!("the answer for {scope_id} was there already: not asked again");
            Some(Ok(completion))
        }
        // Without the journal, nobody knows if this answer was already paid for.
        Err(error) => Some(Err(LlmError::Other(OtherReason::new(
            "journal-unreadable",
            format!(
                "it was not asked, as the journal of its calls cannot be read: {}",
                explain_storage(&error)
            ),
        )))),
    }
}
