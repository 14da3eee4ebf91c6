//! Tables of the documents that list parts of the code: they are complete, and the parts exist.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use myao_bot::metrics::{Figures, Metrics};
use myao_plugin::llm::{CallObserver as _, CallRecord};
use myao_plugin::state::catch_up::Swept;
use myao_plugin::state::upkeep::Backlog;
use myao_plugin::waits::{Wait, WaitKind};
use myao_tests::{project_file, read_project_file};

use crate::document::{Document, documents};

fn operations() -> Document {
    let mut all = documents().into_iter();
    all.find(|document| document.path == "docs/operations.md")
        .unwrap()
}

/// The first cells of the table under a heading.
fn listed(document: &Document, heading: &str) -> BTreeSet<String> {
    let spans = document.spans.iter();
    spans
        .filter(|span| span.begins_row && span.under == heading)
        .map(|span| span.text.clone())
        .collect()
}

/// All Rust sources of a folder, one after the other.
fn sources(folder: &Path, all: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            *all += &std::fs::read_to_string(path).unwrap();
        }
    }
}

#[test]
fn the_map_of_tests_has_every_folder() {
    let mut all = documents().into_iter();
    let contributing = all
        .find(|document| document.path == "CONTRIBUTING.md")
        .unwrap();
    let map = listed(&contributing, "a-test");
    let mut missing = Vec::new();
    for entry in std::fs::read_dir(project_file("tests/tests")).unwrap() {
        let entry = entry.unwrap();
        let folder = format!("tests/tests/{}/", entry.file_name().to_string_lossy());
        if entry.path().is_dir() && !map.contains(&folder) {
            missing.push(folder);
        }
    }
    super::assert_none(&missing);
}

#[test]
fn the_table_of_metrics_lists_every_metric() {
    let metrics = Metrics::default();
    let counters = [
        &metrics.deliveries,
        &metrics.events,
        &metrics.replies,
        &metrics.judgments,
        &metrics.runs,
        &metrics.memories,
        &metrics.left_out,
        &metrics.connections_closed,
    ];
    for counters in counters {
        counters.count("any");
    }
    metrics.observe(CallRecord {
        provider: "openai".to_owned(),
        model: "any".to_owned(),
        input_tokens: Some(1),
        output_tokens: Some(1),
        cached_tokens: None,
        started_at: UNIX_EPOCH,
        duration: Duration::ZERO,
        attempts: 1,
        finish_reason: None,
        error: None,
    });
    metrics.set_waits(&[Wait {
        kind: WaitKind::Slack,
        label: "any",
        what: String::new(),
        until: 1,
        why: String::new(),
    }]);
    let figures = Figures {
        backlog: Some(Backlog::default()),
        gap: Some(false),
        swept: Some(Swept::default()),
        budget: vec![("any", 0.0)],
        ..Figures::default()
    };
    metrics.set_figures(&figures);
    let text = metrics.text();
    let there: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .map(|line| match line.split_once(' ') {
            Some((name, "counter")) => format!("{name}_total"),
            Some((name, "info")) => format!("{name}_info"),
            Some((name, _)) => name.to_owned(),
            None => line.to_owned(),
        })
        .collect();
    assert_eq!(
        listed(&operations(), "metrics"),
        there,
        "docs/operations.md, \"Metrics\""
    );
}

/// The table lists every metric that the program serves.
#[test]
fn alerts_and_dashboard_ask_for_metrics_that_the_table_lists() {
    let listed = listed(&operations(), "metrics");
    for path in [
        "packaging/prometheus/alerts.yaml",
        "packaging/grafana/myao.json",
    ] {
        let text = read_project_file(path);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let named: BTreeSet<&str> = words.filter(|word| word.starts_with("myao_")).collect();
        assert!(named.len() > 10, "{path}: {named:?}");
        for name in named {
            let name = name.strip_suffix("_bucket").unwrap_or(name);
            assert!(listed.contains(name), "{path}: {name}");
        }
    }
}

#[test]
fn the_lines_of_the_log_that_the_table_lists_are_written_somewhere() {
    let mut code = String::new();
    sources(&project_file("host"), &mut code);
    let lines = listed(&operations(), "log-lines");
    assert!(lines.len() > 10, "the table is read: {lines:?}");
    for line in lines {
        for piece in line
            .split('…')
            .map(str::trim)
            .filter(|piece| !piece.is_empty())
        {
            assert!(code.contains(piece), "nothing logs `{piece}`, of `{line}`");
        }
    }
}

#[test]
fn the_modules_of_the_code_map_are_there() {
    let mut all = documents().into_iter();
    let map = all
        .find(|document| document.path == "docs/architecture.md")
        .unwrap();
    let modules = listed(&map, "guest-the-component");
    assert!(modules.len() > 5, "the table is read: {modules:?}");
    for module in modules {
        let path = format!("guest/src/{module}");
        assert!(project_file(&path).exists(), "there is no {path}");
    }
}
