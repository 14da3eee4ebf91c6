//! The store in PostgreSQL: a reply's reads in a large database, contexts, idle runs, and leases.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use myao_plugin::llm::NoLlm;
use myao_plugin::storage::StorageError;
use myao_plugin::{BuildRequest, MemoryPlugin, Outcome, Place, SearchRequest, WORKSPACE_SCOPE_ID};
use myao_plugin::{LocalTime, run};
use myao_postgres::{Claim, Claimed, PostgresStore};
use myao_sql::SqlWorkspace;
use myao_sql::backend::{Backend, Work};
use myao_sql::session::{Connection, Row as SqlRow};
use myao_sql::{params, workspace_ids};
use myao_test_postgres::{SUPERUSER, server};
use myao_tests::backfills::{llm_settings, telling_plugin};
use myao_tests::store::utc;
use tokio::runtime::Runtime;

use crate::measure::{Pair, at_percent, in_turns, median};
use crate::row::{Figure, Limit, Row, shown};

const ROUNDS: usize = 31;
const REPLIES: i64 = 200;
/// So many in each workspace.
const EACH: i64 = 20;
/// The second of the first message (`many.sql`).
const START: i64 = 1_709_251_200;

fn runtime() -> Result<Runtime> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    Ok(runtime.enable_all().build()?)
}

/// Over a million messages.
pub(super) fn measure_large() -> Result<Vec<Row>> {
    let runtime = runtime()?;
    let large = Filled::of(1000, 10, "100")?;
    let mut rows = replies(&runtime, &large)?;
    let pair = context(&runtime, &large, "W500", 100)?;
    rows.push(context_row(
        "context of 10 channels with 5 versions each, and 100 messages, among 1000 workspaces",
        &pair,
    ));
    rows.push(claim(&large)?);
    Ok(rows)
}

/// As many channels as the row of SQLite has.
pub(super) fn measure_context() -> Result<Vec<Row>> {
    let runtime = runtime()?;
    let one = Filled::of(1, 1000, "CASE WHEN c = 1 THEN 1000 ELSE 10 END")?;
    let pair = context(&runtime, &one, "W1", 1000)?;
    Ok(vec![context_row(
        "context of 1000 channels with 5 versions each, and 1000 messages",
        &pair,
    )])
}

pub(super) fn measure_idle() -> Result<Vec<Row>> {
    Ok(vec![idle(&runtime()?)?])
}

/// A database with many workspaces.
struct Filled {
    name: String,
    store: PostgresStore,
}

impl Filled {
    fn of(workspaces: u32, channels: u32, messages: &str) -> Result<Self> {
        let server = server();
        let name = server.create(None);
        let options = server.socket_url(SUPERUSER, &name).parse()?;
        let store = PostgresStore::open(&options)?;
        let fill = myao_test_postgres::MANY
            .replace("{workspaces}", &workspaces.to_string())
            .replace("{channels}", &channels.to_string())
            .replace("{messages}", messages);
        let run = |sql: &str| server.run(&name, sql).map_err(|error| anyhow!("{error}"));
        run(&fill)?;
        // Autovacuum would do the same by and by.
        run("VACUUM ANALYZE")?;
        Ok(Self { name, store })
    }

    fn workspace(&self, id: &str) -> Result<SqlWorkspace> {
        let timezone = chrono_tz();
        Ok(self.store.workspace(id, timezone, WORKSPACE_SCOPE_ID)?)
    }

    fn run(&self, sql: &str) -> Result<String> {
        server()
            .run(&self.name, sql)
            .map_err(|error| anyhow!("{error}"))
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        server().drop_database(&self.name);
    }
}

fn chrono_tz() -> LocalTime {
    myao::config::Config::default().timezone.into()
}

/// A database that adds up how long its reading transactions take.
struct Timed {
    database: Arc<dyn Backend>,
    taken: Mutex<(Duration, u32)>,
}

