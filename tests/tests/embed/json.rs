//! Values of the contract as JSON that looks the same from every host: the contract's own names, keys in order.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Keys whose value is the name of a case.
const ENUMS: [&str; 7] = [
    "agent",
    "engine",
    "finish-reason",
    "keep",
    "memory-type",
    "outcome",
    "scope",
];
/// Cases that hold the name of a case.
const NESTED: [&str; 3] = ["bad-answer", "llm", "skipped"];

/// A value as every host prints it.
pub(crate) fn plain(value: impl Serialize) -> Value {
    to_contract(serde_json::to_value(value).unwrap(), "")
}

/// A value from JSON with the contract's names.
pub(crate) fn read<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(to_rust(json, "")).unwrap()
}

/// From Rust's names (`scope_id`, `LongTerm`) to the contract's.
fn to_contract(value: Value, key: &str) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, inner)| {
                let name = kebab(&name);
                let inner = to_contract(inner, &name);
                (name, inner)
            });
            let in_order: BTreeMap<String, Value> = fields.collect();
            Value::Object(in_order.into_iter().collect())
        }
        Value::Array(items) => {
            let items = items.into_iter().map(|item| to_contract(item, ""));
            items.collect()
        }
        Value::String(case) if ENUMS.contains(&key) || NESTED.contains(&key) => kebab(&case).into(),
        other => other,
    }
}

/// From the contract's names to Rust's.
fn to_rust(value: Value, key: &str) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, inner)| {
                let inner = to_rust(inner, &name);
                (name.replace('-', "_"), inner)
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::String(case) if ENUMS.contains(&key) => pascal(&case).into(),
        other => other,
    }
}

/// An error of a model, which is a variant: its one key is the name of a case.
pub(crate) fn read_error<T: DeserializeOwned>(error: &Map<String, Value>) -> T {
    let cases = error
        .iter()
        .map(|(case, detail)| (pascal(case), detail.clone()));
    serde_json::from_value(Value::Object(cases.collect())).unwrap()
}

fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(if letter == '_' {
            '-'
        } else {
            letter.to_ascii_lowercase()
        });
    }
    kebab
}

fn pascal(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        format!("{}{rest}", first.to_ascii_uppercase())
    });
    words.collect()
}
