//! Commands that do not run in a test: what they name exists.

use myao_tests::project_file;
use myao_tests::read_project_file;

use crate::place::Place;

/// What is wrong with the commands of a script that does not run.
pub(crate) fn faults(script: &str, place: &Place) -> Vec<String> {
    let quoted = script.replace('\'', r"'\''");
    let read = place.run(&format!("bash -n -c '{quoted}'"));
    if read.code != Some(0) {
        return vec![format!("bash cannot read it: {}", read.stdout)];
    }
    let joined = script.replace("\\\n", " ");
    let commands = joined
        .lines()
        .map(|line| line.split(" #").next().unwrap_or_default())
        .flat_map(|line| line.split(['|', ';', '(', ')']))
        .flat_map(|line| line.split("&&"));
    commands
        .filter_map(|command| fault(command, place))
        .collect()
}

/// What is wrong with one command.
pub(crate) fn fault(command: &str, place: &Place) -> Option<String> {
    let mut words = command.split_whitespace().peekable();
    while words.peek().is_some_and(|word| is_prefix(word)) {
        // `sudo -u myao`
        if words.next() == Some("-u") {
            words.next();
        }
    }
    let program = words.next()?;
    let arguments: Vec<&str> = words.collect();
    match program.rsplit('/').next().unwrap_or_default() {
        "myao" => unknown_to_myao(&arguments, place),
        "make" => arguments
            .iter()
            .find(|word| !word.contains('=') && !targets().iter().any(|target| target == *word))
            .map(|word| format!("`make` knows no {word}")),
        "cargo" => missing_example(&arguments),
        _ if program.starts_with("scripts/") && !project_file(program).exists() => {
            Some(format!("there is no {program}"))
        }
        _ => None,
    }
}

fn is_prefix(word: &str) -> bool {
    word == "sudo"
        || word == "exec"
        || word == "-u"
        || word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        })
}

/// The fault if the program does not know the arguments. With `--help` behind them, it reads them and does nothing else.
fn unknown_to_myao(arguments: &[&str], place: &Place) -> Option<String> {
    let ran = place.run(&format!("myao {} --help", arguments.join(" ")));
    (ran.code != Some(0)).then(|| format!("myao {}: {}", arguments.join(" "), ran.stdout))
}

fn missing_example(arguments: &[&str]) -> Option<String> {
    let at = arguments.iter().position(|word| *word == "--example")?;
    let name = arguments.get(at + 1)?;
    let path = format!("host/plugin/examples/{name}.rs");
    (!project_file(&path).exists()).then(|| format!("there is no {path}"))
}

/// The targets of `make`.
pub(crate) fn targets() -> Vec<String> {
    let makefile = read_project_file("Makefile");
    let heads = makefile.lines().filter_map(|line| line.split_once(':'));
    heads
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .collect()
}
