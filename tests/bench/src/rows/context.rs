//! A context from a store of many channels.

use myao_plugin::{Place, Places as _};
use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Result, ensure};
use myao_plugin::llm::NoLlm;
use myao_plugin::storage::{
    ChannelFilter, Keep, MemoryDraft, MemoryQuery, MessageQuery, SaveMode, Storage as _,
};
use myao_plugin::{BuildRequest, Context, Engine, MemoryPlugin, MemoryType, Scope};
use myao_testkit::conformance::whole;
use myao_tests::backfills::{llm_settings, telling_plugin};
use myao_tests::conversation::{History, START, channel, channel_id, message, ts, user};
use myao_tests::plugin;
use myao_tests::store::{TestStore, utc};
use tokio::runtime::Runtime;

use crate::at_hand::AtHand;
use crate::bare;
use crate::contexts::{MEMORY, SAID};
use crate::measure::{Pair, in_turns};
use crate::row::{Figure, Limit, Row, shown};

const ROUNDS: usize = 31;
const MESSAGES: usize = 1000;
pub(super) const VERSIONS: u64 = 5;
/// Of the row that has a limit.
const CHANNELS: u64 = 1000;
const NOW: i64 = START + 86_400;

pub(super) fn measure() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut times = Vec::new();
    for channels in [250, 500, CHANNELS, 2000] {
        let pair = of_channels(channels)?;
        times.push((channels, pair.one));
        rows.push(Row {
            what: format!("context of {channels} channels with {VERSIONS} versions each, and {MESSAGES} messages, from SQLite"),
            against: "bare SQL that returns the same rows, on one thread".to_owned(),
            measured: Figure::Times(pair.ratio),
            limit: if channels == CHANNELS {
                Limit::AtMost(Figure::Times(3.0))
            } else {
                Limit::None
            },
            detail: pair.detail(),
        });
    }
    rows.extend(growth(&times));
    rows.push(crossing(CHANNELS)?);
    Ok(rows)
}

/// The rest of a context's time when its rows are at hand: the limit of a quicker store.
fn crossing(channels: u64) -> Result<Row> {
    let runtime = runtime()?;
    let store = filled(&runtime, channels)?;
    let workspace = store.workspace().at(Place::Operator);
    let at_hand = runtime.block_on(async {
        anyhow::Ok(AtHand {
            channels: workspace.list_channels().await?,
            memories: workspace.list_memories(every_version()).await?,
            messages: workspace.list_messages(newest_messages()?).await?,
        })
    })?;
    let plugin = plugin(Arc::new(at_hand), Arc::new(NoLlm), llm_settings());
    let pair = against_bare(&runtime, &store, &plugin)?;
    Ok(Row {
        what: format!("the same of {channels} channels from rows that are at hand, and are copied"),
        against: "bare SQL that returns the same rows, on one thread".to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::None,
        detail: pair.detail(),
    })
}

/// The cost of twice the channels, at the largest size.
fn growth(times: &[(u64, std::time::Duration)]) -> Option<Row> {
    let [.., (fewer, one), (more, two)] = times else {
        return None;
    };
    Some(Row {
        what: format!("context of {more} channels"),
        against: format!("context of {fewer} channels"),
        measured: Figure::Times(two.as_secs_f64() / one.as_secs_f64()),
        limit: Limit::AtMost(Figure::Times(2.2)),
        detail: times
            .iter()
            .map(|(channels, time)| format!("{channels} channels: {}", shown(*time)))
            .collect::<Vec<_>>()
            .join(", "),
    })
}

fn of_channels(channels: u64) -> Result<Pair> {
    let runtime = runtime()?;
    let store = filled(&runtime, channels)?;
    let plugin = telling_plugin(&store.workspace(), llm_settings());
    against_bare(&runtime, &store, &plugin)
}

fn runtime() -> Result<Runtime> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    Ok(runtime.enable_all().build()?)
}

