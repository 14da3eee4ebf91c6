//! `init`: a first configuration, which is asked for or taken from options.

use std::os::unix::fs::PermissionsExt as _;

use myao_tests::program::Program;

use crate::cli::terminal::in_terminal;

/// A folder without a configuration.
fn empty() -> Program {
    let program = Program::default();
    std::fs::remove_file(program.path("myao.yaml")).unwrap();
    program
}

fn written(program: &Program) -> String {
    std::fs::read_to_string(program.path("myao.yaml")).unwrap()
}

/// What `doctor` says of the configuration.
fn state(program: &Program) -> String {
    let ran = program.run(&["--json", "doctor"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let first = &report["checks"][0];
    assert_eq!(first["check"], "configuration", "{report:#}");
    first["state"].as_str().unwrap().to_owned()
}

#[test]
fn options_answer_and_doctor_takes_what_is_written() {
    let mut program = empty();
    program.set("OPENAI_API_KEY", "k");
    let options = ["--timezone=Asia/Tokyo", "--model=openai/gpt-4o"];
    let told = program.run(&[&["init"], &options[..]].concat()).output();
    assert!(
        told.contains("Next: myao --config myao.yaml doctor"),
        "{told}"
    );
    let text = written(&program);
    for line in [
        "timezone: Asia/Tokyo",
        "model_id: \"openai/gpt-4o\"",
        "# slack: ",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
    let mode = program
        .path("myao.yaml")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(state(&program), "ok");
}

#[test]
fn tokens_of_the_environment_are_named_and_not_copied() {
    let mut program = empty();
    program.set("SLACK_BOT_TOKEN", "xoxb-secret");
    program.set("SLACK_APP_TOKEN", "xapp-secret");
    program.run(&["init"]).succeeded();
    let text = written(&program);
    assert!(
        text.contains("\nslack: { bot_token: \"${SLACK_BOT_TOKEN}\""),
        "{text}"
    );
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn a_configuration_is_never_overwritten() {
    let program = Program::with_config("timezone: Asia/Tokyo\n");
    program
        .run(&["init", "--timezone=UTC"])
        .is_refused_with(&["myao.yaml exists already", "doctor"]);
    assert_eq!(written(&program), "timezone: Asia/Tokyo\n");
}

#[test]
fn a_wrong_answer_is_refused_as_an_option_and_asked_for_again_in_a_terminal() {
    let program = empty();
    for (option, word) in [
        ("--timezone=Asia/Tokio", "Asia/Tokyo"),
        ("--model=gpt-4o", "openai/gpt-4o"),
    ] {
        program.run(&["init", option]).is_refused_with(&[word]);
    }
    assert!(!program.path("myao.yaml").exists());
    let typed = ["Asia/Tokio", "Europe/Berlin", ""];
    let shown = in_terminal(&program, &["init"], &typed);
    assert_eq!(shown.code, Some(0), "{shown:#?}");
    assert!(shown.stdout.contains("IANA"), "{shown:#?}");
    let text = written(&program);
    assert!(text.contains("timezone: Europe/Berlin\n"), "{text}");
    assert!(text.contains("# agents: "), "{text}");
    assert_eq!(state(&program), "ok");
}
