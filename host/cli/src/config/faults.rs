//! All that is wrong in a configuration. Every key has a default, so each part of the file can be read alone.

use serde_json::{Map, Value};
use serde_saphyr::Error;

use super::error::detail;
use super::tree::{Entry, Node, Place};

/// Reads a configuration, and drops it.
type Read = fn(&str) -> Result<(), Error>;

/// A place, and what is wrong there.
pub(super) type Fault = (Place, String);

/// Faults in the order of the file, each in one line.
pub(super) fn lines(mut faults: Vec<Fault>) -> Vec<String> {
    faults.sort();
    let faults = faults.into_iter();
    faults
        .map(|(place, what)| format!("{place}{what}"))
        .collect()
}

/// The faults of a configuration.
pub(super) fn faults(tree: &Node, read: Read) -> Vec<Fault> {
    let mut search = Search {
        read,
        path: Vec::new(),
        found: Vec::new(),
    };
    search.look_into(tree);
    search.found
}

struct Search<'t> {
    read: Read,
    /// The keys that lead to where it is.
    path: Vec<&'t str>,
    /// Where something is wrong, and what.
    found: Vec<Fault>,
}

impl<'t> Search<'t> {
    fn look_into(&mut self, node: &'t Node) {
        let Node::Keys(entries) = node else {
            return;
        };
        for entry in entries {
            self.path.push(&entry.key);
            self.look_at(entry);
            self.path.pop();
        }
    }

    fn look_at(&mut self, entry: &'t Entry) {
        let Err(error) = self.read_alone(entry.value.json()) else {
            return;
        };
        let has_keys = matches!(entry.value, Node::Keys(_));
        let text = detail(&error);
        // What is wrong without the keys below has nothing to do with them.
        let is_of_key = has_keys
            && self
                .read_alone(Value::Object(Map::new()))
                .is_err_and(|error| detail(&error) == text);
        let before = self.found.len();
        if has_keys && !is_of_key {
            self.look_into(&entry.value);
        }
        // A key that has none below may lack its neighbours, which are not read with it.
        let is_of_neighbours =
            !has_keys && matches!(error.without_snippet(), Error::SerdeMissingField { .. });
        if self.found.len() > before || is_of_neighbours {
            return;
        }
        self.found.push(match error.without_snippet() {
            // The text names the key.
            Error::SerdeUnknownField { .. } => (entry.key_at, format!(": {text}")),
            // A key may go over several lines.
            _ => {
                let key = entry.key.replace(char::is_control, " ");
                (entry.value_at, format!(", `{key}`: {text}"))
            }
        });
    }

    /// Reads a configuration that has nothing but this value, at the path.
    fn read_alone(&self, value: Value) -> Result<(), Error> {
        let within =
            |value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), value)]));
        let document = self.path.iter().rev().fold(value, within);
        (self.read)(&document.to_string())
    }
}
