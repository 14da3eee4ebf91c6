//! Reads during writes.

use myao_sql::backend::Backend as _;
use myao_sql::session::{Connection, Error};

use super::{Fault, stored};

fn channels(connection: &Connection) -> Result<i64, Fault> {
    Ok(connection.query_row("SELECT count(*) FROM channels", (), |row| row.get(0))?)
}

fn add_channel(connection: &Connection, id: &str) -> Result<(), Fault> {
    connection.execute(
        "INSERT INTO channels (workspace, id, name, is_private) SELECT key, ?1, '', 0 FROM workspaces",
        [id],
    )?;
    Ok(())
}

/// If the read waited for the write, this test would never end.
#[test]
fn a_read_beside_a_write_does_not_wait_and_sees_the_state_before_it() {
    let stored = stored();
    let pool = &stored.store.pool;
    let during = pool.write(|connection| {
        add_channel(connection, "C1")?;
        Ok(pool.read(channels).unwrap())
    });
    assert_eq!(during.unwrap(), 0);
    assert_eq!(pool.read(channels).unwrap(), 1);
}

#[test]
fn a_write_that_fails_leaves_nothing_for_the_next_read() {
    let stored = stored();
    let pool = &stored.store.pool;
    let failed: Result<(), _> = pool.write(|connection| {
        add_channel(connection, "C1")?;
        Err(Fault::from(Error::NoRow))
    });
    assert!(failed.is_err());
    assert_eq!(pool.read(channels).unwrap(), 0);
}

#[test]
fn reads_beside_each_other_see_one_state_each() {
    let stored = stored();
    let pool = &stored.store.pool;
    let both = pool.read(|connection| {
        let before = channels(connection)?;
        let beside = pool.read(channels).unwrap();
        Ok((before, beside))
    });
    assert_eq!(both.unwrap(), (0, 0));
}

#[test]
fn a_read_leaves_the_connection_to_a_write_that_waits() {
    let stored = stored();
    let pool = &stored.store.pool;
    // Connections that only read are opened this way.
    let only_reads = |connection: &Connection| {
        Ok(connection.query_row("PRAGMA query_only", (), |row| row.get(0))?)
    };
    let on_a_reader: bool = pool.with_waiting_write(|| pool.read(only_reads)).unwrap();
    assert!(on_a_reader);
    assert!(!pool.read(only_reads).unwrap());
}

/// If SQLite overwrites them by itself one day, the vacuum is not needed any more.
#[test]
fn copies_that_sqlite_leaves_of_moved_rows_go_with_a_vacuum() {
    let stored = stored();
    let pool = &stored.store.pool;
    let folder = pool.path().parent().unwrap().to_owned();
    let written = pool.write(|connection| {
        add_channel(connection, "C1")?;
        // In an order in which pages are split in the middle, so that rows move.
        for number in 0..1_000 {
            let (place, end) = (number * 619 % 1_000, "x".repeat(90 + number % 7 * 40));
            let what = if number % 5 == 0 { "erased" } else { "kept" };
            let insert = "INSERT INTO channel_members (channel, user_id, is_member, known_at) \
                SELECT key, ?1, 1, 0 FROM channels";
            connection.execute(insert, [format!("{place:04}-{what}-{end}")])?;
        }
        Ok(())
    });
    written.unwrap();
    let erased = pool.write(|connection| {
        connection.execute(
            "DELETE FROM channel_members WHERE user_id LIKE '%-erased-%'",
            (),
        )?;
        Ok(())
    });
    erased.unwrap();
    pool.empty_log().unwrap();
    let holds = || super::on_disk::holds(&folder, "-erased-");
    assert!(holds());
    assert_eq!(pool.discard_erased().unwrap(), None);
    assert!(!holds());
}
