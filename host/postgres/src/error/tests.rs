#![allow(clippy::unwrap_used)]

use myao_plugin::Retry;
use myao_plugin::storage::StorageError;
use tokio_postgres::error::SqlState;

use super::PostgresError;
use crate::PostgresOptions;

#[test]
fn each_sqlstate_says_what_to_do() {
    let options: PostgresOptions = "postgres://u:s3cret@db.example/myao".parse().unwrap();
    let database = options.address();
    for (code, retry, is_unavailable, part) in [
        ("28P01", Retry::AfterRepair, true, "check user and password"),
        ("28000", Retry::AfterRepair, true, "pg_hba.conf"),
        (
            "3D000",
            Retry::AfterRepair,
            true,
            "does not exist: create it",
        ),
        ("53300", Retry::Later, true, "max_connections"),
        ("53100", Retry::AfterRepair, true, "free some space"),
        ("53200", Retry::Later, true, "lacks resources (because)"),
        ("25006", Retry::AfterRepair, true, "name the primary server"),
        (
            "42501",
            Retry::AfterRepair,
            false,
            "lacks a permission (because)",
        ),
        ("42P01", Retry::AfterRepair, false, "update myao"),
        ("42703", Retry::AfterRepair, false, "update myao"),
        ("55P03", Retry::Later, true, "another program works"),
        ("40P01", Retry::Later, true, "another program works"),
        ("40001", Retry::Later, true, "another program works"),
        ("57014", Retry::Later, true, "took too long"),
        ("57P01", Retry::Later, true, "starting or stopping"),
        ("57P03", Retry::Later, true, "starting or stopping"),
        ("25P03", Retry::Later, true, "was lost"),
        ("08006", Retry::Later, true, "cannot be reached"),
        ("08P01", Retry::Later, true, "cannot be reached"),
        (
            "23505",
            Retry::AfterRepair,
            false,
            "because (SQLSTATE 23505)",
        ),
    ] {
        let error = PostgresError::of_code(&database, &SqlState::from_code(code), "because");
        let text = error.to_string();
        assert_eq!(error.retry(), retry, "{code}");
        assert!(text.contains("postgres://u@db.example:5432/myao"), "{text}");
        assert!(text.contains(part), "{code}: {text}");
        assert!(!text.contains("s3cret") && !text.contains('\n'), "{text}");
        let error = StorageError::from(error);
        assert_eq!(
            matches!(error, StorageError::Unavailable(_)),
            is_unavailable,
            "{code}"
        );
    }
}
