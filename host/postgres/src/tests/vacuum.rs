//! What is left of erased rows.

use std::time::{Duration, Instant};

use myao_plugin::state::Workspace;
use myao_sql::backend::Backend as _;
use myao_testkit::conformance::state::samples::{deleted, said};

use super::{TestDatabase, options};
use crate::database::Database;
use crate::vacuum::TABLES;

/// Erases as many users as it says.
const ERASE: &str = "INSERT INTO workspaces (id) VALUES ('W1') ON CONFLICT DO NOTHING;
    INSERT INTO users (workspace, id, name, is_bot) SELECT w.key, 'U' || n, 'somebody', 0 FROM workspaces AS w, generate_series(1, 5) AS n;
    DELETE FROM users";

#[test]
fn the_tables_that_are_vacuumed_exist() {
    let test = TestDatabase::migrated();
    for table in TABLES {
        test.run(&format!("SELECT 1 FROM {table} LIMIT 0"));
    }
}

#[test]
fn erased_rows_leave_their_tables_unless_somebody_may_see_them() {
    let test = TestDatabase::migrated();
    let database = test.connect();
    test.run(ERASE);
    // The session that erased them may report them after the vacuum, which then seems to have left them. The attempts are counted,
    // as a machine may stand still during one of them.
    let begun = Instant::now();
    let mut attempts = 0;
    loop {
        let left = database.discard_erased().unwrap().unwrap();
        if left.starts_with("PostgreSQL keeps the bytes") {
            break;
        }
        attempts += 1;
        let is_late = attempts > 20 && begun.elapsed() > Duration::from_secs(60);
        assert!(!is_late, "{left}");
    }

    let reader = test.connect();
    let reading = reader.begin_read().unwrap();
    reading.batch("SELECT 1").unwrap();
    test.run(ERASE);
    let left = database.discard_erased().unwrap().unwrap();
    assert!(
        left.starts_with("erased rows stay in their tables"),
        "{left}"
    );
    drop(reading);
}

#[test]
fn tables_of_somebody_else_are_named() {
    let test = TestDatabase::migrated();
    let user = format!("guest_of_{}", test.name);
    test.run(&format!(
        "CREATE USER {user}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {user}"
    ));
    let url = test.server.socket_url(&user, &test.name);
    let database = Database::new(&options(&url)).unwrap();
    let left = database.discard_erased().unwrap().unwrap();
    assert!(left.contains("only their owner may vacuum"), "{left}");
    assert!(left.contains("messages"), "{left}");
    drop(database);
    test.run(&format!("DROP OWNED BY {user}; DROP USER {user}"));
}

/// Until when a vacuum was seen on the messages.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn deletion_on_the_platform_is_vacuumed_in_the_background() {
    let test = TestDatabase::migrated();
    let store = test.store();
    let workspace = store.workspace("W1", chrono_tz::UTC, "default").unwrap();
    let workspace: &dyn Workspace = &workspace;
    let vacuumed = || {
        test.run(
            "SELECT last_vacuum IS NOT NULL FROM pg_stat_all_tables WHERE relname = 'messages'",
        )
    };
    let said = said("5.0", None, "a secret");
    workspace.apply_effects(vec![said], 10).await.unwrap();
    assert_eq!(vacuumed(), "f");
    let deleted = deleted("5.0", "6.0");
    workspace.apply_effects(vec![deleted], 10).await.unwrap();
    let begun = Instant::now();
    while vacuumed() != "t" {
        assert!(begun.elapsed() < PATIENCE, "nothing was vacuumed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
