//! A search, and the prompt of an answer, over a few messages and over a million.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use myao_plugin::llm::{CallObserver, Completion, FinishReason, Llm, LlmError, Request};
use myao_plugin::storage::records::ImportSink as _;
use myao_plugin::storage::{MemoryDraft, Storage as _};
use myao_plugin::{MemoryPlugin, Place, Places as _, SearchRequest};
use myao_tests::backfills::llm_settings;
use myao_tests::conversation::{Random, START, channel, channel_id, message, ts, user};
use myao_tests::plugin;
use myao_tests::store::{TestStore, WORKSPACE, utc};
use rusqlite::Connection;
use tokio::runtime::Runtime;

use super::context::{VERSIONS, draft};
use crate::measure::{at_percent, median};
use crate::row::{Figure, Limit, Row, shown};

const QUESTIONS: u64 = 300;
const FEW: Size = Size {
    channels: 100,
    messages: 1_000,
};
const MANY: Size = Size {
    channels: 1_000,
    messages: 1_000_000,
};
/// Different words; the `n`th stands in about every `12 n`th message.
const WORDS: u32 = 50_000;
/// The first so many are the common ones.
const COMMON: u64 = 12;
/// Lines of a version of a memory.
const LINES: u64 = 12;
/// Every so many messages one is Japanese.
const JAPANESE_EVERY: u64 = 4;

#[derive(Clone, Copy)]
struct Size {
    channels: u64,
    messages: u64,
}

pub(super) fn measure() -> Result<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut rows = Vec::new();
    for size in [FEW, MANY] {
        let filled = Filled::of(&runtime, size)?;
        rows.extend(filled.searches(&runtime)?);
        rows.extend(filled.answers(&runtime)?);
    }
    Ok(rows)
}

/// A store, and its messages' texts in a table of FTS5 alone.
struct Filled {
    size: Size,
    _store: TestStore,
    plugin: MemoryPlugin,
    model: Arc<Listening>,
    bare: Connection,
}

impl Filled {
    fn of(runtime: &Runtime, size: Size) -> Result<Self> {
        let store = TestStore::empty();
        let opened = store.open();
        let mut sink = opened.import(WORKSPACE, 1)?;
        sink.user(&user("alice"))?;
        for n in 0..size.channels {
            sink.channel(&channel(n))?;
        }
        let mut bare = Connection::open_in_memory()?;
        bare.execute_batch("CREATE VIRTUAL TABLE said USING fts5(text, content = '')")?;
        let transaction = bare.transaction()?;
        for n in 0..size.messages {
            let (text, at) = (said(n), START + i64::try_from(n)?);
            let channel = channel_id(n % size.channels);
            transaction
                .prepare_cached("INSERT INTO said (rowid, text) VALUES (?1, ?2)")?
                .execute((i64::try_from(n)?, &text))?;
            sink.message(&message(&channel, ts(at, 1), text))?;
        }
        transaction.commit()?;
        sink.commit()?;
        let workspace = store.workspace();
        let here = workspace.at(Place::Operator);
        for channel in 0..size.channels {
            for version in 1..=VERSIONS {
                let draft = MemoryDraft {
                    content: remembered(channel, version, size.channels),
                    ..draft(channel, version)
                };
                let saved = here.save_memory(draft, BTreeSet::new());
                runtime.block_on(saved)?;
            }
        }
        let model = Arc::new(Listening::default());
        let settings = llm_settings().with(|settings| settings.set("engines.response", "llm"));
        Ok(Self {
            size,
            plugin: plugin(Arc::new(workspace), model.clone(), settings),
            _store: store,
            model,
            bare,
        })
    }

    fn now(&self) -> Result<i64> {
        Ok(START + i64::try_from(self.size.messages)?)
    }

