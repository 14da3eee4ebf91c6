//! Plays a history, and looks after each step for what nobody says any more.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::embedder::Embedder as _;
use myao_plugin::state::forgetting::{Mode, Retention};
use myao_plugin::state::items::ItemFilter;
use myao_plugin::storage::records::{ImportSink, MessageRecord};
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, Place, Places as _};
use myao_sqlite::SqliteStore;
use myao_testkit::WordEmbedder;
use myao_tests::store::WORKSPACE;
use rusqlite::Connection;

use super::bot::{Bot, Store, Work, columns};
use super::history::{CHANNELS, History, Model};
use super::texts;
use super::world::{Action, World, channel_id};

/// What a history came across, so that a property over nothing is noticed.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Texts that went and stood in a prompt or an answer before.
    pub(crate) told_before: usize,
    pub(crate) prompts: usize,
    pub(crate) answers: usize,
    /// Deletions in the middle of a run.
    pub(crate) midway: usize,
    /// What people marked, counted after each step.
    pub(crate) marks: usize,
    /// Items of channels, counted after each step, and their changes.
    pub(crate) items: usize,
    pub(crate) changes: usize,
    /// Vectors of messages, counted after each step.
    pub(crate) vectors: usize,
    /// Files of which some bytes went with a vacuum only.
    pub(crate) left: usize,
}

/// A history as it happens.
struct Run {
    store: Store,
    bot: Bot,
    world: World,
    clock_ahead: i64,
    /// Everything that was told so far.
    told: String,
    /// The texts that vectors were made of, by the store's key of their message.
    embedded: BTreeMap<i64, String>,
    counts: Counts,
}

/// Plays a history from a step on: those before have happened in this store. `done` hears of each step that is over.
pub(crate) async fn play(
    history: &History,
    store: Store,
    from: usize,
    done: &dyn Fn(usize),
) -> Counts {
    let mut run = Run::new(history, store).await;
    for (number, (wait, step)) in history.steps.iter().enumerate() {
        let gone_before = run.world.gone();
        let actions = run.world.step(*wait, *step);
        if number < from {
            continue;
        }
        for action in actions {
            run.act(action).await;
        }
        let when = format!("step {number}, {step:?}");
        run.look(&gone_before, &when).await;
        done(number + 1);
    }
    for wait in [3600, 90_000] {
        run.world.now += wait;
        run.act(Action::Generate(None)).await;
    }
    let gone = run.world.gone();
    run.look(&gone, "the end").await;
    run.assert_nothing_waits();
    if history.setup.model != Model::Extractive && !history.setup.corrects {
        run.look_for_the_rest().await;
    }
    run.counts
}

