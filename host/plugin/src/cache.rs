//! Compiles components and keeps the compiled code between starts. Compiling takes about a second, loading some
//! milliseconds.

mod own;

use std::fs;
use std::hash::{Hash as _, Hasher};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use self::own::{OwnFolder, Refused};
use crate::digest::hex;

/// Length in bytes of the checksum that follows the compiled code.
const CHECKSUM_BYTES: u64 = 32;
/// Number of hexadecimal digits in a file's name.
const DIGEST_DIGITS: usize = 64;
/// How long an unused file is kept.
const KEPT_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// A folder of compiled components. Only its owner can read or write it.
pub(crate) struct CompiledCache<'a> {
    folder: &'a Path,
}

impl<'a> CompiledCache<'a> {
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder }
    }

    /// Returns the compiled component: loads it from the folder, or compiles it now and stores it there. A folder that
    /// cannot be used is reported; the only cost is the compilation.
    pub(crate) fn load_or_compile(
        &self,
        engine: &Engine,
        component: &[u8],
        digest: &str,
        now: SystemTime,
    ) -> Result<Component, Failure> {
        let name = name(engine, digest);
        match self.load(engine, &name) {
            Ok(component) => return Ok(component),
            Err(Unusable::Refused(Refused::Absent)) => {}
            Err(why) => {
                tracing::warn!("{} is not used: {why}", self.folder.join(&name).display());
            }
        }
        let compiled = compile(engine, component)?;
        match self.write(&name, &compiled.0) {
            Ok(()) => self.remove_unused(now),
            Err(error) => tracing::warn!(
                "the compiled component is not kept as {}: {error}",
                self.folder.join(&name).display()
            ),
        }
        load(engine, &compiled)
    }

    /// Loads a file if it is complete and belongs to this user. The file is opened once, so what was checked is what
    /// runs.
    fn load(&self, engine: &Engine, name: &str) -> Result<Component, Unusable> {
        let mut file = OwnFolder::open(self.folder)?.open_file(name)?;
        let length = file.metadata().map_err(Refused::from)?.len();
        check(&mut file, length)?;
        map(engine, &file).or_else(|_| {
            // If the file system does not allow running code from its files, or the system has no `/proc`, the code is copied
            // into memory.
            let mut bytes = Vec::new();
            file.rewind()
                .and_then(|()| file.read_to_end(&mut bytes))
                .map_err(Refused::from)?;
            check(&mut bytes.as_slice(), length)?;
            deserialize(engine, &bytes).map_err(Unusable::NotLoaded)
        })
    }

    /// Writes to a temporary file, and renames it when it is complete.
    fn write(&self, name: &str, compiled: &[u8]) -> Result<(), Refused> {
        let folder = OwnFolder::create(self.folder)?;
        let partial = format!(
            "{}.partial-{}",
            name.trim_end_matches(".cwasm"),
            std::process::id()
        );
        let written = folder.create_file(&partial).and_then(|mut file| {
            file.write_all(compiled)?;
            file.write_all(&Sha256::digest(compiled))?;
            file.sync_all()
        });
        written
            .and_then(|()| folder.rename(&partial, name))
            .inspect_err(|_| {
                // The returned error explains more than an error of the clean-up.
                let _ = folder.remove(&partial);
            })?;
        Ok(())
    }

    /// Removes files of other versions of the program or the component that were not used for a long time.
    fn remove_unused(&self, now: SystemTime) {
        let removed = fs::read_dir(self.folder).and_then(|entries| {
            for entry in entries {
                let entry = entry?;
                match remove_if_unused(&entry, now) {
                    // Another process removed it first.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    result => result?,
                }
            }
            Ok(())
        });
        if let Err(error) = removed {
            tracing::warn!(
                "old compiled components stay in {}: {error}",
                self.folder.display()
            );
        }
    }
}

/// The file name for a component. It depends on the component and on everything that affects its compilation.
fn name(engine: &Engine, digest: &str) -> String {
    let mut hasher = Digester(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.0.update(digest.as_bytes());
    format!("{}.cwasm", hex(hasher.0.finalize()))
}

fn remove_if_unused(entry: &fs::DirEntry, now: SystemTime) -> io::Result<()> {
    // For a symbolic link, this is the metadata of the link itself.
    let metadata = entry.metadata()?;
    let last_used = [metadata.modified(), metadata.accessed()];
    let unused = last_used
        .into_iter()
        .flatten()
        .max()
        .and_then(|used| now.duration_since(used).ok())
        .is_some_and(|unused| unused > KEPT_UNUSED);
    if metadata.is_file() && unused && entry.file_name().to_str().is_some_and(is_ours) {
        fs::remove_file(entry.path())?;
    }
    Ok(())
}

/// Returns true if a file name has the form that this module uses.
fn is_ours(name: &str) -> bool {
    let Some((digest, kind)) = name.split_once('.') else {
        return false;
    };
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_partial = |number: &str| number.parse::<u32>().is_ok();
    digest.len() == DIGEST_DIGITS
        && digest.bytes().all(is_hex)
        && (kind == "cwasm" || kind.strip_prefix("partial-").is_some_and(is_partial))
}

/// Why there is no compiled component.
#[derive(Debug)]
pub(crate) enum Failure {
    /// wasmtime says that the bytes are not a component, or it cannot compile them.
    Component(wasmtime::Error),
    /// The code was compiled but cannot be loaded: the machine does not allow it.
    Machine(wasmtime::Error),
    /// This library was built without a compiler.
    #[cfg(not(feature = "cranelift"))]
    NoCompiler,
}

/// Machine code of a component.
pub(crate) struct Compiled(Vec<u8>);

/// Compiles a component. Nothing of it can run yet.
#[cfg(feature = "cranelift")]
pub(crate) fn compile(engine: &Engine, component: &[u8]) -> Result<Compiled, Failure> {
    let compiled = engine.precompile_component(component);
    compiled.map(Compiled).map_err(Failure::Component)
}

/// Without a compiler, only components that are already in the folder can be loaded.
#[cfg(not(feature = "cranelift"))]
pub(crate) fn compile(_: &Engine, _: &[u8]) -> Result<Compiled, Failure> {
    Err(Failure::NoCompiler)
}

/// Loads code that was just compiled.
pub(crate) fn load(engine: &Engine, compiled: &Compiled) -> Result<Component, Failure> {
    deserialize(engine, &compiled.0).map_err(Failure::Machine)
}

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("it is not as it was written")]
    Damaged,
    #[error("{0:#}")]
    NotLoaded(wasmtime::Error),
}

