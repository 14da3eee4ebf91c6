//! The file with the link of a page that runs for long: its owner alone may read it. After each use it has another link.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The file. It is removed when this is dropped.
pub(crate) struct LinkFile {
    path: PathBuf,
    /// Where the page is.
    address: SocketAddr,
}

impl LinkFile {
    pub(crate) fn new(path: PathBuf, address: SocketAddr) -> Self {
        Self { path, address }
    }

    /// Writes the link with this secret. Whoever reads the file meanwhile gets the old one or the new one.
    pub(crate) fn write(&self, secret: &str) -> io::Result<()> {
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let new = PathBuf::from(new);
        let written = write_new(&new, &format!("{}\n", link(self.address, secret)))
            .and_then(|()| fs::rename(&new, &self.path));
        written.inspect_err(|_| drop(fs::remove_file(&new)))
    }
}

impl Drop for LinkFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The link with this secret.
pub(crate) fn link(address: SocketAddr, secret: &str) -> String {
    format!("http://{address}/open/{secret}")
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    // A file that a killed program left behind may belong to somebody else by now.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)?.write_all(text.as_bytes())
}
