//! `myao try`.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::page::Served;
use myao_tests::program::{Program, demo_export};
use tempfile::TempDir;

/// A program, and the folder in which it puts what it does not keep.
fn program(config: &str) -> (Program, TempDir) {
    let mut program = Program::with_config(config);
    let temporary = TempDir::new().unwrap();
    program.set("TMPDIR", temporary.path());
    (program, temporary)
}

fn is_empty(folder: &TempDir) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn an_export_is_tried_with_questions_of_its_people_and_a_page_and_nothing_stays() {
    let (program, temporary) = program("");
    let served = Served::by(program, &["try", &demo_export()]);
    for shown in [
        "messages  172",
        "made 82 memories",
        "> What happened in #project-harbour since 2026-02-27?",
        "> お花見しましょう! 3月28日(土) 上野か代々木?",
        "代々木がいいです。場所取りは私が10時に行きます。",
        "> Happy to. Lumen would have been about the same money, is it only the domestic support?",
    ] {
        assert!(served.before.contains(shown), "{shown}: {}", served.before);
    }
    assert!(!served.before.contains("Next:"), "{}", served.before);
    assert!(!is_empty(&temporary));
    assert_eq!(served.get(&served.link()).status, 303);
    assert!(!served.program.path("myao.db").exists());
    let (code, _, error) = served.stopped();
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("All of it is removed."), "{error}");
    assert!(is_empty(&temporary));
}

#[test]
fn one_that_is_stopped_early_leaves_nothing_either() {
    let (program, temporary) = program("");
    let mut command = program.command(&["try", &demo_export()]);
    let mut process = command.spawn().unwrap();
    while is_empty(&temporary) {
        assert!(process.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    let id = process.id().to_string();
    let asked = Command::new("kill").args(["-INT", &id]).status();
    assert!(asked.unwrap().success());
    let code = process.wait().unwrap().code();
    assert!(is_empty(&temporary), "{code:?}");
}

#[test]
fn a_database_is_kept_if_asked_for_and_none_is_overwritten() {
    let (program, temporary) = program("");
    let keep = ["try", &demo_export(), "--keep", "kept.db"];
    let served = Served::by(program, &keep);
    assert!(is_empty(&temporary));
    let kept = served.program.path("kept.db");
    assert!(kept.exists());
    let again = served.program.run(&keep);
    again.is_refused_with(&["kept.db exists already"]);
    let json = served.program.run(&["--json", "try", &demo_export()]);
    json.is_refused_with(&["print JSON"]);
}

#[test]
fn an_address_that_is_taken_is_refused_before_anything_is_made() {
    let llm = LlmServer::start(|_| answer("- The ferry sails."));
    let (program, temporary) = program(&llm.config());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = program.run(&["try", &demo_export(), "--yes", "--listen", &address]);
    run.is_refused_with(&["cannot listen at 127.0.0.1:", "--listen"]);
    assert!(llm.calls().is_empty() && is_empty(&temporary));
}

#[test]
fn a_model_is_asked_only_if_its_cost_is_accepted() {
    let llm = LlmServer::start(|_| answer("- The ferry sails."));
    let (program, temporary) = program(&llm.config());
    let told = program.run(&["try", &demo_export()]).output();
    assert!(told.contains("This is an estimate"), "{told}");
    assert!(llm.calls().is_empty() && is_empty(&temporary));
    let served = Served::by(program, &["try", &demo_export(), "--yes"]);
    assert!(!llm.calls().is_empty());
    let answered = "\n- The ferry sails.";
    assert!(served.before.contains(answered), "{}", served.before);
}
