//! The backlog stays correct while messages are added, changed and deleted.

use myao_plugin::storage::records::ImportSink as _;

use super::{Stored, key, record, stored};

/// Every row of every table.
fn everything(stored: &Stored) -> Vec<String> {
    let mut rows = Vec::new();
    stored.store.pool.with_writer(|connection| {
        for table in ["messages", "backlog"] {
            let mut statement = connection
                .prepare(&format!("TABLE {table}").replace("TABLE", "SELECT * FROM"))
                .unwrap();
            let columns = statement.column_count();
            let mut found = statement.query([]).unwrap();
            while let Some(row) = found.next().unwrap() {
                let values: Vec<_> = (0..columns)
                    .map(|column| row.get_ref(column).unwrap())
                    .collect();
                rows.push(format!("{table} {values:?}"));
            }
        }
    });
    rows
}

/// Whatever happens to messages, the backlog equals a full count.
#[test]
fn backlog_is_always_what_a_full_count_gives() {
    let stored = stored();
    let mut random = 1_u64;
    let mut next = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for _ in 0..60 {
        let mut import = stored.store.import("W1", 1).unwrap();
        for _ in 0..next(8) {
            let ts = format!("{}.0", 1 + next(30));
            let thread = (next(2) == 0).then(|| format!("{}.0", 1 + next(10)));
            match next(5) {
                0 => import.delete_message("C1", key(&ts), 1).unwrap(),
                _ => {
                    let record = record(&ts, thread.as_deref(), "text");
                    import.message(&record).unwrap();
                }
            }
        }
        import.commit().unwrap();
        let kept = everything(&stored);
        stored
            .store
            .pool
            .with_writer(|connection| super::recount_all(connection));
        assert_eq!(everything(&stored), kept);
    }
}
