//! Memories without a model.

use super::*;
use crate::bindings::types::User;
use crate::testing::message;

fn settings() -> Settings {
    Settings {
        engine: Engine::Extractive,
        ..super::settings()
    }
}

#[test]
fn every_memory_keeps_to_its_own_limit() {
    let mut settings = settings();
    settings.long_term_summary_max_tokens = 120;
    settings.short_term_summary_max_tokens = 60;
    let llm = ScriptedLlm::default();
    let summarizer = Summarizer::new(&llm, &Quiet, &settings);
    for (scope, memory_type) in ALL {
        let summary = summarizer
            .summarize(&golden_context(), scope, memory_type, None)
            .unwrap();
        assert_eq!(
            (summary.engine, summary.truncated),
            (Some(Engine::Extractive), false)
        );
        let limit = if memory_type == LongTerm { 120 } else { 60 };
        assert!(
            summary.text.chars().count() <= limit,
            "a token for each character: {}",
            summary.text
        );
    }
    assert_eq!(llm.calls(), 0);
}

#[test]
fn messages_are_picked_in_order_of_time_across_threads() {
    let host = TestHost::new();
    host.say("C1", -30, "Carol owns the budget of 3000 dollars.");
    host.say("C1", -20, "We decided to release on 2024-03-05.");
    host.reply("C1", -30, -10, "Bob found that 12 of 40 tests failed.");
    let settings = settings();
    let summarizer = Summarizer::new(&host.llm, &Quiet, &settings);
    let text = summarizer
        .summarize(&host.context("C1"), Channel, ShortTerm, None)
        .unwrap()
        .text;
    let positions = ["3000", "2024-03-05", "12 of 40"].map(|part| text.find(part));
    assert!(positions.is_sorted() && positions[0].is_some(), "{text}");
}

#[test]
fn what_does_not_fit_into_a_merge_is_an_error_and_not_lost() {
    let mut settings = settings();
    settings.long_term_summary_max_tokens = 0;
    let llm = ScriptedLlm::default();
    let summary = Summarizer::new(&llm, &Quiet, &settings).summarize(
        &golden_context(),
        Channel,
        LongTerm,
        Some("- 既存"),
    );
    assert_eq!(summary, Err(Error::BadAnswer(BadAnswer::Empty)));
}

#[test]
fn what_the_bot_answered_is_no_news() {
    let host = TestHost::new();
    host.say("C1", -30, "We decided to release on 2024-03-05.");
    let settings = settings();
    let mut own = message(-20, "From what I remember: we release on 2024-02-20.");
    own.user = bot(&settings);
    let mut other = message(-10, "Build 4711 of the importer failed on 2024-03-01.");
    other.user = User {
        name: "ci".to_owned(),
        ..bot(&settings)
    };
    host.storage.add_message("C1", own);
    host.storage.add_message("C1", other);
    let summarizer = Summarizer::new(&host.llm, &Quiet, &settings);
    let context = context(&host, &settings);
    let text = summarizer
        .summarize(&context, Channel, ShortTerm, None)
        .unwrap()
        .text;
    let found = ["2024-03-05", "4711", "2024-02-20"].map(|part| text.contains(part));
    assert_eq!(found, [true, true, false], "{text}");
}

#[test]
fn where_only_the_bot_spoke_the_existing_memory_stays() {
    let host = TestHost::new();
    let settings = settings();
    let mut own = message(-20, "From what I remember: we release on 2024-02-20.");
    own.user = bot(&settings);
    host.storage.add_message("C1", own);
    let summarizer = Summarizer::new(&host.llm, &Quiet, &settings);
    let context = context(&host, &settings);
    let summary = summarizer
        .summarize(&context, Channel, ShortTerm, Some("- before"))
        .unwrap();
    assert_eq!((summary.text.as_str(), summary.engine), ("- before", None));
}

#[test]
fn a_question_that_the_bot_answered_is_not_open() {
    let summary = |answered: bool| {
        let host = TestHost::new();
        let mut settings = settings();
        settings.short_term_summary_max_tokens = 80;
        host.say("C1", -300, "How many seats does the venue in Kobe have?");
        if answered {
            let mut own = message(-290, "The venue in Kobe has 300 seats.");
            own.user = bot(&settings);
            host.storage.add_message("C1", own);
        }
        host.say("C1", -200, "Carol books the train to Osaka tonight.");
        let context = context(&host, &settings);
        let summarizer = Summarizer::new(&host.llm, &Quiet, &settings);
        let summary = summarizer.summarize(&context, Channel, ShortTerm, None);
        summary.unwrap().text
    };
    let (open, answered) = (summary(false), summary(true));
    assert!(open.contains("How many seats"), "{open}");
    assert!(!answered.contains("How many seats"), "{answered}");
}

fn context(host: &TestHost, settings: &Settings) -> Context {
    Context {
        persona: settings.persona.clone(),
        ..host.context("C1")
    }
}

fn bot(settings: &Settings) -> User {
    User {
        id: "B1".to_owned(),
        name: settings.persona.name.clone(),
        is_bot: true,
    }
}
