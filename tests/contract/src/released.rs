//! Whether the contract fits its version: what was released does not change, and a later version says by its number
//! whether hosts of an earlier one can load its components.

use std::path::Path;

use wit_component::semver_check;
use wit_parser::Resolve;

use crate::wit::{Contract, WitError};

/// Why a contract does not fit its version.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// A contract cannot be read.
    #[error(transparent)]
    Wit(#[from] WitError),
    /// The folder of released contracts cannot be read.
    #[error("{path}: {source}")]
    Folder {
        /// The folder.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A package without a version, or a folder that is not named by its version.
    #[error(
        "{place} holds a package of version {found}: name the folder by the version of its package"
    )]
    Misnamed {
        /// The folder.
        place: String,
        /// What the package says.
        found: String,
    },
    /// There are released versions, but this one is not among them.
    #[error(
        "wit/ has version {version}, of which {folder} has no copy: run `scripts/freeze-wit`, and commit what it makes"
    )]
    NotFrozen {
        /// The version of `wit/`.
        version: String,
        /// The folder of released contracts.
        folder: String,
    },
    /// The contract changed under its version.
    #[error(
        "wit/ differs from version {version}: it has `{now}` instead of `{then}`. Released contracts do \
         not change: raise the version of the package in every file of wit/ (to {next} where hosts of {version} cannot load the component \
         any more), and run `scripts/freeze-wit`. Where {version} is not released yet, `scripts/freeze-wit` alone will do"
    )]
    Changed {
        /// The version.
        version: String,
        /// What it says now.
        now: String,
        /// What it said.
        then: String,
        /// The next version that promises nothing.
        next: String,
    },
    /// The version went back.
    #[error("wit/ has version {version}, but {released} was released: versions go up")]
    Older {
        /// The version of `wit/`.
        version: String,
        /// The newest one that was released.
        released: String,
    },
    /// A host of the earlier version could not load the component any more.
    #[error(
        "version {version} promises that hosts of {released} can load its component `{world}`, but they cannot: {detail}. \
         Take the change back, or raise the version to {next}"
    )]
    Incompatible {
        /// The version of `wit/`.
        version: String,
        /// The one that was released.
        released: String,
        /// The world.
        world: String,
        /// What does not fit.
        detail: String,
        /// The next version that promises nothing.
        next: String,
    },
}

/// What the contract was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// With nothing: no contract has been released yet, so everything may change.
    NothingReleased,
    /// With the released versions, and it fits them.
    Fits,
}

/// A version: three numbers.
type Version = [u64; 3];

/// Checks the contract in `wit` against the copies in `released`. The folder does not exist before the first release.
///
/// # Errors
/// [`ReleaseError`], which says what to do.
pub fn check(wit: &Path, released: &Path) -> Result<Compared, ReleaseError> {
    let current = Contract::read(wit)?;
    let (version, text) = version_of(&current, wit)?;
    let mut copies = copies(released)?;
    copies.sort_by_key(|(version, _)| *version);
    let Some(newest) = copies.last().map(|(newest, _)| *newest) else {
        return Ok(Compared::NothingReleased);
    };
    if newest > version {
        return Err(ReleaseError::Older {
            version: text,
            released: written(newest),
        });
    }
    if newest == version {
        for (_, copy) in copies.iter().filter(|(of, _)| *of == version) {
            same_meaning(&current, copy, version)?;
        }
    }
    for (before, _) in copies.iter().filter(|(of, _)| promises(*of, version)) {
        loads(wit, &released.join(written(*before)), version, *before)?;
    }
    if newest == version {
        return Ok(Compared::Fits);
    }
    Err(ReleaseError::NotFrozen {
        version: text,
        folder: released.display().to_string(),
    })
}

