//! Runs a host of another runtime, and compares what it prints.

use std::process::{Command, Output};

use crate::reference;
use crate::script::Script;

/// Runs a command that has to succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output();
    let output =
        output.unwrap_or_else(|error| panic!("{command:?}: {error}; run `make test-embed`"));
    assert!(
        output.status.success(),
        "{command:?} ended with {}:\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// A host prints what the Rust host makes, to the byte.
pub(crate) async fn assert_same(printed: Output) {
    let (expected, found) = (
        reference::output().await,
        String::from_utf8(printed.stdout).unwrap(),
    );
    let lines = expected.lines().zip(found.lines()).enumerate();
    for (n, (expected, found)) in lines {
        assert_eq!(expected, found, "line {} of what was printed", n + 1);
    }
    assert_eq!(expected, found);
}

/// What the component logged holds no text of a message.
pub(crate) fn assert_log_without_texts(printed: &Output) {
    let log = String::from_utf8(printed.stderr.clone()).unwrap();
    assert!(
        log.contains("version 2 of the short-term memory of channel C01 (messages: 8)"),
        "{log}"
    );
    for text in Script::read().texts() {
        assert!(!log.contains(text), "{text} stands in {log}");
    }
}
