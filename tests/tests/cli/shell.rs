//! What shells and `man` know of the program.

use myao_tests::program::{Program, Ran};

#[test]
fn completions_know_commands_and_options_and_bash_takes_them() {
    let program = Program::default();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = program.run(&["completions", shell]).output();
        for word in ["myao", "backfill", "keep-going"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    let asked = r#""$@" completions bash >myao.bash && . ./myao.bash && COMP_WORDS=(myao memory li) COMP_CWORD=2 &&
        _myao myao li memory && printf '%s\n' "${COMPREPLY[@]}""#;
    let script = format!(
        "exec bash -c '{}' bash \"$@\"",
        asked.replace('\'', r"'\''")
    );
    let completed = Ran::of(&mut program.shell(&script, &[]));
    assert_eq!(completed.output(), "list\n");
}

#[test]
fn every_command_has_a_manual_page() {
    let program = Program::default();
    program.run(&["man", "share/man1"]).succeeded();
    for (page, words) in [
        ("myao.1", ["myao\\-backup(1)", "SUBCOMMANDS"]),
        ("myao-memory-list.1", ["since", "whole texts"]),
    ] {
        let text = std::fs::read_to_string(program.path(&format!("share/man1/{page}"))).unwrap();
        for word in words {
            assert!(text.contains(word), "no {word} in {page}: {text}");
        }
    }
}
