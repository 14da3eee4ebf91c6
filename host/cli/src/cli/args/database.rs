//! Commands about whole databases.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum DatabaseCommand {
    /// Copy a database with all its workspaces to an empty one, between SQLite and PostgreSQL as well, and compare every
    /// row; goes on with a copy that was stopped. No bot may use either meanwhile
    Copy {
        /// A file, or the address of a database on a PostgreSQL server; ${NAME} in an address is a variable of the
        /// environment
        from: String,
        /// A file that does not exist yet, or the address of an empty database
        to: String,
    },
    /// Make the tables, or change them for this program, as every command does that finds older ones
    Prepare,
}
