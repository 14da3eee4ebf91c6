//! Vectors of messages: they follow their texts, and find what may be seen.

use std::sync::Mutex;

use myao_plugin::embedder::{Embedder as _, Meaning, TextKind, Vector};
use myao_plugin::journal::ModelUse;
use myao_plugin::llm::{CallObserver, CallRecord};
use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::state::vectors::{VectorCount, Vectors as _, WithoutVector};
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::recall::{Candidates, RecallQuery};
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;
use myao_plugin::{Place, Places as _};
use myao_testkit::WordEmbedder;
use myao_testkit::conformance::state::samples::public;

use super::{Stored, deleted, edited, present, record, said, stored};
use myao_sql::parts;

/// `予算` and `budget` mean the same.
fn embedder() -> WordEmbedder {
    WordEmbedder::new("words", &[&["予算", "budget"], &["給与", "salary"]])
}

impl Stored {
    /// Makes all vectors that are missing; returns the texts.
    async fn embed(&self, embedder: &WordEmbedder) -> Vec<String> {
        let digest = embedder.identity().digest();
        let missing = self.workspace.without_vector(digest, 1_000).await.unwrap();
        let vectors = missing.iter().map(|message| {
            let vector = embedder.vector(&message.text);
            (message.clone(), vector)
        });
        let vectors = vectors.collect();
        self.workspace.save_vectors(digest, vectors).await.unwrap();
        missing.into_iter().map(|message| message.text).collect()
    }

    async fn find(&self, place: Place, embedder: &WordEmbedder, question: &str) -> Candidates {
        let query = RecallQuery {
            terms: vec!["nothing-has-this".to_owned()],
            text: question.to_owned(),
            channels: Vec::new(),
            since: None,
            until: "999999.0".into(),
            limit: 50,
            neighbours: 0,
        };
        let meaning = Meaning {
            embedder: embedder.identity().digest().to_owned(),
            vector: embedder.vector(question).unwrap(),
        };
        let opened = self.workspace.at(place);
        opened.find_candidates(query, Some(meaning)).await.unwrap()
    }

    async fn count(&self, embedder: &WordEmbedder) -> VectorCount {
        let count = self.workspace.vector_count(embedder.identity().digest());
        count.await.unwrap()
    }

    fn leftovers(&self) -> usize {
        let found = self
            .store
            .pool
            .with_writer(|connection| parts::leftovers(connection, None));
        found.unwrap().len()
    }
}

fn texts(found: &Candidates) -> Vec<&str> {
    let messages = found.messages.iter();
    messages.map(|found| found.message.text.as_str()).collect()
}

/// Two open channels and a private one, each with much talk and one message about money.
fn talk() -> Vec<Effect> {
    let mut effects = Vec::new();
    for (channel, about) in [("C1", "予算"), ("C2", "給与"), ("C3", "budget")] {
        effects.push(present(channel, true, "1.0"));
        if channel != "C3" {
            effects.extend(public(channel, "1.0"));
        }
        for number in 1..=20_i64 {
            let text = match number {
                7 => format!("{about} は 120 円"),
                number => format!("talk about thing {number}"),
            };
            let record = MessageRecord {
                channel_id: channel.to_owned(),
                ts: TsKey::first_of(number * 10),
                ..record("1.0", None, &text)
            };
            let changed = record.ts;
            effects.push(Effect::Message { record, changed });
        }
    }
    effects
}

#[tokio::test]
async fn messages_are_found_by_their_meaning_where_they_may_be_seen() {
    let (stored, embedder) = (stored(), embedder());
    stored.apply(&talk()).await;
    let nothing = stored.find(Place::Operator, &embedder, "budget").await;
    assert_eq!(texts(&nothing), [""; 0], "there is no vector yet");
    assert_eq!(stored.embed(&embedder).await.len(), 60);
    assert_eq!(stored.embed(&embedder).await, [""; 0]);
    let budget = "予算 は 120 円";
    let seen = stored
        .find(Place::Channel("C1".into()), &embedder, "budget")
        .await;
    assert_eq!(texts(&seen), [budget]);
    let similarity = seen.messages[0].similarity.unwrap();
    assert!(similarity > 3.0, "{similarity}");
    let own = stored
        .find(Place::Channel("C3".into()), &embedder, "budget")
        .await;
    // Who reads this channel is not known: it sees itself alone.
    assert_eq!(texts(&own), ["budget は 120 円"]);
    let elsewhere = stored.find(Place::Workspace, &embedder, "salary").await;
    assert_eq!(texts(&elsewhere), ["給与 は 120 円"]);
}

