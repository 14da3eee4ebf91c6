//! What documents name exists: files, functions, headings, keys of the configuration, commands.

use myao::config::Config;
use myao_tests::{project_file, read_project_file};
use tempfile::TempDir;

use crate::commands;
use crate::document::{Document, Link, Span};
use crate::place::Place;

/// The folders of the project: a name that begins with one of them is a path.
const FOLDERS: [&str; 8] = [
    ".ci/",
    "docs/",
    "guest/",
    "host/",
    "scripts/",
    "templates/",
    "tests/",
    "wit/",
];
/// The sections of the configuration: a name that begins with one of them is a key.
const SECTIONS: [&str; 8] = [
    "agents",
    "health_check",
    "logging",
    "memory",
    "persona",
    "prices",
    "response",
    "slack",
];

/// What is wrong with a link.
pub(crate) fn link_fault(document: &Document, link: &Link, all: &[Document]) -> Option<String> {
    if link.to.starts_with("https://") {
        return None;
    }
    let (file, anchor) = link.to.split_once('#').unwrap_or((&link.to, ""));
    let path = match file {
        "" => document.path.clone(),
        _ => from_top(&document.path, file),
    };
    if !project_file(&path).exists() {
        return Some(format!("there is no {path}"));
    }
    if anchor.is_empty() {
        return None;
    }
    let to = all.iter().find(|document| document.path == path);
    let known = to.is_some_and(|to| to.anchors.iter().any(|known| known == anchor));
    (!known).then(|| format!("{path} has no heading #{anchor}"))
}

/// A path in a document, as seen from the top of the project.
fn from_top(document: &str, link: &str) -> String {
    let mut folders: Vec<&str> = document.split('/').collect();
    folders.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(folders.pop()),
            "." | "" => {}
            part => folders.push(part),
        }
    }
    folders.join("/")
}

/// What is wrong with `code` in a line.
pub(crate) fn span_fault(span: &Span, place: &Place) -> Option<String> {
    let text = span.text.as_str();
    if let Some((file, function)) = step(text) {
        return missing_function(file, function);
    }
    if is_path(text) {
        return missing(text);
    }
    if let Some(key) = key_of(text) {
        return key_fault(key, text);
    }
    let is_command = text.starts_with("myao ") || text.starts_with("make ");
    let faults = is_command.then(|| commands::faults(text, place));
    faults.into_iter().flatten().next()
}

/// Files and folders that a drawing names but that do not exist.
pub(crate) fn missing_in_picture(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-{},".contains(c);
    let words = text.split(|c: char| !is_part(c));
    let paths = words.map(|word| word.trim_end_matches([',', '.']));
    paths
        .filter(|word| is_path(word))
        .filter_map(missing)
        .collect()
}

fn is_path(text: &str) -> bool {
    !text.contains(' ') && FOLDERS.iter().any(|folder| text.starts_with(folder))
}

/// The file and the function of `host/bot/src/inbox.rs:accept`.
pub(crate) fn step(text: &str) -> Option<(&str, &str)> {
    let (file, function) = text.split_once(".rs:")?;
    let file = text.get(..file.len() + ".rs".len())?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (is_path(file) && !function.is_empty() && function.chars().all(is_name))
        .then_some((file, function))
}

fn missing_function(file: &str, function: &str) -> Option<String> {
    if !project_file(file).is_file() {
        return Some(format!("there is no {file}"));
    }
    let code = read_project_file(file);
    let after_fn = code.split("fn ").skip(1);
    let mut names = after_fn.filter_map(|rest| rest.split(['(', '<']).next());
    (!names.any(|name| name == function)).then(|| format!("{file} has no function {function}"))
}

fn missing(path: &str) -> Option<String> {
    let absent = alternatives(path).into_iter().find(|path| {
        // Of `a/b*.sql` the folder.
        let sure = path.split(['*', '…']).next().unwrap_or_default();
        let sure = match sure.len() < path.len() {
            true => sure.rsplit_once('/').map_or("", |(folder, _)| folder),
            false => sure,
        };
        !project_file(sure).exists()
    });
    absent.map(|path| format!("there is no {path}"))
}

