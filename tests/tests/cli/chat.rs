//! `chat`: the bot without Slack, as scripts and people meet it.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use myao_tests::export::{Post, post, program_with, time};
use myao_tests::llm_server::{LlmServer, answer, error};
use myao_tests::program::{Program, Ran};
use serde_json::Value;

use crate::cli::terminal::in_terminal;

const QUESTION: &str = "When do we release Harbour?";
const ANSWER: &str = "Harbour goes out on 4 March at 14:00.";

fn posts() -> Vec<Post> {
    vec![post(
        "general",
        0,
        "ann",
        "We release Harbour on 4 March at 14:00.",
    )]
}

/// Says these lines at minute 180.
fn talk(program: &Program, more: &[&str], lines: &[&str]) -> Ran {
    let now = time(180);
    let mut arguments = vec!["chat", "--name=bob", "--now", &now];
    arguments.extend(more);
    program.run_with_input(&arguments, &lines.join("\n"))
}

/// All messages, as `AUTHOR: TEXT`, in the order of their ids.
fn messages(program: &Program, channel_id: &str) -> Vec<String> {
    let database = rusqlite::Connection::open(program.path("myao.db")).unwrap();
    let mut statement = database
        .prepare(
            "SELECT u.name, m.text FROM messages AS m JOIN channels AS c ON c.key = m.channel
             JOIN users AS u ON u.workspace = c.workspace AND u.id = m.user_id
             WHERE c.id = ?1 ORDER BY m.ts_key",
        )
        .unwrap();
    let rows = statement.query_map([channel_id], |row| {
        let (name, text): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(format!("{name}: {text}"))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn without_a_model_the_bot_quotes_what_it_remembers() {
    let program = program_with("", &posts());
    program.run(&["generate", "--now", &time(170)]).succeeded();
    let output = talk(&program, &[], &[QUESTION]).output();
    assert!(output.starts_with("myao:"), "{output}");
    assert!(output.contains("4 March at 14:00"), "{output}");
}

#[test]
fn nothing_needs_to_be_configured_or_imported() {
    let program = Program::default();
    let output = talk(&program, &[], &["hello", "", "what do you know?"]).output();
    assert_eq!(output.matches("myao:").count(), 2, "{output}");
    assert_eq!(messages(&program, "CHAT").len(), 4);
}

#[test]
fn a_question_and_its_answer_stand_before_the_next_question() {
    let server = LlmServer::start(|_| answer(ANSWER));
    let program = program_with(&server.config(), &posts());
    let output = talk(&program, &[], &[QUESTION, "Who told you that?"]).output();
    assert_eq!(output, format!("myao: {ANSWER}\nmyao: {ANSWER}\n"));
    let prompts = server.prompts();
    let [first, second] = prompts.as_slice() else {
        panic!("{prompts:#?}")
    };
    assert!(first.contains(QUESTION) && !first.contains(ANSWER));
    assert!(second.contains(QUESTION) && second.contains(ANSWER));
    assert_eq!(
        messages(&program, "CHAT"),
        [
            &format!("bob: {QUESTION}"),
            &format!("myao: {ANSWER}"),
            "bob: Who told you that?",
            &format!("myao: {ANSWER}"),
        ]
    );
}

#[test]
fn a_failed_answer_is_told_and_the_conversation_goes_on() {
    let calls = AtomicUsize::new(0);
    let server = LlmServer::start(move |_| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => error(500, "down"),
        _ => answer(ANSWER),
    });
    let program = program_with(&server.config(), &posts());
    let ran = talk(&program, &[], &[QUESTION, QUESTION]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(ran.stdout, format!("myao: {ANSWER}\n"));
    assert!(
        ran.stderr.starts_with("myao: the model cannot be reached")
            && ran.stderr.lines().count() == 1,
        "{ran:#?}"
    );
}

#[test]
fn the_model_s_answers_are_kept_as_messages_alone() {
    let server = LlmServer::start(|_| answer(ANSWER));
    let program = program_with(&server.config(), &posts());
    talk(&program, &[], &[QUESTION]).succeeded();
    let rows = program.rows();
    let tables: Vec<&str> = rows
        .iter()
        .filter(|row| row.contains(ANSWER))
        .filter_map(|row| row.split(' ').next())
        .collect();
    assert_eq!(tables, ["messages"]);
    assert!(rows.iter().any(|row| row.starts_with("llm_calls ")));
}

#[test]
fn a_conversation_becomes_a_memory_of_its_own_private_channel() {
    let program = Program::default();
    let said = "The crane of the harbour is repaired on 12 March.";
    let lines = ["/memory", said, "/generate", "/memory"];
    let output = talk(&program, &[], &lines).output();
    assert!(
        output.starts_with("Nothing is remembered of #chat yet. Next: /generate\n"),
        "{output}"
    );
    let (_, shown) = output.split_once("## #chat ").unwrap();
    assert!(shown.contains("12 March"), "{output}");
    let japanese = talk(&program, &[], &["／記憶"]).output();
    assert!(japanese.starts_with("## #chat ") && japanese.contains("12 March"));
    let rows = program.rows();
    let channel = rows.iter().find(|row| row.contains("Text(\"CHAT\")"));
    // The columns: key, workspace, id, name, whether private.
    assert!(
        channel.is_some_and(|row| row.contains("Text(\"chat\"), Integer(1)")),
        "{channel:?}"
    );
}

#[test]
fn in_a_channel_it_knows_what_is_said_is_answered_and_stored_there() {
    let server = LlmServer::start(|_| answer(ANSWER));
    let program = program_with(&server.config(), &posts());
    talk(&program, &["--channel=#general"], &[QUESTION]).succeeded();
    let prompts = server.prompts();
    assert!(prompts[0].contains("We release Harbour on 4 March"));
    assert_eq!(messages(&program, "CGENERAL").len(), 3);
    talk(&program, &["--channel=genral"], &[QUESTION]).is_refused_with(&["genral", "`general`"]);
}

#[test]
fn conversations_in_the_same_second_keep_every_message() {
    let program = Program::default();
    for _ in 0..2 {
        talk(&program, &[], &["one", "two"]).succeeded();
    }
    let said = messages(&program, "CHAT");
    let by_bob: Vec<&String> = said.iter().filter(|line| line.starts_with("bob")).collect();
    assert_eq!(said.len(), 8, "{said:#?}");
    assert_eq!(by_bob, ["bob: one", "bob: two", "bob: one", "bob: two"]);
}

#[test]
fn json_has_an_object_for_each_reply() {
    let server = LlmServer::start(|call| match call.prompt().contains("second") {
        true => error(500, "down"),
        false => answer(ANSWER),
    });
    let program = program_with(&server.config(), &posts());
    let ran = talk(&program, &["--json"], &[QUESTION, "the second"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:#?}");
    let replies: Vec<Value> = serde_json::Deserializer::from_str(&ran.stdout)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let [answered, failed] = replies.as_slice() else {
        panic!("{ran:#?}")
    };
    assert_eq!(answered["question"], QUESTION);
    assert_eq!(answered["answer"], ANSWER);
    assert_eq!(answered["engine"], "llm");
    assert_eq!(failed["question"], "the second");
    assert!(
        failed["error"]
            .as_str()
            .unwrap()
            .contains("cannot be reached")
    );
}

#[test]
fn commands_are_not_said_to_the_bot() {
    let program = Program::default();
    let ran = talk(&program, &[], &["/help", "/hepl", "/終了", "hello"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(ran.stderr, "myao: /hepl is no command; /help lists them\n");
    assert!(ran.stdout.starts_with("/memory "), "{ran:#?}");
    assert_eq!(messages(&program, "CHAT"), [""; 0]);
}

#[test]
fn input_that_is_no_text_is_refused() {
    let program = Program::default();
    let ran = Ran::of(
        program
            .shell("printf '\\377\\n' | \"$@\"", &["chat"])
            .env("USER", "bob"),
    );
    ran.is_refused_with(&["standard input", "UTF-8"]);
}

#[test]
fn the_first_ctrl_c_leaves_a_line_and_the_second_ends() {
    let program = program_with("", &posts());
    let typed = ["half a line\u{3}", "\u{3}"];
    let shown = in_terminal(&program, &["chat", "--name=bob"], &typed);
    assert_eq!(shown.code, Some(0), "{shown:#?}");
    assert_eq!(
        shown.stdout.matches("Ctrl-C once more").count(),
        1,
        "{shown:#?}"
    );
    // What was left was not said.
    assert!(!shown.stdout.contains("myao:"), "{shown:#?}");
}

#[test]
fn lines_of_earlier_conversations_come_back_and_are_their_owners_alone() {
    let program = program_with("", &posts());
    let chat = ["chat", "--name=bob"];
    in_terminal(&program, &chat, &[QUESTION]);
    let history = program.path(".local/state/myao/chat-history");
    let mode = history.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The key for the line before.
    in_terminal(&program, &chat, &["\u{1b}[A", "/quit"]);
    let said = messages(&program, "CHAT");
    let asked = format!("bob: {QUESTION}");
    assert_eq!(
        said.iter().filter(|said| **said == asked).count(),
        2,
        "{said:?}"
    );
}
