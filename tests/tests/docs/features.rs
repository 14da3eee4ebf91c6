//! `make build` and `make test` build the same libraries with the same features: otherwise wasmtime and much else would be
//! built twice.

use std::collections::BTreeSet;
use std::process::Command;

use myao_tests::project_file;

/// The libraries that a build needs, each with its features.
fn libraries(edges: &str) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "--workspace",
            "--prefix=none",
        ])
        .args(["--format={p}|{f}", "--edges", edges])
        .current_dir(project_file("."))
        .output()
        .unwrap();
    let printed = String::from_utf8(tree.stdout).unwrap();
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    // What was listed before has a mark.
    let lines = printed.lines().map(|line| line.trim_end_matches(" (*)"));
    lines.map(str::to_owned).collect()
}

#[test]
fn tests_add_no_features_to_what_the_program_needs() {
    let of_build = libraries("normal,build");
    assert!(of_build.iter().any(|line| line.starts_with("wasmtime v")));
    let of_tests = libraries("normal,build,dev");
    let differing: Vec<&String> = of_build.difference(&of_tests).collect();
    assert!(
        differing.is_empty(),
        "a dev-dependency adds features; make it a dependency of myao-tests or myao-bench: {differing:#?}"
    );
}
