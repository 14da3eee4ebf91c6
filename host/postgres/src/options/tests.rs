#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::time::Duration;

use tokio_postgres::config::SslMode as Negotiation;

use super::{PostgresOptions, Roots, SslMode};

fn parse(text: &str) -> PostgresOptions {
    text.parse().unwrap()
}

fn refused(text: &str) -> String {
    text.parse::<PostgresOptions>().unwrap_err().to_string()
}

#[test]
fn an_address_is_shown_without_its_password() {
    for (text, shown) in [
        (
            "postgres://u:p4ss@h:6543/d?sslmode=require",
            "postgres://u@h:6543/d",
        ),
        ("postgresql://u:p%40s%3Fs@h/d", "postgres://u@h:5432/d"),
        (
            "host=h port=6543 user=u password='p4 ss' dbname=d sslmode=disable",
            "postgres://u@h:6543/d",
        ),
        ("postgres://u:p4ss@[::1]:1/d", "postgres://u@[::1]:1/d"),
        ("postgres://u:p4ss@a:1,b:2/d", "postgres://u@a:1,b:2/d"),
        (
            "postgres://u@%2Frun%2Fpostgresql/d",
            "postgres://u@/run/postgresql:5432/d",
        ),
        ("postgres://u:p4ss@/d", "postgres://u@localhost:5432/d"),
        ("hostaddr=127.0.0.1 user=u", "postgres://u@127.0.0.1:5432/u"),
    ] {
        let options = parse(text);
        assert_eq!(options.address().to_string(), shown, "{text}");
        assert!(!format!("{options:?}").contains("p4"), "{options:?}");
    }
    let password = parse("postgres://u:p%40s%3Fs@h/d?connect_timeout=3");
    assert_eq!(password.config.get_password().unwrap(), b"p@s?s");
    let password = parse(r"password='it\'s \\' host=h user=u");
    assert_eq!(password.config.get_password().unwrap(), br"it's \");
}

#[test]
fn sslmode_is_what_libpq_means_by_it() {
    let file = |name: &str| Some(Roots::File(name.into()));
    for (query, mode, roots, negotiation) in [
        ("", SslMode::Prefer, None, Negotiation::Prefer),
        (
            "?sslmode=disable",
            SslMode::Disable,
            None,
            Negotiation::Disable,
        ),
        ("?sslmode=allow", SslMode::Allow, None, Negotiation::Disable),
        (
            "?sslmode=prefer&sslrootcert=/r",
            SslMode::Prefer,
            None,
            Negotiation::Prefer,
        ),
        (
            "?sslmode=require",
            SslMode::Require,
            None,
            Negotiation::Require,
        ),
        (
            "?sslmode=require&sslrootcert=/r",
            SslMode::VerifyCa,
            file("/r"),
            Negotiation::Require,
        ),
        (
            "?sslrootcert=%2Fa%20b&sslmode=verify-ca",
            SslMode::VerifyCa,
            file("/a b"),
            Negotiation::Require,
        ),
        (
            "?sslmode=verify-full&sslrootcert=/r",
            SslMode::VerifyFull,
            file("/r"),
            Negotiation::Require,
        ),
        (
            "?sslmode=verify-full",
            SslMode::VerifyFull,
            Some(Roots::System),
            Negotiation::Require,
        ),
        (
            "?sslmode=verify-full&sslrootcert=system",
            SslMode::VerifyFull,
            Some(Roots::System),
            Negotiation::Require,
        ),
    ] {
        let options = parse(&format!("postgres://u@h/d{query}"));
        assert_eq!((options.ssl_mode, options.roots), (mode, roots), "{query}");
        assert_eq!(options.config.get_ssl_mode(), negotiation, "{query}");
    }
    let pairs = parse("host=h user=u sslmode = verify-full sslrootcert='/a b'");
    assert_eq!(
        (pairs.ssl_mode, pairs.roots),
        (SslMode::VerifyFull, file("/a b"))
    );
    // A socket of this machine has no TLS.
    let socket = parse("postgres://u@%2Frun/d?sslmode=require");
    assert_eq!(socket.ssl_mode, SslMode::Disable);
    for query in [
        "sslmode=sometimes",
        "sslmode=verify-ca",
        "sslmode=require&sslrootcert=system",
    ] {
        let error = refused(&format!("postgres://u@h/d?{query}"));
        assert!(error.contains("`sslmode"), "{error}");
    }
}

#[test]
fn what_is_not_said_has_a_default() {
    let options = parse("postgres://u@h/d");
    assert_eq!(options.config.get_application_name(), Some("myao"));
    assert_eq!(
        options.config.get_connect_timeout(),
        Some(&Duration::from_secs(10))
    );
    assert_eq!(
        options.config.get_keepalives_idle(),
        Duration::from_secs(30)
    );
    let options =
        parse("postgres://u@h/d?application_name=other&connect_timeout=2&keepalives_idle=7");
    assert_eq!(options.config.get_application_name(), Some("other"));
    assert_eq!(
        options.config.get_connect_timeout(),
        Some(&Duration::from_secs(2))
    );
    assert_eq!(options.config.get_keepalives_idle(), Duration::from_secs(7));
}

#[test]
fn an_address_that_cannot_be_read_is_refused_without_repeating_it() {
    for text in [
        "",
        "myao.db",
        "mysql://u:s3cret@h/d",
        "postgres://u:s3cret@h/d?s3cret=1",
        "postgres://u:s3cret@h/d?s3cret",
        "postgres://u:s3cret@h:s3cret/d",
        "password=one s3cret=two host=h",
        "password=one s3cret",
        "password='s3cret host=h",
    ] {
        let error = refused(text);
        assert!(
            error.starts_with("`memory.database_url` cannot be used: "),
            "{error}"
        );
        assert!(!error.contains("s3cret"), "{error}");
    }
    let error = refused("postgres://u:s3cret@h/d?sslcert=/c");
    assert!(
        error.contains("`sslcert`") && !error.contains("s3cret"),
        "{error}"
    );
}
