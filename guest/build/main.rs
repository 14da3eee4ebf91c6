//! Compiles `templates/` into Rust, so that built-in prompts are rendered without parsing templates at run time.
//! minijinja reads users' templates at run time.
#![allow(clippy::print_stdout, reason = "so a build script speaks to cargo")]

mod compile;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const TEMPLATES: &str = "../templates";

fn main() {
    println!("cargo::rerun-if-changed={TEMPLATES}");
    println!("cargo::rerun-if-changed=build");
    if let Err(error) = write() {
        println!("cargo::error={error}");
    }
}

/// Writes the file that `src/prompt/built_in.rs` includes.
fn write() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(TEMPLATES);
    let code = compile::compile(&read(&folder)?)?;
    let path = Path::new(&env::var("OUT_DIR")?).join("built_in.rs");
    fs::write(path, code)?;
    Ok(())
}

/// The templates by name.
fn read(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut sources = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && name.ends_with(".j2")
        {
            let source = fs::read_to_string(&path)?.replace("\r\n", "\n");
            sources.insert(name.to_owned(), source);
        }
    }
    Ok(sources)
}
