//! Sends prompts, and takes only answers that are memories.

use std::cell::Cell;

use super::{Summarizer, Task};
use crate::answer::{Accepted, Expectation, Language, Rejection, Sources, feedback, languages_of};
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError, Purpose, Request};
use crate::bindings::log::Level;
use crate::bindings::settings::Language as LanguageSetting;
use crate::bindings::types::Context;
use crate::prompt;
use crate::words;

/// What the answers to some prompts have in common.
pub(super) struct Answers<'c> {
    /// What they are for.
    pub(super) purpose: Purpose,
    /// The longest that is asked for.
    pub(super) max_tokens: u32,
    /// How many were asked for so far.
    pub(super) calls: &'c Cell<u32>,
}

/// A prompt, and what it asks to summarise.
pub(super) struct Job<'t> {
    prompt: String,
    target: Target<'t>,
    /// Where the target stands.
    context: &'t Context,
}

enum Target<'t> {
    Messages(Vec<&'t str>),
    Memories {
        existing: Option<&'t str>,
        new: Vec<&'t str>,
    },
}

/// Why there are no answers.
pub(super) enum Failure {
    /// The model takes no prompt of this length.
    TooLong {
        /// The prompt.
        prompt: String,
        /// The limit in tokens, if told.
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

impl<'t> Job<'t> {
    /// The prompt of a task.
    pub(super) fn new(prompt: String, task: Task<'t>) -> Self {
        let memories = prompt::target_memories(task.context, task.scope, task.memory_type);
        let target = if memories.is_empty() {
            let messages = prompt::target_messages(task.context, task.scope, task.memory_type);
            Target::Messages(messages.map(|message| message.text.as_str()).collect())
        } else {
            Target::Memories {
                existing: task.existing_memory,
                new: memories.into_iter().map(|(_, text)| text).collect(),
            }
        };
        Self {
            prompt,
            target,
            context: task.context,
        }
    }

    /// A prompt that merges summaries.
    pub(super) fn merging(prompt: String, summaries: &'t [String], context: &'t Context) -> Self {
        let target = Target::Memories {
            existing: None,
            new: summaries.iter().map(String::as_str).collect(),
        };
        Self {
            prompt,
            target,
            context,
        }
    }

    fn sources(&self) -> Sources<'_> {
        match &self.target {
            Target::Messages(texts) => Sources::Messages(texts),
            Target::Memories { existing, new } => Sources::Memories {
                existing: *existing,
                new,
            },
        }
    }

    fn texts(&self) -> impl Iterator<Item = &'t str> {
        let (existing, texts) = match &self.target {
            Target::Messages(texts) => (None, texts),
            Target::Memories { existing, new } => (*existing, new),
        };
        existing.into_iter().chain(texts.iter().copied())
    }
}

