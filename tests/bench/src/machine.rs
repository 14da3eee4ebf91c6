//! The machine and the versions of a measurement.

use std::process::Command;

use anyhow::{Context as _, Result};
use myao_tests::read_project_file;

use crate::python;

/// The packages whose versions decide about the figures.
const PACKAGES: [&str; 3] = ["wasmtime", "minijinja", "rusqlite"];

/// The machine and the versions, as lines of a Markdown list.
///
/// # Errors
/// Where a program that tells its version does not start.
pub fn described() -> Result<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let versions: Vec<String> = PACKAGES
        .iter()
        .filter_map(|package| Some(format!("{package} {}", locked_version(package)?)))
        .collect();
    Ok(format!(
        "- machine: {}, {cores} cores, {}\n- versions: {}, {}, {}\n- command: `make bench`\n",
        cpu(),
        kernel(),
        version_of("rustc")?,
        versions.join(", "),
        python::versions()?,
    ))
}

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or_else(
            || std::env::consts::ARCH.to_owned(),
            |(_, name)| name.to_owned(),
        )
}

fn kernel() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {}", std::env::consts::OS, release.trim())
        .trim_end()
        .to_owned()
}

fn version_of(program: &str) -> Result<String> {
    let output = Command::new(program)
        .arg("--version")
        .output()
        .with_context(|| format!("{program} does not start"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn locked_version(package: &str) -> Option<String> {
    let lock = read_project_file("Cargo.lock");
    let (_, after) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    Some(after.split_once('"')?.0.to_owned())
}
