//! What is found by its terms. A host that cannot search has no terms.

use crate::calls::{
    Answer, Fault, Verdict, add_channel, channel, delete, find, put, same, say, ts, written,
};
use crate::drafts::time;
use crate::myao::conformance::platform::WrittenMessage;
use crate::myao::memory::recall::{self, Candidates, RecallQuery};

const PLACE: &str = "recall.find-candidates";

fn query(terms: &[&str]) -> RecallQuery {
    RecallQuery {
        terms: terms.iter().map(|term| (*term).to_owned()).collect(),
        text: String::new(),
        channels: Vec::new(),
        since: None,
        until: ts(99),
        limit: 10,
        neighbours: 0,
    }
}

fn searches() -> Verdict {
    if recall::terms("crane").is_empty() {
        return Err(Fault::Missing("the host cannot search"));
    }
    Ok(())
}

/// Channel and second of each message.
fn messages(found: &Candidates) -> Vec<String> {
    let places = found.messages.iter().map(|found| &found.at);
    let second = |ts: &str| ts.split('.').next().map(str::to_owned);
    places
        .map(|at| format!("{}:{}", at.channel_id, second(&at.ts).unwrap_or_default()))
        .collect()
}

fn found(query: &RecallQuery) -> Answer<Vec<String>> {
    Ok(messages(&find(query)?))
}

/// Three channels, with a word in each of them.
fn fill() -> Verdict {
    searches()?;
    channel();
    add_channel("C2", "yard");
    add_channel("C3", "pay");
    for (channel, second, text) in [
        ("C1", 10, "The crane comes"),
        ("C1", 11, "lunch is at noon"),
        ("C2", 12, "the CRANE is late"),
        ("C3", 13, "the crane costs 500"),
        ("C3", 14, "給与の話"),
    ] {
        put(&written(channel, &ts(second), text));
    }
    Ok(())
}

pub(crate) fn terms_are_words_joined_words_pairs_and_emoji() -> Verdict {
    searches()?;
    let mut long = "x".repeat(64);
    for (text, expected) in [
        ("The Crane comes!", &["the", "crane", "comes"][..]),
        ("ＦＵＬＬ width", &["full", "width"]),
        ("it's don't", &["it", "don"]),
        ("a-1234", &["a", "1234", "a-1234"]),
        ("\u{2010}", &[]),
        ("給与の", &["給与", "与の"]),
        ("会", &["会"]),
        ("ok 🚢", &["ok", "🚢"]),
        (&long.clone(), &[&long.clone()]),
        ("", &[]),
    ] {
        // The order of a word and of what it is joined to is the host's.
        let sorted = |terms: Vec<String>| {
            let mut terms = terms;
            terms.sort();
            terms
        };
        let terms = sorted(recall::terms(text));
        let expected = expected.iter().map(|term| (*term).to_owned());
        same("recall.terms", &terms, &sorted(expected.collect()))?;
    }
    long.push('x');
    same("recall.terms", &recall::terms(&long), &[""; 0])
}

/// A term is found as it is, never as a part of a query's language.
pub(crate) fn message_is_found_by_its_terms() -> Verdict {
    fill()?;
    let result = find(&query(&["crane", "500", "給与", "none"]))?;
    same(
        PLACE,
        &messages(&result),
        &["C1:10", "C2:12", "C3:13", "C3:14"],
    )?;
    let first = result.messages.first();
    let told = first.map(|of| (of.channel_name.as_str(), of.message.text.as_str()));
    same(PLACE, &told, &Some(("general", "The crane comes")))?;
    let terms = first.map(|of| (of.counts.clone(), of.length));
    same(PLACE, &terms, &Some((vec![1, 0, 0, 0], 3)))?;
    let counts = result.counts.iter();
    let counts: Vec<(&str, u32)> = counts.map(|of| (of.term.as_str(), of.messages)).collect();
    let expected = [("crane", 3), ("500", 1), ("給与", 1), ("none", 0)];
    same(PLACE, &counts, &expected)?;
    same(PLACE, &result.message_count, &5)?;
    for no_term in ["the crane", "Crane", "\"", "給与の", "", "*", "A OR crane"] {
        same(PLACE, &found(&query(&[no_term]))?, &[""; 0])?;
    }
    Ok(())
}

