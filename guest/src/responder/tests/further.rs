//! Searches that the model asks for before it replies.

use super::*;
use crate::settings::PromptLanguage;

const QUESTION: &str = "@みゃお Where is our camping equipment kept?";
const FACT: &str = "The tents lie in Haruka's cellar";

/// The posted text, and the prompts, if the model answers so, one after the other.
fn asked(answers: &[&str]) -> (Result<String, Error>, Vec<String>) {
    let mut host = host();
    host.settings.prompt_language = PromptLanguage::English;
    host.storage.add_channel("C2", "events");
    host.say("C2", -9 * DAY, FACT);
    host.say("C2", -8 * DAY, "Our camping trip is in May");
    host.say("C1", -10, QUESTION);
    for (call, answer) in answers.iter().enumerate() {
        host.llm
            .script(call, Ok(completion(answer, FinishReason::Stop)));
    }
    let reply = mention(&host, &target(None, -10));
    (reply.map(|reply| reply.text), host.llm.prompts())
}

fn numbers_of(prompt: &str, text: &str) -> Vec<String> {
    let of = |(at, _): (usize, &str)| {
        let (_, number) = prompt[..at].rsplit_once("### [").unwrap();
        number.split(']').next().unwrap().to_owned()
    };
    prompt.match_indices(text).map(of).collect()
}

#[test]
fn the_model_may_search_for_what_the_question_did_not_find() {
    let answer = "They lie in Haruka's cellar [1].";
    let (reply, prompts) = asked(&[r#"{"search": ["tents"]}"#, answer]);
    assert!(reply.unwrap().starts_with("They lie in Haruka's cellar"));
    let [first, second] = &prompts[..] else {
        panic!("{} prompts", prompts.len())
    };
    assert!(!first.contains(FACT), "{first}");
    assert!(first.ends_with("may be among them.\n"), "{first}");
    assert_eq!(numbers_of(second, FACT), ["1"], "{second}");
    assert!(second.contains("You have searched for: tents."), "{second}");
}

#[test]
fn a_reply_at_once_costs_one_call() {
    let (reply, prompts) = asked(&["I do not know."]);
    assert_eq!(reply.as_deref(), Ok("I do not know. (no source)"));
    assert_eq!(prompts.len(), 1);
}

#[test]
fn a_model_that_asks_on_and_on_is_asked_three_times_and_found_nothing() {
    let again = r#"{"search": ["tents", "cellar"]}"#;
    let (reply, prompts) = asked(&[again; 4]);
    assert_eq!(reply.as_deref(), Ok("I found nothing about that."));
    let may_search = |prompt: &String| prompt.contains("you may search for more");
    let offered: Vec<bool> = prompts.iter().map(may_search).collect();
    assert_eq!(offered, [true, true, false]);
    assert_eq!(numbers_of(&prompts[2], FACT).len(), 1, "each message once");
}

#[test]
fn a_request_that_cannot_be_read_is_asked_for_once_more_and_then_an_error() {
    let broken = r#"{"search": ["tents""#;
    let (reply, prompts) = asked(&[broken, "In the cellar."]);
    assert_eq!(reply.as_deref(), Ok("In the cellar. (no source)"));
    assert_eq!(prompts.len(), 2);
    let (reply, prompts) = asked(&[broken; 2]);
    assert!(matches!(reply, Err(Error::BadAnswer(_))), "{reply:?}");
    assert_eq!(prompts.len(), 2);
}

#[test]
fn nothing_is_offered_where_there_is_nothing_to_look_for() {
    let host = host();
    host.say("C1", -10, "@みゃお ありがとう！");
    mention(&host, &target(None, -10)).unwrap();
    assert!(!prompt(&host).contains("search"));
}
