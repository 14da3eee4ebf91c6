//! What `make dist` gathers.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use myao_contract::project::path;
use tempfile::TempDir;

/// What has to be there. The examples come as they are in the project.
const FILES: [&str; 19] = [
    "LICENSE",
    "README.md",
    "SHA256SUMS",
    "conformance/suite.wit",
    "embedding.md",
    "examples/context.json",
    "examples/node/conformance.js",
    "examples/node/host.js",
    "examples/python/conformance.py",
    "examples/python/host.py",
    "examples/workspace.json",
    "myao.wit.wasm",
    "myao_bot.wasm",
    "myao_conformance.wasm",
    "myao_memory.wasm",
    "myao_summarizer.wasm",
    "provenance.json",
    "sbom.cdx.json",
    "wit.md",
];

fn dist(folder: &Path) {
    let mut script = Command::new(path("scripts/dist"));
    script
        .arg(folder)
        .env("MYAO_CONTRACT", env!("CARGO_BIN_EXE_myao-contract"));
    let output = script.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn the_same_sources_give_the_same_distribution() {
    let folder = TempDir::new().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    dist(&first);
    dist(&second);
    for file in FILES {
        assert!(first.join(file).is_file(), "{file} is missing");
    }
    let sums = fs::read_to_string(first.join("SHA256SUMS")).unwrap();
    assert_eq!(sums, fs::read_to_string(second.join("SHA256SUMS")).unwrap());
    let files = FILES.iter().filter(|file| **file != "SHA256SUMS");
    for file in files {
        let line = format!("  {file}\n");
        assert!(sums.contains(&line), "{file} has no digest");
    }
    let check = Command::new("sha256sum")
        .current_dir(&first)
        .args(["--check", "--quiet", "SHA256SUMS"])
        .output()
        .unwrap();
    assert!(check.status.success(), "{check:?}");
}

#[test]
fn the_package_is_the_contract() {
    let folder = TempDir::new().unwrap();
    let dist_folder = folder.path().join("dist");
    dist(&dist_folder);
    let bytes = fs::read(dist_folder.join("myao.wit.wasm")).unwrap();
    let wit_component::DecodedWasm::WitPackage(resolve, package) =
        wit_component::decode(&bytes).unwrap()
    else {
        panic!("myao.wit.wasm is no WIT package");
    };
    let packed = myao_contract::wit::Contract { resolve, package };
    let contract = myao_contract::wit::Contract::read(&path("wit")).unwrap();
    let names = |contract: &myao_contract::wit::Contract| {
        let worlds = contract.worlds();
        worlds.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(packed.version(), contract.version());
    let payload = wasm_metadata::Payload::from_binary(&bytes).unwrap();
    let version = payload.metadata().version.as_ref().map(ToString::to_string);
    assert_eq!(version, contract.version());
    assert_eq!(names(&packed), names(&contract));
}

#[test]
fn components_say_what_they_are_and_the_provenance_names_every_file() {
    let folder = TempDir::new().unwrap();
    let dist_folder = folder.path().join("dist");
    dist(&dist_folder);
    let bytes = fs::read(dist_folder.join("myao_bot.wasm")).unwrap();
    let payload = wasm_metadata::Payload::from_binary(&bytes).unwrap();
    let metadata = payload.metadata();
    assert_eq!(metadata.name.as_deref(), Some("myao_bot"));
    let version = metadata.version.as_ref().unwrap().to_string();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert_eq!(
        metadata.licenses.as_ref().unwrap().to_string(),
        "Apache-2.0"
    );
    assert_eq!(metadata.revision.as_ref().unwrap().to_string().len(), 40);
    let json = fs::read_to_string(dist_folder.join("provenance.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let subjects = json["subject"].as_array().unwrap();
    let digest_of = |name: &str| {
        let subject = subjects.iter().find(|subject| subject["name"] == name)?;
        subject["digest"]["sha256"].as_str().map(str::to_owned)
    };
    let sums = fs::read_to_string(dist_folder.join("SHA256SUMS")).unwrap();
    for line in sums
        .lines()
        .filter(|line| !line.ends_with("provenance.json"))
    {
        let (digest, name) = line.split_once("  ").unwrap();
        assert_eq!(digest_of(name).as_deref(), Some(digest), "{name}");
    }
    assert_eq!(subjects.len() + 1, sums.lines().count());
    let bill = fs::read_to_string(dist_folder.join("sbom.cdx.json")).unwrap();
    assert!(bill.contains(&digest_of("myao_bot.wasm").unwrap()));
}

#[test]
fn a_folder_of_somebody_else_is_not_emptied() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("thesis.txt"), "ten years of work").unwrap();
    let mut script = Command::new(path("scripts/dist"));
    let output = script.arg(folder.path()).output().unwrap();
    assert!(!output.status.success());
    assert!(folder.path().join("thesis.txt").is_file());
}

/// A lock file that names the registry of the machine where it was made works there only.
#[test]
fn the_lock_file_of_node_names_no_registry() {
    let lock = fs::read_to_string(path("tests/embed/node/package-lock.json")).unwrap();
    assert!(lock.contains("\"integrity\""), "it has no digests");
    assert!(
        !lock.contains("\"resolved\""),
        "make it with `npm install --omit-lockfile-registry-resolved`"
    );
}
