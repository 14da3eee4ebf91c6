//! Making and changing the tables.

use super::{TestDatabase, options};
use crate::schema::{MIGRATIONS, Migration, prepare};
use crate::{PostgresError, PostgresStore};

/// The migrations of a program of which the newest is a number.
fn migrations(oldest_readers: &[i64]) -> Vec<Migration> {
    let sql = [
        "CREATE TABLE first (n BIGINT); INSERT INTO first VALUES (1);",
        "CREATE TABLE second (n BIGINT); INSERT INTO first VALUES (2);",
        "INSERT INTO first VALUES (3)",
    ];
    let steps = oldest_readers.iter().zip(sql);
    steps
        .map(|(oldest_reader, sql)| Migration {
            sql,
            oldest_reader: *oldest_reader,
        })
        .collect()
}

#[test]
fn several_hosts_start_at_once_on_an_empty_database() {
    let test = TestDatabase::empty();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                PostgresStore::open(&test.options()).unwrap();
                let database = test.connect();
                prepare(&database, MIGRATIONS).unwrap();
            });
        }
    });
    let versions = test.run("SELECT count(*) = max(version), max(version) FROM myao_schema");
    assert_eq!(versions, format!("t|{}", MIGRATIONS.len()));
}

#[test]
fn each_migration_is_applied_once_whoever_comes() {
    let test = TestDatabase::empty();
    prepare(&test.connect(), &migrations(&[1])).unwrap();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| prepare(&test.connect(), &migrations(&[1, 1, 3])).unwrap());
        }
    });
    assert_eq!(
        test.run("SELECT string_agg(n::text, ',' ORDER BY n) FROM first"),
        "1,2,3"
    );
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let test = TestDatabase::empty();
    let mut steps = migrations(&[1, 1]);
    steps[1].sql = "INSERT INTO first VALUES (2); SELECT 1 / 0";
    let error = prepare(&test.connect(), &steps).unwrap_err();
    assert!(error.to_string().contains("division by zero"), "{error}");
    assert_eq!(test.run("SELECT max(version) FROM myao_schema"), "1");
    assert_eq!(test.run("SELECT sum(n) FROM first"), "1");
}

#[test]
fn an_older_program_goes_on_until_the_tables_are_contracted() {
    let test = TestDatabase::empty();
    prepare(&test.connect(), &migrations(&[1, 1])).unwrap();
    prepare(&test.connect(), &migrations(&[1])).unwrap();
    prepare(&test.connect(), &migrations(&[1, 1, 2])).unwrap();
    prepare(&test.connect(), &migrations(&[1, 1])).unwrap();
    let error = prepare(&test.connect(), &migrations(&[1])).unwrap_err();
    assert!(
        matches!(
            error,
            PostgresError::Newer {
                found: 3,
                known: 1,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    let test = TestDatabase::empty();
    test.run("CREATE TABLE theirs (n BIGINT)");
    let error = PostgresStore::open(&test.options()).err().unwrap();
    assert!(matches!(error, PostgresError::Foreign(_)));
    assert!(
        error.to_string().contains("`memory.database_url`"),
        "{error}"
    );
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(test.run(tables), "1");
}

#[test]
fn tables_of_an_extension_are_nobodys() {
    let test = TestDatabase::empty();
    test.run(
        "CREATE TABLE of_extension (n BIGINT); ALTER EXTENSION plpgsql ADD TABLE of_extension",
    );
    PostgresStore::open(&test.options()).unwrap();
}

#[test]
fn with_the_newest_schema_nothing_may_be_created() {
    let test = TestDatabase::migrated();
    let user = format!("user_of_{}", test.name);
    test.run(&format!(
        "CREATE USER {user}; REVOKE CREATE ON SCHEMA public FROM PUBLIC;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {user}"
    ));
    let url = test.server.socket_url(&user, &test.name);
    let store = PostgresStore::open(&options(&url)).unwrap();
    store.workspace("W1", chrono_tz::UTC, "default").unwrap();
    drop(store);

    let empty = TestDatabase::empty();
    empty.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    let url = empty.server.socket_url(&user, &empty.name);
    let error = PostgresStore::open(&options(&url)).err().unwrap();
    assert!(
        matches!(error, PostgresError::NotPermitted { .. }),
        "{error}"
    );
    test.run(&format!("DROP OWNED BY {user}; DROP USER {user}"));
}
