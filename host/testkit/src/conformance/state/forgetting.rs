//! What people want forgotten goes and does not come back; what has been kept long enough goes, too.

use myao_plugin::state::forgetting::{Expired, Forget, Mode, Receipt, Retention};
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{MemoryDraft, MessageQuery, SaveMode, StorageError};
use myao_plugin::{Citation, MemoryType, MessageRef, Place, Scope};

use super::{
    New, Stored, deleted, draft, edited, journal, mention, message, public, record, said, user,
};
use crate::conformance::{Records, key, read, time};

const CODE: &str = "the door code is 4711";
const LUNCH: &str = "lunch is at noon";

fn by(user_id: &str, ts: &str, text: &str) -> MessageRecord {
    MessageRecord {
        user_id: user_id.into(),
        ..record(ts, None, text)
    }
}

/// C1 with two messages of U1 and one of U2, and a version with a line of each.
async fn stored(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    stored
        .apply(&[user("U1", "Akari", 1), user("U2", "Emiko", 1)])
        .await;
    let messages = [
        by("U1", "1.0", CODE),
        by("U2", "2.0", LUNCH),
        by("U1", "3.0", "the printer works"),
    ];
    stored.apply(&messages.map(message)).await;
    stored.apply(&public("C1", "1.0")).await;
    let lines = [
        ("1.0", "- code 4711"),
        ("2.0", "- lunch at noon"),
        ("3.0", "- printer"),
    ];
    let mut content = String::new();
    let mut citations = Vec::new();
    for (ts, line) in lines {
        if !content.is_empty() {
            content.push('\n');
        }
        citations.push(Citation {
            start: u32::try_from(content.len()).unwrap(),
            length: u32::try_from(line.len()).unwrap(),
            messages: vec![MessageRef {
                channel_id: "C1".into(),
                ts: format!("{ts}00000"),
            }],
            by_program: false,
        });
        content.push_str(line);
    }
    let version = MemoryDraft {
        content,
        citations,
        now: time(5),
        source_channel_id: "C1".into(),
        source_messages: ["1.0", "2.0", "3.0"].map(String::from).to_vec(),
        source_latest_message_ts: Some("3.0".into()),
        ..draft("C1")
    };
    let here = stored.at(Place::Channel("C1".into()));
    here.save_memory(version, [].into()).await.unwrap();
    stored
}

fn message_of_c1(ts: &str) -> Forget {
    Forget::Message {
        channel_id: "C1".into(),
        ts: key(ts),
    }
}

async fn forget(stored: &Stored, what: Forget) -> Receipt {
    stored.forget(what, 10, Mode::EraseAndSearch).await.unwrap()
}

/// The texts of the messages of C1.
async fn said_in_c1(stored: &Stored) -> Vec<String> {
    stored
        .texts()
        .await
        .into_iter()
        .map(|(_, text)| text)
        .collect()
}

/// The texts of all memories, and whether they are current.
async fn memories(stored: &Stored) -> Vec<(String, bool)> {
    let mut texts = Vec::new();
    for superseded in [false, true] {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        let found = stored.all().memories(filter).await.unwrap();
        texts.extend(
            found
                .into_iter()
                .map(|stored| (stored.memory.content, !superseded)),
        );
    }
    texts
}

fn current(text: &str) -> Vec<(String, bool)> {
    vec![(text.to_owned(), true)]
}

/// Stores a message by an import and by an event.
async fn arrives(stored: &Stored, record: MessageRecord) {
    stored.import(Records::default().with(record.clone())).await;
    stored.apply_at(20, &[message(record)]).await;
}

pub async fn message_is_forgotten_with_its_lines_and_does_not_come_back(new: New<'_>) {
    let stored = stored(new).await;
    let trial = stored
        .forget(message_of_c1("1.0"), 10, Mode::DryRun)
        .await
        .unwrap();
    assert_eq!(said_in_c1(&stored).await.len(), 3);
    let receipt = forget(&stored, message_of_c1("1.0")).await;
    assert_eq!((trial.erased, trial.search), (receipt.erased, None));
    let erased = receipt.erased;
    assert_eq!(
        (
            erased.messages,
            erased.lines,
            erased.memories,
            erased.remembered_anew
        ),
        (1, 1, 1, 2)
    );
    let search = receipt.search.unwrap();
    assert_eq!(
        (search.texts, search.left_out, search.found),
        (1, 0, Vec::new())
    );
    let rest = current("- lunch at noon\n- printer");
    assert_eq!(memories(&stored).await, rest);
    arrives(&stored, by("U1", "1.0", CODE)).await;
    stored
        .apply_at(21, &[edited("1.0", None, "20.0", "again 4711")])
        .await;
    assert_eq!(said_in_c1(&stored).await, [LUNCH, "the printer works"]);
    // Who wrote it is still known.
    let author = stored.author("C1", key("1.0")).await.unwrap();
    assert_eq!(author.as_deref(), Some("U1"));
    assert_eq!(stored.author("C1", key("9.0")).await.unwrap(), None);
    // A message that is not stored yet is refused when it comes.
    assert_eq!(
        forget(&stored, message_of_c1("4.0")).await.erased.messages,
        0
    );
    arrives(&stored, by("U1", "4.0", CODE)).await;
    assert_eq!(said_in_c1(&stored).await.len(), 2);
}

