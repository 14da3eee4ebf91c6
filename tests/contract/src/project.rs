//! Where things are.

use std::path::{Path, PathBuf};

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

/// A component that was built.
#[must_use]
pub fn component(name: &str) -> PathBuf {
    path(format!("target/component/{name}.wasm"))
}
