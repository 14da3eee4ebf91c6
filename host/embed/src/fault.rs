//! Why a model cannot be used.

use std::io;
use std::path::PathBuf;

/// A model's file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the model's file {}: {fault}", path.display())]
pub struct ModelError {
    pub(crate) path: PathBuf,
    pub(crate) fault: Fault,
}

/// The fault of a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("it cannot be read: {}", reason(.0))]
    Unreadable(io::Error),
    #[error("{0}")]
    Unfit(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}

/// A file that ends too early has its own words.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is cut off".to_owned(),
        _ => error.to_string(),
    }
}

pub(crate) fn unfit<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Unfit(why.into()))
}
