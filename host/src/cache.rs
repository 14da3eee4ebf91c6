//! Compiles components, and keeps the code between starts: compiling takes about a second, loading some milliseconds.

use std::fs;
use std::hash::{Hash as _, Hasher};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::digest::hex;

/// Bytes of the checksum behind the compiled code.
const CHECKSUM_BYTES: u64 = 32;
/// Hexadecimal digits of a file's name.
const DIGEST_DIGITS: usize = 64;
/// So long a file is kept that nothing uses.
const KEPT_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// A folder of compiled components. Only its owner can read or write it.
pub(crate) struct CompiledCache<'a> {
    folder: &'a Path,
}

impl<'a> CompiledCache<'a> {
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder }
    }

    /// The compiled component: from the folder, or compiled now and kept there. A folder that cannot
    /// be used is reported and costs the compilation only.
    pub(crate) fn load_or_compile(
        &self,
        engine: &Engine,
        component: &[u8],
        digest: &str,
    ) -> Result<Component, Failure> {
        let path = self.path(engine, digest);
        let kept = self.check(&path);
        match kept.and_then(|()| load_file(engine, &path)) {
            Ok(component) => return Ok(component),
            Err(Unusable::Absent) => {}
            Err(why) => tracing::warn!("{} is not used: {why}", path.display()),
        }
        let compiled = compile(engine, component)?;
        match self.write(&path, &compiled.0) {
            Ok(()) => self.remove_unused(SystemTime::now()),
            Err(error) => tracing::warn!(
                "the compiled component is not kept in {}: {error}",
                path.display()
            ),
        }
        load(engine, &compiled)
    }

    /// The file is named by the component and by everything that its compilation depends on.
    fn path(&self, engine: &Engine, digest: &str) -> PathBuf {
        let mut hasher = Digester(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        hasher.0.update(digest.as_bytes());
        let name = hex(hasher.0.finalize());
        self.folder.join(format!("{name}.cwasm"))
    }

    /// Whether a file is whole and the user's own.
    fn check(&self, path: &Path) -> Result<(), Unusable> {
        let mut file = fs::File::open(path).map_err(Unusable::unreadable)?;
        let (folder, own) = (fs::metadata(self.folder), file.metadata());
        let (folder, own) = folder
            .and_then(|folder| Ok((folder, own?)))
            .map_err(Unusable::unreadable)?;
        if !is_private(&folder, &own) {
            return Err(Unusable::NotPrivate);
        }
        let length = own.len().checked_sub(CHECKSUM_BYTES);
        let mut compiled = (&mut file).take(length.ok_or(Unusable::Damaged)?);
        let mut hasher = Digester(Sha256::new());
        io::copy(&mut compiled, &mut hasher).map_err(Unusable::unreadable)?;
        let mut checksum = Vec::new();
        file.read_to_end(&mut checksum)
            .map_err(Unusable::unreadable)?;
        if hasher.0.finalize().as_slice() == checksum {
            Ok(())
        } else {
            Err(Unusable::Damaged)
        }
    }

    /// Written aside, and renamed when it is whole.
    fn write(&self, path: &Path, compiled: &[u8]) -> io::Result<()> {
        create_private_folder(self.folder)?;
        let partial = path.with_extension(format!("partial-{}", std::process::id()));
        let written = create_private_file(&partial).and_then(|mut file| {
            file.write_all(compiled)?;
            file.write_all(&Sha256::digest(compiled))?;
            file.sync_all()
        });
        written
            .and_then(|()| fs::rename(&partial, path))
            .inspect_err(|_| {
                // The error that is passed on says more than one of cleaning up.
                let _ = fs::remove_file(&partial);
            })
    }

    /// Removes what other versions of program and component left behind, and nothing has used for long.
    fn remove_unused(&self, now: SystemTime) {
        let removed = fs::read_dir(self.folder).and_then(|entries| {
            for entry in entries {
                let entry = entry?;
                match remove_if_unused(&entry, now) {
                    // Another process was first.
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

fn remove_if_unused(entry: &fs::DirEntry, now: SystemTime) -> io::Result<()> {
    // That of a link is its own.
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

/// Whether a file's name is one that this module gives.
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
    /// wasmtime takes the bytes for no component, or cannot compile them.
    Component(wasmtime::Error),
    /// The code that it has made just now cannot be loaded: the machine does not allow it.
    Machine(wasmtime::Error),
}

/// Machine code of a component.
pub(crate) struct Compiled(Vec<u8>);

/// Compiles a component; nothing of it can run yet.
pub(crate) fn compile(engine: &Engine, component: &[u8]) -> Result<Compiled, Failure> {
    let compiled = engine.precompile_component(component);
    compiled.map(Compiled).map_err(Failure::Component)
}

/// Loads what was compiled just now.
pub(crate) fn load(engine: &Engine, compiled: &Compiled) -> Result<Component, Failure> {
    deserialize(engine, &compiled.0).map_err(Failure::Machine)
}

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("it is not there")]
    Absent,
    #[error("{0}")]
    Unreadable(io::Error),
    #[error("others may have written it")]
    NotPrivate,
    #[error("it is not as it was written")]
    Damaged,
    #[error("{0:#}")]
    Refused(wasmtime::Error),
}

impl Unusable {
    fn unreadable(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Absent,
            _ => Self::Unreadable(error),
        }
    }
}

/// Feeds a SHA-256 with what is hashed or written.
struct Digester(Sha256);

impl Hasher for Digester {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        // Only the whole digest is used.
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
    // SAFETY: the bytes come from `precompile_component`, just now or as those that `map` takes.
    unsafe { Component::deserialize(engine, compiled) }
}

/// Loads the code where it lies: a process reads what it runs, and processes share it. A file system whose files may not be
/// executed costs a copy.
fn load_file(engine: &Engine, path: &Path) -> Result<Component, Unusable> {
    map(engine, path).or_else(|_| {
        let compiled = fs::read(path).map_err(Unusable::unreadable)?;
        deserialize(engine, &compiled).map_err(Unusable::Refused)
    })
}

#[allow(unsafe_code)]
fn map(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    // SAFETY: the bytes come from `precompile_component` through a file that only this user can write and whose
    // checksum is right. Files are never written to, only replaced and removed.
    unsafe { Component::deserialize_file(engine, path) }
}

#[cfg(unix)]
fn create_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(unix)]
fn create_private_file(path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Whether nobody but the folder's owner can have written the file: nobody else can put one into the folder.
#[cfg(unix)]
fn is_private(folder: &fs::Metadata, file: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    folder.mode() & 0o022 == 0 && file.mode() & 0o077 == 0 && file.uid() == folder.uid()
}

#[cfg(not(unix))]
fn create_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(not(unix))]
fn create_private_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
}

#[cfg(not(unix))]
fn is_private(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
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

    /// A file that was written and read so many days after 1970.
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
            .load_or_compile(&Engine::default(), empty, "digest")
            .unwrap();
        let names = names(folder);
        assert_eq!(names.len(), 1, "{names:?}");
        assert!(!names.contains(&old));
    }
}
