//! Asks the model, and once more if its answer is bad.

use std::cell::{Cell, OnceCell};

use crate::answer::{AnswerKind, Complaint, feedback, last_answer};
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError, Request};
use crate::bindings::log::Level;
use crate::describe;
use crate::fit::Window;
use crate::ports::{Llm, Log};
use crate::prompt::{Renderer, harmless};
use crate::settings::Settings;
use crate::text::language::Language;

/// A question to the model, which judges the answer.
pub(crate) trait Question {
    /// An accepted answer.
    type Answer;
    /// The kind of answer to ask for.
    const KIND: AnswerKind;

    /// Accepts the answer to a prompt, or says what is wrong with it.
    fn judge(&self, prompt: &str, completion: &Completion) -> Judged<Self::Answer>;

    /// Returns true if the second of two answers that can be used is the better one.
    fn is_better(_first: &Self::Answer, _second: &Self::Answer) -> bool {
        true
    }

    /// The language of the feedback after a bad answer.
    fn language(&self) -> Language;
}

/// An answer that was judged.
pub(crate) struct Judged<A> {
    /// The answer, or why it cannot be used.
    pub(crate) answer: Result<A, BadAnswer>,
    /// Why another answer may be better.
    pub(crate) complaint: Option<Complaint>,
}

impl<A> From<Result<A, BadAnswer>> for Judged<A> {
    fn from(answer: Result<A, BadAnswer>) -> Self {
        let complaint = answer.as_ref().err().cloned().map(Complaint::Bad);
        Self { answer, complaint }
    }
}

/// Why there is no answer.
pub(crate) enum Failure {
    /// The prompt is too long for the model.
    TooLong {
        /// The prompt.
        prompt: String,
        /// The limit in tokens, if known.
        limit: Option<u32>,
    },
    /// Anything else.
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<BadAnswer> for Failure {
    fn from(bad: BadAnswer) -> Self {
        Self::Error(Error::BadAnswer(bad))
    }
}

/// The model of one agent.
pub(crate) struct Model<'a> {
    llm: &'a dyn Llm,
    log: &'a dyn Log,
    /// How long its prompts may be.
    pub(crate) window: Window<'a>,
    calls: Cell<u32>,
    /// True if it is asked once more after a bad answer.
    asks_again: Cell<bool>,
}

impl<'a> Model<'a> {
    pub(crate) fn new(llm: &'a dyn Llm, log: &'a dyn Log, agent: Agent) -> Self {
        Self {
            llm,
            log,
            window: Window::new(llm, agent),
            calls: Cell::new(0),
            asks_again: Cell::new(true),
        }
    }

    /// The number of calls since the last attempt began.
    pub(crate) fn calls(&self) -> u32 {
        self.calls.get()
    }

    /// Runs `attempt`, in which a bad answer is final.
    pub(crate) fn without_second_ask<T>(&self, attempt: impl FnOnce() -> T) -> T {
        self.asks_again.set(false);
        let result = attempt();
        self.asks_again.set(true);
        result
    }

    /// Calls `attempt` again, with a smaller window, as long as the model says that the prompt is too long. Also
    /// returns the number of model calls.
    pub(crate) fn with_shorter_prompts<T>(
        &self,
        max_tokens: u32,
        attempt: impl Fn() -> Result<T, Failure>,
    ) -> Result<(T, u32), Error> {
        self.calls.set(0);
        loop {
            match attempt() {
                Ok(made) => return Ok((made, self.calls.get())),
                Err(Failure::Error(error)) => return Err(error),
                Err(Failure::TooLong { prompt, limit }) => {
                    self.window.learn(&prompt, max_tokens, limit);
                }
            }
        }
    }

    /// One answer.
    pub(crate) fn ask<Q: Question>(
        &self,
        request: Request,
        question: Q,
    ) -> Result<Q::Answer, Failure> {
        let mut answers = self.ask_all(vec![(request, question)])?;
        Ok(answers.pop().ok_or(BadAnswer::Empty)?)
    }

    /// An answer to each question, in their order. After an answer that is bad or could be better, the model is asked
    /// once more, with feedback.
    pub(crate) fn ask_all<Q: Question>(
        &self,
        questions: Vec<(Request, Q)>,
    ) -> Result<Vec<Q::Answer>, Failure> {
        let (requests, questions): (Vec<Request>, Vec<Q>) = questions.into_iter().unzip();
        let prompts: Vec<String> = requests
            .iter()
            .map(|request| request.system_prompt.clone())
            .collect();
        let first = self.send(&requests, &prompts, questions.iter())?;
        if !self.asks_again.get() {
            let answers = first.into_iter().map(|(judged, _)| judged.answer);
            return Ok(answers.collect::<Result<Vec<_>, _>>()?);
        }
        let mut again = Again::default();
        for ((request, question), (judged, answer)) in
            requests.into_iter().zip(&questions).zip(&first)
        {
            if let Some(complaint) = &judged.complaint {
                let what = describe::purpose(&request.purpose);
                let why = why_asked_again(complaint);
                let line = format!("asked once more for {what}: {why}");
                self.log.write(Level::Info, &line);
                again.add(self.second(request, question, complaint, answer), question);
            }
        }
        let questions = again.questions.into_iter();
        let second = self.send(&again.requests, &again.prompts, questions)?;
        let mut second = second.into_iter().map(|(judged, _)| judged.answer);
        let answers: Result<Vec<_>, _> = first
            .into_iter()
            .map(|(judged, _)| match judged.complaint {
                None => judged.answer,
                Some(_) => match (judged.answer, second.next()) {
                    (Ok(first), Some(Ok(second))) if Q::is_better(&first, &second) => Ok(second),
                    (Ok(first), _) => Ok(first),
                    (Err(_), Some(second)) => second,
                    (Err(bad), None) => Err(bad),
                },
            })
            .collect();
        Ok(answers?)
    }

