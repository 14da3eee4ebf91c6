//! Why a transaction failed, in code that does not know which database it is.

use myao_plugin::storage::StorageError;
use myao_plugin::ts::InvalidTs;

use crate::session::Error;

/// Why a transaction failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The database failed.
    Database(Error),
    /// The arguments are not valid, or somebody else was first.
    Refused(StorageError),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Self {
        Self::Refused(error)
    }
}

impl From<InvalidTs> for Fault {
    fn from(error: InvalidTs) -> Self {
        Self::Refused(StorageError::Invalid(error.to_string()))
    }
}
