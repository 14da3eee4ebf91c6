//! Taps that end a run: with an error, or with the whole process.

use std::io::Write as _;

use myao::storage::StorageError;

use crate::tap::{Call, Tap};

/// When a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the call is done.
    Before,
    /// When it is done, and its caller does not know yet.
    After,
}

/// The `number`th call returns an error.
#[derive(Debug, Clone, Copy)]
pub struct FailAt(pub usize, pub Moment);

impl FailAt {
    fn strike(self, call: Call, moment: Moment) -> Result<(), StorageError> {
        if (call.number, moment) == (self.0, self.1) {
            return Err(StorageError::Unavailable(format!(
                "struck at call {}",
                call.number
            )));
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl Tap for FailAt {
    async fn before(&self, call: Call) -> Result<(), StorageError> {
        self.strike(call, Moment::Before)
    }

    async fn after(&self, call: Call, _: usize) -> Result<(), StorageError> {
        self.strike(call, Moment::After)
    }
}

/// What [`Abort`] writes to standard output before each call.
pub const CALL_MARK: u8 = b'*';

/// The process ends at the `number`th call; before each it tells of it on standard output.
#[derive(Debug, Clone, Copy)]
pub struct Abort(pub Option<(usize, Moment)>);

impl Abort {
    fn strike(self, call: Call, moment: Moment) {
        if self.0 == Some((call.number, moment)) {
            std::process::abort();
        }
    }
}

#[async_trait::async_trait]
impl Tap for Abort {
    async fn before(&self, call: Call) -> Result<(), StorageError> {
        self.strike(call, Moment::Before);
        let mut out = std::io::stdout();
        let told = out.write_all(&[CALL_MARK]).and_then(|()| out.flush());
        told.map_err(|error| StorageError::Other(error.to_string()))
    }

    async fn after(&self, call: Call, _: usize) -> Result<(), StorageError> {
        self.strike(call, Moment::After);
        Ok(())
    }
}
