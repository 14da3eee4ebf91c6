//! Databases on a PostgreSQL server, which goes away with the process of the tests.
#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::sync::OnceLock;

use myao::config::Config;
use myao_plugin::WORKSPACE_SCOPE_ID;
use myao_postgres::PostgresStore;
use myao_sql::SqlWorkspace;
use myao_test_postgres::{PASSWORD, PostgresServer, SUPERUSER, server};

use crate::program::Program;
use crate::store::WORKSPACE;

/// The variable from which the tests' configurations take the password.
const VARIABLE: &str = "DATABASE_PASSWORD";

/// An empty database, which goes away with this.
pub struct ServerDatabase {
    server: &'static PostgresServer,
    name: String,
}

impl Default for ServerDatabase {
    fn default() -> Self {
        let server = server();
        let name = server.create(None);
        Self { server, name }
    }
}

impl ServerDatabase {
    /// One with the tables of this program.
    #[must_use]
    pub fn with_tables() -> Self {
        static TEMPLATE: OnceLock<String> = OnceLock::new();
        let server = server();
        let template = TEMPLATE.get_or_init(|| {
            let name = server.create(None);
            drop(open(server, &name));
            name
        });
        let name = server.create(Some(template));
        Self { server, name }
    }

    /// The database, with connections of its own.
    #[must_use]
    pub fn store(&self) -> PostgresStore {
        open(self.server, &self.name)
    }

    /// The workspace of all tests.
    #[must_use]
    pub fn workspace(&self) -> SqlWorkspace {
        let store = self.store();
        store
            .workspace(WORKSPACE, Config::default().timezone, WORKSPACE_SCOPE_ID)
            .unwrap()
    }

    /// Every row of every table, as text.
    #[must_use]
    pub fn texts(&self) -> String {
        let tables = "SELECT string_agg(format('SELECT %L || CAST(t AS TEXT) FROM %I AS t', tablename || ' ', tablename), ' UNION ALL ') \
            FROM pg_tables WHERE schemaname = 'public'";
        self.run(&self.run(tables))
    }

    /// Its address, with the password.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// Its address as people may see it.
    #[must_use]
    pub fn shown(&self) -> String {
        let (scheme, rest) = self.url().split_once("://").map(owned).unwrap();
        let (user, place) = rest.split_once('@').map(owned).unwrap();
        let user = user.split(':').next().unwrap();
        format!("{scheme}://{user}@{place}")
    }

    /// A program whose memories are here. `options` is added to the address, `config` to the configuration.
    #[must_use]
    pub fn program(&self, options: &str, config: &str) -> Program {
        let mut program = Program::with_config(&self.config(options, config));
        program.set(VARIABLE, encoded_password());
        program
    }

    /// The key of `memory` that names it, without the password.
    pub(crate) fn key(&self, options: &str) -> String {
        let url = self
            .url()
            .replace(&encoded_password(), &format!("${{{VARIABLE}}}"));
        format!("database_url: '{url}{options}'")
    }

    /// The variable that the key needs.
    pub(crate) fn variable() -> (&'static str, OsString) {
        (VARIABLE, encoded_password().into())
    }

    /// The configuration of such a program.
    #[must_use]
    pub fn config(&self, options: &str, config: &str) -> String {
        let key = self.key(options);
        let section = "memory:\n";
        let (before, after) = config.split_once(section).unwrap_or((config, ""));
        format!("{before}{section}  {key}\n{after}")
    }

    /// Runs statements as the server's superuser, and returns what `psql` prints.
    #[must_use]
    pub fn run(&self, sql: &str) -> String {
        self.server.run(&self.name, sql).unwrap()
    }

    /// Fails if a text has the password.
    #[track_caller]
    pub fn assert_no_password(text: &str) {
        for password in [PASSWORD.to_owned(), encoded_password()] {
            assert!(!text.contains(&password), "the password is in: {text}");
        }
    }
}

impl Drop for ServerDatabase {
    fn drop(&mut self) {
        self.server.drop_database(&self.name);
    }
}

/// Opens a database over the socket, where nobody is asked for a password: that takes longer than most tests.
fn open(server: &PostgresServer, name: &str) -> PostgresStore {
    let url = server.socket_url(SUPERUSER, name);
    PostgresStore::open(&url.parse().unwrap()).unwrap()
}

fn owned((before, after): (&str, &str)) -> (String, String) {
    (before.to_owned(), after.to_owned())
}

/// As it is in an address.
fn encoded_password() -> String {
    PASSWORD.replace(' ', "%20")
}
