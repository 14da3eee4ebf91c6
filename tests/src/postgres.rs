//! Databases on a PostgreSQL server, which goes away with the process of the tests.
#![allow(clippy::unwrap_used)]

use myao_test_postgres::{PASSWORD, PostgresServer, server};

use crate::program::Program;

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

    /// The configuration of such a program.
    #[must_use]
    pub fn config(&self, options: &str, config: &str) -> String {
        let url = self
            .url()
            .replace(&encoded_password(), &format!("${{{VARIABLE}}}"));
        let section = "memory:\n";
        let (before, after) = config.split_once(section).unwrap_or((config, ""));
        format!("{before}{section}  database_url: '{url}{options}'\n{after}")
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

fn owned((before, after): (&str, &str)) -> (String, String) {
    (before.to_owned(), after.to_owned())
}

/// As it is in an address.
fn encoded_password() -> String {
    PASSWORD.replace(' ', "%20")
}
