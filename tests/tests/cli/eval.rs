//! `myao eval`.

use myao_tests::export::{Post, post, program_with};
use myao_tests::llm_server::{LlmServer, answer_with_usage};
use myao_tests::program::Program;
use serde_json::json;

fn posts() -> Vec<Post> {
    vec![
        post("general", 0, "ann", "We release Harbour on 4 March."),
        post("general", 60, "bob", "The lunch is at noon."),
        post("random", 90, "ann", "決済の障害は A-1234 が原因でした"),
    ]
}

const QUESTIONS: &str = "- question: When do we release Harbour?\n  answer: 4 march\n\
    - question: 決済の障害の原因は?\n  answer: [B-99, A-1234]\n  in: random\n\
    - question: Who won the lottery?\n  answer: Zoe\n";

fn with_questions(program: Program, questions: &str) -> Program {
    std::fs::write(program.path("questions.yaml"), questions).unwrap();
    program
}

#[test]
fn what_is_found_and_right_is_counted() {
    let program = with_questions(program_with("", &posts()), QUESTIONS);
    let printed = program.run(&["eval", "questions.yaml"]).output();
    for line in [
        "found  right  question",
        "   1.  yes    When do we release Harbour?",
        "   1.  yes    決済の障害の原因は?",
        "    –  no     Who won the lottery?",
        "among the first five for 2 of 3 questions, among the first ten for 2.",
        "2 of 3 answers are right, which are the closest messages",
    ] {
        assert!(printed.contains(line), "{line}:\n{printed}");
    }
    let told = program.run(&["--json", "eval", "questions.yaml"]).json();
    assert_eq!(
        (&told["right"], &told["found_among_10"], &told["by_model"]),
        (&json!(2), &json!(2), &json!(false))
    );
    assert_eq!(told["questions"][2]["rank"], json!(null));
}

#[test]
fn models_that_answer_are_counted_with_their_cost() {
    let llm =
        LlmServer::start(|_| answer_with_usage("We release it on 4 March [1].", (120, None, 7)));
    let program = with_questions(program_with(&llm.config(), &posts()), QUESTIONS);
    let told = program.run(&["--json", "eval", "questions.yaml"]).json();
    assert_eq!(told["by_model"], json!(true));
    assert_eq!(told["right"], json!(1), "{told:#}");
    assert!(told["calls"].as_u64().unwrap() >= 3, "{told:#}");
    assert!(told["tokens"]["input"].as_u64().unwrap() >= 360, "{told:#}");
}

#[test]
fn questions_that_cannot_be_asked_are_named_before_any_is() {
    for (questions, says) in [
        ("[]", "has no question"),
        ("- question: x\n", "answer"),
        (
            "- { question: When?, answer: [] }\n",
            "`answer` of “When?” is empty",
        ),
        (
            "- { question: When?, answer: ' ' }\n",
            "`answer` of “When?” is empty",
        ),
        ("- { question: a, answer: b, in: nowhere }\n", "nowhere"),
    ] {
        let program = with_questions(program_with("", &posts()), questions);
        let refused = program.run(&["eval", "questions.yaml"]).refusal();
        assert!(refused.contains(says), "{says}:\n{refused}");
    }
}
