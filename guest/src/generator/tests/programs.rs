//! What programs wrote is marked in every prompt, and through every merge.

use crate::bindings::llm::FinishReason;
use crate::bindings::types::{Message, Scope, User};
use crate::testing::{HOUR, TestHost, completion, message};

const HEADING: &str = "### プログラムの発言";
const BUILD: &str = "- Build 4711 of harbour-api failed";

/// A program that says this, so many seconds after now.
fn program_says(host: &TestHost, channel_id: &str, seconds: i64, text: &str) {
    let user = User {
        id: "B1".to_owned(),
        name: "ci".to_owned(),
        is_bot: true,
    };
    let message = Message {
        user,
        ..message(seconds, text)
    };
    host.storage.add_message(channel_id, message);
}

/// A channel with a program and a person, whose model copies what both said.
fn host() -> TestHost {
    let host = TestHost::with_prompts();
    program_says(&host, "C1", -90, "Build 4711 of harbour-api failed");
    host.say("C1", -80, "The crane inspection moves to Thursday");
    host.llm.answer_by(|_, _| {
        let text = format!("{BUILD}\n- The crane inspection moves to Thursday");
        Ok(completion(&text, FinishReason::Stop))
    });
    host
}

/// What a prompt says of programs, up to the task.
fn marked(prompt: &str) -> &str {
    let (_, rest) = prompt
        .split_once(HEADING)
        .unwrap_or_else(|| panic!("no mark in\n{prompt}"));
    rest.split("\n---\n").next().unwrap()
}

#[test]
fn a_prompt_names_the_programs_that_speak_and_nobody_else() {
    let host = host();
    host.generate(0);
    let version = &host.llm.prompts()[0];
    assert!(version.contains("## 要約対象: チャンネル会話履歴"));
    let marked = marked(version);
    assert_eq!(marked.matches("\n- ").count(), 1, "{marked}");
    assert!(marked.contains("\n- ci\n"), "{marked}");
}

#[test]
fn a_line_that_only_programs_said_keeps_its_mark_through_every_merge() {
    let host = host();
    host.generate(0);
    let prompts = host.llm.prompts();
    assert_eq!(prompts.len(), 3, "a version, and two merges");
    for merge in &prompts[1..] {
        let marked = marked(merge);
        assert!(marked.contains(&format!("\n{BUILD}\n")), "{marked}");
        assert!(!marked.contains("crane"), "{marked}");
    }
    // The next version's prompt shows the workspace's memory, and the next merge the channel's.
    host.say("C1", 10, "lunch?");
    host.generate(3 * HOUR);
    for later in &host.llm.prompts()[3..] {
        assert!(marked(later).contains(BUILD), "{later}");
    }
    let of_workspace = host.storage.seen(Scope::Workspace, "default");
    let lines = &of_workspace[0].citations;
    let by_program: Vec<bool> = lines.iter().map(|line| line.by_program).collect();
    assert_eq!(by_program, [true, false]);
}

#[test]
fn a_line_that_a_person_said_too_has_no_mark() {
    let host = host();
    host.say("C1", -70, "Build 4711 of harbour-api failed, says the log");
    host.generate(0);
    let merge = &host.llm.prompts()[1];
    assert!(!merge.contains(HEADING), "{merge}");
}

#[test]
fn where_no_program_speaks_prompts_stay_as_they_are() {
    let host = TestHost::with_prompts();
    host.say("C1", -90, "The crane inspection moves to Thursday");
    host.reply("C1", -90, -80, "Fine");
    host.generate(0);
    assert!(
        host.llm
            .prompts()
            .iter()
            .all(|prompt| !prompt.contains(HEADING))
    );
}

#[test]
fn a_program_with_a_persons_name_is_told_apart_by_the_times() {
    let host = TestHost::with_prompts();
    host.say("C1", -90, "The crane inspection moves to Thursday");
    let user = User {
        id: "B2".to_owned(),
        name: "alice".to_owned(),
        is_bot: true,
    };
    let posing = Message {
        user,
        ..message(-60, "We decided to pay 9000 EUR")
    };
    host.storage.add_message("C1", posing);
    host.generate(0);
    let prompt = &host.llm.prompts()[0];
    let marked = marked(prompt);
    assert!(marked.contains("- alice（"), "{marked}");
    assert_eq!(marked.matches("2024-03-01 18:5").count(), 1, "{marked}");
}