#[tokio::test]
async fn vectors_of_another_place_change_no_similarity() {
    let embedder = embedder();
    let mut seen = Vec::new();
    for with_secrets in [true, false] {
        let stored = stored();
        stored.apply(&talk()).await;
        if with_secrets {
            let record = MessageRecord {
                channel_id: "C3".to_owned(),
                ..record("5.0", None, "budget budget budget salary")
            };
            let changed = record.ts;
            stored.apply(&[Effect::Message { record, changed }]).await;
        }
        stored.embed(&embedder).await;
        seen.push(
            stored
                .find(Place::Channel("C1".into()), &embedder, "budget 120")
                .await,
        );
    }
    assert_eq!(seen[0], seen[1]);
    assert!(!seen[0].messages.is_empty());
}

/// Numbers between -1 and 1 that look random.
fn numbers(seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from(i16::from_le_bytes([
            state.to_le_bytes()[3],
            state.to_le_bytes()[4],
        ])) / 32_768.0
    };
    (0..96).map(next).collect()
}

/// The numbers that all vectors have in common.
fn common() -> Vec<f32> {
    numbers(0).into_iter().map(|number| 2.0 * number).collect()
}

/// The vector of a text.
fn vector_of(text: &str) -> Vector {
    let seed = text
        .bytes()
        .fold(7_u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
    let sum = numbers(seed).into_iter().zip(common());
    Vector::new(sum.map(|(own, common)| own + common).collect()).unwrap()
}

/// The ten texts of `C1` that are the most similar to the question.
fn brute_force() -> Vec<String> {
    let question = vector_of("question");
    let cosine = |text: &String| -> f32 {
        let vector = vector_of(text);
        vector
            .numbers()
            .iter()
            .zip(question.numbers())
            .map(|(a, b)| a * b)
            .sum()
    };
    let mut texts: Vec<String> = (1..=MANY).map(|number| format!("C1 {number}")).collect();
    texts.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)));
    texts.truncate(10);
    texts
}

const MANY: u64 = 5_000;

/// More messages than are compared exactly, in `C1`, and as many between them in `C3` if there are secrets.
async fn many(with_secrets: bool) -> Stored {
    let stored = stored();
    stored.apply(&public("C1", "1.0")).await;
    let mut effects = vec![present("C1", true, "1.0"), present("C3", true, "1.0")];
    for number in 1..=MANY {
        for channel in ["C3", "C1"] {
            if channel == "C1" || with_secrets {
                let record = MessageRecord {
                    channel_id: channel.to_owned(),
                    ts: TsKey::first_of(i64::try_from(number).unwrap()),
                    ..record("1.0", None, &format!("{channel} {number}"))
                };
                let changed = record.ts;
                effects.push(Effect::Message { record, changed });
            }
        }
    }
    stored.apply(&effects).await;
    let missing = stored
        .workspace
        .without_vector("many", u32::MAX)
        .await
        .unwrap();
    let center = Vector::new(common()).unwrap().numbers().to_vec();
    stored.workspace.save_center("many", center).await.unwrap();
    assert!(stored.workspace.has_center("many").await.unwrap());
    let vectors = missing.into_iter().map(|message| {
        let vector = vector_of(&message.text);
        (message, Some(vector))
    });
    let vectors = vectors.collect();
    stored
        .workspace
        .save_vectors("many", vectors)
        .await
        .unwrap();
    stored
}