    /// The median and the 99th percentile of searches, beside bare FTS5.
    fn searches(&self, runtime: &Runtime) -> Result<Vec<Row>> {
        let now = utc(self.now()?);
        let (mut times, mut bare, mut found) = (Vec::new(), Vec::new(), 0);
        for n in 0..QUESTIONS {
            let text = question(n, self.size.messages);
            let begun = Instant::now();
            found += usize::from(self.match_bare(&text)? > 0);
            bare.push(begun.elapsed().as_secs_f64());
            let request = SearchRequest {
                text,
                since: None,
                until: None,
                limit: 10,
            };
            let begun = Instant::now();
            let searched = self.plugin.search(Place::Workspace, &request, now);
            let hits = runtime.block_on(searched)?.hits;
            times.push(begun.elapsed().as_secs_f64());
            let is_rare = n % 3 != 1;
            ensure!(
                !is_rare || !hits.is_empty(),
                "{} finds nothing",
                request.text
            );
        }
        ensure!(found > 0, "bare FTS5 finds nothing");
        let Size { channels, messages } = self.size;
        let is_many = messages == MANY.messages;
        let row = |what: &str, of: &dyn Fn(&[f64]) -> f64, limit| {
            let (one, other) = (of(&times), of(&bare));
            Row {
                what: format!(
                    "{what} of {QUESTIONS} searches over {messages} messages of {channels} channels"
                ),
                against: "bare FTS5: the same texts, any of the words, the ten best".to_owned(),
                measured: Figure::Seconds(one),
                limit: if is_many {
                    Limit::AtMost(Figure::Seconds(limit))
                } else {
                    Limit::None
                },
                detail: format!(
                    "{} against {}",
                    shown(Duration::from_secs_f64(one)),
                    shown(Duration::from_secs_f64(other))
                ),
            }
        };
        Ok(vec![
            row("median", &|times| median(times.to_vec()), 0.03),
            row(
                "99th percentile",
                &|times| at_percent(times.to_vec(), 99),
                0.15,
            ),
        ])
    }

    fn match_bare(&self, question: &str) -> Result<usize> {
        let words = question
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let any: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
        let mut statement = self
            .bare
            .prepare_cached("SELECT rowid FROM said WHERE said MATCH ?1 ORDER BY rank LIMIT 10")?;
        let found = statement.query_map([any.join(" OR ")], |row| row.get::<_, i64>(0))?;
        Ok(found.collect::<rusqlite::Result<Vec<_>>>()?.len())
    }

    /// The time until the model is asked for an answer, and the tokens of its prompt.
    fn answers(&self, runtime: &Runtime) -> Result<Vec<Row>> {
        let now = utc(self.now()?);
        let (mut times, mut longest) = (Vec::new(), 0);
        for n in 0..QUESTIONS / 3 {
            let place = Place::Channel(channel_id(n % self.size.channels));
            let text = question(n, self.size.messages);
            let begun = Instant::now();
            let _answer = runtime.block_on(self.plugin.ask(place, &text, now))?;
            let (asked, tokens) = self.model.take().context("the model was not asked")?;
            times.push((asked - begun).as_secs_f64());
            longest = longest.max(tokens);
        }
        let Size { channels, messages } = self.size;
        let prompts = format!(
            "with {channels} channels of {VERSIONS} versions each, and {messages} messages"
        );
        Ok(vec![
            Row {
                what: format!("time until the model is asked for an answer, {prompts}"),
                against: "–".to_owned(),
                measured: Figure::Seconds(median(times.clone())),
                limit: if messages == FEW.messages {
                    Limit::AtMost(Figure::Seconds(0.05))
                } else {
                    Limit::None
                },
                detail: format!(
                    "99th percentile {}",
                    shown(Duration::from_secs_f64(at_percent(times, 99)))
                ),
            },
            Row {
                what: format!("longest prompt of an answer, {prompts}"),
                against: "–".to_owned(),
                measured: Figure::Tokens(longest),
                limit: Limit::AtMost(Figure::Tokens(8_000)),
                detail: "as they are estimated for a model whose vocabulary is not known"
                    .to_owned(),
            },
        ])
    }
}

