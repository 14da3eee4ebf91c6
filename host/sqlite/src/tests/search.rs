//! The index of terms: that it finds what a look at every message finds, and holds nothing else.

use std::cell::RefCell;

use myao_plugin::embedder::{Meaning, Vector};
use myao_plugin::state::forgetting::{Forget, Forgetting as _, Found, Mode};
use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::state::vectors::Vectors as _;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::recall::{Candidates, RecallQuery};
use myao_plugin::storage::records::{ImportSink as _, MessageRecord};
use myao_plugin::ts::TsKey;
use myao_plugin::{Place, Places};
use myao_testkit::MemoryStorage;
use myao_testkit::conformance::state::samples::public;

use super::{deleted, edited, key, present, record, said, stored};
use myao_sql::parts;

fn query(terms: &[&str]) -> RecallQuery {
    RecallQuery {
        terms: terms.iter().map(|term| (*term).to_owned()).collect(),
        text: String::new(),
        channels: Vec::new(),
        since: None,
        until: "999999.0".into(),
        limit: 50,
        neighbours: 1,
    }
}

async fn find(places: &dyn Places, place: Place, query: RecallQuery) -> Candidates {
    places.at(place).find_candidates(query, None).await.unwrap()
}

/// Messages of three channels, of which the third is private. `release` is in three of four messages.
fn messages() -> Vec<Effect> {
    let mut effects = Vec::new();
    for channel in ["C1", "C2", "C3"] {
        effects.push(present(channel, true, "1.0"));
        if channel != "C3" {
            effects.extend(public(channel, "1.0"));
        }
    }
    for number in 1..=3_000_i64 {
        let channel = format!("C{}", number * 7 % 3 + 1);
        let common = if number % 4 == 0 { "notes" } else { "release" };
        let text = format!("{common} of crane {} by {}", number % 40, number % 1_100);
        let record = MessageRecord {
            channel_id: channel,
            ts: TsKey::first_of(number * 10),
            // Threads of four messages.
            thread_ts: matches!(number % 50, 9 | 12 | 15)
                .then(|| TsKey::first_of((number - number % 50 + 3) * 10)),
            ..record("1.0", None, &text)
        };
        let changed = record.ts;
        effects.push(Effect::Message { record, changed });
    }
    effects
}

#[tokio::test]
async fn index_finds_what_a_look_at_every_message_finds() {
    let (stored, plain) = (stored(), MemoryStorage::new());
    let workspace = stored.store.workspace("W1", chrono_tz::UTC, "default");
    let workspace = workspace.unwrap();
    stored.apply(&messages()).await;
    plain.add_channel("C1", "");
    plain.add_channel("C2", "");
    for effect in messages() {
        if let Effect::Message { record, .. } = effect {
            plain.put_message(record);
        }
    }
    let queries = [
        query(&["7", "crane"]),
        query(&["release", "1000"]),
        query(&["release", "of"]),
        query(&["crane"]),
        query(&[]),
        RecallQuery {
            since: Some("2000.0".into()),
            until: "9000.0".into(),
            channels: vec!["C2".into(), "C3".into()],
            neighbours: 2,
            ..query(&["9", "release"])
        },
        RecallQuery {
            neighbours: 3,
            ..query(&["1009", "1012", "1003"])
        },
    ];
    for place in [
        Place::Operator,
        Place::Workspace,
        Place::Channel("C1".into()),
        Place::Channel("C3".into()),
    ] {
        for query in &queries {
            let mut found = find(&workspace, place.clone(), query.clone()).await;
            let expected = find(&plain, place.clone(), query.clone()).await;
            // How common a common term is may be estimated.
            for (found, exact) in found.counts.iter_mut().zip(&expected.counts) {
                let (estimated, messages) = (i64::from(found.messages), i64::from(exact.messages));
                assert!(
                    (estimated - messages).abs() <= messages / 10,
                    "{found:?} {exact:?}"
                );
                found.messages = exact.messages;
            }
            assert_eq!(found, expected, "{place} {query:?}");
        }
    }
}

