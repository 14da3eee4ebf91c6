//! Statements, their parameters and their rows.

use std::ops::ControlFlow;

use myao_sql::params;
use myao_sql::session::{Column, Connection, Error, Row};

use super::TestDatabase;

/// Runs `work` in a transaction on an empty database, and undoes it.
fn with_connection(work: impl FnOnce(&Connection)) {
    let test = TestDatabase::empty();
    let database = test.connect();
    work(&database.begin_long(None).unwrap());
}

#[test]
fn every_type_goes_in_and_comes_out() {
    with_connection(|connection| {
        let made = "CREATE TEMP TABLE t (i BIGINT, r DOUBLE PRECISION, t TEXT, b BYTEA)";
        connection.execute(made, ()).unwrap();
        let insert = "INSERT INTO t (i, r, t, b) VALUES (?1, ?2, ?3, ?4)";
        let bytes = vec![0_u8, 255, 7];
        let columns = params![i64::MIN, 0.1_f64, "日本語 'x' ?1 $2", bytes];
        assert_eq!(connection.execute(insert, columns).unwrap(), 1);
        let nothing = params![None::<i64>, None::<f64>, None::<String>, None::<Vec<u8>>];
        assert_eq!(connection.execute(insert, nothing).unwrap(), 1);
        let rows = connection
            .query_map(
                "SELECT i, r, t, b FROM t ORDER BY i NULLS LAST",
                (),
                |row| {
                    assert_eq!(row.names(), ["i", "r", "t", "b"]);
                    Ok((
                        row.get::<Option<i64>>(0)?,
                        row.get::<Option<f64>>(1)?,
                        row.get::<Option<String>>(2)?,
                        row.get::<Option<Vec<u8>>>(3)?,
                    ))
                },
            )
            .unwrap();
        let full = (
            Some(i64::MIN),
            Some(0.1),
            Some("日本語 'x' ?1 $2".to_owned()),
            Some(bytes),
        );
        assert_eq!(rows, [full, (None, None, None, None)]);
        assert_eq!(connection.execute("DELETE FROM t", ()).unwrap(), 2);
    });
}

#[test]
fn small_numbers_and_booleans_are_integers() {
    with_connection(|connection| {
        let sql = "SELECT true, false, CAST(-2 AS SMALLINT), 3, CAST('4' AS OID), CAST('n' AS NAME), CAST(1.5 AS REAL), \
            CAST(NULL AS BOOLEAN), EXISTS (SELECT 1), COUNT(*)";
        let check = |row: &Row<'_>| {
            let numbers: Vec<Column<'_>> =
                (0..10).map(|index| row.get_ref(index).unwrap()).collect();
            let expected = [
                Column::Integer(1),
                Column::Integer(0),
                Column::Integer(-2),
                Column::Integer(3),
                Column::Integer(4),
                Column::Text("n"),
                Column::Real(1.5),
                Column::Null,
                Column::Integer(1),
                Column::Integer(1),
            ];
            assert_eq!(numbers, expected);
            Ok(())
        };
        connection.query_row(sql, (), check).unwrap();
        let is = connection.query_row("SELECT ?1 = 7", [7_i64], |row| row.get::<bool>(0));
        assert!(is.unwrap());
    });
}

#[test]
fn a_type_that_is_not_expected_is_named() {
    with_connection(|connection| {
        let sum = "SELECT SUM(n) AS total FROM (VALUES (CAST(1 AS BIGINT))) AS v (n)";
        let read = connection.query_row(sql_of(sum), (), |row| row.get::<i64>(0));
        let error = read.unwrap_err().to_string();
        assert!(error.contains("`total` of the type numeric"), "{error}");
        // The transaction goes on: it was the program that did not want it.
        let next = connection.query_row("SELECT 1", (), |row| row.get::<i64>(0));
        assert_eq!(next.unwrap(), 1);
        let none = connection.query_row("SELECT 1 WHERE ?1 = 2", [1_i64], |row| row.get::<i64>(0));
        assert!(matches!(none, Err(Error::NoRow)));
        let beyond = connection.query_row("SELECT 1", (), |row| row.get::<i64>(1));
        assert!(matches!(beyond, Err(Error::Column { index: 1, .. })));
    });
}

