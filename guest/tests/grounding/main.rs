//! Lines with the messages that they were made from, written by people who did not know the rules: what is changed or
//! invented is found, and what is true stays. `tests/grounding` has the corpus.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing
)]

use std::collections::BTreeMap;

use chrono::DateTime;
use myao_memory::bindings::types::Timestamp;
use myao_memory::grounding::{Doubt, Given, unfounded};
use serde_json::Value;

/// The corpora, and of how many hundredths of their lines at most a true one is asked about, and at least a wrong value is.
const CORPORA: [(&str, usize, usize); 2] = [("corpus", 17, 85), ("strong", 2, 90)];

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

fn judged(corpus: &str) -> Vec<Judged> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/grounding");
    let scenes = std::fs::read_to_string(format!("{folder}/{corpus}.jsonl")).unwrap();
    let mut judged = Vec::new();
    for scene in scenes
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
                is_certain: found.iter().any(|line| line.doubt == Doubt::Value),
                values: found.into_iter().flat_map(|line| line.values).collect(),
            });
        }
    }
    judged
}

/// How many lines of a verdict there are, of how many something is marked or asked about, and of how many it is asked about.
type Tally = BTreeMap<String, [usize; 3]>;

#[test]
fn wrong_values_are_asked_about_and_true_lines_are_not() {
    let mut all = Vec::new();
    for (corpus, most, least) in CORPORA {
        let mut tally = Tally::new();
        let mut mistaken = String::new();
        for line in judged(corpus) {
            let counts = tally.entry(line.verdict.clone()).or_default();
            counts[0] += 1;
            counts[1] += usize::from(!line.values.is_empty());
            counts[2] += usize::from(line.is_certain);
            if line.is_certain == (line.verdict == "true") {
                mistaken += &format!("{} {} {:?}\n", line.verdict, line.text, line.values);
            }
        }
        println!("corpus {corpus} {tally:?}\n{mistaken}");
        all.push((corpus, most, least, tally));
    }
    for (corpus, most, least, tally) in all {
        let of = |verdict: &str| tally.get(verdict).copied().unwrap_or_default();
        let [lines, _, alarms] = of("true");
        assert!(
            alarms * 100 <= lines * most,
            "{corpus}: {alarms} of {lines}"
        );
        let planted = ["changed-digit", "invented-value", "invented-url"].map(of);
        let [lines, found] =
            [0, 2].map(|at| planted.iter().map(|counts| counts[at]).sum::<usize>());
        assert!(found * 100 >= lines * least, "{corpus}: {found} of {lines}");
    }
}