/// The copies in a folder, with their versions.
fn copies(released: &Path) -> Result<Vec<(Version, Contract)>, ReleaseError> {
    let unreadable = |source| ReleaseError::Folder {
        path: released.display().to_string(),
        source,
    };
    let mut copies = Vec::new();
    if !released.exists() {
        return Ok(copies);
    }
    for entry in std::fs::read_dir(released).map_err(unreadable)? {
        let folder = entry.map_err(unreadable)?.path();
        if !folder.is_dir() {
            continue;
        }
        let copy = Contract::read(&folder)?;
        let (version, text) = version_of(&copy, &folder)?;
        if folder.file_name().is_none_or(|name| name != text.as_str()) {
            return Err(ReleaseError::Misnamed {
                place: folder.display().to_string(),
                found: text,
            });
        }
        copies.push((version, copy));
    }
    Ok(copies)
}

fn version_of(contract: &Contract, folder: &Path) -> Result<(Version, String), ReleaseError> {
    let text = contract.version().unwrap_or_default();
    let numbers = text
        .split('.')
        .map(str::parse)
        .collect::<Result<Vec<u64>, _>>();
    match numbers
        .ok()
        .and_then(|numbers| Version::try_from(numbers).ok())
    {
        Some(version) => Ok((version, text)),
        None => Err(ReleaseError::Misnamed {
            place: folder.display().to_string(),
            found: format!("`{text}`, which is not three numbers"),
        }),
    }
}

fn written([major, minor, patch]: Version) -> String {
    format!("{major}.{minor}.{patch}")
}

/// Whether a version promises that hosts of an earlier one can load its components: those with the same first number that
/// is not 0, as everywhere in WebAssembly.
fn promises([major, minor, patch]: Version, later: Version) -> bool {
    let [later_major, later_minor, _] = later;
    let same_track = match (major, minor) {
        (0, 0) => false,
        (0, _) => (major, minor) == (later_major, later_minor),
        _ => major == later_major,
    };
    same_track && [major, minor, patch] < later
}

/// The next version that promises nothing.
fn next_free([major, minor, _]: Version) -> String {
    match major {
        0 => written([0, minor + 1, 0]),
        _ => written([major + 1, 0, 0]),
    }
}

fn same_meaning(current: &Contract, copy: &Contract, version: Version) -> Result<(), ReleaseError> {
    let (now, then) = (current.meaning()?, copy.meaning()?);
    if now == then {
        return Ok(());
    }
    let mut lines = now.lines().map(Some).chain([None]);
    let mut before = then.lines().map(Some).chain([None]);
    let differ = lines
        .by_ref()
        .zip(before.by_ref())
        .find(|(now, then)| now != then);
    let (now, then) = differ.unwrap_or_default();
    let line = |line: Option<&str>| line.unwrap_or("the end").trim().to_owned();
    Err(ReleaseError::Changed {
        version: written(version),
        now: line(now),
        then: line(then),
        next: next_free(version),
    })
}

/// Whether hosts of `before` load components of `wit`. wit-component asks the question for components of an earlier version
/// on later hosts; here the host is the earlier one, so the worlds change places.
fn loads(wit: &Path, before: &Path, version: Version, of: Version) -> Result<(), ReleaseError> {
    let refused = |world: &str, detail: String| ReleaseError::Incompatible {
        version: written(version),
        released: written(of),
        world: world.to_owned(),
        detail,
        next: next_free(version),
    };
    let earlier = Contract::read(before)?;
    for (name, _) in earlier.worlds() {
        let mut both = Resolve::new();
        let (Ok((then, _)), Ok((now, _))) = (both.push_dir(before), both.push_dir(wit)) else {
            return Err(refused(
                &name,
                "the two contracts cannot be read together".to_owned(),
            ));
        };
        let (Ok(then), Ok(now)) = (
            both.select_world(&[then], Some(&name)),
            both.select_world(&[now], Some(&name)),
        ) else {
            return Err(refused(&name, "there is no such world any more".to_owned()));
        };
        semver_check(both, now, then).map_err(|error| refused(&name, format!("{error:#}")))?;
    }
    Ok(())
}