pub async fn text_that_others_said_too_is_found_after_it_was_forgotten(new: New<'_>) {
    let stored = stored(new).await;
    stored.apply_at(9, &[message(by("U2", "4.0", CODE))]).await;
    let search = forget(&stored, message_of_c1("1.0")).await.search.unwrap();
    let found: Vec<(&str, usize)> = search
        .found
        .iter()
        .map(|found| (found.place.as_str(), found.rows))
        .collect();
    assert_eq!(found, [("messages.text", 1)]);
}

pub async fn what_a_user_said_is_forgotten_and_what_they_say_later_is_not(new: New<'_>) {
    let stored = stored(new).await;
    let receipt = forget(&stored, Forget::User("U1".into())).await;
    assert_eq!((receipt.erased.messages, receipt.erased.lines), (2, 2));
    assert_eq!(said_in_c1(&stored).await, [LUNCH]);
    assert_eq!(memories(&stored).await, current("- lunch at noon"));
    arrives(&stored, by("U1", "2.5", "said before")).await;
    arrives(&stored, by("U2", "2.6", "by another")).await;
    arrives(&stored, by("U1", "11.0", "said later")).await;
    assert_eq!(
        said_in_c1(&stored).await,
        [LUNCH, "by another", "said later"]
    );
    let nobody = stored
        .forget(Forget::User("U9".into()), 10, Mode::EraseAndSearch)
        .await;
    assert!(
        matches!(nobody, Err(StorageError::NotFound(_))),
        "{nobody:?}"
    );
}

pub async fn channel_is_forgotten_with_its_memories(new: New<'_>) {
    let stored = stored(new).await;
    let unknown = Records::default().memory(crate::conformance::imported(
        Scope::Thread,
        "C1:1.000000",
        MemoryType::ShortTerm,
    ));
    stored.import(unknown).await;
    let receipt = forget(&stored, Forget::Channel("C1".into())).await;
    assert_eq!((receipt.erased.messages, receipt.erased.memories), (3, 2));
    assert_eq!(said_in_c1(&stored).await, [""; 0]);
    let gone = ("-".to_owned(), false);
    assert_eq!(memories(&stored).await, [gone.clone(), gone]);
    arrives(&stored, by("U2", "9.0", "said before")).await;
    arrives(&stored, by("U2", "11.0", "said later")).await;
    assert_eq!(said_in_c1(&stored).await, ["said later"]);
    let old = crate::conformance::imported(Scope::Channel, "C1", MemoryType::LongTerm);
    let tally = stored.import(Records::default().memory(old)).await.memories;
    assert_eq!((tally.new, tally.forgotten), (0, 1));
    let none = stored
        .forget(Forget::Channel("C9".into()), 10, Mode::EraseAndSearch)
        .await;
    assert!(matches!(none, Err(StorageError::NotFound(_))), "{none:?}");
}

pub async fn what_was_said_before_a_date_is_forgotten(new: New<'_>) {
    let stored = stored(new).await;
    let receipt = forget(&stored, Forget::Before(key("3.0"))).await;
    assert_eq!((receipt.erased.messages, receipt.erased.lines), (2, 2));
    arrives(&stored, by("U2", "2.9", "older")).await;
    arrives(&stored, by("U2", "3.1", "newer")).await;
    // An earlier date changes nothing.
    forget(&stored, Forget::Before(key("1.0"))).await;
    arrives(&stored, by("U2", "2.8", "older")).await;
    assert_eq!(said_in_c1(&stored).await, ["the printer works", "newer"]);
}

pub async fn mention_that_is_to_be_forgotten_is_not_answered(new: New<'_>) {
    for is_first in [true, false] {
        let stored = stored(new).await;
        forget(&stored, Forget::User("U1".into())).await;
        let said = message(by("U1", "4.0", "where?"));
        let mut effects: [Effect; 2] = [said, mention("4.0", None)];
        if is_first {
            effects.reverse();
        }
        for effect in effects {
            stored.apply_at(20, &[effect]).await;
        }
        assert!(stored.waiting_replies(20, 9).await.unwrap().is_empty());
    }
}

