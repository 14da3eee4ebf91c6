//! `myao eval`: a team's own questions, answered from its own database and compared with what is known to be right.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use myao_plugin::printable::line;
use myao_plugin::{CallError, Hit, MemoryPlugin, Place, SearchRequest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::Cost;
use crate::cli::app::App;
use crate::cli::output;
use crate::cli::seen::place;

/// How many of the messages that are found count.
const BEST: u32 = 10;
/// How many stand where a reader looks first.
const FIRST: usize = 5;

/// A question of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    question: String,
    answer: Expected,
    #[serde(rename = "in")]
    in_channel: Option<String>,
}

/// Texts of which one stands in a right answer.
#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    One(String),
    Any(Vec<String>),
}

impl Expected {
    fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Any(texts) => texts,
        }
    }

    fn is_in(&self, text: &str) -> bool {
        let text = squeezed(text);
        self.texts()
            .iter()
            .any(|expected| text.contains(&squeezed(expected)))
    }
}

/// A text without blanks and capitals.
fn squeezed(text: &str) -> String {
    let letters = text.chars().filter(|c| !c.is_whitespace());
    letters.flat_map(char::to_lowercase).collect()
}

/// The outcome of one question.
struct Outcome {
    /// The place, from 1, of the first message that is found with an expected text.
    rank: Option<usize>,
    answer: Result<String, CallError>,
    is_right: bool,
}

pub(crate) async fn run(app: &App, path: &Path) -> anyhow::Result<ExitCode> {
    let questions = read(path)?;
    let workspace = app.existing_workspace()?;
    let cost = Cost::of(app);
    let plugin = app.plugin()?.call_observer(cost.clone());
    let plugin = app
        .bind(plugin, &workspace, Some(app.budget(&workspace)?))
        .await?;
    let mut places = Vec::with_capacity(questions.len());
    for question in &questions {
        places.push(place(&*workspace, question.in_channel.as_deref()).await?);
    }
    let bar = output::progress_bar(
        questions.len() as u64,
        "{bar:30} {pos} of {len} questions, {eta} left",
    );
    let mut outcomes = Vec::with_capacity(questions.len());
    for (question, place) in questions.iter().zip(places) {
        outcomes.push(outcome(app, &plugin, question, place).await);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let by_model = plugin.settings().replies_by_model();
    let all = questions.into_iter().zip(outcomes).collect::<Vec<_>>();
    if app.json {
        print_json(&all, by_model, &cost)?;
    } else {
        print(&all, by_model, &cost)?;
    }
    let is_answered = |outcome: &Outcome| outcome.answer.is_ok();
    let is_whole = all
        .iter()
        .all(|(_, outcome)| outcome.as_ref().is_ok_and(is_answered));
    Ok(if is_whole {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn read(path: &Path) -> anyhow::Result<Vec<Question>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the questions in {}", path.display()))?;
    let questions: Vec<Question> = serde_saphyr::from_str(&text).with_context(|| {
        format!(
            "{} is no list of questions; each has `question`, `answer` (a text, or a list of which one is enough) and \
             maybe `in` (a channel)",
            path.display()
        )
    })?;
    ensure!(!questions.is_empty(), "{} has no question", path.display());
    let is_meant = |question: &Question| {
        let mut texts = question.answer.texts().iter().peekable();
        texts.peek().is_some() && texts.all(|text| !text.trim().is_empty())
    };
    if let Some(Question { question, .. }) = questions.iter().find(|question| !is_meant(question)) {
        bail!("{}: `answer` of “{question}” is empty", path.display());
    }
    Ok(questions)
}

async fn outcome(
    app: &App,
    plugin: &MemoryPlugin,
    question: &Question,
    place: Place,
) -> anyhow::Result<Outcome> {
    let now = app.time(None);
    let request = SearchRequest {
        text: question.question.clone(),
        since: None,
        until: None,
        limit: BEST,
    };
    let found = plugin.search(place.clone(), &request, now).await?;
    let answer = plugin.ask(place, &question.question, now).await;
    let answer = answer.map(|answer| answer.text);
    let is_found = |hit: &Hit| question.answer.is_in(&hit.message.text);
    Ok(Outcome {
        rank: found.hits.iter().position(is_found).map(|at| at + 1),
        is_right: answer
            .as_ref()
            .is_ok_and(|text| question.answer.is_in(text)),
        answer,
    })
}

type Outcomes = [(Question, anyhow::Result<Outcome>)];

/// How many have a message among so many, and how many a right answer.
fn found(all: &Outcomes, among: usize) -> usize {
    let ranks = all
        .iter()
        .filter_map(|(_, outcome)| outcome.as_ref().ok()?.rank);
    ranks.filter(|rank| *rank <= among).count()
}

fn right(all: &Outcomes) -> usize {
    let outcomes = all.iter().filter_map(|(_, outcome)| outcome.as_ref().ok());
    outcomes.filter(|outcome| outcome.is_right).count()
}

fn print(all: &Outcomes, by_model: bool, cost: &Cost) -> anyhow::Result<()> {
    let mut out = output::stdout();
    writeln!(out, "found  right  question")?;
    for (question, outcome) in all {
        let (rank, error) = match outcome {
            Ok(Outcome { rank, answer, .. }) => {
                (*rank, answer.as_ref().err().map(ToString::to_string))
            }
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        let is_right = match outcome {
            _ if error.is_some() => "–",
            Ok(outcome) if outcome.is_right => "yes",
            _ => "no",
        };
        let rank = rank.map_or_else(|| "–".to_owned(), |rank| format!("{rank}."));
        writeln!(
            out,
            "{rank:>5}  {is_right:<5}  {}",
            line(&question.question)
        )?;
        if let Some(error) = error {
            writeln!(out, "{:14}not answered: {}", "", line(&error))?;
        }
    }
    let count = all.len();
    let answers = match by_model {
        true => "of the model",
        false => "which are the closest messages: no model is configured for answers",
    };
    writeln!(
        out,
        "\nA message with the answer is among the first five for {} of {count} questions, among the first ten for {}.",
        found(all, FIRST),
        found(all, BEST as usize),
    )?;
    writeln!(
        out,
        "{} of {count} answers are right, {answers}.",
        right(all)
    )?;
    let (calls, tokens) = cost.json();
    if calls > 0 {
        let tokens = |key| {
            let tokens = tokens.get(key).and_then(Value::as_u64);
            tokens.map_or("?".to_owned(), |tokens| output::number(tokens.into()))
        };
        let (input, made) = (tokens("input"), tokens("output"));
        writeln!(
            out,
            "Models: {calls} calls, {input} tokens read, {made} written."
        )?;
    }
    Ok(())
}

fn print_json(all: &Outcomes, by_model: bool, cost: &Cost) -> anyhow::Result<()> {
    let questions: Vec<_> = all
        .iter()
        .map(|(question, outcome)| match outcome {
            Ok(Outcome {
                rank,
                answer: Ok(answer),
                is_right,
            }) => json!({
                "question": question.question,
                "rank": rank,
                "right": is_right,
                "answer": answer,
            }),
            Ok(Outcome {
                rank,
                answer: Err(error),
                ..
            }) => json!({
                "question": question.question,
                "rank": rank,
                "error": error.to_string(),
            }),
            Err(error) => json!({ "question": question.question, "error": format!("{error:#}") }),
        })
        .collect();
    let (calls, tokens) = cost.json();
    output::print_json(&json!({
        "questions": questions,
        "found_among_5": found(all, FIRST),
        "found_among_10": found(all, BEST as usize),
        "right": right(all),
        "by_model": by_model,
        "calls": calls,
        "tokens": tokens,
    }))
}
