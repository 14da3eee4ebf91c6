//! How much an import takes in. Whatever a file holds, an import ends, and needs no more than 200 MB of memory.
//!
//! Real exports stay far below: a workspace of ten million messages has some 20 GB in a million day files.

use std::path::{Path, PathBuf};

use super::ImportError;

/// The most that one file may unpack to. A day of the busiest channel has some megabytes, the list of half a million people
/// less than this.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 30;

/// The most that the files of an export may unpack to together.
pub(super) const MAX_EXPORT_BYTES: u64 = 256 << 30;

/// How many times its own size a zip file may unpack to. Slack's JSON packs to between a tenth and a thirtieth.
pub(super) const MAX_RATIO: u64 = 100;

/// What a zip file may unpack to, however small it is.
pub(super) const MIN_ZIP_BYTES: u64 = 1 << 30;

/// How many elements one file may have.
pub(super) const MAX_ELEMENTS: u64 = 2_000_000;

/// The most that one element may have. Slack cuts a message off at 40,000 characters; its blocks say them again.
pub(super) const MAX_ELEMENT_BYTES: usize = 1 << 20;

/// The most that the text of one message may have once the names in it are written out.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;

/// The longest name: Slack's have at most 80 characters, of at most four bytes each.
pub(super) const MAX_NAME_BYTES: usize = 320;

/// What is kept from the beginning of an import to its end: people, channels, the list of the files, ids of threads.
const MAX_KEPT_BYTES: usize = 96 << 20;

/// What is left of [`MAX_KEPT_BYTES`].
#[derive(Debug)]
pub(super) struct Allowance {
    path: PathBuf,
    left: usize,
}

impl Allowance {
    /// All of it, for an import of `path`.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            left: MAX_KEPT_BYTES,
        }
    }

    /// Takes note of something that is kept.
    ///
    /// # Errors
    /// [`ImportError::TooMuchToKeep`] if nothing is left for it.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), ImportError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ImportError::TooMuchToKeep {
                path: self.path.clone(),
                limit: MAX_KEPT_BYTES,
            }),
        }
    }
}

/// A name, cut off where no name is longer.
pub(super) fn short_name(mut name: String) -> String {
    if name.len() > MAX_NAME_BYTES {
        let end = name.floor_char_boundary(MAX_NAME_BYTES);
        name.truncate(end);
        name.shrink_to_fit();
    }
    name
}