impl Timed {
    fn take(&self) -> (Duration, u32) {
        std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The same for a workspace.
struct Shared(Arc<Timed>);

impl Backend for Shared {
    fn read(&self, work: &mut Work<'_>) -> Result<(), StorageError> {
        let begun = Instant::now();
        let read = self.0.database.read(work);
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.0 += begun.elapsed();
        taken.1 += 1;
        read
    }

    fn write(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.0.database.write(workspace, work)
    }

    fn try_out(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.0.database.try_out(workspace, work)
    }

    fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        self.0.database.discard_erased()
    }
}

/// The reads of replies: a search and a context, as the component asks for them, in one workspace after another.
fn replies(runtime: &Runtime, filled: &Filled) -> Result<Vec<Row>> {
    let now = START + 60 * 100;
    let (mut times, mut searches, mut most) = (Vec::new(), Vec::new(), 0);
    let timed = Arc::new(Timed {
        database: filled.store.backend(),
        taken: Mutex::default(),
    });
    let (mut plugin, mut key) = (None, 0);
    for n in 0..REPLIES {
        if n % EACH == 0 {
            key = 1 + n * 7 % 1000;
            let workspace = SqlWorkspace::new(
                Arc::new(Shared(timed.clone())),
                key,
                chrono_tz(),
                WORKSPACE_SCOPE_ID,
            );
            plugin = Some(myao_tests::plugin(
                Arc::new(workspace),
                Arc::new(NoLlm),
                llm_settings(),
            ));
        }
        let plugin = plugin.as_ref().context("there is a workspace")?;
        let text = filled.run(&format!(
            "SELECT text FROM messages WHERE workspace = {key} ORDER BY key LIMIT 1 OFFSET {n}"
        ))?;
        let words: Vec<&str> = text.split(' ').take(4).collect();
        let request = SearchRequest {
            text: words.join(" "),
            since: None,
            until: None,
            limit: 10,
        };
        let place = Place::Channel(format!("C{}", 1 + n % 10));
        let found = runtime.block_on(plugin.search(place.clone(), &request, utc(now)))?;
        ensure!(!found.hits.is_empty(), "`{}` finds nothing", request.text);
        searches.push(timed.take().0.as_secs_f64());
        // It ends when it would ask the model: by then it has read all that it reads.
        let _unasked = runtime.block_on(plugin.ask(place, &request.text, utc(now)));
        let (taken, transactions) = timed.take();
        ensure!(transactions > 1, "a reply read nothing");
        times.push(taken.as_secs_f64());
        most = most.max(transactions);
    }
    let row = |what: &str, times: &[f64], limit| Row {
        what: format!(
            "{what}, in PostgreSQL with 1000000 messages of 1000 workspaces × 10 channels"
        ),
        against: "–".to_owned(),
        measured: Figure::Seconds(at_percent(times.to_vec(), 95)),
        limit,
        detail: format!(
            "median {}; {REPLIES} in {} workspaces",
            shown(Duration::from_secs_f64(median(times.to_vec()))),
            REPLIES / EACH
        ),
    };
    let limit = Limit::AtMost(Figure::Seconds(0.05));
    let mut reads = row("95th percentile of a reply's reads", &times, limit);
    reads
        .detail
        .push_str(&format!("; at most {most} transactions"));
    let search = "95th percentile of a search's reads";
    Ok(vec![reads, row(search, &searches, Limit::None)])
}

fn context_row(what: &str, pair: &Pair) -> Row {
    Row {
        what: format!("{what}, from PostgreSQL"),
        against: "bare SQL that returns the same rows, through the same driver".to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::AtMost(Figure::Times(3.0)),
        detail: pair.detail(),
    }
}

/// A context against the bare statements.
fn context(runtime: &Runtime, filled: &Filled, id: &str, messages: u32) -> Result<Pair> {
    let workspace = filled.workspace(id)?;
    let plugin = telling_plugin(&workspace, llm_settings());
    let request = BuildRequest {
        channel_id: "C1".to_owned(),
        target_thread_ts: None,
        since: None,
        message_limit: Some(messages),
    };
    let now = START + 86_400;
    let build = || Ok(runtime.block_on(plugin.build_context(&request, utc(now)))?);
    let backend = filled.store.backend();
    let key: i64 = id.trim_start_matches('W').parse()?;
    let read = || bare(&*backend, key, i64::from(messages));
    let context: myao_plugin::Context = {
        let built: Result<_> = build();
        built?
    };
    let said = &context.conversation_history;
    let in_threads = said.threads.iter().map(|thread| thread.messages.len());
    let built = said.top_level_messages.len() + in_threads.sum::<usize>();
    let (_, read_messages) = read()?;
    ensure!(
        built == read_messages,
        "{built} and {read_messages} messages"
    );
    let build = || -> Result<()> { build().map(drop) };
    in_turns(ROUNDS, build, || read().map(drop))
}

/// The numbers of memories and messages, read with their texts in one transaction.
fn bare(backend: &dyn Backend, workspace: i64, limit: i64) -> Result<(usize, usize)> {
    let mut counts = (0, 0);
    let mut rows = Vec::new();
    backend.read(&mut |connection: &Connection| {
        let sql = include_str!("../bare/sql/channels.sql");
        rows.extend(connection.query_map(sql, [workspace], |row| texts(row, &[0, 1]))?);
        let sql = include_str!("../bare/sql/memories.sql");
        for scope in [0, 1] {
            let read = connection.query_map(sql, [workspace, scope], |row| texts(row, &[1, 4]))?;
            counts.0 += read.len();
            rows.extend(read);
        }
        let sql = include_str!("../bare/sql/channel_key.sql");
        let key: i64 = connection.query_row(sql, params![workspace, "C1"], |row| row.get(0))?;
        let sql = include_str!("../bare/sql/messages.sql");
        let columns = [key, 0, i64::MAX, limit];
        let read = connection.query_map(sql, columns, |row| texts(row, &[2, 5]))?;
        counts.1 += read.len();
        rows.extend(read);
        Ok(())
    })?;
    Ok(counts)
}

fn texts(row: &SqlRow<'_>, columns: &[usize]) -> myao_sql::session::Result<Vec<String>> {
    columns.iter().map(|column| row.get(*column)).collect()
}

/// A claim and its release, beside a transaction that reads nothing.
fn claim(filled: &Filled) -> Result<Row> {
    let claim = Claim::new("bench", "bench", Duration::from_secs(30));
    let backend = filled.store.backend();
    let claimed = || match filled.store.claim("W500", &claim)? {
        Claimed::Held(lease) => {
            drop(lease);
            Ok(())
        }
        Claimed::Taken { holder } => Err(anyhow!("{holder} has it")),
    };
    let nothing = || -> Result<()> {
        backend.read(&mut |connection: &Connection| {
            Ok(connection.query_row("SELECT 1", (), |_| Ok(()))?)
        })?;
        Ok(())
    };
    let pair = in_turns(ROUNDS, claimed, nothing)?;
    Ok(Row {
        what: "claim of a lease in PostgreSQL, and its release".to_owned(),
        against: "a transaction that reads one row, which is two round trips".to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::None,
        detail: pair.detail(),
    })
}

/// Runs over all workspaces of a database in which nothing is due.
struct Idle {
    filled: Filled,
    plugins: Vec<MemoryPlugin>,
}

/// So many of the workspaces are run over: an idle run is one for each.
const RUN: usize = 10;

impl Idle {
    fn of(workspaces: u32) -> Result<Self> {
        let filled = Filled::of(workspaces, 10, "1")?;
        let each = workspaces / u32::try_from(RUN)?;
        let plugins = (0..u32::try_from(RUN)?).map(|n| {
            let workspace = filled.workspace(&format!("W{}", 1 + n * each))?;
            Ok(telling_plugin(&workspace, llm_settings()))
        });
        let plugins = plugins.collect::<Result<_>>()?;
        let known = workspace_ids(&*filled.store.backend())?.len();
        ensure!(known == usize::try_from(workspaces)?, "{known} workspaces");
        Ok(Self { filled, plugins })
    }

    fn run(&self, runtime: &Runtime) -> Result<()> {
        for plugin in &self.plugins {
            let now = utc(START + 30 * 86_400);
            let report = runtime.block_on(run::generate(plugin, now, 1, &|_| {}))?;
            let skipped = |outcome: &Outcome| matches!(outcome, Outcome::Skipped(_));
            let is_idle = report.entries.iter().all(|entry| skipped(&entry.outcome));
            let entries = report.entries.len();
            let name = &self.filled.name;
            ensure!(is_idle && entries <= 1, "{name}: {entries} entries");
        }
        Ok(())
    }
}

fn idle(runtime: &Runtime) -> Result<Row> {
    let (few, many) = (Idle::of(1000)?, Idle::of(10_000)?);
    let pair = in_turns(ROUNDS, || many.run(runtime), || few.run(runtime))
        .context("an idle run over PostgreSQL")?;
    Ok(Row {
        what: format!(
            "idle runs of {RUN} workspaces, in PostgreSQL with 10000 workspaces × 10 channels"
        ),
        against: "the same with 1000 workspaces × 10 channels".to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::AtMost(Figure::Times(1.5)),
        detail: pair.detail(),
    })
}
