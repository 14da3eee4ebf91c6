//! Where things are.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The contract.
pub const WIT: &str = "wit";
/// Copies of the contract as it was released, each in a folder named by its version, made by `scripts/freeze-wit`. They
/// are apart from `wit/`, whose files are one package. There is none before the first release.
pub const RELEASED: &str = "tests/wit-released";
/// The contract as a page.
pub const PAGE: &str = "docs/wit.md";
/// The components, by name.
pub const COMPONENTS: [&str; 3] = ["myao_bot", "myao_memory", "myao_summarizer"];

/// A path from the top of the project.
#[must_use]
pub fn path(from_top: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(from_top)
}

/// What cargo prints in the project.
///
/// # Errors
/// What it says of its failure.
pub fn cargo(arguments: &[&str]) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(path(""))
        .args(arguments)
        .arg("--locked")
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The commit that is checked out; `None` outside git.
#[must_use]
pub fn revision() -> Option<String> {
    let mut git = Command::new("git");
    let output = git
        .current_dir(path(""))
        .args(["rev-parse", "HEAD"])
        .output();
    let output = output.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// A component that was built.
#[must_use]
pub fn component(name: &str) -> PathBuf {
    path(format!("target/component/{name}.wasm"))
}
