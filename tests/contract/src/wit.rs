//! Reads the contract.

use std::path::{Path, PathBuf};

use wit_component::{OutputToString, WitPrinter};
use wit_parser::{PackageId, Resolve, WorldId};

/// Why a contract cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {detail}")]
pub struct WitError {
    path: PathBuf,
    detail: String,
}

/// A contract: one package.
pub struct Contract {
    /// All that it speaks of.
    pub resolve: Resolve,
    /// Its package.
    pub package: PackageId,
}

impl Contract {
    /// Reads the WIT files of a folder.
    ///
    /// # Errors
    /// [`WitError`] where they are no package.
    pub fn read(folder: &Path) -> Result<Self, WitError> {
        let mut resolve = Resolve::new();
        let package = resolve.push_dir(folder);
        let (package, _) = package.map_err(|error| WitError {
            path: folder.to_owned(),
            detail: format!("{error:#}"),
        })?;
        Ok(Self { resolve, package })
    }

    /// Its version; `None` if it has none.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        let package = self.resolve.packages.get(self.package)?;
        package.name.version.as_ref().map(ToString::to_string)
    }

    /// Its worlds, by name.
    #[must_use]
    pub fn worlds(&self) -> Vec<(String, WorldId)> {
        let package = self.resolve.packages.get(self.package);
        let worlds = package.into_iter().flat_map(|package| &package.worlds);
        worlds.map(|(name, id)| (name.clone(), *id)).collect()
    }

    /// What it means: all of it but the documentation.
    ///
    /// # Errors
    /// [`WitError`] where it cannot be printed.
    pub fn meaning(&self) -> Result<String, WitError> {
        let mut printer = WitPrinter::new(OutputToString::default());
        printer
            .emit_docs(false)
            .print(&self.resolve, self.package, &[])
            .map_err(|error| WitError {
                path: PathBuf::from("the contract"),
                detail: format!("{error:#}"),
            })?;
        Ok(printer.output.to_string())
    }
}
