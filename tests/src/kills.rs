//! The remains of kills, and the number of kills.

#![allow(clippy::unwrap_used)]

use myao::config::Config;
use myao_plugin::WORKSPACE_SCOPE_ID;
use myao_plugin::state::upkeep::Upkeep as _;
use myao_sql::SqlWorkspace;
use myao_sqlite::SqliteStore;
use myao_testkit::blocking;
use rusqlite::Connection;

use crate::program::Program;

/// How many kills a test run makes, over all commands.
const KILLS: &str = "MYAO_TEST_KILLS";

/// How often a command is killed: its part of `MYAO_TEST_KILLS` in percent, or `sample`.
///
/// # Panics
/// If the variable is no number.
#[must_use]
pub fn kills(percent: u32, sample: u32) -> u32 {
    match std::env::var(KILLS) {
        Ok(all) => all.parse::<u32>().unwrap().saturating_mul(percent) / 100,
        Err(_) => sample,
    }
}

/// The workspace of a program's database.
#[must_use]
pub fn workspace(program: &Program) -> SqlWorkspace {
    let store = SqliteStore::open(program.path("myao.db")).unwrap();
    let timezone = Config::default().timezone;
    store
        .workspace("default", timezone, WORKSPACE_SCOPE_ID)
        .unwrap()
}

/// The digests of inputs for which an answer was stored more than once.
///
/// # Panics
/// If the database cannot be read.
#[must_use]
pub fn paid_twice(program: &Program) -> Vec<String> {
    let connection = Connection::open(program.path("myao.db")).unwrap();
    let mut statement = connection.prepare(include_str!("paid_twice.sql")).unwrap();
    let digests = statement.query_map([], |row| row.get(0)).unwrap();
    digests.map(Result::unwrap).collect()
}

/// How many answers of the model a program's database knows to have been paid.
#[must_use]
pub fn paid_answers(program: &Program) -> usize {
    let calls = blocking(workspace(program).calls(0, i64::MAX)).unwrap();
    calls.iter().filter(|call| !call.is_recall()).count()
}