pub(crate) fn message_is_found_by_what_it_says_now() -> Verdict {
    fill()?;
    put(&written("C1", &ts(30), "a barge beside a barge"));
    let barge = find(&query(&["ferry", "barge"]))?;
    same(PLACE, &messages(&barge), &["C1:30"])?;
    let counts = barge
        .messages
        .first()
        .map(|of| (of.counts.clone(), of.length));
    same(PLACE, &counts, &Some((vec![0, 2], 5)))?;
    put(&WrittenMessage {
        edited_at: Some(time(40)),
        ..written("C1", &ts(30), "a ferry")
    });
    same(PLACE, &found(&query(&["barge"]))?, &[""; 0])?;
    same(PLACE, &found(&query(&["ferry"]))?, &["C1:30"])?;
    delete("C1", 30);
    let gone = find(&query(&["ferry"]))?;
    same(PLACE, &messages(&gone), &[""; 0])?;
    let counts: Vec<u32> = gone.counts.iter().map(|of| of.messages).collect();
    same(PLACE, &(counts, gone.message_count), &(vec![0], 5))
}

pub(crate) fn what_is_later_is_not_found() -> Verdict {
    fill()?;
    let result = find(&RecallQuery {
        until: ts(11),
        ..query(&["crane", "lunch"])
    })?;
    same(PLACE, &messages(&result), &["C1:10", "C1:11"])?;
    let counts: Vec<u32> = result.counts.iter().map(|of| of.messages).collect();
    same(PLACE, &(counts, result.message_count), &(vec![1, 1], 2))
}

/// Without terms, the newest messages are found.
pub(crate) fn time_and_channels_bound_what_is_found_but_not_what_is_counted() -> Verdict {
    fill()?;
    let bounded = RecallQuery {
        since: Some(ts(12)),
        channels: vec!["C1".to_owned(), "C2".to_owned()],
        ..query(&["crane"])
    };
    let result = find(&bounded)?;
    same(PLACE, &messages(&result), &["C2:12"])?;
    let counts: Vec<u32> = result.counts.iter().map(|of| of.messages).collect();
    same(PLACE, &(counts, result.message_count), &(vec![3], 5))?;
    let newest = RecallQuery {
        terms: Vec::new(),
        channels: Vec::new(),
        limit: 2,
        ..bounded
    };
    same(PLACE, &found(&newest)?, &["C3:13", "C3:14"])
}

pub(crate) fn rarest_terms_come_first_and_then_the_newest() -> Verdict {
    fill()?;
    let limited = |limit, terms: &[&str]| {
        found(&RecallQuery {
            limit,
            ..query(terms)
        })
    };
    same(PLACE, &limited(2, &["crane", "noon"])?, &["C1:11", "C3:13"])?;
    same(PLACE, &limited(0, &["crane", "noon"])?, &[""; 0])?;
    same(PLACE, &limited(1, &["crane", "comes"])?, &["C1:10"])
}

pub(crate) fn neighbours_are_of_the_thread_or_of_the_top_level() -> Verdict {
    searches()?;
    channel();
    for (second, thread, text) in [
        (10, None, "one"),
        (20, None, "two"),
        (21, Some(20), "first answer"),
        (22, Some(20), "second answer"),
        (23, Some(20), "third answer"),
        (30, None, "three"),
    ] {
        put(&WrittenMessage {
            thread_ts: thread.map(ts),
            ..written("C1", &ts(second), text)
        });
    }
    say("C1", 40);
    let beside = |term: &str| RecallQuery {
        neighbours: 1,
        ..query(&[term])
    };
    for (term, expected) in [
        ("one", &["C1:10", "C1:20"][..]),
        ("two", &["C1:10", "C1:20", "C1:21", "C1:30"]),
        ("first", &["C1:20", "C1:21", "C1:22"]),
        ("third", &["C1:22", "C1:23"]),
        ("three", &["C1:20", "C1:30", "C1:40"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|of| (*of).to_owned()).collect();
        same(PLACE, &found(&beside(term))?, &expected)?;
    }
    let bounded = RecallQuery {
        since: Some(ts(21)),
        until: ts(22),
        neighbours: 5,
        ..query(&["second"])
    };
    let result = find(&bounded)?;
    same(PLACE, &messages(&result), &["C1:21", "C1:22"])?;
    let thread = result
        .messages
        .first()
        .and_then(|of| of.message.thread_ts.clone());
    same(PLACE, &thread, &Some(ts(20)))
}