/// A model that keeps when it was asked, and how many tokens it got.
#[derive(Default)]
struct Listening(Mutex<Option<(Instant, u32)>>);

impl Listening {
    fn take(&self) -> Option<(Instant, u32)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[async_trait::async_trait]
impl Llm for Listening {
    async fn complete(
        &self,
        request: Request,
        _: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let asked = (Instant::now(), self.count_tokens(&request.system_prompt));
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(asked);
        Ok(Completion {
            text: "That was decided [1].".to_owned(),
            finish_reason: FinishReason::Stop,
            model: "listening".to_owned(),
            input_tokens: None,
            output_tokens: None,
        })
    }
}

/// The `n`th message: words as often as in a language (Zipf's law), the same for the same `n`.
fn said(n: u64) -> String {
    let mut random = Random(n);
    let is_japanese = n.is_multiple_of(JAPANESE_EVERY);
    let words = (0..8 + random.below(9)).map(|_| word(rank(&mut random), is_japanese));
    words
        .collect::<Vec<_>>()
        .join(if is_japanese { "の" } else { " " })
}

/// A version of a channel's memory: a line for each of some messages.
fn remembered(channel: u64, version: u64, channels: u64) -> String {
    let messages = (0..LINES).map(|line| channel + channels * (version * LINES + line));
    messages
        .map(|n| format!("- 2024-03-01 alice: {}\n", said(n)))
        .collect()
}

/// Of three questions in turns: two words of a message among common ones, common words alone, words of a Japanese message.
fn question(n: u64, messages: u64) -> String {
    let about = n * (messages / QUESTIONS).max(1) % messages;
    let about = about - about % JAPANESE_EVERY;
    let mut random = Random(n);
    let mut common = || word(u32::try_from(random.below(COMMON)).unwrap_or(0), false);
    match n % 3 {
        0 => {
            let rare = rarest(about + 1, false);
            format!(
                "{} {} {} {rare} {}?",
                common(),
                common(),
                common(),
                common()
            )
        }
        1 => format!("{} {} {} {}", common(), common(), common(), common()),
        _ => format!("{}について教えて", rarest(about, true)),
    }
}

/// The two rarest words of a message.
fn rarest(n: u64, is_japanese: bool) -> String {
    let mut random = Random(n);
    let count = 8 + random.below(9);
    let mut ranks: Vec<u32> = (0..count).map(|_| rank(&mut random)).collect();
    ranks.sort();
    let rarest = ranks.into_iter().rev().take(2);
    let words: Vec<String> = rarest.map(|rank| word(rank, is_japanese)).collect();
    words.join(if is_japanese { "の" } else { " " })
}

/// A word by how common it is: the probability of the `n`th is in proportion to 1/n.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number below 50,000"
)]
fn rank(random: &mut Random) -> u32 {
    let uniform = random.below(1 << 32) as f64 / f64::from(u32::MAX);
    (f64::from(WORDS).powf(uniform) as u32).min(WORDS - 1)
}

/// The word of a rank: syllables, or two kanji.
fn word(rank: u32, is_japanese: bool) -> String {
    if is_japanese {
        let kanji = |n: u32| char::from_u32(0x4e00 + n).unwrap_or('一');
        return [kanji(rank % 251), kanji(rank / 251)].iter().collect();
    }
    let (mut rest, mut word) = (rank + 100, String::new());
    while rest > 0 {
        let letter = |letters: &[u8], n: u32| {
            let at = usize::try_from(n).unwrap_or(0) % letters.len();
            letters.get(at).copied().map_or('a', char::from)
        };
        word.push(letter(b"bcdfghklmnprstvz", rest));
        word.push(letter(b"aeiou", rest / 16));
        rest /= 80;
    }
    word
}
