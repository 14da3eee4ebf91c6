//! The attacks in `tests/attacks/corpus.json`.

use serde_json::Value;

/// Text with a name.
pub(crate) struct Attack {
    /// What the attack tries.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
    /// True if it only claims something: it is shown as it is, and looks like nothing of the prompt's own.
    pub(crate) is_claim: bool,
}

/// The content of the file.
pub(crate) struct Corpus {
    /// Texts of messages and memories.
    pub(crate) texts: Vec<Attack>,
    /// Names of people and channels.
    pub(crate) names: Vec<Attack>,
    /// Texts that must be shown as they are.
    pub(crate) harmless: Vec<String>,
    /// The same for names.
    pub(crate) harmless_names: Vec<String>,
}

/// Reads the file.
pub(crate) fn read() -> Corpus {
    let file = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/attacks/corpus.json"
    ));
    let file: Value = serde_json::from_str(file).unwrap();
    let string = |value: &Value| value.as_str().unwrap().to_owned();
    let list = |key: &str| file[key].as_array().unwrap().clone();
    let attacks = |forged: &str, claims: &str| {
        let of = |key, is_claim| {
            let attack = move |value: Value| Attack {
                name: string(&value["name"]),
                text: string(&value["text"]),
                is_claim,
            };
            list(key).into_iter().map(attack)
        };
        of(forged, false).chain(of(claims, true)).collect()
    };
    Corpus {
        texts: attacks("texts", "claims"),
        names: attacks("names", "claims_of_names"),
        harmless: list("harmless").iter().map(string).collect(),
        harmless_names: list("harmless_names").iter().map(string).collect(),
    }
}