#[tokio::test]
async fn terms_of_a_deleted_message_are_gone_from_the_disk() {
    let stored = stored();
    let secret = "wombat zqxjplugh-77 墨烏賊";
    stored
        .apply(&[
            said("1.0", None, "the code is here"),
            said("2.0", None, secret),
        ])
        .await;
    let folder = stored.store.pool.path().parent().unwrap().to_owned();
    let holds = |text: &str| super::on_disk::holds(&folder, text);
    stored.store.pool.empty_log().unwrap();
    let parts = ["wombat", "qxjplugh", "plugh-77", "墨烏", "烏賊"];
    assert!(parts.iter().all(|part| holds(part)));
    let effects = vec![edited("2.0", None, "8.0", "zebra"), deleted("2.0", "9.0")];
    stored.workspace.apply_effects(effects, 9).await.unwrap();
    stored.store.pool.empty_log().unwrap();
    for part in parts.iter().chain(&["zebra"]) {
        assert!(!holds(part), "{part}");
    }
    assert!(holds("code"));
}

#[tokio::test]
async fn everything_that_is_stored_can_be_indexed_anew_and_shows_how_far_it_is() {
    let stored = stored();
    stored.apply(&messages()).await;
    let workspace = &stored.workspace;
    let before = find(workspace, Place::Operator, query(&["7", "release"])).await;
    let shown = RefCell::new(Vec::new());
    stored.store.pool.with_writer(|connection| {
        let empty = "DELETE FROM message_index; UPDATE channels SET indexed = 0;";
        connection.execute_batch(empty).unwrap();
        let show = |done, total| shown.borrow_mut().push((done, total));
        parts::index_all(connection, &show).unwrap();
    });
    let expected = [(1_000, 3_000), (2_000, 3_000), (3_000, 3_000)];
    assert_eq!(shown.into_inner(), expected);
    let after = find(workspace, Place::Operator, query(&["7", "release"])).await;
    assert_eq!(after, before);
}

#[tokio::test]
async fn what_the_index_holds_of_no_text_is_told_when_something_is_forgotten() {
    let stored = stored();
    stored
        .apply(&[
            said("1.0", None, "the door code"),
            said("2.0", None, "lunch is at noon"),
        ])
        .await;
    let places = |found: Vec<Found>| -> Vec<(String, usize)> {
        found
            .into_iter()
            .map(|found| (found.place, found.rows))
            .collect()
    };
    let forget = |ts| {
        let what = Forget::Message {
            channel_id: "C1".into(),
            ts: key(ts),
        };
        stored.workspace.forget(what, 9, Mode::EraseAndSearch)
    };
    let clean = forget("1.0").await.unwrap().search.unwrap();
    assert_eq!(places(clean.found), []);
    let stale = "INSERT INTO message_index (rowid, terms) VALUES (999, 'the door code')";
    stored
        .store
        .pool
        .with_writer(|connection| connection.execute(stale, []).unwrap());
    let found = forget("2.0").await.unwrap().search.unwrap();
    assert_eq!(places(found.found), [("message_index.terms".to_owned(), 1)]);
}

fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

/// A vector of as many numbers as the model makes that packages carry.
fn vector(seed: u64) -> Option<Vector> {
    let mut next = random(seed);
    Vector::new(
        (0..384)
            .map(|_| (next() % 2_001) as f32 - 1_000.0)
            .collect(),
    )
}

/// Words of which the first are in most messages.
fn words(number: u64) -> String {
    let mut next = random(number);
    let word = |random: u64| {
        // About one in its rank, as words are in talk.
        let part = 1.0 - (random % 1_000_000) as f64 / 1_000_000.0;
        format!("w{}", 20_000_f64.powf(1.0 - part) as u64)
    };
    let words: Vec<String> = (0..18).map(|_| word(next())).collect();
    words.join(" ")
}

