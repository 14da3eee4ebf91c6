//! The request to a model for a memory, and how its answer is judged.

use super::{Summarizer, Task};
use crate::answer::{
    Accepted, AnswerKind, Complaint, Expectation, Sources, judge, says_nothing, without_reports,
};
use crate::ask::{Judged, Question};
use crate::bindings::llm::{Agent, Completion, FinishReason, Request};
use crate::bindings::types::Context;
use crate::check::{Doubts, given};
use crate::fit::count;
use crate::grounding::{Given, without};
use crate::marks;
use crate::notes::{asks_for_items, shown_texts};
use crate::prompt;
use crate::settings::Language as LanguageSetting;
use crate::text::language::{Language, languages_of};

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

    fn judge(&self, prompt: &str, completion: &Completion) -> Judged<Accepted> {
        let (text, reports) = match self.target {
            Target::Messages(_) if asks_for_items(self.context) => {
                without_reports(&completion.text)
            }
            Target::Messages(_) | Target::Memories { .. } => (completion.text.as_str(), Vec::new()),
        };
        // A block that was begun shows that the text is whole.
        let is_whole = text.len() < completion.text.len();
        let expectation = Expectation {
            prompt,
            sources: self.target.sources(),
            languages: &self.languages(),
            max_tokens: self.max_tokens,
            cut_off: completion.finish_reason == FinishReason::Length && !is_whole,
            counted: completion.output_tokens,
        };
        let llm = self.summarizer.llm;
        let count_tokens = |texts: &[String]| llm.count_tokens(Agent::Memory, texts);
        match judge(text, &expectation, &count_tokens) {
            Ok(accepted) => self.check(Accepted {
                reports,
                ..accepted
            }),
            Err(bad) => Err(bad).into(),
        }
    }

    /// A whole answer is better than one that was cut off, and then one of which less was dropped.
    fn is_better(first: &Accepted, second: &Accepted) -> bool {
        let faults = |answer: &Accepted| (answer.truncated, answer.unfounded);
        faults(second) <= faults(first)
    }

    fn language(&self) -> Language {
        let languages = self.languages();
        languages.first().copied().unwrap_or(Language::Japanese)
    }
}

impl Job<'_> {
    /// Drops the lines that do not follow from what the prompt shows, unless none would be left.
    fn check(&self, accepted: Accepted) -> Judged<Accepted> {
        let given = self.target.given(self.context);
        let doubts = Doubts::about(&accepted.text, &given, self.context);
        let merges = matches!(self.target, Target::Memories { .. });
        let is_cut = accepted.truncated && merges;
        let complaint = doubts.complaint();
        let complaint = complaint.or(is_cut.then_some(Complaint::CutOff(self.max_tokens)));
        let founded = without(&accepted.text, &doubts.unfounded);
        // Something is remembered of every conversation: a memory that cannot be made would be tried for ever.
        let text = if says_nothing(&founded) {
            accepted.text
        } else {
            founded
        };
        let answer = Ok(Accepted {
            text,
            unfounded: count(&doubts.unfounded),
            // A line of which only a name is unknown is neither asked for again nor dropped.
            doubtful: count(doubts.strangers.iter().chain(&doubts.names)),
            ..accepted
        });
        Judged { answer, complaint }
    }

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
    /// Everything that the prompt shows. A part of a message that is too long for one prompt is in the context.
    fn given<'c>(&'c self, context: &'c Context) -> Vec<Given<'c>> {
        let (existing, new) = match self {
            Self::Messages(_) => (None, &[][..]),
            Self::Memories { existing, new } => (*existing, new.as_slice()),
        };
        let memories = existing.into_iter().chain(new.iter().copied());
        let bot = &context.persona.name;
        given(context, memories, |message| marks::tells(message, bot))
    }

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
            let messages = messages.map(|message| message.text.as_str());
            // A summary may repeat open items word for word.
            let kept = task.context.notes.iter().flat_map(shown_texts);
            let kept = kept.map(|kept| kept.text.as_str());
            Target::Messages(messages.chain(kept).collect())
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
            max_tokens: self.answer_tokens(task),
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
    messages.chain(prompt::memory_texts(context))
}
