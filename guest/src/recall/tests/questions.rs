//! What questions find.

use super::super::Searcher;
use crate::bindings::exports::myao::memory::searcher::{SearchRequest, SearchResult};
use crate::bindings::types::{Message, User};
use crate::testing::{DAY, HOUR, MemoryStorage, PlainRecall, at, message, ts};

/// What was said, at seconds after the tests' time.
fn said(messages: &[(&str, i64, &str)]) -> (PlainRecall, MemoryStorage) {
    let (mut recall, storage) = (PlainRecall::default(), MemoryStorage::default());
    for (channel, seconds, text) in messages {
        recall.add(channel, message(*seconds, text));
        storage.add_channel(channel, &channel.to_lowercase());
    }
    (recall, storage)
}

fn search((recall, storage): &(PlainRecall, MemoryStorage), text: &str) -> SearchResult {
    let request = SearchRequest {
        text: text.to_owned(),
        since: None,
        until: None,
        limit: 5,
    };
    Searcher::new(recall, storage, at(0))
        .search(&request)
        .unwrap()
}

fn found(stored: &(PlainRecall, MemoryStorage), text: &str) -> Vec<String> {
    let hits = search(stored, text).hits;
    hits.into_iter().map(|hit| hit.message.text).collect()
}

/// Messages about nothing that is asked for, far apart.
const NOISE: [(&str, i64, &str); 4] = [
    ("GENERAL", -90 * DAY, "昼食はカレーにしよう"),
    (
        "GENERAL",
        -80 * DAY,
        "The printer on the second floor is out of paper",
    ),
    ("GENERAL", -70 * DAY, "資料を共有しました"),
    ("RANDOM", -60 * DAY, "Good morning everybody"),
];

#[test]
fn each_question_finds_its_message() {
    for (text, question) in [
        ("給与は25日に振り込まれます", "給与"),
        ("昨夜の障害はDNSが原因", "障害"),
        ("佐藤さんが休みです", "佐藤"),
        ("部品 A-1234 を注文した", "A-1234"),
        (
            "see https://wiki.example.com/runbooks/restore",
            "https://wiki.example.com/runbooks/restore",
        ),
        ("shipped :party_parrot:", ":party_parrot:"),
        ("ｻｰﾊﾞｰを再起動した", "サーバー"),
        ("Café opens at nine", "cafe\u{301}"),
    ] {
        let stored = said(&[&NOISE[..], &[("GENERAL", -30 * DAY, text)]].concat());
        let found = found(&stored, question);
        assert_eq!(found.first().map(String::as_str), Some(text), "{question}");
    }
}

#[test]
fn nothing_is_found_of_what_was_never_said() {
    let stored = said(&NOISE);
    for question in ["kubernetes", "新幹線", "", "?!"] {
        let hits = search(&stored, question).hits;
        let is_listing = question.len() < 3;
        assert_eq!(hits.is_empty(), !is_listing, "{question}: {hits:?}");
    }
}

#[test]
fn word_that_few_messages_have_counts_more() {
    let many = (1..9).map(|n| {
        (
            "GENERAL",
            -50 * DAY + n * DAY,
            "the budget meeting is today",
        )
    });
    let mut messages: Vec<_> = many.collect();
    messages.push(("GENERAL", -50 * DAY, "the crane meeting"));
    let stored = said(&messages);
    assert_eq!(
        found(&stored, "budget meeting crane")[0],
        "the crane meeting"
    );
}

#[test]
fn short_answer_is_found_by_the_question_before_it() {
    let stored = said(
        &[
            &NOISE[..],
            &[
                ("GENERAL", -30 * DAY, "When does the crane come?"),
                ("GENERAL", -30 * DAY + 60, "On Monday at nine"),
                ("GENERAL", -30 * DAY + 3 * HOUR, "Thanks"),
            ],
        ]
        .concat(),
    );
    let found = found(&stored, "crane come");
    assert_eq!(found, ["When does the crane come?", "On Monday at nine"]);
}