fn sql_of(text: &str) -> &str {
    text
}

#[test]
fn a_nul_character_becomes_one_that_can_be_stored() {
    with_connection(|connection| {
        let echo = "SELECT CAST(?1 AS TEXT), ?1 = ?2";
        let columns = params!["a\0b\0", "a\u{FFFD}b\u{FFFD}"];
        let (text, is_same): (String, bool) = connection
            .query_row(echo, columns, |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!(text, "a\u{FFFD}b\u{FFFD}");
        assert!(is_same);
    });
}

/// More rows than the driver and the sockets between hold back.
const MANY: i64 = 200_000;

#[test]
fn statements_run_while_rows_are_visited() {
    with_connection(|connection| {
        let rows = "SELECT n, 'some text that takes its room' FROM generate_series(1, ?1) AS g (n)";
        let (mut outer, mut inner) = (0, 0);
        connection
            .each(rows, [MANY], |row| -> Result<(), Error> {
                let number: i64 = row.get(0)?;
                outer += number;
                if number % (MANY / 4) == 1 {
                    connection.each_until(rows, [MANY], |row| -> Result<_, Error> {
                        inner +=
                            connection.query_row("SELECT ?1", [row.get::<i64>(0)?], |row| {
                                row.get::<i64>(0)
                            })?;
                        Ok(if inner % 7 == 0 {
                            ControlFlow::Break(())
                        } else {
                            ControlFlow::Continue(())
                        })
                    })?;
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(outer, MANY * (MANY + 1) / 2);
        assert!(inner > 0);
    });
}

#[test]
fn the_error_of_who_reads_ends_the_visit_and_not_the_transaction() {
    with_connection(|connection| {
        let rows = "SELECT n FROM generate_series(1, ?1) AS g (n)";
        let mut seen = 0;
        let refused = connection.each(rows, [MANY], |_| -> Result<(), Error> {
            seen += 1;
            Err(Error::NoRow)
        });
        assert!(matches!(refused, Err(Error::NoRow)));
        assert_eq!(seen, 1);
        let count = connection.query_row(
            "SELECT COUNT(*) FROM generate_series(1, 3) AS g (n)",
            (),
            |row| row.get::<i64>(0),
        );
        assert_eq!(count.unwrap(), 3);
    });
}

#[test]
fn a_statement_that_fails_while_rows_come_says_why() {
    with_connection(|connection| {
        let rows = "SELECT 1 / (?1 - n) FROM generate_series(1, ?1) AS g (n)";
        let failed = connection.each(rows, [100_000_i64], |_| -> Result<(), Error> { Ok(()) });
        let Err(Error::Engine(source)) = failed else {
            panic!("{failed:?}");
        };
        let error = source.downcast_ref::<tokio_postgres::Error>().unwrap();
        assert_eq!(error.code().unwrap().code(), "22012");
    });
}

#[test]
fn the_session_works_wherever_it_is_called() {
    let test = TestDatabase::empty();
    let database = test.connect();
    let ask = || {
        let reading = database.begin_read().unwrap();
        let connection: &Connection = &reading;
        connection
            .query_row("SELECT 1", (), |row| row.get::<i64>(0))
            .unwrap()
    };
    let alone = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    assert_eq!(alone.block_on(async { ask() }), 1);
    let several = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    assert_eq!(several.block_on(async { ask() }), 1);
    std::thread::scope(|threads| {
        let asked: Vec<_> = (0..20).map(|_| threads.spawn(ask)).collect();
        for thread in asked {
            assert_eq!(thread.join().unwrap(), 1);
        }
    });
    alone.block_on(async move { drop(database) });
}
