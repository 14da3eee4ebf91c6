//! A file system that a test fills.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A small file system.
pub(crate) struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None` where only an administrator may have one.
    pub(crate) fn new() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"])
            .arg(folder.path())
            .output();
        let is_mounted = mounted.is_ok_and(|mounted| mounted.status.success());
        is_mounted.then(|| Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    fn ballast(&self) -> PathBuf {
        self.0.path().join("ballast")
    }

    /// Fills it to the last byte.
    pub(crate) fn fill(&self) {
        let mut file = std::fs::File::create(self.ballast()).unwrap();
        for size in [1 << 20, 4096, 1] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
    }

    pub(crate) fn make_room(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The server may still have files there.
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}
