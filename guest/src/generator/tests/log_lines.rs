//! What the log says about a run.

use crate::bindings::llm::FinishReason;
use crate::testing::{DAY, Effect, Fault, HOUR, TestHost, completion};

/// The next answer and its retry are empty.
fn refuse_next(host: &TestHost) {
    for call in [0, 1] {
        host.llm.script(
            host.llm.calls() + call,
            Ok(completion("", FinishReason::Stop)),
        );
    }
}

fn lines(host: &TestHost) -> Vec<String> {
    host.log.0.take()
}

#[test]
fn the_log_tells_what_was_made_and_never_a_text() {
    let host = TestHost::new();
    host.say("C1", -2 * DAY, "secret");
    host.generate(-2 * DAY + 1);
    lines(&host);
    host.say("C1", -20, "secret");
    host.reply("C1", -20, -10, "secret too");
    host.generate(3 * HOUR);
    assert_eq!(
        lines(&host),
        [
            "saved version 1 of the short-term memory of thread C1:1709287180.000000 (messages: 2)",
            "saved version 2 of the short-term memory of channel C1 (messages: 3)",
            "saved version 1 of the long-term memory of channel C1 (messages: 3)",
            "saved version 1 of the long-term memory of workspace default (messages: 3)",
        ]
    );
}

#[test]
fn the_log_tells_why_a_model_is_asked_once_more_and_what_stands_in() {
    let mut host = TestHost::new();
    host.settings.extractive_stand_in = true;
    host.say("C1", -10, "We decided to release on 2024-03-05.");
    refuse_next(&host);
    host.generate(0);
    assert_eq!(
        lines(&host),
        [
            "asked once more for the short-term memory of channel C1: the answer was empty",
            "saved a stand-in for the short-term memory of channel C1 (messages: 1)",
        ]
    );
}

/// A run in which the model's answers for the channel are refused.
fn refused_run(fault: Option<Fault>) -> TestHost {
    let host = TestHost::new();
    host.say("C1", -10, "a");
    refuse_next(&host);
    if let Some(fault) = fault {
        host.storage.fail(fault);
    }
    host.generate(0);
    host
}

#[test]
fn the_log_tells_what_cannot_be_deferred_and_why() {
    let calls = refused_run(None).storage.take_calls();
    let call = calls.iter().position(|call| *call == "defer").unwrap();
    let host = refused_run(Some(Fault {
        call,
        effect: Effect::None,
        lasting: false,
    }));
    let told = format!(
        "cannot defer the short-term memory of channel C1: call {call} (defer) was to fail"
    );
    assert!(lines(&host).contains(&told), "{told}");
}
