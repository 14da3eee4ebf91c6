//! TLS, as strict as `sslmode` says.

use std::path::Path;
use std::process::Command;

use super::options;
use crate::database::Database;
use crate::{PostgresError, PostgresOptions};
use myao_sql::session::Connection;
use myao_test_postgres::PostgresServer;

/// Makes certificates in a folder: of an authority, and of a server with the name `localhost`.
fn make_certificates(folder: &Path) {
    let run = |words: &str| {
        let made = Command::new("openssl")
            .args(words.split(' '))
            .current_dir(folder)
            .output();
        let made =
            made.expect("these tests need `openssl`: install it with `apt-get install openssl`");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
    run(&format!(
        "req -x509 {key} -keyout ca.key -out ca.crt -subj /CN=authority"
    ));
    run(&format!(
        "req -x509 {key} -keyout other.key -out other.crt -subj /CN=other"
    ));
    run(&format!(
        "req -x509 {key} -keyout server.key -out server.crt -subj /CN=localhost -CA ca.crt -CAkey ca.key \
        -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE"
    ));
}

/// Returns true if the connection is encrypted.
fn is_encrypted(options: &PostgresOptions) -> Result<bool, PostgresError> {
    let database = Database::new(options)?;
    let reading = database.begin_read()?;
    let connection: &Connection = &reading;
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    Ok(connection.query_row(sql, (), |row| row.get(0)).unwrap())
}

#[test]
fn certificates_are_checked_as_sslmode_says() {
    let mut folder = None;
    let server = PostgresServer::start(|data| {
        make_certificates(data);
        folder = Some(data.to_owned());
        vec!["ssl=on".to_owned()]
    });
    let folder = folder.unwrap();
    let with = |host: &str, query: &str| {
        let url = server.url("postgres").replace("127.0.0.1", host);
        is_encrypted(&options(&format!("{url}?{query}")))
    };
    let root = |name: &str| format!("sslrootcert={}", folder.join(name).display());
    let (ours, other) = (root("ca.crt"), root("other.crt"));

    for (query, is_tls) in [
        ("sslmode=disable", false),
        ("sslmode=allow", false),
        ("sslmode=prefer", true),
        ("", true),
        ("sslmode=require", true),
    ] {
        assert_eq!(with("127.0.0.1", query).unwrap(), is_tls, "{query}");
    }
    let full = format!("sslmode=verify-full&{ours}");
    assert!(with("localhost", &full).unwrap());
    let wrong_name = with("127.0.0.1", &full).unwrap_err();
    assert!(
        matches!(wrong_name, PostgresError::Tls { .. }),
        "{wrong_name:?}"
    );
    for mode in ["verify-ca", "require"] {
        assert!(with("127.0.0.1", &format!("sslmode={mode}&{ours}")).unwrap());
        let unknown = with("127.0.0.1", &format!("sslmode={mode}&{other}")).unwrap_err();
        assert!(matches!(unknown, PostgresError::Tls { .. }), "{unknown:?}");
    }
    let unknown = with("localhost", "sslmode=verify-full").unwrap_err();
    assert!(
        matches!(
            unknown,
            PostgresError::Tls { .. } | PostgresError::Certificates { .. }
        ),
        "{unknown:?}"
    );
    let missing = with("localhost", "sslmode=verify-full&sslrootcert=/nowhere.pem").unwrap_err();
    assert!(missing.to_string().contains("/nowhere.pem"), "{missing}");

    // A server that takes nothing but TLS, or nothing but plain connections.
    for (kind, query, is_tls) in [
        ("hostssl", "sslmode=allow", true),
        ("hostnossl", "sslmode=prefer", false),
    ] {
        let rule = format!("local all all trust\n{kind} all all 127.0.0.1/32 scram-sha-256\n");
        std::fs::write(folder.join("pg_hba.conf"), rule).unwrap();
        server.run("postgres", "SELECT pg_reload_conf()").unwrap();
        let is_in_force = format!("SELECT count(*) FROM pg_hba_file_rules WHERE type = '{kind}'");
        assert_eq!(server.run("postgres", &is_in_force).unwrap(), "1");
        let begun = std::time::Instant::now();
        // The server reads its rules a moment later.
        while with("127.0.0.1", query).ok() != Some(is_tls) {
            assert!(begun.elapsed().as_secs() < 30, "{kind}");
        }
        let other = if is_tls {
            "sslmode=disable"
        } else {
            "sslmode=require"
        };
        let error = with("127.0.0.1", other).unwrap_err();
        assert!(
            matches!(error, PostgresError::NotAdmitted { .. }),
            "{error:?}"
        );
    }
}
