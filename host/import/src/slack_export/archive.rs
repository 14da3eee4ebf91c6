//! The files of an export, in a folder or in a zip file. Nothing is unpacked to disk, and no list of all files is kept:
//! they are visited one by one.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{
    json_array::{Bytes, Element, Fault, JsonArray},
    zip_file::{Entry, ZipFile},
};
use crate::ImportError;
use crate::files::{kind_of, open_plain};
use crate::limits::{MAX_ELEMENTS, MAX_EXPORT_BYTES, MAX_FILE_BYTES, MAX_RATIO, MIN_ZIP_BYTES};

/// The depth of an export: its top, and the folders of the channels.
const DEPTH: usize = 2;

/// The files of an export.
pub(super) struct Archive {
    path: PathBuf,
    /// The zip file, and the entries that will be read.
    zip: Option<(ZipFile, Vec<Entry>)>,
    /// The folder of the export within the zip file, with a final `/`.
    prefix: String,
    /// The limit for one file.
    max_file_bytes: u64,
    /// The limit for all files together.
    max_bytes: u64,
    /// The bytes that are left of `max_bytes`.
    bytes_left: u64,
    buffer: Vec<u8>,
}

/// A list that is being read from a file.
pub(super) struct List<'a> {
    array: JsonArray<'a, Box<dyn Read + 'a>>,
    place: FilePlace<'a>,
}

/// Where a file is, for errors.
#[derive(Clone, Copy)]
struct FilePlace<'a> {
    archive: &'a Path,
    name: &'a str,
    is_zip: bool,
    max_file_bytes: u64,
    max_bytes: u64,
}

/// A visited file, for [`Archive::list`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileNumber(u32);

/// Gets the name of a file, with `/` between folders, and its number. Returns true if the file will be read.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&str, FileNumber) -> Result<bool, ImportError>;

impl Archive {
    /// Opens a folder or a zip file.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let failed = |source| ImportError::Io {
            path: path.to_owned(),
            source,
        };
        let mut archive = Self {
            path: path.to_owned(),
            zip: None,
            prefix: String::new(),
            max_file_bytes: MAX_FILE_BYTES,
            max_bytes: MAX_EXPORT_BYTES,
            bytes_left: MAX_EXPORT_BYTES,
            buffer: Vec::new(),
        };
        if !path.is_dir() {
            let file = File::open(path).map_err(failed)?;
            let size = file.metadata().map_err(failed)?.len();
            archive.max_bytes = size
                .saturating_mul(MAX_RATIO)
                .clamp(MIN_ZIP_BYTES, MAX_EXPORT_BYTES);
            archive.read_again();
            let zip = ZipFile::open(file, size).map_err(|error| damaged(path.display(), &error))?;
            archive.zip = Some((zip, Vec::new()));
        }
        Ok(archive)
    }

    /// The folder or zip file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Visits all files, in any order. Numbers from earlier visits are then no longer valid.
    pub(super) fn visit(&mut self, visit: Visit<'_>) -> Result<(), ImportError> {
        match &self.zip {
            None => list_folder(&self.path, "", DEPTH, visit),
            Some((zip, _)) => {
                let mut kept = Vec::with_capacity(zip.most_entries());
                let (path, prefix) = (&self.path, &self.prefix);
                let damaged = |error| damaged(path.display(), &error);
                zip.entries(&damaged, &mut |name, entry| {
                    let Some(name) = name.strip_prefix(prefix.as_str()) else {
                        return Ok(());
                    };
                    // There are fewer than 2³² in any zip file that passes the budget.
                    let number = FileNumber(u32::try_from(kept.len()).unwrap_or(u32::MAX));
                    if visit(name, number)? {
                        kept.push(entry);
                    }
                    Ok(())
                })?;
                if let Some((_, entries)) = &mut self.zip {
                    *entries = kept;
                }
                Ok(())
            }
        }
    }

    /// The memory for each file that will be read.
    pub(super) fn bytes_of_a_file(&self) -> usize {
        if self.zip.is_some() {
            size_of::<Entry>()
        } else {
            0
        }
    }

    /// Continues with a folder as the whole archive.
    pub(super) fn descend(&mut self, folder: &str) {
        self.path.push(folder);
        if self.zip.is_some() {
            self.prefix = format!("{}{folder}/", self.prefix);
        }
    }

    /// Allows every file to be read once more.
    pub(super) fn read_again(&mut self) {
        self.bytes_left = self.max_bytes;
    }

    /// Reads the list in a file.
    pub(super) fn list<'a>(
        &'a mut self,
        name: &'a str,
        number: FileNumber,
    ) -> Result<List<'a>, ImportError> {
        let place = FilePlace {
            archive: &self.path,
            name,
            is_zip: self.zip.is_some(),
            max_file_bytes: self.max_file_bytes,
            max_bytes: self.max_bytes,
        };
        let reader: Box<dyn Read + 'a> = match &self.zip {
            None => Box::new(open_plain(&self.path.join(name))?),
            Some((zip, entries)) => {
                let entry = entries.get(number.0 as usize);
                let entry = entry.ok_or_else(|| place.error(io::ErrorKind::NotFound.into()))?;
                if entry.is_encrypted() {
                    let file = place.shown();
                    return Err(ImportError::Encrypted { file });
                }
                let reader = zip.read(entry);
                reader.map_err(|error| damaged(place.shown(), &error))?
            }
        };
        let bytes = Bytes {
            of_file: self.max_file_bytes,
            of_all: &mut self.bytes_left,
        };
        Ok(List {
            array: JsonArray::new(reader, bytes, &mut self.buffer),
            place,
        })
    }
}