#[tokio::test]
async fn the_most_similar_of_many_messages_are_found_and_no_other_place_changes_them() {
    let find = async |stored: &Stored, limit| {
        let query = RecallQuery {
            terms: vec!["nothing-has-this".to_owned()],
            text: "question".to_owned(),
            channels: Vec::new(),
            since: None,
            until: "999999.0".into(),
            limit,
            neighbours: 0,
        };
        let meaning = Meaning {
            embedder: "many".to_owned(),
            vector: vector_of("question"),
        };
        let opened = stored.workspace.at(Place::Channel("C1".into()));
        let found = opened.find_candidates(query, Some(meaning)).await.unwrap();
        let found = found
            .messages
            .into_iter()
            .map(|found| (found.similarity.unwrap(), found.message.text));
        let mut found: Vec<(f32, String)> = found.collect();
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        found
    };
    let (with, without) = (many(true).await, many(false).await);
    let found = find(&with, 50).await;
    assert_eq!(found, find(&without, 50).await);
    // Stored numbers are rounded, so that those of about the same similarity change their order.
    for text in brute_force() {
        let is_found = found.iter().take(15).any(|(_, found)| *found == text);
        assert!(is_found, "{text}: {found:?}");
    }
    assert_eq!(with.leftovers(), 0);
}

#[tokio::test]
async fn vector_goes_with_its_text() {
    let (stored, embedder) = (stored(), embedder());
    stored
        .apply(&[
            said("1.0", None, "the budget is here"),
            said("2.0", None, "wombat"),
            said("3.0", None, "…"),
        ])
        .await;
    let counted = |made, missing| VectorCount { made, missing };
    assert_eq!(stored.count(&embedder).await, counted(0, 3));
    assert_eq!(stored.embed(&embedder).await.len(), 3);
    assert_eq!(
        stored.embed(&embedder).await,
        [""; 0],
        "nor is `…` offered again"
    );
    assert_eq!(stored.count(&embedder).await, counted(3, 0));
    let effects = vec![edited("1.0", None, "8.0", "zebra"), deleted("2.0", "9.0")];
    stored.workspace.apply_effects(effects, 9).await.unwrap();
    assert_eq!(stored.count(&embedder).await, counted(1, 1));
    assert_eq!(stored.leftovers(), 0);
    stored.apply(&[said("4.0", None, "new")]).await;
    assert_eq!(stored.embed(&embedder).await, ["zebra", "new"]);
    assert_eq!(stored.count(&embedder).await, counted(3, 0));
}

#[tokio::test]
async fn a_search_sees_what_another_host_has_changed_since_the_one_before() {
    let (mut stored, embedder) = (stored(), embedder());
    stored.apply(&talk()).await;
    stored.embed(&embedder).await;
    let found = stored.find(Place::Workspace, &embedder, "budget").await;
    assert_eq!(texts(&found), ["予算 は 120 円"]);
    let other = stored
        .store
        .workspace("W1", chrono_tz::Asia::Tokyo, "default");
    let here = std::mem::replace(&mut stored.workspace, other.unwrap());
    let new = said("205.0", None, "budget is 130 now");
    stored.apply(&[deleted("70.0", "206.0"), new]).await;
    stored.embed(&embedder).await;
    stored.workspace = here;
    let found = stored.find(Place::Workspace, &embedder, "budget").await;
    assert_eq!(texts(&found), ["budget is 130 now"]);
}

#[tokio::test]
async fn vector_of_an_older_text_is_not_saved() {
    let (stored, embedder) = (stored(), embedder());
    let digest = embedder.identity().digest();
    stored
        .apply(&[said("1.0", None, "budget"), said("2.0", None, "gone")])
        .await;
    let offered: Vec<WithoutVector> = stored.workspace.without_vector(digest, 10).await.unwrap();
    let effects = vec![edited("1.0", None, "8.0", "zebra"), deleted("2.0", "9.0")];
    stored.workspace.apply_effects(effects, 9).await.unwrap();
    let vectors = offered
        .into_iter()
        .map(|message| (message, embedder.vector("budget")));
    let vectors = vectors.collect();
    stored
        .workspace
        .save_vectors(digest, vectors)
        .await
        .unwrap();
    assert_eq!(stored.count(&embedder).await.made, 0);
    assert_eq!(stored.leftovers(), 0);
    assert_eq!(stored.embed(&embedder).await, ["zebra"]);
}

