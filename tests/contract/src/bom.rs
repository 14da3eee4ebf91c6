//! A bill of materials: what is compiled into the components, as CycloneDX writes it. Neither a time nor a serial number
//! stands in it, so that the same components have the same one.
//!
//! `cargo tree` tells what is compiled for the component alone, with its features; what other crates of the workspace add
//! is left out, and so are procedural macros, which run while it is compiled. `Cargo.lock` has the checksums.

use std::collections::{BTreeMap, BTreeSet};

use cyclonedx_bom::external_models::normalized_string::NormalizedString;
use cyclonedx_bom::external_models::uri::Purl;
use cyclonedx_bom::models::bom::{Bom, SpecVersion};
use cyclonedx_bom::models::component::{Classification, Component, Components};
use cyclonedx_bom::models::dependency::{Dependencies, Dependency};
use cyclonedx_bom::models::hash::{Hash, HashAlgorithm, HashValue, Hashes};
use cyclonedx_bom::models::license::{LicenseChoice, Licenses};
use cyclonedx_bom::models::metadata::Metadata;
use sha2::{Digest as _, Sha256};

use crate::describe;
use crate::project::{self, COMPONENTS};

/// The crate that all components are built from.
const PACKAGE: &str = "myao-memory";
/// Where the build of the components leaves the version of its compiler.
const TOOLCHAIN: &str = "target/component/toolchain";

/// Why there is no bill.
#[derive(Debug, thiserror::Error)]
pub enum BomError {
    /// cargo does not tell.
    #[error("cargo tree: {0}")]
    Cargo(String),
    /// A file cannot be read.
    #[error("{path}: {source}; run `make component`")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A component cannot be described.
    #[error(transparent)]
    Describe(#[from] describe::DescribeError),
    /// A line that is not of the form that was asked for.
    #[error("`{0}` names no crate with a version and a licence")]
    Line(String),
    /// A crate that is in no registry.
    #[error("{0} is not in Cargo.lock with a checksum: where does it come from?")]
    Unknown(String),
    /// The bill is none.
    #[error("the bill of materials: {0}")]
    Invalid(String),
}

/// A crate, as `cargo tree` tells of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    license: String,
    /// A crate of this project, which comes from its folder.
    is_own: bool,
}

impl Crate {
    fn reference(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// The bill of all components, as JSON.
///
/// # Errors
/// [`BomError`].
pub fn bill() -> Result<String, BomError> {
    let lock = read("Cargo.lock")?;
    let rustc = read(TOOLCHAIN)?;
    let bom = bom(&tree()?, &checksums(&lock), rustc.trim(), wasm_files()?)?;
    let mut json = Vec::new();
    bom.output_as_json_v1_5(&mut json)
        .map_err(|error| BomError::Invalid(error.to_string()))?;
    json.push(b'\n');
    String::from_utf8(json).map_err(|error| BomError::Invalid(error.to_string()))
}

fn read(from_top: &str) -> Result<String, BomError> {
    std::fs::read_to_string(project::path(from_top)).map_err(|source| BomError::File {
        path: from_top.to_owned(),
        source,
    })
}

/// Depth, name, version and licence, line by line.
fn tree() -> Result<String, BomError> {
    let of_the_component = ["--package", PACKAGE, "--target", "wasm32-wasip2"];
    let edges = ["--edges", "normal,no-proc-macro", "--no-dedupe"];
    let form = ["--prefix", "depth", "--format", "\t{p}\t{l}"];
    let arguments = [&["tree"], &of_the_component[..], &edges, &form].concat();
    project::cargo(&arguments).map_err(BomError::Cargo)
}

/// Name and version of each crate of a registry, with its checksum.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let value = |package: &str, key: &str| {
        let start = format!("{key} = \"");
        let line = package.lines().find_map(|line| line.strip_prefix(&start))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").filter_map(|package| {
        let reference = format!("{}@{}", value(package, "name")?, value(package, "version")?);
        Some((reference, value(package, "checksum")?))
    });
    packages.collect()
}

/// The components' files as they are distributed, with their digests.
fn wasm_files() -> Result<Components, BomError> {
    let files = COMPONENTS.iter().map(|name| {
        let path = project::component(name);
        let bytes = std::fs::read(&path).map_err(|source| BomError::File {
            path: path.display().to_string(),
            source,
        })?;
        let file = format!("{name}.wasm");
        let mut component = component(Classification::File, &file, env!("CARGO_PKG_VERSION"));
        let digest = Sha256::digest(describe::described(name, None, &bytes)?);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        component.hashes = Some(sha256(&digest));
        Ok(component)
    });
    Ok(Components(files.collect::<Result<_, BomError>>()?))
}

/// What depends on what, in the order of names.
type Graph = BTreeMap<Crate, BTreeSet<String>>;

