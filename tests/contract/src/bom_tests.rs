#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use cyclonedx_bom::models::bom::{Bom, SpecVersion};
use cyclonedx_bom::models::component::Components;
use cyclonedx_bom::validation::Validate as _;
use serde_json::Value;

use super::{BomError, bill, bom, checksums};
use crate::project::{COMPONENTS, component};

const LOCK: &str = "version = 4\n\n[[package]]\nname = \"kettle\"\nversion = \"1.2.3\"\nchecksum = \"aa11\"\n\n\
    [[package]]\nname = \"lid\"\nversion = \"0.1.0\"\nchecksum = \"bb22\"\n";
const TREE: &str = "0\tmyao-memory v0.1.0 (/somewhere)\tApache-2.0\n1\tkettle v1.2.3\tMIT/Apache-2.0\n\
    2\tlid v0.1.0\tMIT\n1\tlid v0.1.0\tMIT\n1\tmyao-spoon v0.1.0 (/somewhere/spoon)\tApache-2.0\n";
const RUSTC: &str = "rustc 1.95.0 (59807616e 2026-03-21)";

#[test]
fn each_crate_stands_there_once_with_what_it_depends_on() {
    let bom = bom(TREE, &checksums(LOCK), RUSTC, Components(Vec::new())).unwrap();
    let names: Vec<String> = bom
        .components
        .unwrap()
        .0
        .iter()
        .map(|c| c.name.to_string())
        .collect();
    assert_eq!(names, ["rust-std", "kettle", "lid", "myao-spoon"]);
    let dependencies: Vec<String> = bom
        .dependencies
        .unwrap()
        .0
        .iter()
        .map(|d| format!("{}: {}", d.dependency_ref, d.dependencies.join(" ")))
        .collect();
    assert_eq!(
        dependencies,
        [
            "kettle@1.2.3: lid@0.1.0 rust-std@1.95.0",
            "lid@0.1.0: rust-std@1.95.0",
            "myao-memory@0.1.0: kettle@1.2.3 lid@0.1.0 myao-spoon@0.1.0 rust-std@1.95.0",
            "myao-spoon@0.1.0: rust-std@1.95.0",
        ]
    );
}

#[test]
fn a_crate_of_no_registry_is_refused() {
    let refused = bom(
        TREE,
        &checksums("version = 4\n"),
        RUSTC,
        Components(Vec::new()),
    );
    assert!(matches!(refused, Err(BomError::Unknown(name)) if name == "kettle@1.2.3"));
}

#[test]
fn a_crate_without_a_licence_is_refused() {
    let tree = TREE.replace("\tMIT\n", "\t\n");
    let refused = bom(&tree, &checksums(LOCK), RUSTC, Components(Vec::new()));
    assert!(matches!(refused, Err(BomError::Line(line)) if line.contains("lid")));
}

#[test]
fn the_bill_is_one_as_cyclonedx_defines_it() {
    let bill = Bom::parse_from_json_v1_5(bill().unwrap().as_bytes()).unwrap();
    let valid = bill.validate_version(SpecVersion::V1_5);
    assert!(valid.passed(), "{valid:?}");
}

/// What the standard library is built of, which stands in the bill as one: Debian's is built beside the component.
const OF_THE_STANDARD_LIBRARY: [&str; 9] = [
    "addr2line",
    "adler2",
    "dlmalloc",
    "gimli",
    "hashbrown",
    "memchr",
    "miniz_oxide",
    "object",
    "rustc-demangle",
];

/// Panic messages name the files that they come from.
#[test]
fn every_crate_that_the_components_name_is_in_the_bill() {
    let bill: Value = serde_json::from_str(&bill().unwrap()).unwrap();
    let references: Vec<&str> = bill["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|component| component["bom-ref"].as_str().unwrap())
        .collect();
    for name in COMPONENTS {
        let bytes = std::fs::read(component(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let sources: Vec<&str> = text
            .split("cargo/registry/src/")
            .skip(1)
            .filter_map(|rest| rest.split('/').nth(1))
            .collect();
        assert!(sources.len() > 10, "{name} names {sources:?} only");
        for source in sources {
            let (package, version) = source.rsplit_once('-').unwrap();
            if OF_THE_STANDARD_LIBRARY.contains(&package) {
                continue;
            }
            let reference = format!("{package}@{version}");
            assert!(
                references.contains(&reference.as_str()),
                "{reference} of {name} is not in the bill"
            );
        }
    }
}

#[test]
fn the_bill_is_the_same_each_time() {
    assert_eq!(bill().unwrap(), bill().unwrap());
}
