//! Makes the files of a database readable by their owner only, whatever the umask.
//!
//! SQLite gives the files that it creates beside a database the mode of the database.

use std::path::Path;

#[cfg(unix)]
use std::fs::{self, OpenOptions, Permissions};
#[cfg(unix)]
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
#[cfg(unix)]
use std::path::PathBuf;

/// The files that SQLite keeps beside a database.
#[cfg(unix)]
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The mode bits of the file's owner.
#[cfg(unix)]
const OWNER: u32 = 0o700;

/// Creates an empty file for a database that does not exist. If that fails, opening the database reports why.
#[cfg(unix)]
pub(super) fn create(path: &Path) {
    let mut options = OpenOptions::new();
    let _ = options.write(true).create_new(true).mode(0o600).open(path);
}

/// Removes the permissions of the group and of others from a database of myao and the files beside it.
#[cfg(unix)]
pub(super) fn tighten(path: &Path) {
    let Ok(path) = fs::canonicalize(path) else {
        return;
    };
    for suffix in COMPANIONS.into_iter().chain([""]) {
        let mut file = path.clone().into_os_string();
        file.push(suffix);
        let file = PathBuf::from(file);
        let Ok(metadata) = fs::symlink_metadata(&file) else {
            continue;
        };
        let mode = metadata.permissions().mode() & 0o777;
        if !metadata.is_file() || mode & !OWNER == 0 {
            continue;
        }
        if let Err(error) = fs::set_permissions(&file, Permissions::from_mode(mode & OWNER)) {
            tracing::warn!(
                "others than its owner may open `{}`, and that cannot be changed ({error}): run `chmod go=` on it as its owner",
                file.display()
            );
        }
    }
}

/// On other systems the folder's permissions decide.
#[cfg(not(unix))]
pub(super) fn create(_: &Path) {}

/// On other systems the folder's permissions decide.
#[cfg(not(unix))]
pub(super) fn tighten(_: &Path) {}
