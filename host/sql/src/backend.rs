//! The interface of an engine: transactions.

use myao_plugin::storage::StorageError;

use crate::fault::Fault;
use crate::session::Connection;

/// The work of one transaction. It is called once.
pub type Work<'a> = dyn FnMut(&Connection) -> Result<(), Fault> + 'a;

/// A database. Everything blocks.
pub trait Backend: Send + Sync {
    /// Runs `work` in one transaction that sees one state of the database.
    ///
    /// # Errors
    /// That of `work`, or of the database.
    fn read(&self, work: &mut Work<'_>) -> Result<(), StorageError>;

    /// Runs `work` in one writing transaction of a workspace, which begins when the one before has ended. It is committed if
    /// `work` succeeds.
    ///
    /// # Errors
    /// That of `work`, or of the database; nothing is written then.
    fn write(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError>;

    /// Runs `work` in one writing transaction of a workspace, and undoes it.
    ///
    /// # Errors
    /// That of `work`, or of the database.
    fn try_out(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError>;

    /// Tries whether there is room for an event of a workspace, and undoes it.
    ///
    /// # Errors
    /// That of the database.
    fn try_room(&self, workspace: i64) -> Result<(), StorageError> {
        self.try_out(workspace, &mut |_| Ok(()))
    }

    /// How many connections are in use, and how many there can be; 0 if their number is not limited.
    fn connections(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Removes what the engine still keeps of rows that were erased. Returns why it could not, or what is left.
    ///
    /// # Errors
    /// That of the database.
    fn discard_erased(&self) -> Result<Option<String>, StorageError>;
}

/// A writing transaction that is open for longer than a call. Dropping it undoes it.
pub trait Transaction: Send {
    /// The connection.
    fn connection(&self) -> &Connection;

    /// Commits it.
    ///
    /// # Errors
    /// That of the database; nothing is written then.
    fn commit(self: Box<Self>) -> Result<(), StorageError>;

    /// The error of what was done in it.
    fn error(&self, fault: Fault) -> StorageError;
}
