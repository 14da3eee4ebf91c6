//! How much of what is needed for an answer is among the ten best messages, on GateMem (arXiv 2606.18829). The data set is not
//! part of the project: `MYAO_TEST_GATEMEM` names the folder with its files.

#![expect(clippy::print_stdout, reason = "it shows figures")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use regex::RegexBuilder;
use serde_json::Value;

use super::super::Searcher;
use crate::bindings::exports::myao::memory::searcher::SearchRequest;
use crate::bindings::types::{Message, Timestamp, User};
use crate::testing::{MemoryStorage, PlainRecall};

/// Plain BM25 reaches 0.66.
const BAR: f64 = 0.75;

fn lines(folder: &Path, name: &str) -> Vec<Value> {
    let path = folder.join(name);
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key}: {value}"))
}

/// An episode as one channel: its messages, and the time of each turn.
fn episode(value: &Value) -> (PlainRecall, BTreeMap<String, Timestamp>) {
    let people = value["entities"]["principals"].as_array().unwrap();
    let names: BTreeMap<&str, &str> = people
        .iter()
        .map(|person| (text(person, "principal_id"), text(person, "display_name")))
        .collect();
    let (mut recall, mut times) = (PlainRecall::default(), BTreeMap::new());
    let mut seconds = 0;
    for (number, turn) in value["turns"].as_array().unwrap().iter().enumerate() {
        // Several turns may have one minute. Some have no time.
        seconds = match turn["timestamp"].as_str().and_then(|time| time.get(..16)) {
            Some(minute) => {
                let written: chrono::NaiveDateTime = format!("{minute}:00").parse().unwrap();
                written.and_utc().timestamp()
            }
            None => seconds + 60,
        };
        let timestamp = Timestamp {
            unix_seconds: seconds,
            utc_offset_seconds: 0,
        };
        let id = text(&turn["speaker"], "principal_id");
        let message = Message {
            ts: format!("{seconds}.{:06}", number + 1),
            user: User {
                id: id.to_owned(),
                name: (*names.get(id).unwrap_or(&id)).to_owned(),
                is_bot: false,
            },
            text: text(turn, "text").to_owned(),
            timestamp,
            thread_ts: None,
            edited_at: None,
            is_for_bot: false,
        };
        recall.add("C1", message);
        times.insert(text(turn, "turn_id").to_owned(), timestamp);
    }
    (recall, times)
}

/// Returns true if all that is needed is among the ten best messages.
fn is_found(checkpoint: &Value, recall: &PlainRecall, now: Timestamp) -> bool {
    let request = SearchRequest {
        text: text(checkpoint, "query_text").to_owned(),
        since: None,
        until: None,
        limit: 10,
    };
    let storage = MemoryStorage::default();
    let found = Searcher::new(recall, &storage, now)
        .search(&request)
        .unwrap();
    let mut needed = checkpoint["judge_spec"]["include"]
        .as_array()
        .unwrap()
        .iter();
    needed.all(|pattern| {
        let pattern = RegexBuilder::new(pattern.as_str().unwrap())
            .case_insensitive(true)
            .build()
            .unwrap();
        let mut texts = found.hits.iter().map(|hit| &hit.message.text);
        texts.any(|text| pattern.is_match(text))
    })
}

#[test]
fn what_gatemem_needs_is_among_the_ten_best_messages() {
    let Some(folder) = std::env::var_os("MYAO_TEST_GATEMEM") else {
        println!("left out: MYAO_TEST_GATEMEM names no folder with the data set GateMem");
        return;
    };
    let folder = Path::new(&folder);
    let (mut found, mut asked) = (0, 0);
    for domain in ["office", "medical"] {
        let episodes: BTreeMap<String, _> = lines(folder, &format!("{domain}-episodes.jsonl.gz"))
            .iter()
            .map(|value| (text(value, "episode_id").to_owned(), episode(value)))
            .collect();
        let (mut of_domain, before) = (0, asked);
        for checkpoint in lines(folder, &format!("{domain}-checkpoints.jsonl.gz")) {
            if text(&checkpoint, "query_type") != "utility" {
                continue;
            }
            let (recall, times) = &episodes[text(&checkpoint, "episode_id")];
            let now = times[text(&checkpoint, "as_of_turn_id")];
            asked += 1;
            of_domain += u32::from(is_found(&checkpoint, recall, now));
        }
        println!("{domain}: {of_domain} of {}", asked - before);
        found += of_domain;
    }
    let part = f64::from(found) / f64::from(asked);
    println!("GateMem: {found} of {asked}, {part:.3}");
    assert!(part >= BAR, "{part:.3}");
}