impl Summarizer<'_> {
    /// One answer.
    pub(super) fn ask_one(&self, answers: &Answers<'_>, job: Job<'_>) -> Result<Accepted, Failure> {
        let mut accepted = self.ask_all(answers, vec![job])?;
        accepted
            .pop()
            .ok_or(Failure::Error(Error::BadAnswer(BadAnswer::Empty)))
    }

    /// An answer to each prompt, in their order. One that is refused is asked for once more, and the model is
    /// told what was wrong.
    pub(super) fn ask_all(
        &self,
        answers: &Answers<'_>,
        mut jobs: Vec<Job<'_>>,
    ) -> Result<Vec<Accepted>, Failure> {
        let judged = self.send(answers, &jobs.iter().collect::<Vec<_>>())?;
        let mut again = Vec::new();
        for (job, result) in jobs.iter_mut().zip(&judged) {
            if let Err(rejection) = result {
                let fault = BadAnswer::from(rejection.clone());
                let line = format!(
                    "asked once more for {}: {}",
                    words::purpose(&answers.purpose),
                    words::bad_answer(&fault)
                );
                self.log.write(Level::Info, &line);
                let language = self.languages(job).first().copied();
                let feedback = feedback(rejection, language.unwrap_or(Language::Japanese));
                job.prompt = format!("{}\n{feedback}\n", job.prompt);
                again.push(&*job);
            }
        }
        let mut second = if again.is_empty() {
            Vec::new()
        } else {
            self.send(answers, &again)?
        }
        .into_iter();
        let final_result = |first: Result<Accepted, Rejection>| {
            first.or_else(|rejection| second.next().unwrap_or(Err(rejection)))
        };
        judged
            .into_iter()
            .map(final_result)
            .collect::<Result<_, _>>()
            .map_err(|rejection| Failure::Error(Error::BadAnswer(rejection.into())))
    }

    /// Asks once for each job, and judges the answers.
    fn send(
        &self,
        answers: &Answers<'_>,
        jobs: &[&Job<'_>],
    ) -> Result<Vec<Result<Accepted, Rejection>>, Failure> {
        let requests: Vec<Request> = jobs
            .iter()
            .map(|job| Request {
                system_prompt: job.prompt.clone(),
                max_tokens: answers.max_tokens,
                answer_schema: None,
                purpose: answers.purpose.clone(),
            })
            .collect();
        let sent = u32::try_from(requests.len()).unwrap_or(u32::MAX);
        answers.calls.set(answers.calls.get().saturating_add(sent));
        let completions = match requests.as_slice() {
            [request] => vec![self.llm.complete(request)],
            requests => self.llm.complete_all(requests),
        };
        jobs.iter()
            .zip(completions)
            .map(|(job, completion)| match completion {
                Ok(completion) => self.judge(job, &completion, answers.max_tokens),
                Err(LlmError::ContextTooLong(limit)) => Err(Failure::TooLong {
                    prompt: job.prompt.clone(),
                    limit,
                }),
                Err(error) => Err(Failure::Error(Error::Llm(error))),
            })
            .collect()
    }

    fn judge(
        &self,
        job: &Job<'_>,
        completion: &Completion,
        max_tokens: u32,
    ) -> Result<Result<Accepted, Rejection>, Failure> {
        if completion.finish_reason == FinishReason::ContentFilter {
            let reason = "a content filter held the answer back".to_owned();
            return Err(Failure::Error(Error::Llm(LlmError::Refused(reason))));
        }
        let languages = self.languages(job);
        let expectation = Expectation {
            prompt: &job.prompt,
            sources: job.sources(),
            languages: &languages,
            max_tokens,
            cut_off: completion.finish_reason == FinishReason::Length,
        };
        let count_tokens = |texts: &[String]| self.llm.count_tokens(Agent::Memory, texts);
        Ok((self.judge)(&completion.text, &expectation, &count_tokens))
    }

    /// The languages that an answer may be in; none for any. A few words do not tell: then what stands around
    /// them does.
    fn languages(&self, job: &Job<'_>) -> Vec<Language> {
        match self.settings.language {
            LanguageSetting::AsInput => match languages_of(job.texts()) {
                languages if languages.is_empty() => languages_of(texts_of(job.context)),
                languages => languages,
            },
            LanguageSetting::Any => Vec::new(),
            LanguageSetting::Japanese => vec![Language::Japanese],
            LanguageSetting::English => vec![Language::English],
            LanguageSetting::Chinese => vec![Language::Chinese],
            LanguageSetting::Korean => vec![Language::Korean],
            LanguageSetting::Russian => vec![Language::Russian],
        }
    }
}

/// Every message and memory of a context.
fn texts_of(context: &Context) -> impl Iterator<Item = &str> {
    let messages = prompt::conversation_messages(context).map(|message| message.text.as_str());
    let memories = context.channel_memories.iter().flat_map(|memory| {
        let history = memory.short_term_memory_history.iter();
        memory.long_term_memory.iter().chain(history)
    });
    let workspace = context.workspace_long_term_memory.iter();
    messages.chain(workspace.chain(memories).map(String::as_str))
}
