//! Transactions: what is committed, who waits for whom, what happens when a connection is lost.

use std::sync::Barrier;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use myao_plugin::Retry;
use myao_plugin::storage::StorageError;
use myao_sql::backend::Backend as _;
use myao_sql::fault::Fault;
use myao_sql::session::Connection;

use myao_test_postgres::{PostgresServer, SUPERUSER};

use super::proxy::{Cut, Proxy};
use super::{TestDatabase, options};
use crate::PostgresError;
use crate::database::Database;

fn with_table() -> (TestDatabase, Database) {
    let test = TestDatabase::empty();
    test.run("CREATE TABLE t (n BIGINT)");
    let database = test.connect();
    (test, database)
}

fn insert(connection: &Connection, number: i64) -> Result<(), Fault> {
    connection.execute("INSERT INTO t VALUES (?1)", [number])?;
    Ok(())
}

fn sum(connection: &Connection) -> Result<i64, Fault> {
    let sum = "SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM t";
    Ok(connection.query_row(sum, (), |row| row.get(0))?)
}

fn read_sum(database: &Database) -> i64 {
    let mut found = 0;
    let read = database.read(&mut |connection| {
        found = sum(connection)?;
        Ok(())
    });
    read.unwrap();
    found
}

#[test]
fn a_write_is_committed_and_an_error_undoes_it() {
    let (_test, database) = with_table();
    database.write(1, &mut |c| insert(c, 1)).unwrap();
    let refused = database.write(1, &mut |connection| {
        insert(connection, 10)?;
        Err(StorageError::Conflict("somebody was first".to_owned()).into())
    });
    assert!(matches!(refused, Err(StorageError::Conflict(text)) if text == "somebody was first"));
    database
        .try_out(1, &mut |connection| {
            insert(connection, 100)?;
            assert_eq!(sum(connection)?, 101);
            Ok(())
        })
        .unwrap();
    assert_eq!(read_sum(&database), 1);
}

#[test]
fn a_failed_statement_undoes_everything_even_if_nobody_minds() {
    let (_test, database) = with_table();
    let written = database.write(1, &mut |connection| {
        insert(connection, 1)?;
        let _ = connection.execute("INSERT INTO t VALUES (1 / (?1 - 1))", [1_i64]);
        Ok(())
    });
    let error = written.unwrap_err().to_string();
    assert!(error.contains("an earlier statement"), "{error}");
    assert_eq!(read_sum(&database), 0);
}

#[test]
fn a_reader_sees_one_state_and_cannot_write() {
    let (_test, database) = with_table();
    database
        .read(&mut |connection| {
            assert_eq!(sum(connection)?, 0);
            database.write(1, &mut |c| insert(c, 1)).unwrap();
            assert_eq!(sum(connection)?, 0);
            Ok(())
        })
        .unwrap();
    assert_eq!(read_sum(&database), 1);
    let written = database.read(&mut |connection| insert(connection, 1));
    let error = written.unwrap_err();
    assert!(matches!(&error, StorageError::Unavailable(text) if text.contains("read-only")));
}

#[test]
fn writes_of_a_workspace_run_one_after_the_other() {
    let (_test, database) = with_table();
    let inside = AtomicI64::new(0);
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..10 {
                    database
                        .write(7, &mut |connection| {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            let before = sum(connection)?;
                            insert(connection, before + 1 - before)?;
                            assert_eq!(sum(connection)?, before + 1);
                            inside.fetch_sub(1, Ordering::SeqCst);
                            Ok(())
                        })
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(read_sum(&database), 80);
}

#[test]
fn writes_of_different_workspaces_run_side_by_side() {
    let (_test, database) = with_table();
    let (entered, go) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            database
                .write(1, &mut |connection| {
                    insert(connection, 1)?;
                    entered.wait();
                    go.wait();
                    Ok(())
                })
                .unwrap();
        });
        entered.wait();
        database.write(2, &mut |c| insert(c, 10)).unwrap();
        go.wait();
    });
    assert_eq!(read_sum(&database), 11);
}

#[test]
fn a_lock_that_is_held_for_too_long_is_an_error() {
    let (test, database) = with_table();
    database.write(1, &mut |c| insert(c, 1)).unwrap();
    let holder = test.connect();
    let held = holder.begin_write(1, "").unwrap();
    let begun = Instant::now();
    let refused = database.write(1, &mut |c| insert(c, 1)).unwrap_err();
    assert_eq!(refused.retry(), Retry::Later);
    assert!(
        refused.to_string().contains("another program works on"),
        "{refused}"
    );
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(9), "{waited:?}");
    drop(held);
    database.write(1, &mut |c| insert(c, 1)).unwrap();
}

#[test]
fn an_abandoned_transaction_is_undone_before_its_connection_is_used_again() {
    let (test, _) = with_table();
    let database = Database::new(&test.options().connections(1)).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = database.write(1, &mut |connection| {
            insert(connection, 1)?;
            panic!("a bug");
        });
    }));
    assert!(panicked.is_err());
    for number in [10, 100] {
        drop(database.begin_write(1, "").unwrap());
        database.write(1, &mut |c| insert(c, number)).unwrap();
    }
    assert_eq!(read_sum(&database), 110);
    let held = database.begin_read().unwrap();
    let refused = database.begin_read().err().unwrap();
    assert!(matches!(
        refused,
        PostgresError::Busy { connections: 1, .. }
    ));
    drop(held);
    assert_eq!(read_sum(&database), 110);
}

