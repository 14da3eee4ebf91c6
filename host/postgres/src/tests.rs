//! Over a real server: the suite for every store, and tests of what only this engine has.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing
)]

mod conformance;
mod copy;
mod errors;
mod leases;
mod migrations;
mod pgbouncer;
mod plans;
mod proxy;
mod session;
mod tls;
mod transactions;
mod vacuum;

use std::sync::OnceLock;

use crate::database::Database;
use crate::{PostgresOptions, PostgresStore};
use myao_test_postgres::{PostgresServer, SUPERUSER, server};

/// A database of a test. It goes away with it.
struct TestDatabase {
    server: &'static PostgresServer,
    name: String,
}

impl TestDatabase {
    /// One without tables.
    fn empty() -> Self {
        let server = server();
        let name = server.create(None);
        Self { server, name }
    }

    /// One with the newest schema.
    fn migrated() -> Self {
        static TEMPLATE: OnceLock<String> = OnceLock::new();
        let server = server();
        let template = TEMPLATE.get_or_init(|| {
            let template = server.create(None);
            PostgresStore::open(&options(&server.socket_url(SUPERUSER, &template))).unwrap();
            template
        });
        let name = server.create(Some(template));
        Self { server, name }
    }

    /// Over the socket: asking for the password takes longer than most tests.
    fn options(&self) -> PostgresOptions {
        options(&self.server.socket_url(SUPERUSER, &self.name))
    }

    /// The connections to it, with whatever tables it has.
    fn connect(&self) -> Database {
        Database::new(&self.options()).unwrap()
    }

    fn store(&self) -> PostgresStore {
        PostgresStore::open(&self.options()).unwrap()
    }

    /// Runs statements as the superuser, on a connection of their own.
    fn run(&self, sql: &str) -> String {
        self.server.run(&self.name, sql).unwrap()
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        self.server.drop_database(&self.name);
    }
}

fn options(url: &str) -> PostgresOptions {
    url.parse().unwrap()
}
