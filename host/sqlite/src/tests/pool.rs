//! Reads during writes.

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
