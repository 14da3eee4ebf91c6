//! The program and its libraries know the store by its traits. The files that may name an engine are listed here.

use std::fs;
use std::path::Path;

use myao_tests::project_file;

/// The code that could use any store.
const FOLDERS: [&str; 7] = [
    "host/bot",
    "host/cli",
    "host/import",
    "host/llm",
    "host/page",
    "host/plugin",
    "host/slack",
];
/// What opens the store, for the program or for unit tests, and what reads the Python bot's database, which is an SQLite file.
const ALLOWED: [&str; 10] = [
    "host/bot/Cargo.toml",
    "host/bot/src/catch_up/tests/store.rs",
    "host/bot/src/test_store.rs",
    "host/cli/Cargo.toml",
    "host/cli/src/cli/database.rs",
    "host/cli/src/cli/database/",
    "host/import/Cargo.toml",
    "host/import/src/error.rs",
    "host/import/src/python_bot",
    "host/import/src/tests.rs",
];

#[test]
fn no_other_file_names_the_store() {
    let mut naming = Vec::new();
    for folder in FOLDERS {
        look_into(folder, &mut naming);
    }
    for allowed in ALLOWED {
        let is_used = naming.iter().any(|path| path.starts_with(allowed));
        assert!(is_used, "{allowed} names no engine: strike it off");
    }
    naming.retain(|path| !ALLOWED.iter().any(|allowed| path.starts_with(allowed)));
    super::assert_none(&naming);
}

/// Collects the files that name a type or a crate of an engine, apart from comments.
fn look_into(folder: &str, naming: &mut Vec<String>) {
    for entry in fs::read_dir(project_file(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            look_into(&path, naming);
        } else if is_code(&path) && names_it(&entry.path()) {
            naming.push(path);
        }
    }
}

fn is_code(path: &str) -> bool {
    path.ends_with(".rs") || path.ends_with("Cargo.toml")
}

fn names_it(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap();
    let mut code = text.lines().map(str::trim_start);
    code.any(|line| {
        let is_comment = line.starts_with("//") || line.starts_with('#');
        !is_comment
            && [
                "myao_sqlite",
                "myao-sqlite",
                "rusqlite",
                "myao_postgres",
                "myao-postgres",
                "tokio-postgres",
                "tokio_postgres",
            ]
            .iter()
            .any(|name| line.contains(name))
    })
}
