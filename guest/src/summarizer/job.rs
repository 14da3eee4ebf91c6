//! What the model is asked for to make a memory, and how its answer is judged.

use super::{Summarizer, Task};
use crate::answer::{Accepted, AnswerKind, Expectation, Language, Sources, judge, languages_of};
use crate::ask::Question;
use crate::bindings::errors::BadAnswer;
use crate::bindings::llm::{Agent, Completion, FinishReason, Request};
use crate::bindings::types::Context;
use crate::prompt;
use crate::settings::Language as LanguageSetting;

/// The target of one prompt.
pub(super) struct Job<'t> {
    summarizer: &'t Summarizer<'t>,
    target: Target<'t>,
    /// The context around the target.
    context: &'t Context,
    max_tokens: u32,
}

enum Target<'t> {
    Messages(Vec<&'t str>),
    Memories {
        existing: Option<&'t str>,
        new: Vec<&'t str>,
    },
}

impl Question for Job<'_> {
    type Answer = Accepted;
    const KIND: AnswerKind = AnswerKind::Memory;

    fn judge(&self, prompt: &str, completion: &Completion) -> Result<Accepted, BadAnswer> {
        let expectation = Expectation {
            prompt,
            sources: self.target.sources(),
            languages: &self.languages(),
            max_tokens: self.max_tokens,
            cut_off: completion.finish_reason == FinishReason::Length,
        };
        let llm = self.summarizer.llm;
        let count_tokens = |texts: &[String]| llm.count_tokens(Agent::Memory, texts);
        judge(&completion.text, &expectation, &count_tokens)
    }

    fn language(&self) -> Language {
        let languages = self.languages();
        languages.first().copied().unwrap_or(Language::Japanese)
    }
}

impl Job<'_> {
    /// The languages that an answer may be in; empty for any. If the target is too short to tell, its context decides.
    fn languages(&self) -> Vec<Language> {
        match self.summarizer.settings.language {
            LanguageSetting::AsInput => match languages_of(self.target.sources().texts()) {
                languages if languages.is_empty() => languages_of(texts_of(self.context)),
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

impl Target<'_> {
    fn sources(&self) -> Sources<'_> {
        match self {
            Self::Messages(texts) => Sources::Messages(texts),
            Self::Memories { existing, new } => Sources::Memories {
                existing: *existing,
                new,
            },
        }
    }
}

impl Summarizer<'_> {
    /// The request for the memory of a task.
    pub(super) fn question<'t>(&'t self, prompt: String, task: Task<'t>) -> (Request, Job<'t>) {
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
        self.question_about(prompt, task, target)
    }

    /// The request to merge the summaries of a task's chunks.
    pub(super) fn merge_question<'t>(
        &'t self,
        prompt: String,
        task: Task<'t>,
        summaries: &'t [String],
    ) -> (Request, Job<'t>) {
        let target = Target::Memories {
            existing: None,
            new: summaries.iter().map(String::as_str).collect(),
        };
        self.question_about(prompt, task, target)
    }

    fn question_about<'t>(
        &'t self,
        prompt: String,
        task: Task<'t>,
        target: Target<'t>,
    ) -> (Request, Job<'t>) {
        let max_tokens = self.max_tokens(task.memory_type);
        let request = Request {
            system_prompt: prompt,
            max_tokens,
            answer_schema: None,
            purpose: self.purpose(task),
        };
        let job = Job {
            summarizer: self,
            target,
            context: task.context,
            max_tokens,
        };
        (request, job)
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
