//! Opens only plain files.

use std::{
    fs::{self, File, FileType},
    io,
    path::Path,
};

use super::ImportError;

/// The kind of something that is neither a file nor a folder.
pub(super) fn kind_of(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        return "a symbolic link";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    "neither a file nor a folder"
}

/// Opens a file that is not a link.
///
/// # Errors
/// [`ImportError::Special`] if it is something else.
pub(super) fn open_plain(path: &Path) -> Result<File, ImportError> {
    let found = fs::symlink_metadata(path).map_err(|source| failed(path, source))?;
    // Opening a device may already have an effect.
    check_plain(path, found.file_type())?;
    open_checked(path)
}

/// Opens a path and checks the opened file: something else may have been put there since it was looked at.
fn open_checked(path: &Path) -> Result<File, ImportError> {
    let file = open(path)?;
    let metadata = file.metadata().map_err(|source| failed(path, source))?;
    check_plain(path, metadata.file_type())?;
    Ok(file)
}

#[cfg(unix)]
fn open(path: &Path) -> Result<File, ImportError> {
    use rustix::fs::{Mode, OFlags};

    // Without `NONBLOCK`, opening a FIFO would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(rustix::io::Errno::LOOP) => Err(ImportError::Special {
            path: path.to_owned(),
            kind: "a symbolic link",
        }),
        Err(error) => Err(failed(path, error.into())),
    }
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<File, ImportError> {
    File::open(path).map_err(|source| failed(path, source))
}

fn check_plain(path: &Path, kind: FileType) -> Result<(), ImportError> {
    if kind.is_file() {
        return Ok(());
    }
    Err(ImportError::Special {
        path: path.to_owned(),
        kind: kind_of(kind),
    })
}

fn failed(path: &Path, source: io::Error) -> ImportError {
    ImportError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{ImportError, open_checked};

    /// As if they were put there after the file was looked at.
    #[test]
    fn links_and_pipes_are_refused_when_they_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        let pipe = folder.path().join("pipe");
        std::fs::write(&file, "[]").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(open_checked(&file).is_ok());
        for (path, expected) in [
            (link, "a symbolic link"),
            (pipe, "a named pipe"),
            (folder.path().to_owned(), "neither a file nor a folder"),
        ] {
            let refused = open_checked(&path).unwrap_err();
            assert!(
                matches!(refused, ImportError::Special { kind, .. } if kind == expected),
                "{refused}"
            );
        }
    }
}
