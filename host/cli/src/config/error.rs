//! Errors of the configuration, each fault in one line that never shows the file's text: it may hold keys.

use std::path::{Path, PathBuf};

use serde_saphyr::{Error, MessageFormatter as _, UserMessageFormatter};

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error(
        "cannot read the configuration {path}: {source}; check the path that --config gives, and that the file is text in UTF-8"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no YAML, or has keys or values that are not known.
    #[error("{}", in_lines(path, faults))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Each with line, column, key where there is one, and what is wrong.
        faults: Vec<String>,
    },
    /// A template cannot be read.
    #[error("cannot read the template {path}: {source}; check `memory.templates_path`")]
    Template {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A budget of money, and a model without a price.
    #[error("`budget.{key}` needs the price of {model}: add it to `prices` in the configuration")]
    NoPrice {
        /// The key under `budget`.
        key: &'static str,
        /// `provider/model`.
        model: String,
    },
    /// Several workspaces, and none is chosen.
    #[error("the configuration lists several workspaces: choose one with `--workspace`, of {}", quoted(.0))]
    SeveralWorkspaces(Vec<String>),
    /// A workspace is chosen that is not there.
    #[error(
        "the configuration has no workspace `{name}`: it has {}",
        quoted(names)
    )]
    NoSuchWorkspace {
        /// The one that is chosen.
        name: String,
        /// Those that are there.
        names: Vec<String>,
    },
}

/// Names in one line.
fn quoted(names: &[String]) -> String {
    let names = names.iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

/// A line for each fault of a file.
fn in_lines(path: &Path, faults: &[String]) -> String {
    let path = path.display();
    let lines = faults
        .iter()
        .map(|fault| format!("configuration {path}, {fault}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// What is wrong, without the place.
pub(super) fn detail(error: &Error) -> String {
    match error.without_snippet() {
        Error::InvalidScalar { ty, .. } => format!("expected {}", in_words(ty)),
        Error::InvalidBooleanStrict { .. } => format!("expected {}", in_words("boolean")),
        Error::Unexpected { expected, .. } => format!("expected {}", in_words(expected)),
        // The message may hold a key that spans several lines.
        other => UserMessageFormatter
            .format_message(other)
            .replace(char::is_control, " "),
    }
}

/// Describes where in `text` the error is, and what is wrong.
pub(super) fn describe(error: &Error, text: &str) -> String {
    let detail = detail(error);
    let error = error.without_snippet();
    let Some(location) = error.location() else {
        return detail;
    };
    let (line, column) = (location.line(), location.column());
    match key_before(text, line, column) {
        Some(key) => format!("line {line}, column {column}, `{key}`: {detail}"),
        None => format!("line {line}, column {column}: {detail}"),
    }
}

/// What the YAML reader expected, in plain words.
fn in_words(expected: &str) -> &str {
    match expected {
        "u32" => "a whole number from 0 to 4294967295",
        "u64" => "a whole number from 0 on",
        "u16" => "a whole number from 0 to 65535",
        "boolean" => "true or false",
        "floating point" => "a number",
        "string scalar" => "a text",
        "mapping start" => "keys, as in `key: value`",
        other => other,
    }
}

/// The key of the value at this position, if it is on the same line.
fn key_before(text: &str, line: u64, column: u64) -> Option<&str> {
    let line = usize::try_from(line).ok()?.checked_sub(1)?;
    let column = usize::try_from(column).ok()?.checked_sub(1)?;
    let line = text.lines().nth(line)?;
    let end = line.char_indices().nth(column)?.0;
    let before = line.get(..end)?.trim_end().strip_suffix(':')?;
    let key = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()?;
    (!key.is_empty()).then_some(key)
}
