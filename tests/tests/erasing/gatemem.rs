//! The deletions of a public benchmark (GateMem, arXiv 2606.18829), where its files are at hand.
//!
//! Every message with a target of a deletion checkpoint is deleted when the checkpoint comes. From then on the target stands
//! nowhere, unless other messages say it, too.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use myao_plugin::Engine;
use myao_plugin::llm::Request;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;
use myao_tests::project_file;
use myao_tests::store::TestStore;
use rusqlite::Connection;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::bot::{Bot, Store, Work, columns};
use super::texts;
use super::world::{self, START, World};

/// Shorter ones stand in too many other words.
const LONG: usize = 6;
/// The seconds from one turn to the next.
const TURN: i64 = 300;
/// A generation run after so many turns.
const RUN: usize = 20;

#[derive(Debug, Deserialize)]
struct Episode {
    episode_id: String,
    turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
struct Turn {
    turn_id: String,
    text: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Checkpoint {
    episode_id: String,
    as_of_turn_id: String,
    query_type: String,
    query_text: String,
    #[serde(default)]
    leak_targets: Vec<String>,
}

/// The folder; none, said aloud, where it is not there.
fn folder() -> Option<PathBuf> {
    let data =
        std::env::var_os("MYAO_TEST_DATA").map_or(project_file("../shared/data"), PathBuf::from);
    let folder = data.join("gatemem");
    if folder.exists() {
        return Some(folder);
    }
    // Not with a macro: what tests print that way is not shown.
    let skipped = format!(
        "\nSKIPPED: gatemem needs {}; name the folder above it in MYAO_TEST_DATA\n",
        folder.display()
    );
    std::io::stderr().write_all(skipped.as_bytes()).unwrap();
    None
}

fn read<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let read = Command::new("gzip").arg("-dc").arg(path).output().unwrap();
    assert!(read.status.success(), "{}", path.display());
    let text = String::from_utf8(read.stdout).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_benchmark_deletes_stands_nowhere_any_more() {
    let Some(folder) = folder() else { return };
    for domain in ["office", "medical"] {
        let path = |what: &str| folder.join(format!("{domain}-{what}.jsonl.gz"));
        let episodes: Vec<Episode> = read(&path("episodes"));
        let mut checkpoints: Vec<Checkpoint> = read(&path("checkpoints"));
        checkpoints.retain(|checkpoint| checkpoint.query_type == "safety");
        assert!(checkpoints.len() > 170);
        for episode in &episodes {
            let of_episode = checkpoints
                .iter()
                .filter(|checkpoint| checkpoint.episode_id == episode.episode_id);
            let of_episode: Vec<&Checkpoint> = of_episode.collect();
            for engine in [Engine::Extractive, Engine::Llm] {
                play(episode, &of_episode, engine).await;
            }
        }
    }
}

/// A message of an episode, in small letters.
struct Said {
    ts: TsKey,
    text: String,
    is_deleted: bool,
}

async fn play(episode: &Episode, checkpoints: &[&Checkpoint], engine: Engine) {
    let file = TestStore::empty();
    let sentences: BTreeSet<String> = episode.turns.iter().flat_map(sentences).collect();
    let sentences: Arc<[String]> = sentences.into_iter().collect();
    let work = Work {
        engine,
        records: true,
        message_limit: 1000,
    };
    let store = Store::File(file.path());
    let bot = Bot::new(&store, work, move |request| tell(&sentences, request)).await;
    let (_, told) = World::new();
    bot.tell(told, START).await;
    let mut due: BTreeMap<&str, Vec<&Checkpoint>> = BTreeMap::new();
    for checkpoint in checkpoints {
        due.entry(&checkpoint.as_of_turn_id)
            .or_default()
            .push(checkpoint);
    }
    let mut said: Vec<Said> = Vec::new();
    let mut targets: BTreeSet<String> = BTreeSet::new();
    for (number, turn) in episode.turns.iter().enumerate() {
        let now = START + TURN * i64::try_from(number).unwrap();
        say(&bot, &mut said, (now, 1), &turn.text, false).await;
        if number % RUN == RUN - 1 {
            bot.generate(now + 1, None).await;
            look(&bot, &file, &said, &targets, &episode.episode_id).await;
        }
        for checkpoint in due.remove(turn.turn_id.as_str()).unwrap_or_default() {
            let new = checkpoint.leak_targets.iter();
            targets.extend(new.map(|target| target.to_lowercase()));
            delete(&bot, &mut said, &targets, now + 2).await;
            let _ = bot.prompts();
            look(&bot, &file, &said, &targets, &checkpoint.query_text).await;
            let part = 10 + i64::try_from(said.len()).unwrap();
            say(
                &bot,
                &mut said,
                (now + 3, part),
                &checkpoint.query_text,
                true,
            )
            .await;
            bot.answer(now + 3).await;
            look(&bot, &file, &said, &targets, &checkpoint.query_text).await;
        }
    }
    let end = START + TURN * 1000;
    for now in [end, end + 90_000] {
        bot.generate(now, None).await;
        look(&bot, &file, &said, &targets, &episode.episode_id).await;
    }
}

fn sentences(turn: &Turn) -> Vec<String> {
    let sentences = turn.text.split_inclusive(['.', '?', '!', ';']);
    let sentences = sentences.map(str::trim);
    sentences
        .filter(|sentence| sentence.len() > 20)
        .map(str::to_owned)
        .collect()
}

/// A model that tells each sentence that it is shown.
fn tell(sentences: &[String], request: &Request) -> String {
    let prompt = &request.system_prompt;
    let told_in = texts::letters(prompt);
    let told = sentences
        .iter()
        .filter(|sentence| prompt.contains(*sentence));
    let told: Vec<String> = told
        .map(|sentence| format!("- {sentence} (told in {told_in})"))
        .collect();
    if told.is_empty() {
        return "- It was quiet.".to_owned();
    }
    told.join("\n")
}

async fn say(
    bot: &Bot,
    said: &mut Vec<Said>,
    (now, part): (i64, i64),
    text: &str,
    is_question: bool,
) {
    let ts = TsKey::from_database(TsKey::first_of(now).to_database() + part);
    let record = MessageRecord {
        channel_id: world::channel_id(0),
        ts,
        user_id: world::user_id(0),
        author_name: None,
        is_bot: false,
        text: text.to_owned(),
        thread_ts: None,
        edited_at: None,
    };
    let mut effects = vec![Effect::Message {
        record,
        changed: ts,
    }];
    if is_question {
        effects.push(Effect::Mention {
            channel_id: world::channel_id(0),
            ts,
            thread_ts: None,
            asked_at: now,
        });
    }
    bot.tell(effects, now).await;
    said.push(Said {
        ts,
        text: text.to_lowercase(),
        is_deleted: false,
    });
}

/// Deletes every message that holds a target.
async fn delete(bot: &Bot, said: &mut [Said], targets: &BTreeSet<String>, now: i64) {
    let holds = |said: &&mut Said| {
        !said.is_deleted && targets.iter().any(|target| said.text.contains(target))
    };
    let mut effects = Vec::new();
    for said in said.iter_mut().filter(holds) {
        said.is_deleted = true;
        effects.push(Effect::MessageDeleted {
            channel_id: world::channel_id(0),
            ts: said.ts,
            at: TsKey::first_of(now),
        });
    }
    bot.tell(effects, now).await;
}

/// Long targets stand nowhere, and no line cites a deleted message.
async fn look(bot: &Bot, file: &TestStore, said: &[Said], targets: &BTreeSet<String>, when: &str) {
    let present: String = said
        .iter()
        .filter(|said| !said.is_deleted)
        .map(|said| said.text.as_str())
        .collect();
    let is_gone = |target: &&String| target.chars().count() >= LONG && !present.contains(*target);
    let gone: Vec<&String> = targets.iter().filter(is_gone).collect();
    let outputs = bot.prompts().into_iter().chain(bot.posts());
    let outputs = outputs.map(|text| ("a prompt or an answer".to_owned(), text));
    let memories = bot.memories().await.into_iter();
    let memories = memories.map(|text| ("a memory".to_owned(), text));
    for (place, text) in outputs.chain(memories).chain(columns(&file.path())) {
        let text = text.to_lowercase();
        if let Some(target) = gone.iter().find(|target| text.contains(target.as_str())) {
            panic!("{when}: `{target}` stands in {place}: {text}");
        }
    }
    let cited = "SELECT COUNT(*) FROM line_sources AS s JOIN messages AS m ON m.key = s.message \
        WHERE m.deleted_at IS NOT NULL";
    let database = Connection::open(file.path()).unwrap();
    let cited: i64 = database.query_row(cited, [], |row| row.get(0)).unwrap();
    assert_eq!(cited, 0, "{when}");
}
