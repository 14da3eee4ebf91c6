//! A listener that ends the whole process.

use std::io::Write as _;

use myao_testkit::{Answer, Call, Fault, Tap};

/// When a process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the call is done.
    Before,
    /// When it is done, and its caller does not know yet.
    After,
}

/// The byte that [`Abort`] writes to standard output before each call that can fail.
pub const CALL_MARK: u8 = b'*';

/// The process ends at the call with this number; before each it tells of it on standard output.
#[derive(Debug, Clone, Copy)]
pub struct Abort(pub Option<(usize, Moment)>);

impl Abort {
    fn strike(self, call: &Call, moment: Moment) {
        if self.0 == Some((call.number, moment)) {
            std::process::abort();
        }
    }
}

#[async_trait::async_trait]
impl Tap for Abort {
    async fn before(&self, call: &Call) -> Result<(), Fault> {
        self.strike(call, Moment::Before);
        let mut out = std::io::stdout();
        let told = out.write_all(&[CALL_MARK]).and_then(|()| out.flush());
        told.map_err(|error| Fault::Unavailable(error.to_string()))
    }

    async fn after(&self, call: &Call, _: &Answer) -> Result<(), Fault> {
        self.strike(call, Moment::After);
        Ok(())
    }
}