/// Computes the SHA-256 of everything that is hashed or written.
struct Digester(Sha256);

impl Hasher for Digester {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        // Only the full digest is used.
        0
    }
}

impl io::Write for Digester {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[allow(unsafe_code)]
fn deserialize(engine: &Engine, compiled: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes come from `precompile_component`: from a call just now, or from a file that only this user can
    // have written and whose checksum is right.
    unsafe { Component::deserialize(engine, compiled) }
}

/// Checks that a file of this length is complete: compiled code, followed by its checksum.
fn check(file: &mut impl io::Read, length: u64) -> Result<(), Unusable> {
    let length = length.checked_sub(CHECKSUM_BYTES);
    let mut compiled = file.by_ref().take(length.ok_or(Unusable::Damaged)?);
    let mut hasher = Digester(Sha256::new());
    io::copy(&mut compiled, &mut hasher).map_err(Refused::from)?;
    let mut checksum = Vec::new();
    file.take(CHECKSUM_BYTES + 1)
        .read_to_end(&mut checksum)
        .map_err(Refused::from)?;
    if hasher.0.finalize().as_slice() == checksum {
        Ok(())
    } else {
        Err(Unusable::Damaged)
    }
}

/// Maps the code from the file: a process reads only the parts that it runs, and processes share it.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn map(engine: &Engine, file: &fs::File) -> wasmtime::Result<Component> {
    use std::os::fd::AsRawFd as _;
    // wasmtime needs a path. This one always points to the open file, even if another file has its name by now.
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: the bytes come from `precompile_component`, from a file that only this user can have written and whose
    // checksum is right. Files are never written to, only replaced and removed.
    unsafe { Component::deserialize_file(engine, path) }
}

#[cfg(not(target_os = "linux"))]
fn map(_: &Engine, _: &fs::File) -> wasmtime::Result<Component> {
    Err(wasmtime::Error::msg("an open file has no path here"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;
    use std::fs::{self, FileTimes};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use wasmtime::Engine;

    use super::CompiledCache;

    const DAY: Duration = Duration::from_secs(24 * 3600);

    /// A file that was written and last read at the given days after 1970.
    fn file(folder: &Path, name: &str, written: u32, read: u32) {
        let path = folder.join(name);
        fs::write(&path, "code").unwrap();
        let time = |days| SystemTime::UNIX_EPOCH + DAY * days;
        let times = FileTimes::new()
            .set_modified(time(written))
            .set_accessed(time(read));
        fs::File::open(path).unwrap().set_times(times).unwrap();
    }

    fn names(folder: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn only_files_of_ours_that_nothing_used_for_30_days_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let ours = |digit: &str| digit.repeat(64);
        let now = 100;
        let unused = [
            (format!("{}.cwasm", ours("a")), 69, 69),
            (format!("{}.partial-4711", ours("b")), 10, 0),
        ];
        let kept = [
            (format!("{}.cwasm", ours("0")), 71, 71),
            (format!("{}.cwasm", ours("1")), 1, 99),
            (format!("{}.cwasm", ours("2")), 99, 1),
            // Its clock was wrong, or ours is.
            (format!("{}.cwasm", ours("3")), 101, 101),
            ("notes.cwasm".to_owned(), 1, 1),
            (format!("{}.cwasm", "A".repeat(64)), 1, 1),
            (format!("{}.cwasm", "a".repeat(63)), 1, 1),
            (format!("{}.cwasm.bak", ours("a")), 1, 1),
            (format!("{}.partial-", ours("a")), 1, 1),
            (ours("a"), 1, 1),
        ];
        for (name, written, read) in unused.iter().chain(&kept) {
            file(folder, name, *written, *read);
        }
        let folder_of_that_name = format!("{}.cwasm", ours("4"));
        fs::create_dir(folder.join(&folder_of_that_name)).unwrap();
        CompiledCache::new(folder).remove_unused(SystemTime::UNIX_EPOCH + DAY * now);
        let kept = kept.into_iter().map(|(name, ..)| name);
        assert_eq!(names(folder), kept.chain([folder_of_that_name]).collect());
    }

    #[test]
    fn what_is_new_takes_the_place_of_what_nothing_uses() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let old = format!("{}.cwasm", "0".repeat(64));
        file(folder, &old, 1, 1);
        let cache = CompiledCache::new(folder);
        let empty = b"\0asm\x0d\0\x01\0";
        cache
            .load_or_compile(
                &Engine::default(),
                empty,
                "digest",
                SystemTime::UNIX_EPOCH + DAY * 100,
            )
            .unwrap();
        let names = names(folder);
        assert_eq!(names.len(), 1, "{names:?}");
        assert!(!names.contains(&old));
    }
}
