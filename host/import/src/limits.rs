//! Limits of an import. Whatever a file holds, an import ends, and needs at most 200 MB of memory.
//!
//! Real exports are far below these limits: a workspace with ten million messages has about 20 GB in a million day files.

use std::path::{Path, PathBuf};

use super::ImportError;

/// The unpacked size of one file. A day of the busiest channel has some megabytes, and a list of half a million people
/// less than this.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 30;

/// The unpacked size of all files together.
pub(super) const MAX_EXPORT_BYTES: u64 = 256 << 30;

/// The unpacked size of a zip file, as a multiple of its own. Slack's JSON packs to between a tenth and a thirtieth.
pub(super) const MAX_RATIO: u64 = 100;

/// The unpacked size that every zip file may have, however small it is.
pub(super) const MIN_ZIP_BYTES: u64 = 1 << 30;

/// The elements of one file.
pub(super) const MAX_ELEMENTS: u64 = 2_000_000;

/// The size of one element. Slack cuts a message at 40,000 characters; its blocks repeat them.
pub(super) const MAX_ELEMENT_BYTES: usize = 1 << 20;

/// The text of one message, with names in place of ids.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;

/// The longest name: Slack's have at most 80 characters, of at most four bytes each.
pub(super) const MAX_NAME_BYTES: usize = 320;

/// The memory for data kept during the whole import: people, channels, the list of files, ids of threads.
const MAX_KEPT_BYTES: usize = 96 << 20;

/// The part of [`MAX_KEPT_BYTES`] that is not yet used.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    path: PathBuf,
    left: usize,
}

impl MemoryBudget {
    /// The whole budget, for an import of `path`.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            left: MAX_KEPT_BYTES,
        }
    }

    /// Counts something that is kept.
    ///
    /// # Errors
    /// [`ImportError::TooMuchToKeep`] if the budget is too small for it.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), ImportError> {
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

/// A name, cut at the length of the longest real one.
pub(super) fn short_name(mut name: String) -> String {
    if name.len() > MAX_NAME_BYTES {
        let end = name.floor_char_boundary(MAX_NAME_BYTES);
        name.truncate(end);
        name.shrink_to_fit();
    }
    name
}
