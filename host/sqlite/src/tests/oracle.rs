//! SQLite beside the small store in memory, which was written independently: both show the same from every place, whatever is
//! said, edited, deleted and remembered, and whoever may read the channels.

use std::fmt::Debug;

use myao_plugin::audience::ChannelFacts;
use myao_plugin::state::catch_up::CatchUpState as _;
use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{Memory, MessageQuery, SaveMode, Storage, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{Citation, MemoryType, MessageRef, Place, Places, Scope};
use myao_testkit::conformance::state::effects_of;
use myao_testkit::conformance::state::samples::{self, present};
use myao_testkit::conformance::{Records, all_memories, due_query, read, time};
use myao_testkit::{MemoryStorage, blocking};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::{Effect, SqlWorkspace, Stored, stored};

const CASES: u32 = 40;
const CHANNELS: [&str; 3] = ["C1", "C2", "C3"];
/// Two members of the workspace, and somebody of whom nothing is known.
const PEOPLE: [&str; 3] = ["U1", "U2", "U3"];
const TEXTS: [&str; 3] = ["word1", "@bot remember: word2", "word1 word3"];
const UNTIL: &str = "10000.0";

type Checked = Result<(), TestCaseError>;

/// Both stores, and what was done.
struct Both {
    _stored: Stored,
    sqlite: SqlWorkspace,
    plain: MemoryStorage,
    now: i64,
    said: Vec<MessageRecord>,
    /// Who reads a channel has changed since something was remembered. SQLite then sets memories aside, to be made anew; the
    /// other store only hides them.
    is_converted: bool,
}

impl Both {
    fn new() -> Self {
        let stored = stored();
        let sqlite = stored.store.workspace("W1", chrono_tz::UTC, "default");
        let both = Self {
            sqlite: sqlite.unwrap(),
            _stored: stored,
            plain: MemoryStorage::new(),
            now: 6000,
            said: Vec::new(),
            is_converted: false,
        };
        let members = Records::default().user("U1", "Ann").user("U2", "Bo");
        both.add(members);
        for id in CHANNELS {
            both.convert(id, ChannelFacts::PUBLIC);
        }
        both
    }

    fn add(&self, records: Records) {
        self.plain.import(records.clone());
        self.apply(effects_of(records, TsKey::first_of(self.now)));
    }

    fn apply(&self, effects: Vec<Effect>) {
        blocking(self.sqlite.apply_effects(effects, self.now)).unwrap();
    }

    /// The bot is in the channel then, and has read what it missed.
    fn convert(&self, id: &str, facts: ChannelFacts) {
        self.add(Records::default().of_channel(id, facts));
        blocking(self.sqlite.end_unread(id)).unwrap();
        self.set_members(id, 2);
    }

    fn set_members(&self, id: &str, count: usize) {
        self.plain.set_members(id, &PEOPLE[..count]);
        let members = PEOPLE[..count].iter().map(|id| (*id).to_owned());
        let (id, members) = (id.to_owned(), Some(members.collect()));
        let at = TsKey::first_of(self.now + 1);
        self.apply(vec![Effect::ChannelMembers { id, members, at }]);
    }

    /// Does a step of this kind. A late message is older than what was said before.
    fn take(&mut self, (kind, a, b, c): (u8, Index, Index, Index)) -> Checked {
        self.now += 10;
        let (id, text) = (*a.get(&CHANNELS), *b.get(&TEXTS));
        let said = (!self.said.is_empty()).then(|| a.get(&self.said).clone());
        match (kind, said) {
            (0..8, _) => {
                let ts = TsKey::first_of(self.now - if kind < 2 { 35 } else { 0 });
                let first = self.said.iter();
                let first = first.filter(|of| of.channel_id == id && of.ts < ts);
                let first: Vec<TsKey> = first.map(|of| of.thread_ts.unwrap_or(of.ts)).collect();
                let is_reply = kind % 2 == 0 && !first.is_empty();
                let mut record = samples::record("1.0", None, text);
                (record.channel_id, record.ts) = (id.to_owned(), ts);
                record.user_id = (*c.get(&PEOPLE)).to_owned();
                record.thread_ts = is_reply.then(|| *c.get(&first));
                self.said.push(record.clone());
                self.add(Records::default().with(record));
            }
            (8..10, Some(said)) => {
                let mut edited = said;
                (edited.text, edited.edited_at) = (text.to_owned(), Some(self.now));
                self.add(Records::default().with(edited));
            }
            (10..12, Some(MessageRecord { channel_id, ts, .. })) => {
                self.plain.delete(&channel_id, ts);
                let at = TsKey::first_of(self.now);
                self.apply(vec![Effect::MessageDeleted { channel_id, ts, at }]);
            }
            (12..14, _) => {
                let mut facts = ChannelFacts::without_outsiders(b.index(2) == 0);
                facts.is_shared = Some(c.index(3) == 0);
                self.is_converted |= !self.plain.memories().is_empty();
                self.convert(id, facts);
            }
            (14, _) => self.set_members(id, 1 + b.index(2)),
            (15, _) => {
                self.plain.leave(id);
                self.apply(vec![present(id, false, &format!("{}.0", self.now))]);
            }
            (16..18, _) => self.remember(Scope::Channel, id, MemoryType::ShortTerm, &[b, c])?,
            (18..20, _) => self.remember(Scope::Channel, id, MemoryType::LongTerm, &[b, c])?,
            (20, Some(said)) => {
                let id = format!("{}:{}", said.channel_id, said.thread_ts.unwrap_or(said.ts));
                self.remember(Scope::Thread, &id, MemoryType::ShortTerm, &[])?;
            }
            _ => self.remember(Scope::Workspace, "default", MemoryType::LongTerm, &[])?,
        }
        self.compare()
    }

    /// Saves the same in both, each as its place sees it.
    fn remember(&self, scope: Scope, id: &str, of: MemoryType, cited: &[Index]) -> Checked {
        let place = Place::of(scope, id);
        let saved = |places: &dyn Places| {
            let storage = places.at(place.clone());
            blocking(save(&*storage, (scope, id, of), cited, self.now)).ok()
        };
        let [sqlite, plain] = [saved(&self.sqlite), saved(&self.plain)];
        same(&place, &[sqlite.is_some()], &[plain.is_some()])?;
        match self.is_converted {
            true => Ok(()),
            false => same(&place, sqlite.as_slice(), plain.as_slice()),
        }
    }

    fn compare(&self) -> Checked {
        let channels = CHANNELS.map(|id| Place::Channel(id.to_owned()));
        let people = PEOPLE.map(|id| Place::Person(id.to_owned()));
        let others = [Place::Operator, Place::Workspace, Place::Schedule];
        for place in channels.into_iter().chain(people).chain(others) {
            let seen = |places: &dyn Places| blocking(seen(&*places.at(place.clone())));
            let (mut sqlite, plain) = (seen(&self.sqlite), seen(&self.plain));
            same(&place, &sqlite.0, &plain.0)?;
            if self.is_converted {
                let known: Vec<u64> = plain.1.iter().map(|of| of.id).collect();
                sqlite.1.retain(|of| !known.contains(&of.id));
                same(&place, &sqlite.1, &[])?;
                continue;
            }
            same(&place, &sqlite.1, &plain.1)?;
            same(&place, &sqlite.2, &plain.2)?;
        }
        Ok(())
    }
}

fn same<T: PartialEq + Debug>(place: &Place, sqlite: &[T], plain: &[T]) -> Checked {
    let rows = 0..sqlite.len().max(plain.len());
    let mut rows = rows.map(|row| (sqlite.get(row), plain.get(row)));
    rows.find(|(sqlite, plain)| sqlite != plain)
        .map_or(Ok(()), |(sqlite, plain)| {
            let text = format!("from {place}\nSQLite: {sqlite:#?}\nin memory: {plain:#?}");
            Err(TestCaseError::fail(text))
        })
}

fn all_of(channel_id: &str, only_new: bool) -> MessageQuery {
    let mut query = read(UNTIL);
    (query.channel_id, query.only_new) = (channel_id.to_owned(), only_new);
    query
}

async fn memories(storage: &dyn Storage, threads: Vec<String>) -> Vec<Memory> {
    let mut query = all_memories();
    (query.threads, query.citations) = (threads, true);
    storage.list_memories(query).await.unwrap()
}

/// Makes a memory of everything that its place sees; of three lines the last one has no source.
async fn save(
    storage: &dyn Storage,
    (scope, scope_id, memory_type): (Scope, &str, MemoryType),
    cited: &[Index],
    now: i64,
) -> Result<Memory, StorageError> {
    let (mut said, mut channel_id) = (Vec::new(), String::new());
    if let Place::Channel(id) = Place::of(scope, scope_id) {
        said = storage.list_messages(all_of(&id, false)).await?;
        channel_id = id;
    }
    let thread = Some(scope_id.to_owned()).filter(|_| scope == Scope::Thread);
    let given = memories(storage, thread.into_iter().collect()).await;
    if said.is_empty() && given.is_empty() {
        return Err(StorageError::Invalid("nothing was said".to_owned()));
    }
    let own = |of: &&Memory| {
        (of.scope, of.memory_type) == (scope, memory_type) && of.scope_id == scope_id
    };
    let is_version = (scope, memory_type) == (Scope::Channel, MemoryType::ShortTerm);
    let merged = given.iter().filter(|of| of.scope == Scope::Channel);
    let merged = merged.map(|of| of.id).max().filter(|_| !is_version);
    let cited = cited.iter().filter(|_| !said.is_empty()).map(|of| {
        let (channel_id, ts) = (channel_id.clone(), of.get(&said).ts.clone());
        vec![MessageRef { channel_id, ts }]
    });
    let cited = (0..).zip(cited.chain([Vec::new()]));
    let citations = cited.map(|(line, messages)| Citation {
        start: line * 7,
        length: 6,
        messages,
        by_program: false,
    });
    let mut draft = samples::draft(scope_id);
    (draft.scope, draft.memory_type, draft.now) = (scope, memory_type, time(now));
    if !is_version {
        draft.mode = SaveMode::Overwrite;
    }
    draft.expected = given.iter().rfind(own).map(|of| of.id);
    draft.content = "- 1st.\n- 2nd.\n- 3rd.".to_owned();
    draft.citations = citations.collect();
    (draft.source_memories, draft.merged_through) = (merged.into_iter().collect(), merged);
    draft.source_latest_message_ts = said.last().map(|of| of.ts.clone());
    if memory_type == MemoryType::ShortTerm {
        draft.source_messages = said.into_iter().map(|of| of.ts).collect();
    }
    draft.source_channel_id = channel_id;
    let given = given.iter().map(|of| of.id).collect();
    storage.save_memory(draft, given).await
}

/// What a place sees: of messages, memories, and what waits.
async fn seen(storage: &dyn Storage) -> (Vec<String>, Vec<Memory>, Vec<String>) {
    let mut said = vec![format!("{:?}", storage.list_channels().await)];
    let mut waiting = vec![format!("{:?}", storage.list_due(due_query()).await.ok())];
    for id in CHANNELS {
        let (channel, until) = (id.to_owned(), UNTIL.to_owned());
        let marked = storage.list_marked(channel.clone(), until.clone(), 9).await;
        let messages = storage.list_messages(all_of(id, false)).await;
        said.push(format!("{id} {:?} {:?}", messages.ok(), marked.ok()));
        let backlog = storage.get_backlog(channel, None, until).await;
        let news = storage.list_messages(all_of(id, true)).await;
        waiting.push(format!("{id} {:?} {:?}", backlog.ok(), news.ok()));
    }
    (said, memories(storage, Vec::new()).await, waiting)
}

#[test]
fn both_stores_show_the_same_from_every_place() {
    let mut config = Config::with_cases(CASES);
    (config.failure_persistence, config.max_shrink_iters) = (None, 50);
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let index = any::<Index>;
    let steps = vec((0..22_u8, index(), index(), index()), 5..40);
    let result = TestRunner::new_with_rng(config, rng).run(&steps, |steps| {
        let mut both = Both::new();
        steps.into_iter().try_for_each(|step| both.take(step))
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}
