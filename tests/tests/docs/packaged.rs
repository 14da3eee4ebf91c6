//! The files of `packaging/` that run the program: their form, and their commands.

use myao_tests::{project_file, read_project_file};

use crate::commands;
use crate::place::Place;

/// The settings of a unit, so that strangers cannot use up its files and other users cannot read what it keeps.
const LIMITS_OF_A_UNIT: [&str; 3] = ["LimitNOFILE=4096", "UMask=0077", "StateDirectoryMode=0700"];

/// Files that `make dist` makes.
const MADE: [&str; 2] = [
    "target/release/myao",
    "target/model/multilingual-e5-small.gguf",
];

/// A unit of systemd: <https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html>.
fn unit_faults(text: &str, place: &Place) -> Vec<String> {
    let missing = LIMITS_OF_A_UNIT.into_iter();
    let missing = missing
        .filter(|limit| !text.lines().any(|line| line == *limit))
        .map(|limit| format!("it does not set {limit}"));
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .filter_map(|line| match line.split_once('=') {
            Some((key, command)) if key.starts_with("Exec") => commands::fault(command, place),
            Some((key, _)) if key.chars().all(|c| c.is_ascii_alphanumeric()) => None,
            _ if ["[Unit]", "[Service]", "[Install]"].contains(&line) => None,
            _ => Some(format!("neither a section nor a key: {line}")),
        })
        .chain(missing)
        .collect()
}

fn dockerfile_faults(text: &str, place: &Place) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let instructions = joined
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut faults = Vec::new();
    let mut command = Vec::new();
    for line in instructions {
        let (instruction, rest) = line.split_once(' ').unwrap_or((line, ""));
        match instruction {
            "ENTRYPOINT" | "CMD" => match serde_json::from_str::<Vec<String>>(rest) {
                Ok(words) => command.extend(words),
                Err(error) => faults.push(format!("{line}: {error}")),
            },
            "COPY" => {
                let from = rest.split_whitespace().next().unwrap_or_default();
                if !MADE.contains(&from) && !project_file(from).exists() {
                    faults.push(format!("there is no {from}"));
                }
            }
            "FROM" | "RUN" | "USER" | "WORKDIR" | "VOLUME" | "EXPOSE" | "ENV" => {}
            _ => faults.push(format!("no instruction: {line}")),
        }
    }
    faults.extend(commands::fault(&command.join(" "), place));
    faults
}

#[test]
fn the_unit_and_the_container_run_commands_that_exist() {
    let place = Place::new();
    let unit = read_project_file("packaging/systemd/myao.service");
    let container = read_project_file("packaging/container/Containerfile");
    let mut faults = unit_faults(&unit, &place);
    faults.extend(dockerfile_faults(&container, &place));
    super::assert_none(&faults);
}

#[test]
fn the_containers_of_kubernetes_run_commands_that_exist() {
    let place = Place::new();
    let text = read_project_file("packaging/kubernetes/myao.yaml");
    let arguments = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("args: "));
    let commands: Vec<String> = arguments
        .map(|words| serde_json::from_str::<Vec<String>>(words).unwrap())
        .map(|words| format!("myao {}", words.join(" ")))
        .collect();
    assert_eq!(commands.len(), 2, "the bot, and who makes the tables");
    let faults = commands
        .iter()
        .filter_map(|command| commands::fault(command, &place));
    super::assert_none(&faults.collect::<Vec<_>>());
}

#[test]
fn a_unit_and_a_container_with_a_fault_are_found() {
    let place = Place::new();
    let unit = unit_faults("ExecStart=/usr/local/bin/myao dance", &place).concat();
    assert!(unit.contains("dance") && unit.contains("UMask"), "{unit}");
    let container = dockerfile_faults("ENTRYPOINT [\"myao\", \"dance\"]", &place).concat();
    assert!(container.contains("dance"), "{container}");
}