fn bom(
    tree: &str,
    checksums: &BTreeMap<String, String>,
    rustc: &str,
    files: Components,
) -> Result<Bom, BomError> {
    let (root, graph) = graph(tree)?;
    let library = standard_library(rustc)?;
    let library_reference = library.bom_ref.clone().unwrap_or_default();
    let mut components = vec![library];
    let mut dependencies = Vec::new();
    for (of, on) in &graph {
        let mut on: Vec<String> = on.iter().cloned().collect();
        on.push(library_reference.clone());
        dependencies.push(Dependency {
            dependency_ref: of.reference(),
            dependencies: on,
        });
        if *of != root {
            components.push(library_component(of, checksums)?);
        }
    }
    let mut main = component(Classification::Application, &root.name, &root.version);
    main.licenses = Some(licenses(&root.license));
    main.components = Some(files);
    Ok(Bom {
        version: 1,
        serial_number: None,
        metadata: Some(Metadata {
            component: Some(main),
            ..Metadata::default()
        }),
        components: Some(Components(components)),
        dependencies: Some(Dependencies(dependencies)),
        spec_version: SpecVersion::V1_5,
        services: None,
        external_references: None,
        compositions: None,
        properties: None,
        vulnerabilities: None,
        signature: None,
        annotations: None,
        formulation: None,
    })
}

/// The first crate of a tree, and all of them with what they depend on.
fn graph(tree: &str) -> Result<(Crate, Graph), BomError> {
    let mut graph = Graph::new();
    let mut above: Vec<Crate> = Vec::new();
    for line in tree.lines() {
        let unreadable = || BomError::Line(line.to_owned());
        let (depth, of) = crate_of(line).ok_or_else(unreadable)?;
        above.truncate(depth);
        if let Some(parent) = above.last() {
            graph
                .entry(parent.clone())
                .or_default()
                .insert(of.reference());
        }
        graph.entry(of.clone()).or_default();
        above.push(of);
    }
    let root = above.into_iter().next();
    Ok((root.ok_or_else(|| BomError::Line(String::new()))?, graph))
}

/// A line `DEPTH<tab>NAME vVERSION (PATH)<tab>LICENCE`.
fn crate_of(line: &str) -> Option<(usize, Crate)> {
    let mut parts = line.split('\t');
    let depth = parts.next()?.parse().ok()?;
    let mut words = parts.next()?.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    let license = parts.next().filter(|license| !license.is_empty())?;
    // Some crates still write `/` for `OR`.
    let license = license.replace('/', " OR ");
    let of = Crate {
        name: name.to_owned(),
        version: version.to_owned(),
        license,
        is_own: words.any(|word| word.starts_with("(/")),
    };
    Some((depth, of))
}

fn component(kind: Classification, name: &str, version: &str) -> Component {
    Component::new(kind, name, version, Some(format!("{name}@{version}")))
}

fn library_component(
    of: &Crate,
    checksums: &BTreeMap<String, String>,
) -> Result<Component, BomError> {
    let mut library = component(Classification::Library, &of.name, &of.version);
    library.licenses = Some(licenses(&of.license));
    if of.is_own {
        return Ok(library);
    }
    let checksum = checksums.get(&of.reference());
    let checksum = checksum.ok_or_else(|| BomError::Unknown(of.reference()))?;
    library.hashes = Some(sha256(checksum));
    library.purl = Some(purl("cargo", &of.name, &of.version)?);
    Ok(library)
}

/// Rust's standard library, of the compiler that `rustc --version` tells of.
fn standard_library(rustc: &str) -> Result<Component, BomError> {
    let version = rustc.split(' ').nth(1);
    let version = version.ok_or_else(|| BomError::Line(rustc.to_owned()))?;
    let mut library = component(Classification::Library, "rust-std", version);
    let description = "Rust's standard library for wasm32-wasip2, with the C library wasi-libc and the crates that this \
        release of it is built of";
    library.description = Some(NormalizedString::new(description));
    library.licenses = Some(licenses("MIT OR Apache-2.0"));
    library.purl = Some(purl("generic", "rust-std", version)?);
    Ok(library)
}

fn licenses(expression: &str) -> Licenses {
    Licenses(vec![LicenseChoice::expression(expression)])
}

fn sha256(digest: &str) -> Hashes {
    Hashes(vec![Hash {
        alg: HashAlgorithm::SHA_256,
        content: HashValue(digest.to_owned()),
    }])
}

fn purl(kind: &str, name: &str, version: &str) -> Result<Purl, BomError> {
    Purl::new(kind, name, version).map_err(|error| BomError::Invalid(error.to_string()))
}

#[cfg(test)]
#[path = "bom_tests.rs"]
mod tests;
