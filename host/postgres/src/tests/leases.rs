//! Who does the work, and that whoever has lost it writes nothing.

use std::sync::Barrier;
use std::time::Duration;

use myao_plugin::state::leases::{Leases as _, Piece};
use myao_plugin::storage::StorageError;
use myao_sql::session::Connection;

use super::TestDatabase;
use super::proxy::Proxy;
use crate::{Claim, Claimed, Lease, PostgresStore};

/// Longer than any test.
const LONG: Duration = Duration::from_secs(3600);
/// How often a lease is taken away from its holder.
const TAKEOVERS: i64 = 1_000;

fn claim(store: &PostgresStore, holder: &str) -> Claimed {
    store.claim("W1", &Claim::new("bot", holder, LONG)).unwrap()
}

fn held(store: &PostgresStore, holder: &str) -> Lease {
    match claim(store, holder) {
        Claimed::Held(lease) => lease,
        Claimed::Taken { holder } => panic!("{holder} has it"),
    }
}

fn expire(test: &TestDatabase) {
    test.run("UPDATE leases SET expires_at = 1");
}

/// Two rows that are written together.
fn write(lease: &Lease, number: i64) -> Result<(), StorageError> {
    let insert = |connection: &Connection, id: String| {
        connection.execute("INSERT INTO workspaces (id) VALUES (?1)", [id])
    };
    lease.backend().write(1, &mut |connection| {
        insert(connection, format!("first {number}"))?;
        insert(connection, format!("second {number}"))?;
        Ok(())
    })
}

fn written(test: &TestDatabase) -> String {
    test.run("SELECT COUNT(*) FROM workspaces WHERE id LIKE 'first %' OR id LIKE 'second %'")
        .trim()
        .to_owned()
}

#[test]
fn one_host_at_a_time_holds_the_work_and_hands_it_back() {
    let test = TestDatabase::migrated();
    let (a, b) = (test.store(), test.store());
    let lease = held(&a, "a");
    assert!(lease.is_held());
    assert!(matches!(claim(&b, "b"), Claimed::Taken { holder } if holder == "a"));
    let other_work = Claim::new("backfill", "b", LONG);
    assert!(matches!(
        b.claim("W1", &other_work).unwrap(),
        Claimed::Held(_)
    ));
    assert!(matches!(
        b.claim("W2", &Claim::new("bot", "b", LONG)).unwrap(),
        Claimed::Held(_)
    ));
    drop(lease);
    assert!(held(&b, "b").is_held());
}

#[test]
fn of_many_that_claim_at_once_one_gets_it() {
    let test = TestDatabase::migrated();
    let stores: Vec<PostgresStore> = (0..8).map(|_| test.store()).collect();
    let barrier = Barrier::new(stores.len());
    let leases: Vec<Lease> = std::thread::scope(|scope| {
        let claims: Vec<_> = stores
            .iter()
            .map(|store| {
                scope.spawn(|| {
                    barrier.wait();
                    claim(store, "one of them")
                })
            })
            .collect();
        let claimed = claims.into_iter().map(|claim| claim.join().unwrap());
        claimed
            .filter_map(|claimed| match claimed {
                Claimed::Held(lease) => Some(lease),
                Claimed::Taken { .. } => None,
            })
            .collect()
    });
    assert_eq!(leases.len(), 1);
}

/// A sleeps, B takes over and writes, A wakes and writes.
#[test]
fn whoever_slept_while_another_took_over_writes_nothing() {
    let test = TestDatabase::migrated();
    let (a, b) = (test.store(), test.store());
    let mut sleeping = held(&a, "a");
    write(&sleeping, 0).unwrap();
    for number in 1..=TAKEOVERS {
        expire(&test);
        let awake = held(if number % 2 == 1 { &b } else { &a }, "the other");
        write(&awake, number).unwrap();
        let refused = write(&sleeping, TAKEOVERS + number);
        assert!(
            matches!(&refused, Err(StorageError::Other(other)) if other.code == "taken-over"),
            "{refused:?}"
        );
        assert!(!sleeping.is_held() && *sleeping.is_lost().borrow());
        // Nor does it hand back what is not its own any more.
        drop(std::mem::replace(&mut sleeping, awake));
        assert!(sleeping.is_held());
    }
    assert_eq!(written(&test), (2 * (TAKEOVERS + 1)).to_string());
}