/// Says so many more things.
async fn say(stored: &Stored, from: u32, to: u32) {
    let said = |second: u32| said(&format!("{second}.0"), None, &format!("thing {second}"));
    let effects: Vec<Effect> = (from..to).map(said).collect();
    stored.apply(&effects).await;
}

#[tokio::test]
async fn an_embedder_takes_the_place_of_another_without_an_empty_time() {
    let stored = stored();
    let [old, new, third] =
        ["old", "new", "third"].map(|name| WordEmbedder::new(name, &[&["予算", "budget"]]));
    stored.apply(&[said("1.0", None, "予算")]).await;
    say(&stored, 2, 21).await;
    let finds = async |embedder: &WordEmbedder| {
        let found = stored.find(Place::Operator, embedder, "budget").await;
        texts(&found).contains(&"予算")
    };
    assert_eq!(stored.embed(&old).await.len(), 20);
    let digest = new.identity().digest();
    let missing = stored.workspace.without_vector(digest, 100).await.unwrap();
    assert_eq!(missing.len(), 20);
    assert!(finds(&old).await && !finds(&new).await);
    // Messages that the old one is offered meanwhile take nothing from the new one.
    let half = missing.into_iter().take(10);
    let half = half.map(|message| (message.clone(), new.vector(&message.text)));
    stored
        .workspace
        .save_vectors(digest, half.collect())
        .await
        .unwrap();
    say(&stored, 100, 1_200).await;
    while !stored.embed(&old).await.is_empty() {}
    assert_eq!(stored.count(&new).await.made, 10);
    while !stored.embed(&new).await.is_empty() {}
    assert!(finds(&old).await && finds(&new).await);
    // An edit and a deletion reach both.
    let effects = vec![edited("2.0", None, "98.0", "zebra"), deleted("3.0", "99.0")];
    stored.workspace.apply_effects(effects, 99).await.unwrap();
    for embedder in [&old, &new] {
        let count = stored.count(embedder).await;
        assert_eq!((count.made, count.missing), (1_118, 1));
    }
    assert_eq!(stored.leftovers(), 0);
    assert_eq!(stored.embed(&old).await, ["zebra"]);
    assert_eq!(stored.embed(&new).await, ["zebra"]);
    // A third one takes the place of the one that is behind.
    say(&stored, 21, 22).await;
    stored.embed(&new).await;
    stored.embed(&third).await;
    assert!(!finds(&old).await && finds(&new).await && finds(&third).await);
    assert_eq!(stored.leftovers(), 0);
}

#[tokio::test]
async fn what_an_embedder_took_counts_among_what_models_took() {
    let (stored, embedder) = (stored(), embedder());
    let texts = ["budget".to_owned(), "zebra".to_owned()];
    let calls = Calls::default();
    let made = embedder.embed(&texts, TextKind::Message, &calls).await;
    made.unwrap();
    let record = calls.0.into_inner().unwrap().remove(0);
    stored.workspace.record_embedding(record).await.unwrap();
    let used = stored.workspace.use_of_models(0, i64::MAX).await.unwrap();
    let expected = ModelUse {
        provider: "test".into(),
        model: "words".into(),
        answered_by: "words".into(),
        input_tokens: 2,
        cached_tokens: 0,
        output_tokens: 0,
        unreported: 0,
    };
    assert_eq!(used, [expected]);
    let before = stored.workspace.use_of_models(0, 1).await.unwrap();
    assert_eq!(before, []);
}

/// Keeps the records of calls.
#[derive(Default)]
struct Calls(Mutex<Vec<CallRecord>>);

impl CallObserver for Calls {
    fn observe(&self, record: CallRecord) {
        self.0.lock().unwrap().push(record);
    }
}
