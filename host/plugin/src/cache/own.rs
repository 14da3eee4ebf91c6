//! A folder that belongs to this user, with files that nobody else can have written.

use std::io;
#[cfg(not(unix))]
use std::path::Path;

/// Why a folder or a file in it is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// It does not exist.
    #[error("it is not there")]
    Absent,
    /// It cannot be opened or read.
    #[error("{0}")]
    Unreadable(io::Error),
    /// It is a symbolic link, or not a regular file.
    #[error("it is no plain file")]
    NotAFile,
    /// It belongs to another user, not to the one that runs this program.
    #[error("it belongs to another user")]
    Foreign,
    /// Other users have write permission.
    #[error("others may have written it")]
    NotPrivate,
    /// The folder is a symbolic link or a file.
    #[error("its folder is a symbolic link or no folder; name another one")]
    NotAFolder,
    /// The folder belongs to another user.
    #[error("its folder belongs to another user; name another one")]
    ForeignFolder,
    /// Other users may write to the folder.
    #[error("others may write to its folder; take that right away (chmod go-w)")]
    OpenFolder,
    /// Other users can put another folder in its place.
    #[error("others may exchange a folder above it; name another one")]
    OpenParent,
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Absent,
            _ => Self::Unreadable(error),
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, File};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    use std::path::{Path, PathBuf};

    use rustix::fs::{Mode, OFlags, open, openat, renameat, unlinkat};
    use rustix::process::geteuid;

    use super::Refused;

    /// The mode bits with which others may write to a file or folder.
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    /// The mode bits that give others any permission.
    const ANY_FOR_OTHERS: u32 = 0o077;
    /// In a folder with this bit, a user with write permission still cannot replace the files of other users.
    const STICKY: u32 = 0o1000;
    const WRITABLE_BY_ALL: u32 = 0o002;
    const ROOT: u32 = 0;

    /// The folder is opened once, and its files are opened through it. Replacing the folder meanwhile has no effect.
    pub(in super::super) struct OwnFolder {
        folder: File,
        path: PathBuf,
    }

    impl OwnFolder {
        /// Opens a folder that belongs to the effective user.
        pub(in super::super) fn open(path: &Path) -> Result<Self, Refused> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let folder = open(path, flags, Mode::empty()).map_err(|error| match error {
                rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR => Refused::NotAFolder,
                error => io::Error::from(error).into(),
            })?;
            let folder = File::from(folder);
            let metadata = folder.metadata()?;
            if metadata.uid() != geteuid().as_raw() {
                return Err(Refused::ForeignFolder);
            }
            let path = path.to_owned();
            Ok(Self { folder, path })
        }

        /// As `open`, but creates the folder if it does not exist.
        pub(in super::super) fn create(path: &Path) -> Result<Self, Refused> {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true).mode(0o700).create(path)?;
            Self::open(path)
        }

        /// Opens a file that only the effective user can have written.
        pub(in super::super) fn open_file(&self, name: &str) -> Result<File, Refused> {
            // Without `NONBLOCK`, opening a FIFO would wait for a writer.
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file =
                openat(&self.folder, name, flags, Mode::empty()).map_err(|error| match error {
                    rustix::io::Errno::LOOP => Refused::NotAFile,
                    error => io::Error::from(error).into(),
                })?;
            let file = File::from(file);
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(Refused::NotAFile);
            }
            if metadata.uid() != geteuid().as_raw() {
                return Err(Refused::Foreign);
            }
            if metadata.mode() & ANY_FOR_OTHERS != 0 {
                return Err(Refused::NotPrivate);
            }
            if self.folder.metadata()?.mode() & WRITABLE_BY_OTHERS != 0 {
                return Err(Refused::OpenFolder);
            }
            check_parents(&self.path)?;
            Ok(file)
        }

        /// Creates a new file that only the effective user may read and write.
        pub(in super::super) fn create_file(&self, name: &str) -> io::Result<File> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let file = openat(&self.folder, name, flags, Mode::RUSR | Mode::WUSR)?;
            Ok(File::from(file))
        }

        pub(in super::super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(renameat(&self.folder, from, &self.folder, to)?)
        }

        pub(in super::super) fn remove(&self, name: &str) -> io::Result<()> {
            Ok(unlinkat(&self.folder, name, rustix::fs::AtFlags::empty())?)
        }
    }

    /// Checks that only root and the effective user can replace a folder above this one. Write permission of the group
    /// is accepted: where every user has a group of their own, folders are created that way.
    fn check_parents(path: &Path) -> Result<(), Refused> {
        let path = fs::canonicalize(path)?;
        for parent in path.ancestors().skip(1) {
            let metadata = fs::symlink_metadata(parent)?;
            let is_ours = [ROOT, geteuid().as_raw()].contains(&metadata.uid());
            let is_open = metadata.mode() & WRITABLE_BY_ALL != 0 && metadata.mode() & STICKY == 0;
            if !is_ours || is_open {
                return Err(Refused::OpenParent);
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
pub(super) use unix::OwnFolder;

/// On systems without the owners and modes of Unix, a folder is as private as its user has made it.
#[cfg(not(unix))]
pub(super) struct OwnFolder(std::path::PathBuf);

#[cfg(not(unix))]
impl OwnFolder {
    pub(super) fn open(path: &Path) -> Result<Self, Refused> {
        std::fs::metadata(path)?;
        Ok(Self(path.to_owned()))
    }

    pub(super) fn create(path: &Path) -> Result<Self, Refused> {
        std::fs::create_dir_all(path)?;
        Self::open(path)
    }

    pub(super) fn open_file(&self, name: &str) -> Result<std::fs::File, Refused> {
        Ok(std::fs::File::open(self.0.join(name))?)
    }

    pub(super) fn create_file(&self, name: &str) -> io::Result<std::fs::File> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true).open(self.0.join(name))
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.0.join(name))
    }
}