/// `a/{b,c}` is `a/b` and `a/c`.
fn alternatives(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else {
        return vec![path.to_owned()];
    };
    let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
    let alternatives = inside.split(',');
    alternatives
        .flat_map(|one| alternatives_after(&format!("{before}{one}"), after))
        .collect()
}

fn alternatives_after(before: &str, after: &str) -> Vec<String> {
    let after = alternatives(after).into_iter();
    after.map(|after| format!("{before}{after}")).collect()
}

/// The key in `memory.recording` or `memory.recording: true`.
fn key_of(text: &str) -> Option<&str> {
    let key = text.split(':').next()?;
    let mut parts = key.split('.');
    let is_key = SECTIONS.contains(&parts.next()?)
        && parts.clone().next().is_some()
        && parts.all(|part| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        });
    let is_file = [".md", ".rs", ".db", ".yaml", ".py"]
        .iter()
        .any(|extension| key.ends_with(extension));
    (is_key && !is_file).then_some(key)
}

/// The fault if the configuration has no such key, or does not take the value that stands behind it.
fn key_fault(key: &str, text: &str) -> Option<String> {
    let value = text
        .get(key.len()..)
        .and_then(|rest| rest.strip_prefix(": "));
    let mut yaml = String::new();
    for (depth, part) in key.split('.').enumerate() {
        yaml += &format!("{}{part}:\n", "  ".repeat(depth));
    }
    // Without a value, one that no key takes: only the key is checked.
    let yaml = format!("{} {}\n", yaml.trim_end(), value.unwrap_or("[[[]]]"));
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("key.yaml");
    std::fs::write(&file, yaml).unwrap();
    let check =
        |settings: &[(String, String)]| Ok(myao_tests::component().check(settings).unwrap());
    let error = Config::read(&file, &check).err()?.to_string();
    (value.is_some() || error.contains("unknown")).then_some(error)
}

#[test]
fn what_is_not_there_is_found() {
    let place = Place::new();
    let fault = |text: &str| {
        let span = Span {
            place: String::new(),
            text: text.to_owned(),
            under: String::new(),
            begins_row: false,
        };
        span_fault(&span, &place)
    };
    let good = [
        "host/cli/src/{lib,main}.rs",
        "host/sql/src/*/sql/*.sql",
        "host/bot/src/lib.rs:run",
        "wit/",
        "memory.recording",
        "memory.recording: true",
        "response.judgment_skip.thresholds",
        "prices.currency",
        "myao memory show",
        "myao prompt --scope channel",
        "make demo",
        "slack.md",
        "anything else",
    ];
    for text in good {
        assert_eq!(fault(text), None, "{text}");
    }
    let bad = [
        "host/cli/src/{lib,nain}.rs",
        "host/sequel/*.sql",
        "host/bot/src/lib.rs:dance",
        "host/bot/src/nobody.rs:run",
        "memory.recordings",
        "memory.recording: 3",
        "agents.memory.modell_id",
        "myao recall",
        "myao memory show --loud",
        "make coffee",
    ];
    for text in bad {
        assert!(fault(text).is_some(), "{text}");
    }
    assert_eq!(missing_in_picture("│host/nobody │").len(), 1);
    assert_eq!(missing_in_picture("│host/bot │").len(), 0);
}

#[test]
fn links_lead_to_files_and_headings() {
    let document = |path: &str, text: &str| Document::parse(path.to_owned(), text);
    let all = [
        document(
            "README.md",
            "# One\n[a](docs/slack.md#two) [b](#one) [c](LICENSE) [d](docs/slack.md#three) [e](nowhere.md) [f](http://x)",
        ),
        document(
            "docs/slack.md",
            "# Two\n[a](../README.md#one) [b](../README.md#two)",
        ),
    ];
    let faulty = |document: &Document| -> Vec<bool> {
        let links = document.links.iter();
        links
            .map(|link| link_fault(document, link, &all).is_some())
            .collect()
    };
    assert_eq!(faulty(&all[0]), [false, false, false, true, true, true]);
    assert_eq!(faulty(&all[1]), [false, true]);
}