/// A plugin's context against the rows of a store.
fn against_bare(runtime: &Runtime, store: &TestStore, plugin: &MemoryPlugin) -> Result<Pair> {
    let request = BuildRequest {
        channel_id: channel_id(0),
        target_thread_ts: None,
        since: None,
        message_limit: Some(u32::try_from(MESSAGES)?),
    };
    let build =
        || -> Result<Context> { Ok(runtime.block_on(plugin.build_context(&request, utc(NOW)))?) };
    let mut connection = bare::open(&store.path())?;
    let until = ts(NOW, 999_999).to_database();
    let mut read = || bare::context::read(&mut connection, &channel_id(0), until, MESSAGES);
    check(&build()?, &read()?)?;
    in_turns(ROUNDS, || build().map(drop), || read().map(drop))
}

/// Both have the same memories and messages.
fn check(context: &Context, rows: &bare::context::Rows) -> Result<()> {
    let remembered = context.channel_memories.iter();
    let texts: Vec<&String> = remembered
        .flat_map(|channel| &channel.short_term_memory_history)
        .collect();
    let mut memories: Vec<&String> = rows.memories.iter().map(|memory| &memory.content).collect();
    let messages = &context.conversation_history.top_level_messages;
    let said: Vec<&String> = messages.iter().map(|message| &message.text).collect();
    // Channels stand in the order of their names, rows in that of their ids.
    let mut texts = texts;
    texts.sort();
    memories.sort();
    ensure!(texts == memories, "the memories differ");
    let read: Vec<&String> = rows.messages.iter().map(|message| &message.text).collect();
    ensure!(said == read, "the messages differ");
    Ok(())
}

fn filled(runtime: &Runtime, channels: u64) -> Result<TestStore> {
    let mut history = History {
        users: vec![user("alice")],
        channels: (0..channels).map(channel).collect(),
        ..History::default()
    };
    let said = SAID.lines().cycle().take(MESSAGES);
    for (at, said) in (START..).zip(said) {
        history
            .messages
            .push(message(&channel_id(0), ts(at, 1), said));
    }
    let (store, workspace) = TestStore::of(&history).into_workspace();
    for channel in 0..channels {
        for version in 1..=VERSIONS {
            runtime.block_on(
                workspace
                    .at(Place::Operator)
                    .save_memory(draft(channel, version), BTreeSet::new()),
            )?;
        }
    }
    Ok(store)
}

pub(super) fn draft(channel: u64, version: u64) -> MemoryDraft {
    // Ids count up over the whole store.
    let id = channel * VERSIONS + version;
    MemoryDraft {
        scope: Scope::Channel,
        scope_id: channel_id(channel),
        memory_type: MemoryType::ShortTerm,
        mode: SaveMode::NewVersion,
        expected: (version > 1).then_some(id - 1),
        content: format!("{MEMORY}- {channel}, {version}"),
        engine: Engine::Llm,
        now: utc(START),
        source_channel_id: String::new(),
        source_messages: Vec::new(),
        source_memories: Vec::new(),
        source_message_count: 1,
        source_latest_message_ts: None,
        merged_through: None,
        truncated: false,
        coverage: whole(1),
        citations: Vec::new(),
        records: Vec::new(),
        items: Vec::new(),
    }
}

fn every_version() -> MemoryQuery {
    MemoryQuery {
        until: None,
        workspace: true,
        channels: ChannelFilter::All,
        history_limit: u32::MAX,
        unmerged: false,
        threads: Vec::new(),
        citations: false,
    }
}

fn newest_messages() -> Result<MessageQuery> {
    Ok(MessageQuery {
        channel_id: channel_id(0),
        since: None,
        until: ts(NOW, 999_999).to_string(),
        limit: u32::try_from(MESSAGES)?,
        keep: Keep::Newest,
        whole_thread: None,
        thread_limit: 0,
        only_new: false,
    })
}