/// A message by somebody with a name.
fn by(name: &str, seconds: i64, text: &str) -> Message {
    Message {
        user: User {
            id: "U2".into(),
            name: name.into(),
            is_bot: false,
        },
        ..message(seconds, text)
    }
}

/// Messages with a word, one a day, newer than what is looked for: so two messages before them differ little in age.
fn later(text: &'static str) -> Vec<(&'static str, i64, &'static str)> {
    (1..9)
        .map(|n| ("RANDOM", -20 * DAY + n * DAY, text))
        .collect()
}

#[test]
fn author_counts() {
    let (mut recall, storage) = said(&NOISE);
    for (number, name) in ["Alice Smith", "Bob Jones"].iter().enumerate() {
        let seconds = -30 * DAY + i64::try_from(number).unwrap() * DAY;
        recall.add("GENERAL", by(name, seconds, "the crane comes"));
    }
    let stored = (recall, storage);
    for name in ["Alice", "Bob"] {
        let hits = search(&stored, &format!("what did {name} say about the crane?")).hits;
        assert!(hits[0].message.user.name.starts_with(name), "{hits:?}");
    }
}

#[test]
fn author_counts_more_than_a_mention() {
    let (mut recall, storage) = (PlainRecall::default(), MemoryStorage::default());
    recall.add("GENERAL", by("Grace Smith", -30 * DAY, "the crane is mine"));
    let seconds = -29 * DAY;
    recall.add("GENERAL", by("Bob Jones", seconds, "the crane, Grace"));
    for (channel, seconds, text) in later("the crane again") {
        recall.add(channel, message(seconds, text));
    }
    let hits = search(&(recall, storage), "Grace on the crane").hits;
    assert_eq!(hits[0].message.text, "the crane is mine");
}

#[test]
fn date_that_may_be_ahead_bounds_nothing() {
    // It is 1 March 2024.
    let stored = said(&[
        ("GENERAL", -200 * DAY, "the price is 500"),
        ("GENERAL", -DAY, "from April on the price is 700"),
    ]);
    assert_eq!(found(&stored, "price as of 1 April").len(), 2);
    assert_eq!(search(&stored, "price on 1 April").since, None);
    assert_eq!(
        found(&stored, "price as of 1 January"),
        ["the price is 500"]
    );
}

#[test]
fn newer_value_comes_before_an_older_one() {
    let stored = said(&[
        ("GENERAL", -30 * DAY, "The budget is 500"),
        ("GENERAL", -20 * DAY, "The budget is 700"),
    ]);
    assert_eq!(found(&stored, "budget")[0], "The budget is 700");
}

#[test]
fn time_that_is_asked_for_bounds_or_leads() {
    let stored = said(&[
        ("GENERAL", -10 * DAY, "crane: it comes soon"),
        (
            "GENERAL",
            -DAY,
            "crane: it is late, and the driver is ill, and the road is closed",
        ),
    ]);
    // It is Friday, 1 March 2024, 19:00 in Japan.
    assert_eq!(found(&stored, "crane since Wednesday").len(), 1);
    assert_eq!(
        found(&stored, "crane as of 25 February")[0],
        "crane: it comes soon"
    );
    assert_eq!(found(&stored, "昨日の crane").len(), 2);
    assert!(found(&stored, "昨日の crane")[0].contains("late"));
    assert!(found(&stored, "what happened yesterday?")[0].contains("late"));
    assert_eq!(found(&stored, "what happened yesterday?").len(), 1);
    assert_eq!(found(&stored, "What happened on Thursday?").len(), 1);
    assert_eq!(found(&stored, "2月29日に何があった？").len(), 1);
    let asked = search(&stored, "crane since Wednesday");
    // Midnight of that day, which is two days and 19 hours ago.
    assert_eq!(
        asked.since.map(|time| time.unix_seconds),
        Some(at(-(19 * HOUR + 2 * DAY)).unix_seconds)
    );
    assert_eq!(search(&stored, "crane").since, None);
}