    /// The request for a second answer, and its prompt as the answer is judged by: without the last answer, which the
    /// next one may repeat.
    fn second<Q: Question>(
        &self,
        mut request: Request,
        question: &Q,
        complaint: &Complaint,
        answer: &str,
    ) -> (Request, String) {
        let language = question.language();
        let feedback = feedback(complaint, Q::KIND, language);
        let prompt = format!("{}\n{feedback}\n", request.system_prompt);
        let last = last_answer(&harmless::text(answer), language);
        let whole = format!("{prompt}\n{last}\n");
        let budget = self.window.budget(request.max_tokens);
        let is_shown = complaint.is_about_parts() && self.window.fits(&whole, budget);
        request.system_prompt = if is_shown { whole } else { prompt.clone() };
        (request, prompt)
    }

    /// Sends each request once, and judges the answers; also returns their texts.
    fn send<'q, Q: Question + 'q>(
        &self,
        requests: &[Request],
        prompts: &[String],
        questions: impl Iterator<Item = &'q Q>,
    ) -> Result<Vec<Answered<Q>>, Failure> {
        let sent = u32::try_from(requests.len()).unwrap_or(u32::MAX);
        self.calls.set(self.calls.get().saturating_add(sent));
        let completions = match requests {
            [] => Vec::new(),
            [request] => vec![self.llm.complete(request)],
            requests => self.llm.complete_all(requests),
        };
        requests
            .iter()
            .zip(prompts)
            .zip(questions)
            .zip(completions)
            .map(|(((request, prompt), question), completion)| {
                let completion = received(completion, &request.system_prompt)?;
                Ok((question.judge(prompt, &completion), completion.text))
            })
            .collect()
    }
}

/// The questions that are asked once more.
struct Again<'q, Q> {
    requests: Vec<Request>,
    prompts: Vec<String>,
    questions: Vec<&'q Q>,
}

impl<Q> Default for Again<'_, Q> {
    fn default() -> Self {
        Self {
            requests: Vec::new(),
            prompts: Vec::new(),
            questions: Vec::new(),
        }
    }
}

impl<'q, Q> Again<'q, Q> {
    fn add(&mut self, (request, prompt): (Request, String), question: &'q Q) {
        self.requests.push(request);
        self.prompts.push(prompt);
        self.questions.push(question);
    }
}

fn received(result: Result<Completion, LlmError>, prompt: &str) -> Result<Completion, Failure> {
    match result {
        Ok(completion) if completion.finish_reason == FinishReason::ContentFilter => {
            let reason = "a content filter held the answer back".to_owned();
            Err(Error::Llm(LlmError::Refused(reason)).into())
        }
        Ok(completion) => Ok(completion),
        Err(LlmError::ContextTooLong(limit)) => Err(Failure::TooLong {
            prompt: prompt.to_owned(),
            limit,
        }),
        Err(error) => Err(Error::Llm(error).into()),
    }
}

/// The settings' templates, compiled on first use.
pub(crate) struct LazyRenderer<'a> {
    settings: &'a Settings,
    renderer: OnceCell<Renderer>,
}

impl<'a> LazyRenderer<'a> {
    pub(crate) fn new(settings: &'a Settings) -> Self {
        Self {
            settings,
            renderer: OnceCell::new(),
        }
    }

    pub(crate) fn get(&self) -> Result<&Renderer, Error> {
        if let Some(renderer) = self.renderer.get() {
            return Ok(renderer);
        }
        let renderer =
            Renderer::in_language(&self.settings.templates, self.settings.prompt_language)?;
        Ok(self.renderer.get_or_init(|| renderer))
    }
}

/// The worth of an answer, and its text.
type Answered<Q> = (Judged<<Q as Question>::Answer>, String);

/// Why the model is asked once more; without what people or the model wrote.
fn why_asked_again(complaint: &Complaint) -> String {
    match complaint {
        Complaint::Bad(bad) => describe::bad_answer(bad),
        Complaint::CutOff(limit) => format!("the answer was cut off at {limit} tokens"),
        Complaint::Unfounded(values) => {
            format!("{} values of the answer have no source", values.len())
        }
    }
}
