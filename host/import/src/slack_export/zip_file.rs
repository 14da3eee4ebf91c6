//! A zip file whose directory is not kept in memory: in a hundred megabytes it may name two million files.

use std::{
    fs::File,
    io::{self, Read},
};

use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, Error, FileReader, MAX_CENTRAL_DIRECTORY_RECORD_SIZE,
    RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder,
};

use crate::ImportError;

/// The smallest size of an entry in the directory.
const ENTRY_BYTES: u64 = 46;

/// A zip file.
pub(super) struct ZipFile {
    archive: ZipArchive<FileReader>,
    size: u64,
}

/// Where a file is in the zip file, and how it is packed.
pub(super) struct Entry {
    wayfinder: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
}

/// Gets the name of an entry, with `/` between folders.
type Visit<'v> = &'v mut dyn FnMut(&str, Entry) -> Result<(), ImportError>;

impl ZipFile {
    /// Opens a zip file, and finds its directory.
    pub(super) fn open(file: File, size: u64) -> Result<Self, Error> {
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let archive = ZipArchive::from_file(file, &mut buffer)?;
        Ok(Self { archive, size })
    }

    /// The most entries it can have: the number that it names, or that fits into it.
    pub(super) fn most_entries(&self) -> usize {
        let most = self.archive.entries_hint().min(self.size / ENTRY_BYTES);
        usize::try_from(most).unwrap_or_default()
    }

    /// Visits all files, in the order of the directory. `damaged` converts an error of the directory.
    pub(super) fn entries(
        &self,
        damaged: &dyn Fn(Error) -> ImportError,
        visit: Visit<'_>,
    ) -> Result<(), ImportError> {
        let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let mut entries = self.archive.entries(&mut buffer);
        let mut count: u64 = 0;
        while let Some(entry) = entries.next_entry().map_err(damaged)? {
            count += 1;
            let entry_of = Entry {
                wayfinder: entry.wayfinder(),
                method: entry.compression_method(),
                is_encrypted: entry.flags().is_encrypted(),
            };
            if !entry.is_dir() {
                // Names are UTF-8, even if the zip file does not say so.
                let name = entry.file_path();
                visit(&String::from_utf8_lossy(name.as_ref()), entry_of)?;
            }
        }
        // Some programs count modulo 2¹⁶.
        let expected = self.archive.entries_hint();
        if (count ^ expected) & 0xffff != 0 {
            let error = io::Error::other(format!("{count} entries instead of {expected}"));
            return Err(damaged(Error::from(rawzip::ErrorKind::IO(error))));
        }
        Ok(())
    }

    /// Reads the content of a file. The checksum is verified at its end.
    pub(super) fn read(&self, entry: &Entry) -> Result<Box<dyn Read + '_>, Error> {
        let found = self.archive.get_entry(entry.wayfinder)?;
        Ok(match entry.method {
            CompressionMethod::STORE => Box::new(found.verifying_reader(found.reader())),
            CompressionMethod::DEFLATE => {
                Box::new(found.verifying_reader(DeflateDecoder::new(found.reader())))
            }
            other => {
                let error = io::Error::other(format!("compressed by {other}"));
                return Err(Error::from(rawzip::ErrorKind::IO(error)));
            }
        })
    }
}

impl Entry {
    /// Returns true if a password protects it.
    pub(super) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }
}
