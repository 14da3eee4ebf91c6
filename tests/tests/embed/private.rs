//! What is said in a private channel changes no byte of what is made for other places, in every runtime.

use std::path::Path;
use std::process::{Command, Output};

use myao_tests::read_project_file;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::script::FILE;

/// The script's private channel.
const PRIVATE: &str = "C04";
/// How often something else is said there.
const VARIANTS: usize = 8;

/// Words of the script's public channels and others, so that searches and counts of terms would notice them.
const WORDS: [&str; 16] = [
    "harbour",
    "office",
    "open",
    "Friday",
    "10:30",
    "release",
    "決定",
    "来週",
    "salary",
    "4,200",
    "HBR-231",
    "lunch",
    "リリース",
    "12,000円",
    "Ingrid",
    "?",
];

/// The script, in which more is said in the private channel, and something else each time.
fn variant(number: usize) -> NamedTempFile {
    let mut script: Value = serde_json::from_str(&read_project_file(FILE)).unwrap();
    let mut said = 0;
    for run in script["runs"].as_array_mut().unwrap() {
        let messages = run["messages"].as_array_mut().unwrap();
        // With each other message, one is written there.
        for at in 0..messages.len() {
            if messages[at]["channel-id"] != PRIVATE {
                let (ts, user) = (&messages[at]["ts"], &messages[at]["user-id"]);
                let more = json!({ "channel-id": PRIVATE, "ts": ts, "user-id": user, "text": "" });
                messages.push(more);
            }
        }
        for message in messages {
            if message["channel-id"] == PRIVATE {
                let words = (0..2 + said % 5).map(|n| WORDS[(number * 5 + said * 3 + n * 7) % 16]);
                message["text"] = words.collect::<Vec<_>>().join(" ").into();
                said += 1;
            }
        }
    }
    assert!(said > 20, "{said} messages in {PRIVATE}");
    let file = NamedTempFile::new().unwrap();
    serde_json::to_writer(&file, &script).unwrap();
    file
}

/// Takes away what is of the private channel.
fn elsewhere(value: &mut Value) {
    let is_private = |of: &Value| {
        let ids = [&of["scope-id"], &of["purpose"]["scope-id"]];
        let mut ids = ids.into_iter().filter_map(Value::as_str);
        ids.any(|id| id.starts_with(PRIVATE))
    };
    match value {
        Value::Array(items) => {
            items.retain(|item| !is_private(item));
            items.iter_mut().for_each(elsewhere);
        }
        Value::Object(fields) => fields.values_mut().for_each(elsewhere),
        _ => {}
    }
}

/// A host prints the same of all other places, whatever is said in private.
pub(crate) fn assert_unchanged(host: impl Fn(&Path) -> Output) {
    let printed = |number| {
        let script = variant(number);
        let mut printed: Value = serde_json::from_slice(&host(script.path()).stdout).unwrap();
        let all = printed.to_string();
        elsewhere(&mut printed);
        (all, printed)
    };
    let (first_of_all, first) = printed(0);
    assert!(first.to_string().len() > 50_000, "little is left: {first}");
    for number in 1..VARIANTS {
        let (all, others) = printed(number);
        assert_ne!(all, first_of_all, "nothing else was said");
        assert_eq!(others, first, "variant {number}");
    }
}

/// A host of Node, Deno or Bun, which plays a script.
pub(crate) fn playing(runtime: impl Fn() -> Command) -> impl Fn(&Path) -> Output {
    move |script| crate::node::host_of(runtime(), "host.js", script, &[])
}
