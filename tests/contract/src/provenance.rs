//! How a distribution came about: from which commit and with which locked dependencies each of its files was made, as a
//! statement of in-toto with the provenance of SLSA (<https://slsa.dev/spec/v1.0/provenance>). Whoever publishes signs it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::project;

/// The name of the statement in a distribution.
pub const FILE: &str = "provenance.json";
/// What is no subject of it: the statement itself, and the digests, which name it.
const NOT_STATED: [&str; 2] = [FILE, "SHA256SUMS"];
/// The locked dependencies of all that is built, and what the build leaves of its compiler's version.
const MATERIALS: [&str; 2] = ["Cargo.lock", "target/component/toolchain"];

/// Why there is no statement.
#[derive(Debug, thiserror::Error)]
pub enum ProvenanceError {
    /// A file or a folder cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// The statement about the files of a folder, as JSON. `builder` is a URI that names who built them.
///
/// # Errors
/// [`ProvenanceError`].
pub fn statement(folder: &Path, builder: &str) -> Result<String, ProvenanceError> {
    let mut files = Vec::new();
    list(folder, folder, &mut files)?;
    files.sort();
    let subjects = files
        .iter()
        .filter(|name| !NOT_STATED.contains(&name.as_str()))
        .map(|name| {
            Ok(json!({ "name": name, "digest": { "sha256": sha256(&folder.join(name))? } }))
        });
    let subjects: Vec<Value> = subjects.collect::<Result<_, ProvenanceError>>()?;
    let materials = MATERIALS.iter().map(|name| {
        let digest = sha256(&project::path(name))?;
        Ok(json!({ "name": name, "digest": { "sha256": digest } }))
    });
    let mut resolved: Vec<Value> = materials.collect::<Result<_, ProvenanceError>>()?;
    if let Some(revision) = project::revision() {
        resolved.insert(
            0,
            json!({ "name": "source", "digest": { "gitCommit": revision } }),
        );
    }
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:myao:make-dist:v1",
                "externalParameters": { "command": "make dist" },
                "resolvedDependencies": resolved,
            },
            "runDetails": { "builder": { "id": builder } },
        },
    });
    Ok(format!("{statement:#}\n"))
}

/// The files below a folder, relative to the top.
fn list(top: &Path, folder: &Path, files: &mut Vec<String>) -> Result<(), ProvenanceError> {
    let failed = |source| ProvenanceError::File {
        path: folder.to_owned(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            list(top, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(top) {
            files.push(name.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

fn sha256(path: &Path) -> Result<String, ProvenanceError> {
    let bytes = fs::read(path).map_err(|source| ProvenanceError::File {
        path: path.to_owned(),
        source,
    })?;
    let digest = Sha256::digest(&bytes);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}
