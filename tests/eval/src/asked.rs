//! A question, asked of the program and of plain BM25, with what came of it.

use std::time::Instant;

use anyhow::{Context as _, Result};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bm25;
use crate::data::{Expected, Question};
use crate::judge::{self, Answer, Fault};
use crate::own_text::{self, Source};
use crate::pattern::any_in;
use crate::program::{HITS, Parts, Program};
use crate::recorder::tokens;
use crate::state::{Message, State};

/// How many messages plain BM25 quotes as its answer.
const QUOTED: usize = 5;
/// The layer of the calls that answer questions.
const REPLIES: &str = "reply";
/// Keys of the program's JSON that say nothing of what people wrote.
const MACHINE_KEYS: [&str; 9] = [
    "question",
    "channel_id",
    "ts",
    "thread_ts",
    "time",
    "since",
    "until",
    "user_id",
    "permalink",
];

/// A question with its results, as `--json` writes it.
#[derive(Debug, Serialize)]
pub(crate) struct Asked {
    pub(crate) workspace: Option<String>,
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) question: String,
    pub(crate) reference: String,
    pub(crate) note: Option<String>,
    pub(crate) expects_answer: bool,
    pub(crate) is_judged: bool,
    /// The groups of `required`, and of `evidence`.
    pub(crate) required: usize,
    pub(crate) evidence: usize,
    /// How many groups of `required` stand in the memories that the place may see.
    pub(crate) remembered: usize,
    /// The characters of these memories.
    pub(crate) memory_size: usize,
    pub(crate) leaks_in_memories: bool,
    /// `None` if the program has no such command.
    pub(crate) search: Option<Search>,
    pub(crate) answer: Option<Answered>,
    pub(crate) bm25: Bm25,
}

/// The result of a search.
#[derive(Debug, Serialize)]
pub(crate) struct Search {
    pub(crate) found: Found,
    pub(crate) leaks: bool,
    pub(crate) seconds: f64,
    pub(crate) result: Value,
}

/// At which place, counted from 1, the evidence stands and what is required is complete.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Found {
    /// For each group of evidence, the place of its first message.
    pub(crate) evidence: Vec<Option<usize>>,
    pub(crate) required: Option<usize>,
}

/// The program's answer.
#[derive(Debug, Serialize)]
pub(crate) struct Answered {
    pub(crate) judged: String,
    pub(crate) fault: Option<Fault>,
    pub(crate) leaks: bool,
    /// Of the model that is configured.
    pub(crate) prompt_tokens: Option<usize>,
    /// The prompt that a model would get, if none is configured.
    pub(crate) prompt: Option<Prompt>,
    pub(crate) seconds: f64,
    pub(crate) result: Value,
}

/// The prompt of an answer.
#[derive(Debug, Serialize)]
pub(crate) struct Prompt {
    /// How many groups of `required` it holds.
    pub(crate) held: usize,
    /// About how many tokens it has.
    pub(crate) tokens: usize,
    pub(crate) leaks: bool,
    text: String,
}

impl Prompt {
    fn of(question: &Question, text: String) -> Self {
        Self {
            held: judge::held(question, &text),
            tokens: tokens(&text),
            leaks: any_in(question.leaks(), &text),
            text,
        }
    }
}

/// The same by plain BM25, whose answer is the best messages.
#[derive(Debug, Serialize)]
pub(crate) struct Bm25 {
    pub(crate) found: Found,
    pub(crate) judged: String,
    pub(crate) fault: Option<Fault>,
}

/// A message in the program's JSON.
#[derive(Deserialize)]
struct Shown {
    ts: String,
    text: String,
    user_name: String,
}

/// A source in the program's JSON: a message, or a line of a memory, which has no author and no time.
#[derive(Deserialize)]
struct Cited {
    ts: Option<String>,
    time: Option<String>,
    text: String,
    user_name: Option<String>,
    channel_name: String,
    permalink: Option<String>,
}

#[derive(Deserialize)]
struct SearchResult {
    hits: Vec<Shown>,
}

#[derive(Deserialize)]
struct AskResult {
    answer: String,
    outcome: String,
    engine: String,
    sources: Vec<Cited>,
}

/// A time as the program prints it.
fn time_of(text: Option<String>) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(&text?).ok()
}

/// Asks questions of one workspace.
pub(crate) struct Asker<'p> {
    program: &'p Program,
    parts: Parts,
    /// The tokens of all prompts of replies so far.
    prompt_tokens: u64,
}

impl<'p> Asker<'p> {
    pub(crate) fn new(program: &'p Program, parts: Parts) -> Self {
        Self {
            program,
            parts,
            prompt_tokens: 0,
        }
    }

    /// Asks a question as of its time.
    pub(crate) fn ask(&mut self, question: &Question, state: &State) -> Result<Asked> {
        let memories = self.program.memories(&question.channel)?.join("\n");
        let search = self.parts.search.then(|| self.search(question, state));
        let answer = match self.parts.ask {
            true => Some(self.answer(question, state)?),
            false => None,
        };
        Ok(Asked {
            workspace: question.workspace.clone(),
            id: question.id.clone(),
            kind: question.kind.clone(),
            question: question.text.clone(),
            reference: question.answer.clone(),
            note: question.note.clone(),
            expects_answer: question.expected == Expected::Answer,
            is_judged: judge::is_judged(question),
            required: question.required.len(),
            evidence: question.evidence.len(),
            remembered: judge::held(question, &memories),
            memory_size: memories.chars().count(),
            leaks_in_memories: any_in(question.leaks(), &memories),
            search: search.transpose()?,
            answer,
            bm25: by_bm25(question, state),
        })
    }

