//! `myao backup`: a copy of the database, also while a bot writes to it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use std::io::Write as _;

use crate::cli::app::App;
use crate::cli::database::{self, Examined, Where, examine};
use crate::cli::output;

/// The copy has such a name until it is complete and checked.
const UNFINISHED: &str = ".myao-backup-";

pub(crate) fn run(app: &App, to: &Path) -> anyhow::Result<ExitCode> {
    let database = app.database();
    let is_there = match database.place {
        Where::File(path) => path.exists(),
        Where::Server(_) => true,
    };
    anyhow::ensure!(
        is_there,
        "there is no database {} to copy: name it in the configuration ({})",
        database.shown(),
        database.key()
    );
    let taken = || {
        format!(
            "{} exists already, and nothing is overwritten: give another name",
            to.display()
        )
    };
    anyhow::ensure!(to.symlink_metadata().is_err(), taken());
    let folder = match to.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let copy = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(&folder)
        .with_context(|| {
            let folder = folder.display();
            format!("nothing can be written in {folder}: check that it exists and that you may write there")
        })?;
    let about = match database.place {
        Where::File(from) => {
            database::copy(from, copy.path())?;
            check(copy.path())?;
            "every page read again and whole"
        }
        Where::Server(server) => {
            server.dump(copy.path())?;
            "pg_restore makes a database of it"
        }
    };
    copy.as_file()
        .sync_all()
        .with_context(|| format!("{} cannot be kept", to.display()))?;
    let bytes = copy.as_file().metadata()?.len();
    copy.persist_noclobber(to)
        .map_err(|error| anyhow::Error::new(error.error))
        .with_context(taken)?;
    if app.json {
        output::print_json(&json!({ "file": to.display().to_string(), "bytes": bytes }))?;
    } else {
        writeln!(
            output::stdout(),
            "Copied {} to {}: {} bytes, {about}. Only you can read it.",
            database.shown(),
            to.display(),
            output::number(bytes.into())
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads every page of the copy.
fn check(copy: &Path) -> anyhow::Result<()> {
    match examine(copy)? {
        Examined::Ours { faults, .. } if !faults.is_empty() => anyhow::bail!(
            "the copy is damaged, so it is not kept; `myao doctor` says whether the database is: {}",
            faults.join("; ")
        ),
        _ => Ok(()),
    }
}
