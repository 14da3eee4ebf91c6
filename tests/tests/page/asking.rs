//! Searches and questions, which find what the command line finds.

use serde_json::Value;

use super::{demo, has};

#[test]
fn a_search_marks_what_was_looked_for_and_finds_what_the_command_line_finds() {
    let demo = demo();
    let page = demo.page("/search?q=Beacon");
    assert!(page.body.contains("<mark>Beacon</mark>"), "{}", page.body);
    let mut twin = demo.page("/search.json?q=Beacon").json();
    twin.as_object_mut().unwrap().remove("words");
    let command = ["--json", "search", "Beacon", "--limit", "30"];
    let mut printed = demo.program.run(&command).json();
    // Without an end of its own, the page's search ends now.
    for value in [&mut twin, &mut printed] {
        value.as_object_mut().unwrap().remove("until");
    }
    assert_eq!(without_scores(&twin), without_scores(&printed));
    for hit in twin["hits"].as_array().unwrap() {
        has(&page, hit["text"].as_str().unwrap());
        has(&page, hit["user_name"].as_str().unwrap());
    }
    has(&demo.page("/search?q=xyzzy"), "Nothing is found");
    assert!(!demo.page("/search").body.contains("Results"));
}

/// Scores fall with age, and the second search is a little later.
fn without_scores(found: &Value) -> Vec<Value> {
    let mut hits = found["hits"].as_array().unwrap().clone();
    for hit in &mut hits {
        hit.as_object_mut().unwrap().remove("score");
    }
    hits
}

#[test]
fn a_search_is_limited_to_days_and_to_a_channel() {
    let demo = demo();
    let times = |query: &str| -> Vec<String> {
        let found = demo.page(&format!("/search.json?{query}")).json();
        let hits = found["hits"].as_array().unwrap().clone();
        let of = |hit: &Value| {
            format!(
                "{} {}",
                hit["channel_name"].as_str().unwrap(),
                hit["time"].as_str().unwrap()
            )
        };
        hits.iter().map(of).collect()
    };
    let all = times("q=Beacon");
    let within = times("q=Beacon&since=2026-03-05&until=2026-03-05");
    assert!(!within.is_empty() && within.len() < all.len());
    assert!(
        within.iter().all(|hit| hit.contains(" 2026-03-05T")),
        "{within:?}"
    );
    let general = times("q=リリース&channel=general");
    assert!(
        !general.is_empty() && general.iter().all(|hit| hit.starts_with("general ")),
        "{general:?}"
    );
    let page = demo.page("/search?q=Beacon&since=2026-02-30");
    has(&page, "A day is written as 2026-03-04");
}

#[test]
fn an_answer_is_the_command_lines_with_its_sources() {
    let demo = demo();
    let question = "監視ツールは何に決まりましたか？";
    let page = demo.page(&format!("/ask?q={question}"));
    let twin = demo.page(&format!("/ask.json?q={question}")).json();
    let mut printed = demo.program.run(&["--json", "ask", question]).json();
    let fields = printed.as_object_mut().unwrap();
    fields.remove("calls");
    fields.remove("tokens");
    assert_eq!(twin, printed);
    has(&page, twin["answer"].as_str().unwrap().trim_end());
    let sources = twin["sources"].as_array().unwrap();
    assert!(!sources.is_empty());
    for source in sources {
        has(&page, source["text"].as_str().unwrap());
    }
    assert!(!demo.page("/ask").body.contains("<h2>Answer"));
}

#[test]
fn a_question_or_a_search_that_is_too_long_is_refused_with_the_limit() {
    let (demo, long) = (demo(), "x".repeat(4001));
    for way in ["ask", "search"] {
        let page = demo.get(&format!("/{way}?q={long}"));
        assert_eq!(page.status, 400);
        has(&page, "can have 4,000 characters");
        let twin = demo.get(&format!("/{way}.json?q={long}")).json();
        assert_eq!(twin["error"], "question-too-long");
    }
}
