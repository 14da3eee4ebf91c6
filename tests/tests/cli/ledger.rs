//! The ledger of two labelled workspaces, from reports that stand beside their messages: `tests/eval/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;

use myao_tests::export::{channel_id, post, program_with, ts};
use myao_tests::llm_server::{LlmServer, Reply, answer};
use myao_tests::project_file;
use serde::Deserialize;
use serde_json::{Value, json};

const CHANNEL: &str = "general";
/// The ends of the first, the second and the last week: the minutes from the beginning.
const DATES: [(&str, i64); 3] = [
    ("2026-03-08", 7 * 1440),
    ("2026-03-15", 14 * 1440),
    ("2026-03-29", 28 * 1440),
];

/// A message, what a person labelled in it, and what a model reports of it.
#[derive(Deserialize)]
struct Said {
    minute: i64,
    by: String,
    text: String,
    #[serde(default)]
    items: Vec<Label>,
    #[serde(default)]
    changes: Vec<Changed>,
    #[serde(default)]
    reports: Vec<Value>,
}

#[derive(Clone, Deserialize)]
struct Label {
    id: String,
    kind: String,
    owner: Option<String>,
    due: Option<String>,
}

#[derive(Deserialize)]
struct Changed {
    of: String,
    state: String,
}

fn read(language: &str) -> Vec<Said> {
    let text = fs::read_to_string(project_file(&format!("tests/eval/ledger/{language}.jsonl")));
    let lines = text.unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The server's answer to a prompt: the reports of the messages that it shows for the first time. An item is named by its number
/// among those that the prompt shows, else by its quote.
fn report(prompt: &str, said: &[Said], told: &Mutex<BTreeSet<i64>>) -> Reply {
    let shows = |said: &&Said| prompt.contains(&format!("{}:\n{}", said.by, said.text));
    let shown = said.iter().filter(shows);
    let shown: Vec<String> = shown.map(|said| format!("- {}", said.text)).collect();
    let text = shown[shown.len().saturating_sub(3)..].join("\n");
    if !prompt.contains("\"quote\"") {
        let whole = |said: &&Said| said.text.chars().count() > 10 && prompt.contains(&said.text);
        let whole = said
            .iter()
            .filter(whole)
            .map(|said| format!("- {}\n", said.text));
        return answer(&whole.collect::<String>());
    }
    let quotes: BTreeMap<&str, &str> = said
        .iter()
        .flat_map(|said| &said.reports)
        .filter_map(|report| Some((report["id"].as_str()?, report["quote"].as_str()?)))
        .collect();
    let number_of = |id: &Value| {
        let quote = quotes[id.as_str().unwrap()];
        let mut shown = prompt.lines().filter(|line| line.contains(quote));
        shown.find_map(|line| line.split_once(". ")?.0.parse::<u32>().ok())
    };
    let mut told = told.lock().unwrap();
    let new = said
        .iter()
        .filter(|said| shows(said) && told.insert(said.minute));
    let mut reports = Vec::new();
    for mut report in new.flat_map(|said| said.reports.clone()) {
        report.as_object_mut().unwrap().remove("id");
        for field in ["item", "replaces"] {
            if let Some(id) = report.get(field) {
                let quote = quotes[id.as_str().unwrap()];
                report[field] = number_of(id).map_or(json!(quote), |number| json!(number));
            }
        }
        reports.push(report);
    }
    answer(&format!(
        "{text}\n\n```json\n{}\n```",
        Value::Array(reports)
    ))
}

/// How many were right, and of how many.
#[derive(Default)]
struct Score(usize, usize);

impl Score {
    fn add(&mut self, is_right: bool) {
        self.0 += usize::from(is_right);
        self.1 += 1;
    }

    #[track_caller]
    fn is_at_least(&self, name: &str, least: f64) {
        let share = self.0 as f64 / self.1 as f64;
        eprintln!("{name}: {share:.2} ({} of {})", self.0, self.1);
        assert!(share >= least, "{name}: {share:.2} is below {least}");
    }
}

#[test]
fn the_items_of_labelled_workspaces_are_found_with_their_states_owners_and_dates() {
    let (mut precision, mut recall, mut states) =
        (Score::default(), Score::default(), Score::default());
    let mut details = Score::default();
    for language in ["ja", "en"] {
        let told = Mutex::default();
        let said = read(language);
        let llm = LlmServer::start(move |call| report(call.prompt(), &said, &told));
        let said = read(language);
        let posts = said.iter().map(|said| {
            let by: &'static str = Box::leak(said.by.clone().into_boxed_str());
            post(CHANNEL, said.minute, by, &said.text)
        });
        let posts: Vec<_> = posts.collect();
        let program = program_with(&llm.config(), &posts);
        program.run(&["backfill"]).succeeded();
        let listed = |as_of: &str| -> BTreeMap<(String, String), Value> {
            let ran = program.run(&["--json", "items", "--all", "--as-of", as_of]);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            let lines = ran.stdout.lines().map(|line| {
                let item: Value = serde_json::from_str(line).unwrap();
                let id = item["id"].as_str().unwrap();
                let message = id.split('/').next().unwrap().to_owned();
                ((message, item["kind"].as_str().unwrap().to_owned()), item)
            });
            lines.collect()
        };
        let key = |said: &Said, label: &Label| {
            let message = format!("{}:{}", channel_id(CHANNEL), ts(said.minute));
            (message, label.kind.clone())
        };
        let labels: Vec<(&Said, &Label)> = said
            .iter()
            .flat_map(|said| said.items.iter().map(move |label| (said, label)))
            .collect();
        let known: BTreeSet<_> = labels
            .iter()
            .map(|(said, label)| key(said, label))
            .collect();
        let found = listed(DATES[2].0);
        for item in found.keys() {
            precision.add(known.contains(item));
        }
        for (said, label) in &labels {
            let item = found.get(&key(said, label));
            recall.add(item.is_some());
            let Some(item) = item else { continue };
            if label.owner.is_some() || !item["owner"].is_null() {
                details.add(item["owner"] == json!(label.owner));
            }
            if label.due.is_some() || !item["due"].is_null() {
                details.add(item["due"] == json!(label.due));
            }
        }
        for (date, end) in DATES {
            let then = listed(date);
            for (noted, label) in labels.iter().filter(|(noted, _)| noted.minute < end) {
                let changes = said.iter().filter(|said| said.minute < end);
                let mut changes = changes.flat_map(|said| &said.changes);
                let state = changes.rfind(|change| change.of == label.id);
                let state = state.map_or("open", |change| &change.state);
                let item = then.get(&key(noted, label));
                if let Some(item) = item {
                    states.add(item["state"] == json!(state));
                }
            }
        }
    }
    precision.is_at_least("items that are right", 0.85);
    recall.is_at_least("items that are found", 0.80);
    states.is_at_least("states at three dates", 0.90);
    details.is_at_least("owners and dates", 0.90);
}