/// Nor does who asks wait for the end of the write.
#[test]
fn nobody_takes_over_in_the_middle_of_a_write() {
    let test = TestDatabase::migrated();
    let (a, b) = (test.store(), test.store());
    let lease = held(&a, "a");
    // Nobody has taken over yet, so it may still write.
    expire(&test);
    lease
        .backend()
        .write(1, &mut |connection| {
            let insert = "INSERT INTO workspaces (id) VALUES (?1)";
            connection.execute(insert, ["first 1"])?;
            assert!(matches!(claim(&b, "b"), Claimed::Taken { .. }));
            connection.execute(insert, ["second 1"])?;
            Ok(())
        })
        .unwrap();
    let _lease = held(&b, "b");
    assert_eq!(written(&test), "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn claim_and_its_release_are_two_round_trips() {
    let test = TestDatabase::migrated();
    let proxy = Proxy::start(test.server.port());
    let url = proxy.through(&test.server.url(&test.name));
    let store = PostgresStore::open(&url.parse().unwrap()).unwrap();
    let leases = store.leases("W1", chrono_tz::UTC, "default", "a", LONG);
    let leases = leases.unwrap();
    let claim = async || leases.claim(&Piece::Upkeep).await.unwrap().unwrap();
    // A machine that stands still for longer than a release waits counts its answer in the next round.
    let mut trips = Vec::new();
    for _ in 0..5 {
        let before = proxy.round_trips();
        claim().await.release().await;
        trips.push(proxy.round_trips() - before);
    }
    assert!(trips.contains(&2), "{trips:?}");
}

/// A write that takes longer than the lease, while another host asks for the work.
#[test]
fn holder_extends_its_lease_during_its_own_write() {
    let test = TestDatabase::migrated();
    let (a, b) = (test.store(), test.store());
    // Longer than a busy machine lets a thread wait.
    let short = |holder| Claim::new("bot", holder, Duration::from_secs(5));
    let Claimed::Held(lease) = a.claim("W1", &short("a")).unwrap() else {
        panic!("nobody else has it");
    };
    let expires_at = || {
        test.run("SELECT expires_at FROM leases")
            .trim()
            .parse::<i64>()
    };
    let before = expires_at().unwrap();
    lease
        .backend()
        .write(1, &mut |connection| {
            connection.execute("INSERT INTO workspaces (id) VALUES (?1)", ["first 1"])?;
            // Longer than it lasts without an extension.
            while expires_at().unwrap() < before + 7_000 {
                let claimed = b.claim("W1", &short("b")).unwrap();
                assert!(matches!(claimed, Claimed::Taken { .. }));
                assert!(lease.is_held());
            }
            Ok(())
        })
        .unwrap();
    write(&lease, 2).unwrap();
}

#[test]
fn lease_is_extended_in_the_background_and_lost_when_it_is_taken() {
    let test = TestDatabase::migrated();
    let store = test.store();
    let short = Claim::new("bot", "a", Duration::from_secs(1));
    let Claimed::Held(lease) = store.claim("W1", &short).unwrap() else {
        panic!("nobody else has it");
    };
    let before = test.run("SELECT expires_at FROM leases");
    let mut is_lost = lease.is_lost();
    // The next extension is written by the background, within a fifth of a second.
    let until_it = std::time::Instant::now();
    while test.run("SELECT expires_at FROM leases") == before {
        assert!(until_it.elapsed() < LONG, "it is never extended");
    }
    test.run("UPDATE leases SET generation = generation + 1");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(is_lost.wait_for(|lost| *lost)).unwrap();
    assert!(!lease.is_held());
}
