//! The database: checks that it can be opened, read completely and written.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::Finding;
use crate::cli::database::{Examined, examine};

const CHECK: &str = "database";
/// As much as an empty database takes.
const PROBE_BYTES: usize = 256 << 10;

/// Describes the database; returns true if it has the tables of this program's schema.
pub(super) fn check(path: &Path) -> (Finding, bool) {
    let shown = path.display();
    let finding = match examine(path) {
        Err(error) => Finding::bad(CHECK, error.to_string()),
        Ok(Examined::Missing) => missing(path),
        Ok(Examined::Empty) => Finding::warning(CHECK, format!("{shown} is empty")).with_advice(
            "`myao import`, `myao chat` and `myao run` fill it; if it should hold memories, restore it from a backup, or name the file that \
             holds them in memory.database_path",
        ),
        Ok(Examined::Ours { faults, .. }) if !faults.is_empty() => Finding::bad(
            CHECK,
            format!("{shown} is damaged: {}", faults.join("; ").replace('\n', " ")),
        )
        .with_advice("restore it from a backup"),
        Ok(Examined::Ours { schema, newest, .. }) if schema < newest => Finding::warning(
            CHECK,
            format!("{shown} is whole, with schema {schema} of an older myao"),
        )
        .with_advice(format!("the first command that uses it brings it to schema {newest}")),
        Ok(Examined::Ours { schema, .. }) => {
            let found = format!("{shown} is whole and can be written, schema {schema}");
            return (Finding::good(CHECK, found), true);
        }
        Ok(_) => Finding::warning(CHECK, format!("this program does not know what {shown} is")),
    };
    (finding, false)
}

/// Checks that a database can be created.
fn missing(path: &Path) -> Finding {
    let shown = path.display();
    let probe = path.with_extension("doctor");
    match fs::File::create_new(&probe) {
        Ok(file) => {
            let written = write_some(file);
            let found = match fs::remove_file(&probe) {
                Ok(()) => format!("there is no {shown} yet"),
                Err(error) => format!(
                    "there is no {shown} yet, and {} stays behind: {error}",
                    probe.display()
                ),
            };
            match written {
                Ok(()) => Finding::warning(CHECK, found)
                    .with_advice("`myao import`, `myao chat` and `myao run` make it"),
                Err(error) => Finding::bad(
                    CHECK,
                    format!("{found}, and nothing can be written there: {error}"),
                )
                .with_advice("free some space, or name another file in memory.database_path"),
            }
        }
        Err(error) => Finding::bad(CHECK, format!("{shown} cannot be made: {error}")).with_advice(
            "make its folder, and make it writable, or name another file in memory.database_path",
        ),
    }
}

fn write_some(mut file: fs::File) -> std::io::Result<()> {
    file.write_all(&[0; PROBE_BYTES])?;
    file.sync_all()
}
