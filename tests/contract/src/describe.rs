//! Writes into a component or a WIT package what it is: name, version, licence and source, as custom sections that registries show
//! (<https://specs.opencontainers.org/image-spec/annotations/>).

use serde::Deserialize;
use wasm_metadata::{
    AddMetadata, AddMetadataField, Description, Licenses, Revision, Source, Version,
};

use crate::project;

/// The crate that all components are built from.
const PACKAGE: &str = "myao-memory";

/// Why a component cannot be described.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// cargo does not tell.
    #[error("cargo metadata: {0}")]
    Cargo(String),
    /// The crate lacks something, or has something that registries do not accept.
    #[error("guest/Cargo.toml: {0}")]
    Crate(String),
    /// The bytes are no component.
    #[error("{name}: {detail}")]
    Component {
        /// Its name.
        name: String,
        /// Why.
        detail: String,
    },
}

/// What cargo tells of the workspace.
#[derive(Deserialize)]
struct Workspace {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    description: Option<String>,
    license: Option<String>,
    repository: Option<String>,
}

/// A component or a WIT package with its description. The same commit gives the same bytes. Without a `version` it has that
/// of the crate.
///
/// # Errors
/// [`DescribeError`].
pub fn described(
    name: &str,
    version: Option<String>,
    component: &[u8],
) -> Result<Vec<u8>, DescribeError> {
    let package = package()?;
    let missing = |field: &str| DescribeError::Crate(format!("it has no `{field}`"));
    let license = package.license.ok_or_else(|| missing("license"))?;
    let description = package.description.ok_or_else(|| missing("description"))?;
    let wrong = |error: &dyn std::fmt::Display| DescribeError::Crate(error.to_string());
    let mut add = AddMetadata::default();
    add.name = AddMetadataField::Set(name.to_owned());
    add.version = AddMetadataField::Set(Version::new(version.unwrap_or(package.version)));
    add.description = AddMetadataField::Set(Description::new(description));
    let licenses = Licenses::new(&license).map_err(|error| wrong(&error))?;
    add.licenses = AddMetadataField::Set(licenses);
    if let Some(repository) = package.repository {
        let source = Source::new(&repository).map_err(|error| wrong(&error))?;
        add.source = AddMetadataField::Set(source);
    }
    if let Some(revision) = project::revision() {
        add.revision = AddMetadataField::Set(Revision::new(revision));
    }
    add.to_wasm(component)
        .map_err(|error| DescribeError::Component {
            name: name.to_owned(),
            detail: format!("{error:#}"),
        })
}

fn package() -> Result<Package, DescribeError> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let json = project::cargo(&arguments).map_err(DescribeError::Cargo)?;
    let workspace: Workspace =
        serde_json::from_str(&json).map_err(|error| DescribeError::Cargo(error.to_string()))?;
    let mut packages = workspace.packages.into_iter();
    let found = packages.find(|package| package.name == PACKAGE);
    found.ok_or_else(|| DescribeError::Cargo(format!("it does not know {PACKAGE}")))
}