impl Run {
    async fn new(history: &History, store: Store) -> Self {
        let setup = history.setup;
        let engine = match setup.model {
            Model::Extractive => Engine::Extractive,
            Model::Telling | Model::Joining => Engine::Llm,
        };
        let work = Work {
            engine,
            records: setup.records,
            message_limit: if setup.small { 4 } else { 1000 },
        };
        let model = setup.model;
        let bot = Bot::new(&store, work, move |request| texts::answer(model, request)).await;
        let (world, told) = World::new();
        bot.tell(told, world.now).await;
        Self {
            store,
            bot,
            world,
            clock_ahead: setup.clock_ahead,
            told: String::new(),
            embedded: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    async fn act(&mut self, action: Action) {
        let now = self.world.now;
        match action {
            Action::Tell(effects) => self.bot.tell(effects, now + self.clock_ahead).await,
            Action::SetAside(record) => self.bot.set_aside(&record, now).await,
            Action::Forget(what) => {
                let workspace = &self.bot.workspace;
                let receipt = workspace.forget(what, now, Mode::EraseAndSearch).await;
                let search = receipt.unwrap().search.unwrap();
                // PostgreSQL always says what stays in its files.
                let is_over_postgresql = matches!(self.store, Store::Server(_));
                assert_eq!(search.kept_pages.is_some(), is_over_postgresql);
            }
            Action::Expire(retention) => self.expire(retention).await,
            Action::Import(records) => self.import(&records).await,
            Action::Generate(midway) => {
                self.embed().await;
                let is_midway = self.bot.generate(now, midway).await;
                self.counts.midway += usize::from(is_midway);
            }
            Action::Answer => self.bot.answer(now).await,
        }
    }

    /// Makes the vectors that are missing.
    async fn embed(&mut self) {
        let embedder = WordEmbedder::new("erasing", &[]);
        let digest = embedder.identity().digest();
        let workspace = &self.bot.workspace;
        let missing = workspace.without_vector(digest, u32::MAX).await.unwrap();
        let vectors: Vec<_> = missing
            .into_iter()
            .map(|message| {
                self.embedded.insert(message.key, message.text.clone());
                let vector = embedder.vector(&message.text);
                (message, vector)
            })
            .collect();
        workspace.save_vectors(digest, vectors).await.unwrap();
    }

    /// Each vector is that of a message's text as it reads now. `hex`: how the store writes a text.
    fn look_at_vectors(&mut self, hex: &str, rows: impl FnOnce(&str) -> Vec<String>, when: &str) {
        // The lower 36 bits of a row's id are the message's key.
        let sql = format!(
            "SELECT (v.row & 68719476735) || ' ' || COALESCE({hex}, 'gone') FROM message_vectors AS v \
             LEFT JOIN messages AS m ON m.key = v.row & 68719476735 AND m.deleted_at IS NULL \
             WHERE LENGTH(v.vector) > 0"
        );
        for row in rows(&sql) {
            let (key, text) = row.split_once(' ').unwrap();
            assert_ne!(text, "gone", "{when}: the message {key} has a vector");
            if let Some(embedded) = self.embedded.get(&key.parse().unwrap()) {
                let embedded = embedded.bytes().map(|byte| format!("{byte:02x}"));
                assert_eq!(embedded.collect::<String>(), text, "{when}");
            }
            self.counts.vectors += 1;
        }
    }

    async fn expire(&self, retention: Retention) {
        let now = self.world.now;
        loop {
            let part = self.bot.workspace.expire(retention, now).await.unwrap();
            if part.is_nothing() {
                return;
            }
        }
    }

    async fn import(&self, records: &[MessageRecord]) {
        let now = self.world.now;
        match &self.store {
            Store::File(path) => {
                let store = SqliteStore::open(path).unwrap();
                let mut import = store.import(WORKSPACE, now).unwrap();
                add(&mut import, records);
                import.commit().unwrap();
            }
            Store::Server(database) => {
                let mut import = database.store().import(WORKSPACE, now).unwrap();
                add(&mut import, records);
                import.commit().unwrap();
            }
        }
    }

    /// Nothing that is shown or stored says what nobody says any more.
    async fn look(&mut self, gone_before: &BTreeSet<String>, when: &str) {
        let (prompts, posts) = (self.bot.prompts(), self.bot.posts());
        self.counts.prompts += prompts.len();
        self.counts.answers += posts.len();
        let gone = self.world.gone();
        let newly = gone.difference(gone_before);
        self.counts.told_before += newly.filter(|mark| self.told.contains(*mark)).count();
        // What a question says again is said again.
        let still_gone = gone_before & &gone;
        for text in prompts.iter().chain(&posts) {
            assert_without(text, &still_gone, when);
            self.told.push_str(text);
        }
        let texts = self.bot.memories().await.into_iter();
        for text in texts.chain(self.bot.texts_set_aside().await) {
            assert_without(&text, &gone, when);
        }
        self.look_at_marks(when).await;
        let view = self.bot.workspace.view(Place::Operator);
        let items = view.items(ItemFilter::default());
        for stored in items.await.unwrap() {
            assert_without(&format!("{stored:?}"), &gone, when);
            self.counts.items += 1;
            self.counts.changes += stored.changes.len();
        }
        if let Store::File(path) = &self.store {
            for (place, text) in columns(path) {
                assert_without(&text, &gone, &format!("{when}: {place}"));
            }
            let database = Connection::open(path).unwrap();
            let rows = |sql: &str| {
                let mut rows = database.prepare(sql).unwrap();
                let rows = rows.query_map([], |row| row.get(0)).unwrap();
                rows.map(Result::unwrap).collect()
            };
            self.look_at_vectors("lower(hex(m.text))", rows, when);
        }
        if let Store::Server(database) = self.store.clone() {
            for text in database.texts().lines() {
                assert_without(text, &gone, when);
            }
            let rows = |sql: &str| database.run(sql).lines().map(str::to_owned).collect();
            self.look_at_vectors("encode(convert_to(m.text, 'UTF8'), 'hex')", rows, when);
        }
    }

    /// What people marked is known, as it is said now, and nothing else.
    async fn look_at_marks(&mut self, when: &str) {
        for channel in 0..CHANNELS {
            let id = channel_id(channel);
            let storage = self.bot.workspace.at(Place::Channel(id.clone()));
            let end = TsKey::first_of(self.world.now + 1).to_string();
            let marked = storage.list_marked(id, end, 1000).await.unwrap();
            let known: BTreeSet<String> =
                marked.into_iter().map(|marked| marked.message.ts).collect();
            let [must, may] = self.world.marked(channel);
            assert!(
                must.is_subset(&known),
                "{when}: {must:?} are marked, not {known:?}"
            );
            assert!(
                known.is_subset(&may),
                "{when}: {known:?} are marked, not {may:?}"
            );
            self.counts.marks += known.len();
        }
    }

    /// Every message is in a version, late ones and those that waited again too.
    fn assert_nothing_waits(&self) {
        let Store::File(path) = &self.store else {
            return;
        };
        let waiting = "SELECT channel, new_count FROM backlog \
            WHERE thread_key = 0 AND short_term_id > 0 AND new_count > 0";
        let database = Connection::open(path).unwrap();
        let mut waiting = database.prepare(waiting).unwrap();
        let waiting = waiting.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        let waiting: Vec<(i64, i64)> = waiting.unwrap().map(Result::unwrap).collect();
        assert_eq!(waiting, [], "channels and how many messages wait in them");
    }

    /// What was not taken back is remembered.
    async fn look_for_the_rest(&self) {
        let memories = self.bot.memories().await.concat();
        for mark in self.world.heard() {
            assert!(
                memories.contains(&mark),
                "{mark} is not remembered: {memories}"
            );
        }
    }
}

#[track_caller]
pub(crate) fn assert_without(text: &str, gone: &BTreeSet<String>, when: &str) {
    if let Some(mark) = gone.iter().find(|mark| text.contains(mark.as_str())) {
        panic!("{when}: `{mark}` stands in {text}");
    }
}

fn add(sink: &mut impl ImportSink, records: &[MessageRecord]) {
    for record in records {
        sink.message(record).unwrap();
    }
}
