//! Memories without a model.

use super::*;
use crate::bindings::types::{Message, Notes, User};
use crate::context::NO_NOTES;
use crate::grounding::{Given, unfounded};
use crate::line_sources::citations;
use crate::prompt::{self, persona_for};
use crate::testing::{at, message};

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

fn context(host: &TestHost, settings: &Settings) -> Context {
    let mut context = host.context("C1");
    context.persona = persona_for(settings, "", &context);
    context
}

fn bot(settings: &Settings) -> User {
    User {
        id: "B1".to_owned(),
        name: settings.bot_name.clone(),
        is_bot: true,
    }
}

/// What a memory of these messages says; with notes, as the host's own store gives them.
fn text_of(said: &[(i64, &str)], notes: Option<Notes>) -> (String, Context) {
    let host = TestHost::new();
    for (seconds, text) in said {
        host.say("C1", *seconds, text);
    }
    let settings = settings();
    let mut context = context(&host, &settings);
    context.notes = notes;
    let summarizer = Summarizer::new(&host.llm, &Quiet, &settings);
    let summary = summarizer.summarize(&context, Channel, ShortTerm, None);
    (summary.unwrap().text, context)
}

fn notes() -> Option<Notes> {
    Some(Notes {
        now: Some(at(0)),
        ..NO_NOTES
    })
}

/// The messages are of Friday, 1 March 2024.
const RELATIVE: [(i64, &str); 3] = [
    (-300, "We decided to ship the importer tomorrow at 10:00."),
    (-200, "来週の水曜日までに見積を3件出してください。"),
    (
        -100,
        "Carol owns the audit, it is due at the end of the month.",
    ),
];

#[test]
fn relative_dates_have_the_date_that_they_mean_behind_them() {
    let (text, context) = text_of(&RELATIVE, notes());
    for part in [
        "tomorrow (2024-03-02) at 10:00",
        "来週の水曜日 (2024-03-06)までに",
        "end of the month (2024-03-31).",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let messages: Vec<&Message> = prompt::conversation_messages(&context).collect();
    let given: Vec<Given<'_>> = messages
        .iter()
        .map(|message| Given {
            text: &message.text,
            author: Some(&message.user.name),
            time: Some(message.timestamp),
        })
        .collect();
    assert_eq!(unfounded(&text, &given, &[]), []);
    let cited = citations(&text, Engine::Extractive, &context, &[], &[]);
    let cited: Vec<Vec<&str>> = cited
        .iter()
        .map(|line| line.messages.iter().map(|of| of.ts.as_str()).collect())
        .collect();
    let each: Vec<Vec<&str>> = messages
        .iter()
        .map(|message| vec![message.ts.as_str()])
        .collect();
    assert_eq!(cited, each);
}

#[test]
fn a_summary_tells_the_messages_of_each_line() {
    let host = TestHost::new();
    for (seconds, text) in RELATIVE {
        host.say("C1", seconds, text);
    }
    let settings = settings();
    let context = context(&host, &settings);
    let summarizer = Summarizer::new(&host.llm, &Quiet, &settings);
    let made = summarizer.summarize(&context, Channel, ShortTerm, None);
    let cited = made.unwrap().citations;
    let cited: Vec<Vec<&str>> = cited
        .iter()
        .map(|line| line.messages.iter().map(|of| of.ts.as_str()).collect())
        .collect();
    let messages = prompt::conversation_messages(&context);
    let each: Vec<Vec<&str>> = messages.map(|message| vec![message.ts.as_str()]).collect();
    assert_eq!(cited, each);
    let merged = summarizer.summarize(&golden_context(), Channel, LongTerm, None);
    assert_eq!(merged.unwrap().citations, []);
}

#[test]
fn a_given_context_is_quoted_as_it_is() {
    let (text, _) = text_of(&RELATIVE, None);
    assert!(
        text.contains("tomorrow at 10:00") && !text.contains("2024-03-02"),
        "{text}"
    );
}

#[test]
fn quotations_and_code_get_no_dates() {
    let said = [
        (
            -300,
            "> We decided to ship the importer tomorrow.\nThat was bob, and carol owns it.",
        ),
        (
            -200,
            "The log of the importer:\n```\nretry due tomorrow, 12 rows left\n```",
        ),
    ];
    let (text, _) = text_of(&said, notes());
    assert!(
        text.contains("tomorrow") && !text.contains("2024-03-02"),
        "{text}"
    );
}
