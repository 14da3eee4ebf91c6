//! The meaning of the driver's own errors.

use std::error::Error as _;

/// The driver's error with its causes.
pub(super) fn in_full(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        return error.message().to_owned();
    }
    match error.source() {
        Some(cause) => cause.to_string(),
        None => error.to_string(),
    }
}

/// Returns true if a TLS handshake failed.
pub(crate) fn is_tls(error: &tokio_postgres::Error) -> bool {
    error.to_string() == "error performing TLS handshake"
}

/// Returns true if the connection is of no use any more.
pub(crate) fn is_gone(error: &tokio_postgres::Error) -> bool {
    match error.as_db_error() {
        Some(error) => {
            let code = error.code().code();
            matches!(code, "57P01" | "57P02" | "57P05" | "25P03") || code.starts_with("08")
        }
        None => error.is_closed() || error.to_string() == "error communicating with the server",
    }
}
