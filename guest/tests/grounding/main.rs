//! Lines with the messages that they were made from, written by people who did not know the rules: what is changed or
//! invented is found, and what is true stays. `tests/grounding` has the corpus.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::collections::BTreeMap;

use chrono::DateTime;
use myao_memory::bindings::types::Timestamp;
use myao_memory::grounding::{Given, unfounded};
use serde_json::Value;

const CORPUS: &str = include_str!("../../../tests/grounding/corpus.jsonl");
/// Of a hundred true lines, so many may be dropped.
const MOST_DROPPED: usize = 3;

/// Of 97 changed digits at least so many are dropped. A calculation may explain the others.
const LEAST_SLIPS: usize = 72;
/// The same of 66 invented values.
const LEAST_INVENTED: usize = 31;

/// Of 54 lines that name somebody else, at least so many are in doubt: a person may be meant without a name.
const LEAST_ATTRIBUTIONS: usize = 41;
/// The same of 17 names that nobody mentioned.
const LEAST_NAMES: usize = 16;

/// A line of the corpus, and whether it would be dropped.
struct Judged {
    verdict: String,
    text: String,
    values: Vec<String>,
    is_certain: bool,
}

/// A time to the minute, with its zone.
fn time(text: &str) -> Timestamp {
    let (head, zone) = text.split_at(text.len() - 6);
    let time = DateTime::parse_from_rfc3339(&format!("{head}:00{zone}")).unwrap();
    Timestamp {
        unix_seconds: time.timestamp(),
        utc_offset_seconds: time.offset().local_minus_utc(),
    }
}

fn judged() -> Vec<Judged> {
    let mut judged = Vec::new();
    for scene in CORPUS
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let messages = scene["messages"].as_array().unwrap();
        let given: Vec<Given<'_>> = messages
            .iter()
            .map(|message| Given {
                text: message["text"].as_str().unwrap(),
                author: message["author"].as_str(),
                time: Some(time(message["time"].as_str().unwrap())),
            })
            .collect();
        for line in scene["lines"].as_array().unwrap() {
            let text = line["text"].as_str().unwrap();
            let found = unfounded(text, &given, &[]);
            judged.push(Judged {
                verdict: line["verdict"].as_str().unwrap().to_owned(),
                text: format!("{}: {text}", scene["id"].as_str().unwrap()),
                is_certain: found.iter().any(|line| line.is_certain),
                values: found.into_iter().flat_map(|line| line.values).collect(),
            });
        }
    }
    judged
}

/// How many lines of a verdict there are, of how many something is in doubt or wrong, and of how many it is wrong.
type Tally = BTreeMap<String, [usize; 3]>;

#[test]
fn wrong_values_are_found_and_true_lines_stay() {
    let mut tally = Tally::new();
    let mut dropped = String::new();
    for line in judged() {
        let counts = tally.entry(line.verdict.clone()).or_default();
        counts[0] += 1;
        counts[1] += usize::from(!line.values.is_empty());
        counts[2] += usize::from(line.is_certain);
        if line.is_certain && line.verdict == "true" {
            dropped += &format!("{} {:?}\n", line.text, line.values);
        }
    }
    eprintln!("verdict: [lines, found, dropped] {tally:?}\n{dropped}");
    let [all, _, certain] = tally["true"];
    assert!(
        certain * 100 <= all * MOST_DROPPED,
        "{certain} of {all}:\n{dropped}"
    );
    let [urls, _, found] = tally["invented-url"];
    assert_eq!(found, urls);
    for (verdict, least) in [
        ("changed-digit", LEAST_SLIPS),
        ("invented-value", LEAST_INVENTED),
    ] {
        let [all, found, certain] = tally[verdict];
        assert_eq!(found, all, "{verdict}");
        assert!(certain >= least, "{verdict}: {certain}, not {least}");
    }
    for (verdict, least) in [
        ("wrong-attribution", LEAST_ATTRIBUTIONS),
        ("wrong-name", LEAST_NAMES),
    ] {
        let [_, found, _] = tally[verdict];
        assert!(found >= least, "{verdict}: {found}, not {least}");
    }
}
