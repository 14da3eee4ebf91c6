//! The files of an export, in a folder or in a zip file. Nothing is unpacked to disk.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

use zip::{ZipArchive, result::ZipError};

use crate::import::ImportError;

/// The most that one file may unpack to: a day of the busiest channel is some megabytes, and what is
/// larger is a mistake or an attack.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// How deep an export's files lie: at its top, and in the channels' folders.
const DEPTH: usize = 2;

/// The files of an export by their names, `/` between folders.
pub(super) struct Archive {
    path: PathBuf,
    places: BTreeMap<String, Place>,
    zip: Option<ZipArchive<BufReader<File>>>,
    max_file_bytes: u64,
}

enum Place {
    File(PathBuf),
    Entry(usize),
}

impl Archive {
    /// Lists a folder or a zip file.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let mut archive = Self {
            path: path.to_owned(),
            places: BTreeMap::new(),
            zip: None,
            max_file_bytes: MAX_FILE_BYTES,
        };
        if path.is_dir() {
            archive.list_folder(path, "", DEPTH)?;
        } else {
            archive.list_zip()?;
        }
        Ok(archive)
    }

    /// The folder or zip file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The names of all files, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// Takes a folder of the archive as the whole of it. Returns the names of the files outside.
    pub(super) fn descend(&mut self, folder: &str) -> Result<Vec<String>, ImportError> {
        let mut outside = Vec::new();
        for (name, place) in std::mem::take(&mut self.places) {
            match name
                .strip_prefix(folder)
                .and_then(|name| name.strip_prefix('/'))
            {
                Some(name) => drop(self.places.insert(name.to_owned(), place)),
                None => outside.push(name),
            }
        }
        self.path.push(folder);
        if self.zip.is_none() {
            self.list_folder(&self.path.clone(), "", DEPTH)?;
        }
        Ok(outside)
    }

    /// How errors name a file.
    pub(super) fn shown(&self, name: &str) -> String {
        match self.places.get(name) {
            Some(Place::File(path)) => path.display().to_string(),
            _ => format!("{}: {name}", self.path.display()),
        }
    }

    /// Reads a whole file into `buffer`, in place of what that held.
    pub(super) fn read(&mut self, name: &str, buffer: &mut Vec<u8>) -> Result<(), ImportError> {
        buffer.clear();
        let limit = self.max_file_bytes;
        let result = match (self.places.get(name), &mut self.zip) {
            (Some(Place::File(path)), _) => File::open(path)
                .and_then(|file| read_at_most(file, limit, buffer))
                .map_err(ZipError::Io),
            (Some(Place::Entry(index)), Some(zip)) => zip
                .by_index(*index)
                .and_then(|entry| Ok(read_at_most(entry, limit, buffer)?)),
            _ => Err(ZipError::FileNotFound),
        };
        match result {
            Ok(true) => Ok(()),
            Ok(false) => Err(ImportError::TooLarge {
                file: self.shown(name),
                limit,
            }),
            Err(ZipError::Io(source)) if self.zip.is_none() => Err(ImportError::Io {
                path: self.path.join(name),
                source,
            }),
            Err(error) => Err(self.zip_error(error, Some(name))),
        }
    }

    fn list_folder(
        &mut self,
        folder: &Path,
        prefix: &str,
        depth: usize,
    ) -> Result<(), ImportError> {
        let failed = |source| ImportError::Io {
            path: folder.to_owned(),
            source,
        };
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let path = entry.path();
            if !path.is_dir() {
                self.places.insert(name, Place::File(path));
            } else if depth > 1 {
                self.list_folder(&path, &format!("{name}/"), depth - 1)?;
            }
        }
        Ok(())
    }

    fn list_zip(&mut self) -> Result<(), ImportError> {
        let file = File::open(&self.path).map_err(|source| ImportError::Io {
            path: self.path.clone(),
            source,
        })?;
        let zip =
            ZipArchive::new(BufReader::new(file)).map_err(|error| self.zip_error(error, None))?;
        for (index, raw) in zip.file_names_raw().enumerate() {
            // Names with other than ASCII letters are UTF-8, whether or not the zip file says so.
            let name = match std::str::from_utf8(raw) {
                Ok(name) => Cow::Borrowed(name),
                Err(_) => zip
                    .name_for_index(index)
                    .and_then(Result::ok)
                    .unwrap_or_default(),
            };
            if !name.ends_with('/') {
                self.places.insert(name.into_owned(), Place::Entry(index));
            }
        }
        self.zip = Some(zip);
        Ok(())
    }

    fn zip_error(&self, error: ZipError, entry: Option<&str>) -> ImportError {
        let file = match entry {
            Some(name) => self.shown(name),
            None => self.path.display().to_string(),
        };
        match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
                ImportError::Encrypted { file }
            }
            other => ImportError::DamagedZip {
                file,
                detail: other.to_string(),
            },
        }
    }
}

/// Reads everything, unless it is more than `limit` bytes: then says `false`.
fn read_at_most(reader: impl Read, limit: u64, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let read = reader.take(limit + 1).read_to_end(buffer)?;
    Ok(u64::try_from(read).is_ok_and(|read| read <= limit))
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