#[tokio::test]
#[ignore = "it takes minutes, and measures this machine"]
#[expect(clippy::print_stdout, reason = "it shows figures")]
async fn measures_searches_over_a_million_messages() {
    let stored = stored();
    let mut effects = Vec::new();
    for channel in 0..1_000 {
        effects.push(present(&format!("C{channel}"), true, "1.0"));
        effects.extend(public(&format!("C{channel}"), "1.0"));
    }
    stored.apply(&effects).await;
    let begun = std::time::Instant::now();
    let mut import = stored.store.import("W1", 0).unwrap();
    for channel in 0..1_000_u64 {
        for number in 0..1_000_u64 {
            let message = MessageRecord {
                channel_id: format!("C{channel}"),
                ts: TsKey::from_database(((number * 1_000 + channel) * 1_000_000).cast_signed()),
                ..record("1.0", None, &words(channel * 1_000 + number + 1))
            };
            import.message(&message).unwrap();
        }
    }
    import.commit().unwrap();
    println!("import: {:?}", begun.elapsed());
    let digest = "a digest";
    loop {
        let missing = stored.workspace.without_vector(digest, 1_000);
        let missing = missing.await.unwrap();
        if missing.is_empty() {
            break;
        }
        let vectors = missing.into_iter().map(|message| {
            let vector = vector(message.key.cast_unsigned());
            (message, vector)
        });
        let saved = stored.workspace.save_vectors(digest, vectors.collect());
        saved.await.unwrap();
    }
    println!("vectors: {:?}", begun.elapsed());
    let meaning = Meaning {
        embedder: digest.to_owned(),
        vector: vector(0).unwrap(),
    };
    for terms in [
        &["w19000", "w12345", "w777"][..],
        &["w1", "w2", "w3", "w5"],
        &["w1", "w2", "w3", "w5", "w9000", "w120", "w44"],
        &["w120", "w130", "w140", "w150"],
        &["none"],
    ] {
        let places = [Place::Operator, Place::Channel("C7".into())];
        for (place, meaning) in places
            .iter()
            .flat_map(|place| [(place, None), (place, Some(&meaning))])
        {
            let mut times = Vec::new();
            for _ in 0..20 {
                let begun = std::time::Instant::now();
                let wanted = RecallQuery {
                    limit: 200,
                    until: "9999999.0".into(),
                    ..query(terms)
                };
                let opened = stored.workspace.at(place.clone());
                let found = opened.find_candidates(wanted, meaning.cloned()).await;
                times.push((begun.elapsed(), found.unwrap().messages.len()));
            }
            times.sort_unstable();
            let means = if meaning.is_some() {
                ", by meaning"
            } else {
                ""
            };
            println!(
                "{terms:?} {place}{means}: {:?} … {:?}",
                times[10], times[19]
            );
        }
    }
}

/// FTS5 finds its pages by the beginnings of their first terms, and keeps these when the terms go.
#[tokio::test]
async fn no_beginning_of_a_term_that_is_gone_is_left() {
    let stored = stored();
    let word = |number: u64| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let ts = |number: u64| format!("{number}.0");
    let all: Vec<Effect> = (1..=3_000)
        .map(|number| said(&ts(number), None, &word(number)))
        .collect();
    stored.apply(&all).await;
    let is_gone = |number: &u64| !number.is_multiple_of(10);
    let gone: Vec<Effect> = (1..=3_000)
        .filter(is_gone)
        .map(|number| deleted(&ts(number), "9000.0"))
        .collect();
    stored.apply(&gone).await;
    let keys: Vec<Vec<u8>> = stored
        .workspace
        .read(|connection, _| {
            let sql = "SELECT term FROM message_index_idx WHERE length(term) > 1";
            Ok(connection.query_map(sql, (), |row| row.get(0))?)
        })
        .unwrap();
    let there: Vec<String> = (1..=3_000)
        .filter(|number| !is_gone(number))
        .map(|number| format!("0{}", word(number)))
        .collect();
    for key in keys {
        let is_there = there.iter().any(|word| word.as_bytes().starts_with(&key));
        assert!(is_there, "{}", String::from_utf8_lossy(&key));
    }
}
