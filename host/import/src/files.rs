//! Opens only plain files.

use std::{
    fs::{self, File, FileType},
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
/// [`ImportError::Special`] if it is something else; it is not opened then.
pub(super) fn open_plain(path: &Path) -> Result<File, ImportError> {
    let failed = |source| ImportError::Io {
        path: path.to_owned(),
        source,
    };
    let kind = fs::symlink_metadata(path).map_err(failed)?.file_type();
    if !kind.is_file() {
        return Err(ImportError::Special {
            path: path.to_owned(),
            kind: kind_of(kind),
        });
    }
    File::open(path).map_err(failed)
}
