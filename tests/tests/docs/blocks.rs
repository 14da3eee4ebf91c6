//! Checks one block, as the words behind its fence say.
//!
//! | behind the fence | what is checked |
//! |---|---|
//! | `sh` | the commands run to the end, in a folder like the project's |
//! | `sh not-run` | the commands cannot run in a test; what they name exists: programs of the project, options, `make`'s targets |
//! | `text` that begins with `$ command` | the commands run, and print what is shown ([`crate::shown`]) |
//! | `text picture` | a drawing: the files and folders that it names exist |
//! | `yaml` | it is a valid configuration; if a comment at its head names it, the commands below can use it |
//! | `json`, `python` | it can be parsed |
//! | `rust` | it is a test of the documentation: the document is included in `host/plugin/src/lib.rs` |
//! | anything below `<!-- from FILE -->` | its lines are in that file of the project; `…` leaves lines out |

use std::io::Write as _;
use std::process::{Command, Stdio};

use myao_tests::{project_file, read_project_file};

use crate::commands;
use crate::document::Block;
use crate::names;
use crate::place::Place;
use crate::shown::{Shown, shown, shows};

/// Includes the documents whose Rust code is compiled.
const LIBRARY: &str = "host/plugin/src/lib.rs";

/// What is wrong with a block.
pub(crate) fn faults(document: &str, block: &Block, place: &Place) -> Vec<String> {
    if let Some(file) = &block.from {
        return not_from(&block.text, file);
    }
    match block.language.as_str() {
        "sh" if block.has("not-run") => commands::faults(&block.text, place),
        "sh" => failing(&block.text, place),
        "text" if block.has("picture") => names::missing_in_picture(&block.text),
        "text" => match shown(&block.text) {
            Some(all) => all.iter().flat_map(|one| differing(one, place)).collect(),
            None => vec![
                "it begins with no `$ command`: say `text picture`, or what checks it".to_owned(),
            ],
        },
        "yaml" => refused_configuration(&block.text, place),
        "json" => serde_json::from_str::<serde_json::Value>(&block.text)
            .err()
            .map(|error| error.to_string())
            .into_iter()
            .collect(),
        "python" => not_python(&block.text),
        "rust" => not_a_doctest(document, block),
        "" => vec!["it has no language".to_owned()],
        other => vec![format!(
            "nothing checks `{other}`: see tests/tests/docs/blocks.rs"
        )],
    }
}

fn not_from(text: &str, file: &str) -> Vec<String> {
    if !project_file(file).is_file() {
        return vec![format!("there is no {file}")];
    }
    let whole = read_project_file(file);
    let mut rest: Vec<&str> = whole.lines().collect();
    for piece in text.split("…\n").filter(|piece| !piece.trim().is_empty()) {
        let length = piece.trim_end().lines().count();
        let piece = without_indent(piece.trim_end().lines());
        let found = rest
            .windows(length)
            .position(|lines| without_indent(lines.iter().copied()) == piece);
        match found {
            Some(at) => drop(rest.drain(..at + length)),
            None => return vec![format!("{file} does not have these lines:\n{piece}")],
        }
    }
    Vec::new()
}

/// Lines without the white space that all of them begin with.
fn without_indent<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> String {
    let filled = lines.clone().filter(|line| !line.trim().is_empty());
    let indent = filled
        .map(|line| line.len() - line.trim_start().len())
        .min();
    let cut = lines.map(|line| line.get(indent.unwrap_or(0)..).unwrap_or_default());
    cut.collect::<Vec<_>>().join("\n")
}

fn failing(script: &str, place: &Place) -> Vec<String> {
    let ran = place.run(script);
    if ran.code == Some(0) {
        return Vec::new();
    }
    vec![format!("it ends with {:?}:\n{}", ran.code, ran.stdout)]
}

fn differing(shown: &Shown, place: &Place) -> Vec<String> {
    let ran = place.run(&shown.command);
    let printed = &ran.stdout;
    if ran.code != Some(0) {
        return vec![format!(
            "`{}` ends with {:?}:\n{printed}",
            shown.command, ran.code
        )];
    }
    if shows(&shown.output, printed) {
        return Vec::new();
    }
    vec![format!(
        "`{}` prints something else:\n{printed}",
        shown.command
    )]
}

/// A command that needs every key: its model is set up and not asked.
fn refused_configuration(text: &str, place: &Place) -> Vec<String> {
    let name = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("# ")?.split([',', ':', ' ']).next())
        .filter(|name| name.ends_with(".yaml"))
        .unwrap_or("piece.yaml");
    place.configure(name, text);
    let chosen = match text.contains("\nworkspaces:\n  - name: acme\n") {
        true => "--workspace acme",
        false => "",
    };
    let ran = place.run(&format!(
        "myao --config {name} {chosen} prompt --scope channel --memory-type short-term --context tests/goldens/context.json"
    ));
    match ran.code {
        Some(0) => Vec::new(),
        _ => vec![ran.stdout],
    }
}

fn not_python(text: &str) -> Vec<String> {
    let python = std::env::var_os("MYAO_TEST_PYTHON").unwrap_or_else(|| "python3".into());
    let mut child = Command::new(python)
        .args(["-c", "import ast, sys; ast.parse(sys.stdin.read())"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let ended = child.wait_with_output().unwrap();
    match ended.status.success() {
        true => Vec::new(),
        false => vec![String::from_utf8_lossy(&ended.stderr).into_owned()],
    }
}

fn not_a_doctest(document: &str, block: &Block) -> Vec<String> {
    let included = format!("include_str!(\"../../../{document}\")");
    let mut faults = Vec::new();
    if !read_project_file(LIBRARY).contains(&included) {
        faults.push(format!("nothing compiles it: {LIBRARY} has no {included}"));
    }
    if block.words.iter().any(|word| word.starts_with("ignore")) {
        faults.push("a test that is ignored compiles nothing".to_owned());
    }
    faults
}
