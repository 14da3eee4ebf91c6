//! The database on a server: its connection, its permissions, and the way to it.

use super::Finding;
use crate::cli::database::{ExaminedServer, Server, Writing};

const CHECK: &str = "database";
/// The oldest PostgreSQL that supports the statements.
const OLDEST: i64 = 14;
/// Beyond so many hundredths of the server's connections, there is something to know.
const MANY_PERCENT: i64 = 80;

/// Describes the database; returns true if it has the tables of this program's schema.
pub(super) fn check(server: Server<'_>) -> (Finding, bool) {
    let examined = match server.examine() {
        Ok(examined) => examined,
        Err(error) => return (Finding::bad(CHECK, error.to_string()), false),
    };
    let shown = server.shown();
    let found = |what: &str| {
        format!(
            "{shown} is PostgreSQL {}, {}; {what}; {} of {} connections are in use",
            examined.server,
            encryption(&examined),
            examined.connections,
            examined.most_connections
        )
    };
    let has_tables = examined.schema.is_some();
    (judge(&examined, found), has_tables)
}

fn judge(examined: &ExaminedServer, found: impl Fn(&str) -> String) -> Finding {
    let state = match examined.schema {
        None => "it has no tables yet".to_owned(),
        Some(schema) => format!("schema {schema}"),
    };
    if examined.major < OLDEST {
        return Finding::bad(CHECK, found(&state))
            .with_advice(format!("update the server to PostgreSQL {OLDEST} or newer"));
    }
    match examined.writing {
        Writing::Possible => {}
        Writing::NotPermitted => {
            return Finding::bad(
                CHECK,
                found(&format!("{state}, which this user may not write")),
            )
            .with_advice("connect as the owner of the tables, or grant the user what it lacks");
        }
        _ => {
            return Finding::bad(CHECK, found(&format!("{state}, read-only as a replica is")))
                .with_advice(
                    "commands that only look work; for all others name the primary server in memory.database_url",
                );
        }
    }
    match examined.schema {
        None => {
            return Finding::warning(CHECK, found(&state)).with_advice(
                "`myao import`, `myao chat` and `myao run` make them; if it should hold memories, restore it from a backup, or name the \
                 database that holds them in memory.database_url",
            );
        }
        Some(schema) if schema < examined.newest => {
            return Finding::warning(CHECK, found(&format!("{state} of an older myao")))
                .with_advice(format!(
                    "the first command that uses it brings it to schema {}",
                    examined.newest
                ));
        }
        Some(_) => {}
    }
    let can_be_written = format!("{state}, can be written");
    if !examined.is_encrypted && !examined.is_local {
        return Finding::warning(CHECK, found(&can_be_written)).with_advice(
            "who is between sees everything: write sslmode=verify-full into memory.database_url",
        );
    }
    if examined.connections * 100 > examined.most_connections * MANY_PERCENT {
        return Finding::warning(CHECK, found(&can_be_written))
            .with_advice("raise the server's max_connections, or put PgBouncer before it");
    }
    Finding::good(CHECK, found(&can_be_written))
}

fn encryption(examined: &ExaminedServer) -> &'static str {
    match (examined.is_encrypted, examined.is_local) {
        (true, _) => "over TLS",
        (false, true) => "on this machine, without TLS",
        (false, false) => "without TLS",
    }
}
