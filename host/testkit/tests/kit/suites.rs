//! The conformance suites: a check that is missing in the macros would never run.

use std::path::Path;

#[test]
fn every_check_is_made_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance");
    let state = folder.join("state");
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let macros = read(&folder.join("mod.rs")) + &read(&state.join("macros.rs"));
    let mut checks = 0;
    for file in [folder, state]
        .iter()
        .flat_map(|folder| folder.read_dir().unwrap())
    {
        let path = file.unwrap().path();
        if path.is_dir() || path.ends_with("visible.rs") {
            continue;
        }
        for function in read(&path).split("\npub async fn ").skip(1) {
            let (name, _) = function.split_once('(').unwrap();
            assert!(macros.contains(name), "no macro names `{name}`");
            checks += 1;
        }
    }
    assert!(checks > 100, "{checks} checks");
}
