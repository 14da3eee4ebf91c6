//! The page in a browser: `tests/browser/`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use myao_tests::page::Served;
use myao_tests::project_file;

use super::demo_program;
use crate::bot::support::AKARI_NAME;
use crate::bot::team;

/// What the README shows. `MYAO_WRITE_DOCS=1 make test-page` makes them anew.
const PICTURES: [&str; 2] = ["channel.png", "version.png"];

/// Runs a script of `tests/browser/` with the address of a page; its pictures are put into the folder that is returned.
fn run(script: &str, address: &str, more: &[&str]) -> PathBuf {
    let folder = project_file("target/browser");
    let folder = folder.canonicalize();
    let folder =
        folder.unwrap_or_else(|error| panic!("target/browser: {error}; run `make test-page`"));
    for script in ["browser.js", script] {
        let source = project_file("tests/browser").join(script);
        fs::copy(source, folder.join(script)).unwrap();
    }
    let chromium = Command::new("sh")
        .args(["-c", "command -v chromium"])
        .output()
        .unwrap();
    let chromium = String::from_utf8(chromium.stdout).unwrap();
    let ran = Command::new("node")
        .arg(folder.join(script))
        .args([address, chromium.trim()])
        .arg(&folder)
        .args(more)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&ran.stdout);
    let complaints = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{printed}{complaints}");
    folder
}

#[test]
#[ignore = "needs Chromium and playwright-core: make test-page"]
fn a_newcomer_finds_what_was_decided_and_why_with_mouse_and_keyboard() {
    let served = Served::start(demo_program(), &[]);
    let folder = run("browse.js", &served.link_line, &[]);
    if std::env::var_os("MYAO_WRITE_DOCS").is_some() {
        for picture in PICTURES {
            let kept = project_file("docs/pictures").join(picture);
            fs::copy(folder.join(picture), kept).unwrap();
        }
    }
}

#[test]
#[ignore = "needs Chromium and playwright-core: make test-page"]
fn a_member_signs_in_with_slack_and_out_again() {
    let slack = team::team();
    let (mut bot, address) = team::start(&slack);
    team::say(&slack, &mut bot);
    run(
        "sign-in.js",
        &format!("http://{address}"),
        &[AKARI_NAME, "役員会"],
    );
    bot.stop();
}
