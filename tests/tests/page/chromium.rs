//! The page in a browser: `tests/browser/`.

use std::fs;
use std::process::Command;

use myao_tests::page::Served;
use myao_tests::project_file;

use super::demo_program;

/// What the README shows. `MYAO_WRITE_DOCS=1 make test-page` makes them anew.
const PICTURES: [&str; 2] = ["channel.png", "version.png"];

#[test]
#[ignore = "needs Chromium and playwright-core: make test-page"]
fn a_newcomer_finds_what_was_decided_and_why_with_mouse_and_keyboard() {
    let folder = project_file("target/browser");
    let folder = folder.canonicalize();
    let folder =
        folder.unwrap_or_else(|error| panic!("target/browser: {error}; run `make test-page`"));
    let script = folder.join("browse.js");
    fs::copy(project_file("tests/browser/browse.js"), &script).unwrap();
    let chromium = Command::new("sh")
        .args(["-c", "command -v chromium"])
        .output()
        .unwrap();
    let chromium = String::from_utf8(chromium.stdout).unwrap();
    let served = Served::start(demo_program(), &[]);
    let ran = Command::new("node")
        .arg(&script)
        .args([served.first_line.as_str(), chromium.trim()])
        .arg(&folder)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&ran.stdout);
    let complaints = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{printed}{complaints}");
    if std::env::var_os("MYAO_WRITE_DOCS").is_some() {
        for picture in PICTURES {
            let kept = project_file("docs/pictures").join(picture);
            fs::copy(folder.join(picture), kept).unwrap();
        }
    }
}