pub async fn messages_that_were_kept_long_enough_go_and_what_was_made_from_them_stays(
    new: New<'_>,
) {
    let stored = stored(new).await;
    let until = |messages: Option<&str>| Retention {
        messages: messages.map(key),
        memories: None,
        calls: None,
    };
    let expire = async |retention| stored.expire(retention, 100).await.unwrap();
    assert_eq!(expire(until(None)).await, Expired::default());
    let gone = expire(until(Some("3.0"))).await;
    assert_eq!((gone.messages, gone.memories), (2, 0));
    assert!(expire(until(Some("3.0"))).await.is_nothing());
    assert_eq!(said_in_c1(&stored).await, ["the printer works"]);
    let all = "- code 4711\n- lunch at noon\n- printer";
    assert_eq!(memories(&stored).await, current(all));
    // Older messages are refused; that one is read again changes nothing.
    arrives(&stored, by("U2", "2.5", "older")).await;
    arrives(&stored, by("U2", "2.0", LUNCH)).await;
    assert_eq!(said_in_c1(&stored).await, ["the printer works"]);
    assert_eq!(memories(&stored).await, current(all));
    // Whoever deletes or edits what is gone takes back what was made from it.
    stored.apply_at(101, &[deleted("1.0", "101.0")]).await;
    assert_eq!(
        memories(&stored).await,
        current("- lunch at noon\n- printer")
    );
    stored
        .apply_at(101, &[edited("2.0", None, "101.0", "never mind")])
        .await;
    assert_eq!(memories(&stored).await, current("- printer"));
    assert_eq!(said_in_c1(&stored).await, ["the printer works"]);
    // What was forgotten stays so; what was only kept long enough may come again when nothing is removed any more.
    expire(until(None)).await;
    arrives(&stored, by("U2", "0.5", "older")).await;
    arrives(&stored, by("U1", "1.0", CODE)).await;
    assert_eq!(said_in_c1(&stored).await, ["older", "the printer works"]);
}

pub async fn what_a_user_said_is_forgotten_though_it_is_kept_no_longer(new: New<'_>) {
    let stored = stored(new).await;
    let retention = Retention {
        messages: Some(key("4.0")),
        memories: None,
        calls: None,
    };
    stored.expire(retention, 100).await.unwrap();
    let erased = forget(&stored, Forget::User("U1".into())).await.erased;
    assert_eq!((erased.messages, erased.lines), (2, 2));
    assert_eq!(memories(&stored).await, current("- lunch at noon"));
}

pub async fn memories_that_were_kept_long_enough_go(new: New<'_>) {
    let stored = stored(new).await;
    let before = |memories| Retention {
        messages: None,
        memories: Some(memories),
        calls: None,
    };
    assert!(stored.expire(before(5), 100).await.unwrap().is_nothing());
    let gone = stored.expire(before(6), 100).await.unwrap();
    assert_eq!((gone.messages, gone.memories), (0, 1));
    assert!(stored.expire(before(6), 100).await.unwrap().is_nothing());
    assert_eq!(memories(&stored).await, [("-".to_owned(), false)]);
    assert_eq!(said_in_c1(&stored).await.len(), 3);
    // What comes now begins a new memory.
    stored.apply_at(101, &[said("7.0", None, "new")]).await;
    let query = MessageQuery {
        only_new: true,
        ..read("99.0")
    };
    let here = stored.at(Place::Channel("C1".into()));
    let waiting = here.list_messages(query).await.unwrap();
    assert_eq!(waiting.last().unwrap().text, "new");
}

pub async fn records_of_calls_that_were_kept_long_enough_go_unless_a_current_memory_is_of_them(
    new: New<'_>,
) {
    let stored = journal::with_channels(new).await;
    let save = async |content, expected| {
        let draft = MemoryDraft {
            mode: SaveMode::Overwrite,
            ..journal::llm_draft(content, expected)
        };
        let saved = stored.storage().save_memory(draft, Default::default());
        saved.await.unwrap()
    };
    // They all began at 5.25 s.
    let begin = async |channel, digest, answer| {
        let entry = journal::entry(channel, journal::first(digest), answer);
        stored.record(entry).await.unwrap();
    };
    begin("C1", "a", "old").await;
    let old = save("old", None).await;
    begin("C1", "b", "current").await;
    save("current", Some(&old)).await;
    begin("C2", "c", "waits").await;
    let before = |calls| Retention {
        calls: Some(calls),
        ..Retention::default()
    };
    assert!(stored.expire(before(5), 100).await.unwrap().is_nothing());
    let gone = stored.expire(before(6), 100).await.unwrap();
    assert_eq!((gone.messages, gone.memories, gone.calls), (0, 0, 2));
    let left = stored.calls(0, i64::MAX).await.unwrap();
    let digests: Vec<_> = left.iter().map(|call| call.digest.as_deref()).collect();
    assert_eq!(digests, [Some("b")]);
    assert!(stored.expire(before(6), 100).await.unwrap().is_nothing());
}
