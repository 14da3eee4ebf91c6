//! Finds the component for the feature `bundled-component`; `scripts/build-component` builds it.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-env-changed=MYAO_COMPONENT");
    if std::env::var_os("CARGO_FEATURE_BUNDLED_COMPONENT").is_none() {
        return;
    }
    let path = std::env::var_os("MYAO_COMPONENT").map_or_else(
        || {
            PathBuf::from(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../target/component/myao_bot.wasm"
            ))
        },
        PathBuf::from,
    );
    println!("cargo::rerun-if-changed={}", path.display());
    match path.canonicalize() {
        Ok(path) => println!("cargo::rustc-env=MYAO_COMPONENT={}", path.display()),
        Err(error) => println!(
            "cargo::error=the component {} is not there ({error}): run `make component` first, or set MYAO_COMPONENT to its file",
            path.display()
        ),
    }
}
