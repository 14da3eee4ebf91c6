//! What is said if a database cannot be used.

use std::net::TcpListener;

use myao_plugin::Retry;

use super::{TestDatabase, options};
use crate::database::Database;
use crate::{PostgresError, PostgresStore};
use myao_test_postgres::{PASSWORD, server};

/// The error of opening an address. It has one line, and no password.
fn refused(url: &str) -> PostgresError {
    let error = PostgresStore::open(&options(url)).err().unwrap();
    let text = error.to_string();
    assert!(
        !text.contains('\n') && text.contains("`postgres://"),
        "{text}"
    );
    for password in [PASSWORD, "correct", "wrong-secret"] {
        assert!(!text.contains(password), "{text}");
    }
    error
}

#[test]
fn a_wrong_password_is_said() {
    let url = server()
        .url("postgres")
        .replace("correct%20horse", "wrong-secret");
    let error = refused(&url);
    assert!(matches!(error, PostgresError::Password { .. }), "{error:?}");
    assert_eq!(error.retry(), Retry::AfterRepair);
    let none = server().url("postgres").replace(":correct%20horse", "");
    assert!(matches!(
        refused(&none),
        PostgresError::Password { .. } | PostgresError::Options(_)
    ));
}

#[test]
fn an_unknown_database_is_said() {
    let error = refused(&server().url("nowhere"));
    assert!(
        matches!(error, PostgresError::UnknownDatabase(_)),
        "{error:?}"
    );
    assert!(error.to_string().contains("/nowhere` does not exist"));
}

#[test]
fn a_server_that_is_not_there_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let closed = refused(&format!("postgres://u:wrong-secret@127.0.0.1:{port}/d"));
    assert!(
        matches!(closed, PostgresError::Unreachable { .. }),
        "{closed:?}"
    );
    assert_eq!(closed.retry(), Retry::Later);
    let unknown = refused("postgres://u:wrong-secret@host.invalid/d");
    assert!(
        matches!(unknown, PostgresError::Unreachable { .. }),
        "{unknown:?}"
    );
    let folder = refused("postgres://u@%2Fnowhere/d");
    assert!(
        matches!(folder, PostgresError::Unreachable { .. }),
        "{folder:?}"
    );
}

#[test]
fn too_many_connections_are_said() {
    let test = TestDatabase::empty();
    let user = format!("few_{}", test.name);
    test.run(&format!("CREATE USER {user} CONNECTION LIMIT 1"));
    let database = Database::new(&options(&test.server.socket_url(&user, &test.name))).unwrap();
    let held = database.begin_read().unwrap();
    let error = database.begin_read().err().unwrap();
    assert!(
        matches!(error, PostgresError::TooManyConnections { .. }),
        "{error:?}"
    );
    assert_eq!(error.retry(), Retry::Later);
    drop(held);
    drop(database);
    test.run(&format!("DROP USER {user}"));
}

#[test]
fn a_database_that_only_reads_is_said() {
    let test = TestDatabase::migrated();
    test.run(&format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        test.name
    ));
    let store = test.store();
    let error = store
        .workspace("W1", chrono_tz::UTC, "default")
        .err()
        .unwrap();
    assert!(matches!(error, PostgresError::ReadOnly(_)), "{error:?}");
}

#[test]
fn a_newer_schema_is_said_with_both_versions() {
    let test = TestDatabase::migrated();
    test.run("INSERT INTO myao_schema (version, oldest_reader) VALUES (99, 98)");
    let error = refused(&test.server.url(&test.name));
    let text = error.to_string();
    assert!(
        text.contains("schema 99") && text.contains("update myao"),
        "{text}"
    );
}

#[test]
fn tls_that_the_server_does_not_have_is_said() {
    let error = refused(&format!("{}?sslmode=require", server().url("postgres")));
    assert!(matches!(error, PostgresError::Tls { .. }), "{error:?}");
    assert!(error.to_string().contains("sslmode"), "{error}");
}
