//! Compiled components, kept between starts: compiling takes about a second, loading a millisecond.

use std::fs;
use std::hash::{Hash as _, Hasher};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::component::Component;
use wasmtime::{Engine, Result};

use crate::digest::hex;

/// Bytes of the checksum in front of the compiled code.
const CHECKSUM_BYTES: usize = 32;

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
    ) -> Result<Component> {
        let path = self.path(engine, digest);
        let kept = self
            .read(&path)
            .and_then(|compiled| deserialize(engine, &compiled).map_err(Unusable::Refused));
        match kept {
            Ok(component) => return Ok(component),
            Err(Unusable::Absent) => {}
            Err(why) => tracing::warn!("{} is not used: {why}", path.display()),
        }
        let compiled = engine.precompile_component(component)?;
        if let Err(error) = self.write(&path, &compiled) {
            tracing::warn!(
                "the compiled component is not kept in {}: {error}",
                path.display()
            );
        }
        deserialize(engine, &compiled)
    }

    /// The file is named by the component and by everything that its compilation depends on.
    fn path(&self, engine: &Engine, digest: &str) -> PathBuf {
        let mut hasher = DigestHasher(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        hasher.write(digest.as_bytes());
        let name = hex(hasher.0.finalize());
        self.folder.join(format!("{name}.cwasm"))
    }

    /// The compiled code in a file that is whole and the user's own.
    fn read(&self, path: &Path) -> std::result::Result<Vec<u8>, Unusable> {
        let mut file = fs::File::open(path).map_err(Unusable::unreadable)?;
        let (folder, own) = (fs::metadata(self.folder), file.metadata());
        let (folder, own) = folder
            .and_then(|folder| Ok((folder, own?)))
            .map_err(Unusable::unreadable)?;
        if !is_private(&folder, &own) {
            return Err(Unusable::NotPrivate);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(own.len()).unwrap_or(0));
        file.read_to_end(&mut bytes).map_err(Unusable::unreadable)?;
        let (checksum, compiled) = bytes
            .split_at_checked(CHECKSUM_BYTES)
            .ok_or(Unusable::Damaged)?;
        if Sha256::digest(compiled).as_slice() != checksum {
            return Err(Unusable::Damaged);
        }
        bytes.drain(..CHECKSUM_BYTES);
        Ok(bytes)
    }

    /// Written aside, and renamed when it is whole.
    fn write(&self, path: &Path, compiled: &[u8]) -> io::Result<()> {
        create_private_folder(self.folder)?;
        let partial = path.with_extension(format!("partial-{}", std::process::id()));
        let written = create_private_file(&partial).and_then(|mut file| {
            file.write_all(&Sha256::digest(compiled))?;
            file.write_all(compiled)?;
            file.sync_all()
        });
        written
            .and_then(|()| fs::rename(&partial, path))
            .inspect_err(|_| {
                // The error that is passed on says more than one of cleaning up.
                let _ = fs::remove_file(&partial);
            })
    }
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

/// Feeds a SHA-256 with what is hashed.
struct DigestHasher(Sha256);

impl Hasher for DigestHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        // Only the whole digest is used.
        0
    }
}

#[allow(unsafe_code)]
fn deserialize(engine: &Engine, compiled: &[u8]) -> Result<Component> {
    // SAFETY: the bytes come from `precompile_component`, just now or through a file that only this
    // user can write and whose checksum is right.
    unsafe { Component::deserialize(engine, compiled) }
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
