//! The request to a model for a memory, and how its answer is judged.

use std::collections::BTreeSet;

use super::{Summarizer, Task};
use crate::answer::{Accepted, AnswerKind, Complaint, Expectation, Sources, judge, says_nothing};
use crate::ask::{Judged, Question};
use crate::bindings::llm::{Agent, Completion, FinishReason, Request};
use crate::bindings::types::Context;
use crate::fit::count;
use crate::grounding::{Given, Unfounded, unfounded, without};
use crate::notes::kept_texts;
use crate::prompt::{self, harmless};
use crate::settings::Language as LanguageSetting;
use crate::text::language::{Language, languages_of};
use crate::text::lines::lines;

/// A second ask names at most so many values.
const MOST_NAMED: usize = 12;

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
        let expectation = Expectation {
            prompt,
            sources: self.target.sources(),
            languages: &self.languages(),
            max_tokens: self.max_tokens,
            cut_off: completion.finish_reason == FinishReason::Length,
            counted: completion.output_tokens,
        };
        let llm = self.summarizer.llm;
        let count_tokens = |texts: &[String]| llm.count_tokens(Agent::Memory, texts);
        match judge(&completion.text, &expectation, &count_tokens) {
            Ok(accepted) => self.check(accepted),
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
        let found = unfounded(&accepted.text, &given, &channel_names(self.context));
        // A line of which only a name is unknown is neither asked for again nor dropped.
        let (lines, doubtful): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|line| line.is_certain);
        let merges = matches!(self.target, Target::Memories { .. });
        let complaint = match lines.as_slice() {
            [] if accepted.truncated && merges => Some(Complaint::CutOff(self.max_tokens)),
            [] => None,
            lines => Some(Complaint::Unfounded(values(lines))),
        };
        let founded = without(&accepted.text, &lines);
        // Something is remembered of every conversation: a memory that cannot be made would be tried for ever.
        let text = if says_nothing(&founded) {
            accepted.text
        } else {
            founded
        };
        let answer = Ok(Accepted {
            text,
            unfounded: count(&lines),
            doubtful: count(&doubtful),
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
    /// Everything that the prompt shows: messages, and lines of memories.
    fn given<'c>(&'c self, context: &'c Context) -> Vec<Given<'c>> {
        let messages = prompt::conversation_messages(context).map(|message| Given {
            text: &message.text,
            author: Some(&message.user.name),
            time: Some(message.timestamp),
        });
        let records = context.notes.iter().flat_map(kept_texts);
        // A part of an older message is none of those that are counted.
        let records = records.map(|record| Given {
            text: &record.text,
            author: None,
            time: Some(record.timestamp),
        });
        let memories = match self {
            // A part of a message that is too long for one prompt is in the context.
            Self::Messages(_) => Vec::new(),
            Self::Memories { existing, new } => {
                existing.iter().chain(new).copied().collect::<Vec<_>>()
            }
        };
        let threads = context
            .thread_memories
            .iter()
            .map(|memory| memory.content.as_str());
        let texts = memories
            .into_iter()
            .chain(prompt::memory_texts(context))
            .chain(threads);
        let lines = texts.flat_map(|text| {
            let ranges = lines(text).into_iter();
            ranges.map(|range| Given {
                text: text.get(range).unwrap_or_default(),
                author: None,
                time: None,
            })
        });
        // The prompt tells the day, without a text.
        let now = context.notes.iter().filter_map(|notes| notes.now);
        let now = now.map(|now| Given {
            text: "",
            author: None,
            time: Some(now),
        });
        messages.chain(records).chain(lines).chain(now).collect()
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
    messages.chain(prompt::memory_texts(context))
}

/// The names of channels that a context shows.
fn channel_names(context: &Context) -> Vec<&str> {
    let channels = context.channel_memories.iter();
    let names = channels.map(|channel| channel.channel_name.as_str());
    let own = context.conversation_history.channel_name.as_str();
    names.chain([own]).collect()
}

/// The values of the lines that do not follow, each once and in one line.
fn values(lines: &[Unfounded]) -> Vec<String> {
    let mut named = BTreeSet::new();
    let values = lines.iter().flat_map(|line| &line.values);
    values
        .filter(|value| named.insert(*value))
        .take(MOST_NAMED)
        .map(|value| harmless::name(value).into_owned())
        .collect()
}
