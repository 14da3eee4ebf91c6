//! A scripted language model.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::bindings::llm::{Completion, FinishReason, LlmError, Request};
use crate::ports::Llm;

/// Answers each call with its prompt, but for the calls that are scripted, and records them all.
///
/// With the template `echo.j2` a memory's text then shows what went into it.
#[derive(Default)]
pub(crate) struct ScriptedLlm {
    script: RefCell<BTreeMap<usize, Result<Completion, LlmError>>>,
    down: Cell<Option<&'static str>>,
    requests: RefCell<Vec<Request>>,
}

impl ScriptedLlm {
    /// What the call after `calls` others answers.
    pub(crate) fn script(&self, calls: usize, answer: Result<Completion, LlmError>) {
        self.script.borrow_mut().insert(calls, answer);
    }

    /// Every prompt with `part` in it is refused from now on; none for no prompt.
    pub(crate) fn refuse_prompts_with(&self, part: Option<&'static str>) {
        self.down.set(part);
    }

    /// What was asked, in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.borrow().clone()
    }

    /// The prompts, in order.
    pub(crate) fn prompts(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|request| request.system_prompt)
            .collect()
    }

    /// How often it was asked.
    pub(crate) fn calls(&self) -> usize {
        self.requests.borrow().len()
    }
}

/// An answer.
pub(crate) fn completion(text: &str, finish_reason: FinishReason) -> Completion {
    Completion {
        text: text.to_owned(),
        finish_reason,
        model: "scripted".to_owned(),
        input_tokens: None,
        output_tokens: None,
    }
}

impl Llm for ScriptedLlm {
    fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let mut requests = self.requests.borrow_mut();
        let scripted = self.script.borrow().get(&requests.len()).cloned();
        requests.push(request.clone());
        match (scripted, self.down.get()) {
            (Some(answer), _) => answer,
            (None, Some(part)) if request.system_prompt.contains(part) => {
                Err(LlmError::Refused(part.to_owned()))
            }
            _ => Ok(completion(&request.system_prompt, FinishReason::Stop)),
        }
    }

    fn complete_all(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        requests
            .iter()
            .map(|request| self.complete(request))
            .collect()
    }

    /// One token for each character: never too few.
    fn count_tokens(&self, texts: &[String]) -> Vec<u32> {
        texts
            .iter()
            .map(|text| u32::try_from(text.chars().count()).unwrap())
            .collect()
    }
}