#[test]
fn day_that_a_message_names_counts_as_its_time() {
    for (texts, question) in [
        (
            [
                "the crane is checked next Friday",
                "the crane is checked by the driver",
            ],
            "Is the crane checked on 8 March?",
        ),
        (
            [
                "来週の金曜にクレーンを点検します",
                "運転手もあとにクレーンを点検します",
            ],
            "3月8日にクレーンを点検する？",
        ),
    ] {
        let [day, driver] = texts;
        // They were written on Monday, 26 February 2024, and the day after.
        let messages = [("GENERAL", -4 * DAY, day), ("GENERAL", -3 * DAY, driver)];
        let stored = said(&[&NOISE[..], &messages].concat());
        assert_eq!(found(&stored, question)[0], day);
        let later = question.replace('8', "9");
        assert_eq!(found(&stored, &later)[0], driver);
    }
}

#[test]
fn channel_that_is_named_bounds() {
    let stored = said(&[
        ("GENERAL", -3 * DAY, "the crane comes"),
        ("GENERAL-OLD", -2 * DAY, "the crane comes"),
        ("RANDOM", -DAY, "the crane comes"),
    ]);
    let hits = search(&stored, "crane in #general").hits;
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].at.channel_id, "GENERAL");
    assert_eq!(search(&stored, "先週の #random").hits.len(), 0);
    assert_eq!(search(&stored, "今週の #random").hits[0].at.ts, ts(-DAY));
    let hits = search(&stored, "What did I miss since Wednesday in #random?").hits;
    assert_eq!(hits.len(), 1);
    assert_eq!(search(&stored, "crane #42").hits.len(), 3);
}

#[test]
fn what_is_later_than_the_search_does_not_exist() {
    let stored = said(&[
        ("GENERAL", -DAY, "the crane comes"),
        ("GENERAL", DAY, "the crane is here"),
    ]);
    assert_eq!(found(&stored, "crane"), ["the crane comes"]);
}

#[test]
fn what_is_similar_is_found_without_a_word_of_the_question() {
    let mut stored = said(&NOISE);
    let answer = "予算は120万円まで承認された";
    stored.0.add("GENERAL", message(-50 * DAY, answer));
    let other = "the budget of the printers is nobodys business";
    stored.0.add("RANDOM", message(-40 * DAY, other));
    assert_eq!(found(&stored, "budget"), [other]);
    stored.0.similarities.insert(answer.to_owned(), 9.0);
    stored.0.similarities.insert(other.to_owned(), 1.0);
    assert_eq!(found(&stored, "budget"), [answer, other]);
    let hits = search(&stored, "budget").hits;
    assert_eq!(hits[0].similarity, Some(9.0));
    let query = stored.0.queries.borrow().last().cloned().unwrap();
    assert_eq!(query.text, "budget");
}

#[test]
fn message_in_another_script_needs_no_word_of_the_question() {
    let mut stored = said(&NOISE);
    let shares_a_word = "the budget of the printers is nobodys business";
    for (days, text, similarity) in [
        (42, "予算は120万円まで承認された", 2.9),
        (41, "they approved 1.2 million", 2.9),
        (40, shares_a_word, 1.3),
    ] {
        stored.0.add("RANDOM", message(-days * DAY, text));
        stored.0.similarities.insert(text.to_owned(), similarity);
    }
    let found = found(&stored, "budget");
    assert_eq!(
        found,
        [
            "予算は120万円まで承認された",
            shares_a_word,
            "they approved 1.2 million"
        ]
    );
}

#[test]
fn message_beside_similar_ones_comes_first() {
    let mut stored = said(&[]);
    for (seconds, text, similarity) in [
        (-30 * DAY, "about the crane", 4.0),
        (-30 * DAY + 60, "on Monday", 1.5),
        (-20 * DAY, "at noon", 1.5),
    ] {
        stored.0.add("GENERAL", message(seconds, text));
        stored.0.similarities.insert(text.to_owned(), similarity);
    }
    let found = found(&stored, "lifting machine");
    assert_eq!(found, ["about the crane", "on Monday", "at noon"]);
}