impl List<'_> {
    /// The next element; `None` at the end.
    pub(super) fn next<'e, T: Deserialize<'e>>(
        &'e mut self,
    ) -> Result<Option<Element<'e, T>>, ImportError> {
        self.array.next().map_err(|fault| match fault {
            Fault::Io(error) => self.place.error(error),
            Fault::Json(place, detail) => ImportError::Json {
                file: self.place.shown(),
                line: place.line,
                column: place.column,
                detail,
            },
            Fault::TooLarge => ImportError::TooLarge {
                file: self.place.shown(),
                limit: self.place.max_file_bytes,
            },
            Fault::AllTooLarge => ImportError::ExportTooLarge {
                path: self.place.archive.to_owned(),
                limit: self.place.max_bytes,
            },
            Fault::TooMany => ImportError::TooMany {
                file: self.place.shown(),
                limit: MAX_ELEMENTS,
            },
        })
    }
}

impl FilePlace<'_> {
    /// The file's name in errors.
    fn shown(&self) -> String {
        if self.is_zip {
            format!("{}: {}", self.archive.display(), self.name)
        } else {
            self.archive.join(self.name).display().to_string()
        }
    }

    fn error(&self, source: io::Error) -> ImportError {
        if self.is_zip {
            return damaged(self.shown(), &source);
        }
        ImportError::Io {
            path: self.archive.join(self.name),
            source,
        }
    }
}

fn damaged(file: impl std::fmt::Display, error: &dyn std::error::Error) -> ImportError {
    ImportError::DamagedZip {
        file: file.to_string(),
        detail: error.to_string(),
    }
}

fn list_folder(
    folder: &Path,
    prefix: &str,
    depth: usize,
    visit: Visit<'_>,
) -> Result<(), ImportError> {
    let failed = |source| ImportError::Io {
        path: folder.to_owned(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_file() {
            visit(&name, FileNumber::default())?;
        } else if !kind.is_dir() {
            return Err(ImportError::Special {
                path: entry.path(),
                kind: kind_of(kind),
            });
        } else if depth > 1 {
            list_folder(&entry.path(), &format!("{name}/"), depth - 1, visit)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