/// Ends all connections to the database, as a server does that starts anew.
fn end_connections(test: &TestDatabase) {
    let sql = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    test.run(sql);
}

#[test]
fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let (test, database) = with_table();
    for round in 1..=5 {
        // Several connections, all of which are closed.
        let open: Vec<_> = (0..3).map(|_| database.begin_read().unwrap()).collect();
        open.into_iter()
            .for_each(crate::session::InTransaction::end_reading);
        end_connections(&test);
        database.write(1, &mut |c| insert(c, 1)).unwrap();
        assert_eq!(read_sum(&database), round);
    }
}

#[test]
fn a_connection_that_is_lost_within_a_transaction_undoes_it() {
    let (test, database) = with_table();
    let lost = database.write(1, &mut |connection| {
        insert(connection, 1)?;
        end_connections(&test);
        insert(connection, 1)
    });
    assert_eq!(lost.unwrap_err().retry(), Retry::Later);
    assert_eq!(read_sum(&database), 0);
}

#[test]
fn a_connection_that_is_closed_before_the_commit_undoes_it() {
    let (test, database) = with_table();
    let lost = database.write(1, &mut |connection| {
        insert(connection, 1)?;
        end_connections(&test);
        Ok(())
    });
    let error = lost.unwrap_err();
    assert_eq!(error.retry(), Retry::Later);
    assert!(error.to_string().contains("was lost"), "{error}");
    assert_eq!(read_sum(&database), 0);
}

/// What a write says whose connection is cut at its commit, and what it has written.
fn cut(cut: Cut) -> (Result<(), StorageError>, i64) {
    // A server of its own: checkpoints, which other tests make, would leave the commit in doubt.
    let server = PostgresServer::start(|_| Vec::new());
    let name = server.create(None);
    server.run(&name, "CREATE TABLE t (n BIGINT)").unwrap();
    let proxy = Proxy::start(server.port());
    let mut database = Database::new(&options(&proxy.through(&server.url(&name)))).unwrap();
    if cut == Cut::AndStayAway {
        database.settle = Duration::from_millis(200);
    }
    database.write(1, &mut |c| insert(c, 1)).unwrap();
    proxy.cut_next(cut);
    let written = database.write(1, &mut |c| insert(c, 10));
    let direct = Database::new(&options(&server.url(&name))).unwrap();
    (written, read_sum(&direct))
}

#[test]
fn a_commit_whose_answer_is_lost_was_a_commit() {
    let (written, sum) = cut(Cut::Answer);
    written.unwrap();
    assert_eq!(sum, 11);
}

#[test]
fn a_commit_that_never_arrives_was_none() {
    let (written, sum) = cut(Cut::Commit);
    let error = written.unwrap_err();
    assert!(error.to_string().contains("was lost"), "{error}");
    assert_eq!(error.retry(), Retry::Later);
    assert_eq!(sum, 1);
}

#[test]
fn a_commit_about_which_nobody_can_be_asked_is_unknown() {
    let (written, sum) = cut(Cut::AndStayAway);
    let error = written.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("whether it has saved is not known"), "{text}");
    assert_eq!(error.retry(), Retry::Later);
    assert_eq!(sum, 11);
}

#[test]
fn number_that_a_server_gives_again_after_a_crash_says_nothing_of_the_first_transaction() {
    let server = PostgresServer::start(|_| Vec::new());
    let name = server.create(None);
    let database = Database::new(&options(&server.socket_url(SUPERUSER, &name))).unwrap();
    let writing = database.begin_write(1, "").unwrap();
    let number: u64 = writing.id().unwrap().id.parse().unwrap();
    server.stop();
    server.start_again();
    let given = || server.run(&name, "SELECT pg_current_xact_id()").unwrap();
    while given().trim().parse::<u64>().unwrap() < number {}
    let status = server.run(&name, &format!("SELECT pg_xact_status('{number}')"));
    assert_eq!(status.unwrap().trim(), "committed");
    let error = database.commit(writing).unwrap_err();
    assert!(
        matches!(error, PostgresError::CommitUnknown { .. }),
        "{error}"
    );
}

#[test]
fn writers_that_wait_for_each_other_leave_the_connections_to_other_workspaces() {
    let test = TestDatabase::empty();
    test.run("CREATE TABLE t (n BIGINT)");
    let database = Database::new(&test.options().connections(2)).unwrap();
    let wait_for = |count: usize| {
        let begun = Instant::now();
        while database.turns.count(1) != count {
            let waited = begun.elapsed();
            assert!(
                waited < Duration::from_secs(8),
                "{}",
                database.turns.count(1)
            );
            std::thread::yield_now();
        }
    };
    let write = || database.write(1, &mut |c| insert(c, 1)).unwrap();
    std::thread::scope(|scope| {
        database
            .write(1, &mut |connection| {
                insert(connection, 10)?;
                for _ in 0..5 {
                    scope.spawn(write);
                }
                wait_for(6);
                // One connection is left, and it is free.
                database.write(2, &mut |c| insert(c, 100)).unwrap();
                assert_eq!(read_sum(&database), 100);
                Ok(())
            })
            .unwrap();
    });
    assert_eq!(read_sum(&database), 115);
    assert_eq!(database.turns.count(1), 0);
}