    fn search(&self, question: &Question, state: &State) -> Result<Search> {
        let begin = Instant::now();
        let result = self
            .program
            .search(&question.text, &question.channel, question.at)?;
        let seconds = begin.elapsed().as_secs_f64();
        let parsed = SearchResult::deserialize(&result).context("the JSON of `search`")?;
        let hits: Vec<(Option<&Message>, String)> = parsed
            .hits
            .iter()
            .map(|hit| {
                (
                    state.with_ts(&hit.ts),
                    format!("{}: {}", hit.user_name, hit.text),
                )
            })
            .collect();
        Ok(Search {
            found: Found::of(question, &hits),
            leaks: shows_leak(question, &result),
            seconds,
            result,
        })
    }

    fn answer(&mut self, question: &Question, state: &State) -> Result<Answered> {
        let begin = Instant::now();
        let result = self
            .program
            .ask(&question.text, &question.channel, question.at)?;
        let seconds = begin.elapsed().as_secs_f64();
        let parsed = AskResult::deserialize(&result).context("the JSON of `ask`")?;
        let prompt = self
            .program
            .prompt(&question.text, &question.channel, question.at)?;
        let is_model = parsed.engine != "extractive";
        let sources: Vec<Source> = parsed
            .sources
            .into_iter()
            .map(|cited| Source {
                is_evidence: cited.user_name.is_some()
                    && is_evidence(question, cited.ts.and_then(|ts| state.with_ts(&ts))),
                text: cited.text,
                author: cited.user_name.unwrap_or_default(),
                channel: cited.channel_name,
                time: time_of(cited.time),
                permalink: cited.permalink,
            })
            .collect();
        let strip = if is_model {
            own_text::of_model
        } else {
            own_text::of_quotes
        };
        let judged = Answer {
            text: strip(&parsed.answer, &sources),
            // A model may answer from memories even if no message was found.
            found_nothing: (!is_model).then(|| parsed.outcome == "nothing-found"),
        };
        Ok(Answered {
            fault: judge::fault(question, &judged),
            judged: judged.text,
            leaks: shows_leak(question, &result),
            prompt_tokens: self.new_prompt_tokens(is_model)?,
            prompt: prompt.map(|text| Prompt::of(question, text)),
            seconds,
            result,
        })
    }

    /// The tokens of the prompts since the last question; `None` without a model.
    fn new_prompt_tokens(&mut self, is_model: bool) -> Result<Option<usize>> {
        if !is_model {
            return Ok(None);
        }
        let usage = self.program.usage()?;
        let all = usage.get(REPLIES).map_or(0, |calls| calls.input());
        let new = all.saturating_sub(self.prompt_tokens);
        self.prompt_tokens = all;
        Ok(usize::try_from(new).ok())
    }
}

impl Found {
    /// Looks in what was found, best first: messages, and their texts with the names of their authors.
    fn of(question: &Question, hits: &[(Option<&Message>, String)]) -> Self {
        let place_of = |group: &Vec<String>| {
            let is_of_group = |(message, _): &(Option<&Message>, String)| {
                message.is_some_and(|message| group.contains(&message.said.id))
            };
            hits.iter().position(is_of_group).map(|place| place + 1)
        };
        let groups = question.required.len();
        let mut so_far = String::new();
        let is_complete = |(_, text): &(Option<&Message>, String)| {
            so_far.push_str(text);
            so_far.push('\n');
            judge::held(question, &so_far) == groups
        };
        let complete = hits.iter().position(is_complete);
        Self {
            evidence: question.evidence.iter().map(place_of).collect(),
            required: complete.filter(|_| groups > 0).map(|place| place + 1),
        }
    }
}

fn by_bm25(question: &Question, state: &State) -> Bm25 {
    let visible = state.visible(&question.channel);
    let texts: Vec<&str> = visible
        .iter()
        .map(|message| message.said.text.as_str())
        .collect();
    let ranked = bm25::rank(&question.text, &texts);
    let best: Vec<&Message> = ranked
        .iter()
        .filter_map(|place| visible.get(*place).copied())
        .take(HITS)
        .collect();
    let with_author = |message: &Message| {
        format!(
            "{}: {}",
            state.name(&message.said.author),
            message.said.text
        )
    };
    let hits: Vec<(Option<&Message>, String)> = best
        .iter()
        .map(|message| (Some(*message), with_author(message)))
        .collect();
    let quoted: Vec<String> = best
        .iter()
        .take(QUOTED)
        .map(|message| match is_evidence(question, Some(message)) {
            true => with_author(message),
            false => message.said.text.clone(),
        })
        .collect();
    let answer = Answer {
        text: quoted.join("\n"),
        found_nothing: Some(quoted.is_empty()),
    };
    Bm25 {
        found: Found::of(question, &hits),
        fault: judge::fault(question, &answer),
        judged: answer.text,
    }
}

fn is_evidence(question: &Question, message: Option<&Message>) -> bool {
    message.is_some_and(|message| question.is_evidence(&message.said.id))
}

/// Returns true if a text in the program's JSON contains something that may not be shown.
fn shows_leak(question: &Question, result: &Value) -> bool {
    match result {
        Value::String(text) => any_in(question.leaks(), text),
        Value::Array(values) => values.iter().any(|value| shows_leak(question, value)),
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| !MACHINE_KEYS.contains(&key.as_str()))
            .any(|(_, value)| shows_leak(question, value)),
        _ => false,
    }
}
