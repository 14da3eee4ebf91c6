//! A scripted language model.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError, Request};
use crate::ports::Llm;

/// Answers to requests.
type Answers = dyn Fn(usize, &Request) -> Result<Completion, LlmError>;

/// Records all calls, and answers those that are not scripted: with the template `echo.j2` the answer shows what went
/// into the memory.
#[derive(Default)]
pub(crate) struct ScriptedLlm {
    script: RefCell<BTreeMap<usize, Result<Completion, LlmError>>>,
    down: Cell<Option<&'static str>>,
    requests: RefCell<Vec<Request>>,
    answers: RefCell<Option<Box<Answers>>>,
    /// Tokens that prompt and answer may have together.
    pub(crate) window: Cell<Option<u32>>,
    /// True if four ASCII characters are one token; otherwise each character is one.
    pub(crate) estimates: Cell<bool>,
}

impl ScriptedLlm {
    /// The answer to the call after `calls` others.
    pub(crate) fn script(&self, calls: usize, answer: Result<Completion, LlmError>) {
        self.script.borrow_mut().insert(calls, answer);
    }

    /// The model is unavailable for prompts that contain `part`; `None` ends that.
    pub(crate) fn go_down_for_prompts_with(&self, part: Option<&'static str>) {
        self.down.set(part);
    }

    /// From now on, answers every call that is not scripted. `answers` gets the number of earlier calls.
    pub(crate) fn answer_by(
        &self,
        answers: impl Fn(usize, &Request) -> Result<Completion, LlmError> + 'static,
    ) {
        self.answers.replace(Some(Box::new(answers)));
    }

    /// Ends [`Self::answer_by`].
    pub(crate) fn answer_as_usual(&self) {
        self.answers.replace(None);
    }

    /// All requests, in order.
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

    /// The number of calls.
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

/// The lines of the template `echo.j2` in one, but each channel in a line of its own; any answer to other prompts.
fn echo(prompt: &str) -> String {
    let Some(lines) = prompt.strip_prefix("ECHO\n") else {
        return "- 要約".to_owned();
    };
    let lines: Vec<&str> = lines.trim_end().trim_end_matches("---").lines().collect();
    lines.join(" ").trim().replace(" #", "\n#")
}

impl Llm for ScriptedLlm {
    fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let mut requests = self.requests.borrow_mut();
        let calls = requests.len();
        let scripted = self.script.borrow().get(&calls).cloned();
        requests.push(request.clone());
        let scripted = scripted.or_else(|| {
            let answers = self.answers.borrow();
            answers.as_ref().map(|answer| answer(calls, request))
        });
        match (scripted, self.down.get()) {
            (Some(answer), _) => answer,
            (None, Some(part)) if request.system_prompt.contains(part) => {
                Err(LlmError::Unavailable(part.to_owned()))
            }
            _ => Ok(completion(
                &echo(&request.system_prompt),
                FinishReason::Stop,
            )),
        }
    }

    fn complete_all(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        requests
            .iter()
            .map(|request| self.complete(request))
            .collect()
    }

    fn context_window(&self, _: Agent) -> Option<u32> {
        self.window.get()
    }

    /// By default one token for each character: never too few.
    fn count_tokens(&self, _: Agent, texts: &[String]) -> Vec<u32> {
        let count = |text: &String| {
            let (ascii, other): (Vec<char>, Vec<char>) = text.chars().partition(char::is_ascii);
            let of_one = if self.estimates.get() { 4 } else { 1 };
            u32::try_from(ascii.len().div_ceil(of_one) + other.len()).unwrap()
        };
        texts.iter().map(count).collect()
    }
}
