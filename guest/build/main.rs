//! Compiles `templates/` into Rust, so that built-in prompts are rendered without parsing templates at run time.
//! minijinja reads users' templates at run time.
#![allow(clippy::print_stdout, reason = "so a build script speaks to cargo")]

mod compile;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const TEMPLATES: &str = "../templates";
/// The sets of templates, each with the same names: its folder, and the file that `src/prompt/built_in.rs` includes.
const SETS: [(&str, &str); 2] = [("", "japanese.rs"), ("en", "english.rs")];

fn main() {
    println!("cargo::rerun-if-changed={TEMPLATES}");
    println!("cargo::rerun-if-changed=build");
    if let Err(error) = write() {
        println!("cargo::error={error}");
    }
}

fn write() -> Result<(), Box<dyn std::error::Error>> {
    let templates = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(TEMPLATES);
    for (set, file) in SETS {
        let folder = templates.join(set);
        let code = compile::compile(&read(&folder)?)
            .map_err(|fault| format!("{}: {fault}", folder.display()))?;
        fs::write(Path::new(&env::var("OUT_DIR")?).join(file), code)?;
    }
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
