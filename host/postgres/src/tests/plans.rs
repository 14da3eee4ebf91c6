//! Which rows the statements visit, in a database of many workspaces.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock};

use myao_plugin::state::backfill::BackfillState as _;
use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::state::judgments::Judgments as _;
use myao_plugin::state::replies::Replies as _;
use myao_plugin::state::sync::SyncState as _;
use myao_plugin::storage::recall::RecallQuery;
use myao_plugin::storage::{
    ChannelFilter, DueQuery, Keep, MemoryQuery, MessageQuery, Storage, StorageError,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{Place, Places as _};
use myao_sql::SqlWorkspace;
use myao_sql::backend::{Backend, Work};
use myao_sql::session::{Dialect, Result, Session, TakeRow, Value};

use super::TestDatabase;
use crate::database::Database;
use crate::session::InTransaction;

/// The tables that grow with what people write. The others are empty here.
const LARGE: [&str; 10] = [
    "messages",
    "message_index",
    "memories",
    "backlog",
    "channels",
    "users",
    "origin_channels",
    "replies",
    "reply_parts",
    "events",
];

/// The first message, and the last.
const FIRST: i64 = 1_709_251_200;
const LAST: i64 = FIRST + 60 * 19;

/// Statements and their plans, a line for each step.
type Plans = Mutex<Vec<(String, Vec<String>)>>;

/// A database that notes the plan of each statement that reads, for the values that it is given.
struct Explaining {
    database: Database,
    plans: Arc<Plans>,
}

struct Explained {
    open: InTransaction,
    plans: Arc<Plans>,
}

impl Explained {
    fn explain(&self, sql: &str, values: &[Value<'_>]) -> Result<()> {
        let mut steps = Vec::new();
        let explain = format!("EXPLAIN\n{sql}");
        self.open.visit(&explain, values, &mut |row| {
            steps.push(row.get(0)?);
            Ok(ControlFlow::Continue(()))
        })?;
        self.plans.lock().unwrap().push((sql.to_owned(), steps));
        Ok(())
    }
}

impl Session for Explained {
    fn dialect(&self) -> Dialect {
        self.open.dialect()
    }

    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        self.explain(sql, values)?;
        self.open.run(sql, values)
    }

    fn visit(&self, sql: &str, values: &[Value<'_>], take: &mut TakeRow<'_>) -> Result<()> {
        self.explain(sql, values)?;
        self.open.visit(sql, values, take)
    }
}

impl Backend for Explaining {
    fn read(&self, work: &mut Work<'_>) -> Result<(), StorageError> {
        let reading = Explained {
            open: self.database.begin_read()?,
            plans: self.plans.clone(),
        };
        Ok(work(&reading).map_err(|fault| self.database.fault(fault))?)
    }

    fn write(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.database.write(workspace, work)
    }

    fn try_out(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.database.try_out(workspace, work)
    }

    fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        self.database.discard_erased()
    }
}

/// 100 workspaces with 10 channels each, of 20 messages, and one of the workspaces.
fn many() -> (TestDatabase, SqlWorkspace, Arc<Plans>) {
    static TEMPLATE: OnceLock<TestDatabase> = OnceLock::new();
    let template = TEMPLATE.get_or_init(filled);
    let server = template.server;
    let test = TestDatabase {
        server,
        name: server.create(Some(&template.name)),
    };
    let plans = Arc::<Plans>::default();
    let explaining = Explaining {
        database: test.connect(),
        plans: plans.clone(),
    };
    let timezone = chrono_tz::Asia::Tokyo.into();
    let workspace = SqlWorkspace::new(Arc::new(explaining), 77, timezone, "default");
    (test, workspace, plans)
}

fn filled() -> TestDatabase {
    let test = TestDatabase::migrated();
    let fill = myao_test_postgres::MANY
        .replace("{workspaces}", "100")
        .replace("{channels}", "10")
        .replace("{messages}", "20");
    test.run(&fill);
    test
}

/// Fails if a statement since the last time reads a whole table, or if there were fewer of them.
fn check(what: &str, plans: &Plans, statements: usize) {
    let plans = std::mem::take(&mut *plans.lock().unwrap());
    assert!(plans.len() >= statements, "{what}: {}", plans.len());
    for (sql, steps) in plans {
        for step in &steps {
            let scanned = step.split_once("Seq Scan on ").map(|(_, rest)| rest);
            let table = scanned.and_then(|rest| rest.split(' ').next());
            let is_whole = table.is_some_and(|table| LARGE.contains(&table));
            assert!(!is_whole, "{what}: {sql}\n{}", steps.join("\n"));
        }
    }
}

fn ts(second: i64) -> String {
    TsKey::from_database(second * 1_000_000 + 1).to_string()
}

/// Asks for two words of a message, one of a channel's first ones.
fn query(test: &TestDatabase) -> RecallQuery {
    let text = test.run("SELECT text FROM messages WHERE workspace = 77 ORDER BY key LIMIT 1");
    RecallQuery {
        terms: text.split(' ').take(2).map(str::to_owned).collect(),
        text: String::new(),
        channels: Vec::new(),
        since: None,
        until: ts(LAST),
        limit: 50,
        neighbours: 2,
    }
}

#[tokio::test]
async fn reads_of_a_reply_use_indexes() {
    let (test, workspace, plans) = many();
    for place in [Place::Channel("C1".to_owned()), Place::Workspace] {
        let here: Arc<dyn Storage> = workspace.at(place);
        let found = here.find_candidates(query(&test), None).await.unwrap();
        assert!(!found.messages.is_empty());
        check("search", &plans, 8);
        here.list_channels().await.unwrap();
        check("channels", &plans, 1);
    }
    let here = workspace.at(Place::Channel("C1".to_owned()));
    for whole_thread in [None, Some(ts(FIRST))] {
        for only_new in [false, true] {
            let query = MessageQuery {
                channel_id: "C1".to_owned(),
                since: None,
                until: ts(LAST),
                limit: 10,
                keep: Keep::Newest,
                whole_thread: whole_thread.clone(),
                thread_limit: 10,
                only_new,
            };
            let found = here.list_messages(query).await.unwrap();
            assert_eq!(found.is_empty(), only_new && whole_thread.is_none());
            check("messages", &plans, 1);
        }
    }
    let query = MemoryQuery {
        until: None,
        workspace: true,
        channels: ChannelFilter::All,
        history_limit: 3,
        unmerged: true,
        threads: vec![format!("C1:{}", ts(FIRST))],
        citations: true,
    };
    assert!(here.list_memories(query).await.unwrap().len() > 10);
    check("memories", &plans, 2);
}

#[tokio::test]
async fn lists_of_what_is_due_use_indexes() {
    let (_test, workspace, plans) = many();
    let schedule = workspace.at(Place::Schedule);
    for always in [false, true] {
        let query = DueQuery {
            until: ts(LAST + 86_400),
            window_start: ts(LAST + 60),
            idle_since: ts(LAST),
            message_threshold: 50,
            always,
        };
        let due = schedule.list_due(query).await.unwrap();
        assert!(due.channels.is_empty() && due.threads.is_empty());
        check("due", &plans, 3);
    }
    let here = workspace.at(Place::Channel("C1".to_owned()));
    for thread in [None, Some(ts(FIRST))] {
        let backlog = here.get_backlog("C1".to_owned(), thread, ts(LAST)).await;
        backlog.unwrap();
        check("backlog", &plans, 1);
    }
    assert!(
        workspace
            .waiting_replies(LAST, 10)
            .await
            .unwrap()
            .is_empty()
    );
    check("replies", &plans, 1);
    assert!(workspace.waiting_events(LAST, 10).await.unwrap().is_empty());
    check("events", &plans, 1);
    assert!(!workspace.unanswered(LAST, FIRST).await.unwrap().is_empty());
    check("unanswered", &plans, 1);
    let threads = workspace.recent_threads("C1", TsKey::first_of(FIRST)).await;
    assert!(!threads.unwrap().is_empty());
    check("threads", &plans, 1);
    workspace.oldest_new_message().await.unwrap();
    workspace.oldest_history_message().await.unwrap();
    check("backfill", &plans, 2);
}

/// The tests above would notice if an index were gone.
#[tokio::test]
#[should_panic(expected = "Seq Scan on message_index")]
async fn search_without_its_index_is_noticed() {
    let (test, workspace, plans) = many();
    test.run("DROP INDEX message_index_tokens");
    let here = workspace.at(Place::Workspace);
    here.find_candidates(query(&test), None).await.unwrap();
    check("search", &plans, 1);
}
