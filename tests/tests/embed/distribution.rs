//! The commands in the README of the distribution.

use std::path::Path;
use std::process::{Command, Output};

use myao_tests::{project_file, read_project_file};
use tempfile::TempDir;

use crate::runtime::run;

/// The distribution's README.
const README: &str = "scripts/dist.md";

/// Runs the commands of one of the README's shell blocks, in a distribution where `installed` (its place, and a folder of
/// this machine) stands for what the lines with `install` would install.
pub(crate) fn run_block(containing: &str, install: &[&str], installed: (&str, &Path)) -> Output {
    let folder = TempDir::new().unwrap();
    let dist = folder.path().join("dist");
    run(Command::new(project_file("scripts/dist")).arg(&dist));
    let (place, target) = installed;
    std::os::unix::fs::symlink(target, dist.join(place)).unwrap();
    let commands = commands(containing, install);
    let mut shell = Command::new("bash");
    shell.args(["-euc", &commands]).current_dir(&dist);
    run(&mut shell)
}

fn commands(containing: &str, install: &[&str]) -> String {
    let readme = read_project_file(README);
    let block = readme
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .find(|block| block.contains(containing))
        .unwrap_or_else(|| panic!("{README} has no commands with {containing}"));
    for line in install {
        assert!(block.contains(line), "{README} does not say `{line}`");
    }
    let rest = block
        .lines()
        .filter(|line| install.iter().all(|install| !line.starts_with(install)));
    rest.collect::<Vec<_>>().join("\n")
}
