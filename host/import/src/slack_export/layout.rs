//! Which files of an export are what.
//!
//! At the top: `users.json`, and one list per kind of conversation. A folder per conversation holds one
//! file per day. Source: <https://slack.com/help/articles/220556107>.

use std::collections::{BTreeMap, BTreeSet};

use super::archive::{Archive, FileNumber};
use crate::ImportError;
use crate::limits::{MAX_NAME_BYTES, MemoryBudget};

/// The list of people; the second name is for Enterprise Grid.
const USERS: [&str; 2] = ["users.json", "org_users.json"];
/// Files of an export that hold no messages.
const WITHOUT_MESSAGES: [&str; 6] = [
    "canvases.json",
    "content_flags.json",
    "file_conversations.json",
    "huddle_transcripts.json",
    "integration_logs.json",
    "lists.json",
];
/// How many names an error or a warning shows.
const SHOWN: usize = 5;
/// The memory for a folder, and for each of its day files, without their names.
const FOLDER_BYTES: usize = 200;
const DAY_BYTES: usize = 2 * size_of::<Day>();

/// A kind of conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A public channel.
    Channel,
    /// A private channel.
    Group,
    /// A conversation of several people.
    GroupMessage,
    /// A conversation of two people; its folder has its id as name.
    DirectMessage,
}

/// The lists of conversations, in the order in which they are imported.
const LISTS: [(&str, Kind); 4] = [
    ("channels.json", Kind::Channel),
    ("groups.json", Kind::Group),
    ("mpims.json", Kind::GroupMessage),
    ("dms.json", Kind::DirectMessage),
];

/// The files of an export, by kind.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The list of people.
    pub(super) users: (&'static str, FileNumber),
    /// The lists of conversations that the export has.
    pub(super) lists: Vec<(&'static str, FileNumber, Kind)>,
    /// The day files of each folder, oldest first.
    pub(super) days: BTreeMap<String, Vec<Day>>,
    /// Files that do not belong to an export.
    pub(super) ignored: FileNames,
}

/// A day file; small, because there may be millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day {
    /// The number YYYYMMDD.
    date: u32,
    /// For opening it.
    pub(super) number: FileNumber,
}

/// The number of files, and the first names in alphabetical order.
#[derive(Debug, Default)]
pub(super) struct FileNames {
    count: usize,
    first: BTreeSet<String>,
}

impl Layout {
    /// Finds the export at the top of an archive or in its only top folder, and continues with that folder.
    pub(super) fn find(
        archive: &mut Archive,
        budget: &mut MemoryBudget,
    ) -> Result<Self, ImportError> {
        let mut layout = Self::default();
        if let Some(folder) = top_folder(archive)? {
            archive.visit(&mut |name, _| {
                if !is_within(name, &folder) {
                    layout.ignored.add(name);
                }
                Ok(false)
            })?;
            archive.descend(&folder);
        }
        let mut found = FileNames::default();
        let day_bytes = DAY_BYTES + archive.bytes_of_a_file();
        archive.visit(&mut |name, number| {
            found.add(name);
            layout.add(name, number, &mut |bytes| budget.spend(bytes + day_bytes))
        })?;
        if layout.lists.is_empty() {
            let lists = "`channels.json`, `groups.json`, `mpims.json` or `dms.json`";
            return Err(no_export(archive, lists, &found));
        }
        let place = |name| LISTS.iter().position(|(list, _)| *list == name);
        layout.lists.sort_by_key(|(name, ..)| place(*name));
        layout.days.values_mut().for_each(put_in_order);
        Ok(layout)
    }

    /// Adds a file. Returns true if it will be read. `spend` counts the memory for a day file, and the given bytes.
    fn add(
        &mut self,
        name: &str,
        number: FileNumber,
        spend: &mut dyn FnMut(usize) -> Result<(), ImportError>,
    ) -> Result<bool, ImportError> {
        if let Some((folder, file)) = name.split_once('/')
            && let Some(date) = date_of(file)
        {
            let day = Day { date, number };
            if let Some(days) = self.days.get_mut(folder) {
                spend(0)?;
                days.push(day);
            } else {
                spend(FOLDER_BYTES + folder.len())?;
                self.days.insert(folder.to_owned(), vec![day]);
            }
        } else if let Some((list, kind)) = LISTS.iter().find(|(list, _)| *list == name) {
            // Of two files with the same name, the last one counts.
            self.lists.retain(|(known, ..)| known != list);
            self.lists.push((list, number, *kind));
        } else if let Some(users) = USERS.iter().find(|users| **users == name) {
            if self.users.0 != USERS[0] || *users == USERS[0] {
                self.users = (users, number);
            }
        } else {
            if !WITHOUT_MESSAGES.contains(&name) {
                self.ignored.add(name);
            }
            return Ok(false);
        }
        Ok(true)
    }
}

impl Day {
    /// The name of the file in its conversation's folder.
    pub(super) fn name(self, folder: &str) -> String {
        let (year, month, day) = (self.date / 10_000, self.date / 100 % 100, self.date % 100);
        format!("{folder}/{year:04}-{month:02}-{day:02}.json")
    }
}

impl FileNames {
    fn add(&mut self, name: &str) {
        self.count += 1;
        let is_first = || self.first.last().is_none_or(|last| name < last.as_str());
        if self.first.len() < SHOWN || is_first() {
            let end = name.floor_char_boundary(MAX_NAME_BYTES);
            self.first
                .insert(name.get(..end).unwrap_or_default().to_owned());
            if self.first.len() > SHOWN {
                self.first.pop_last();
            }
        }
    }

    /// Adds a name, unless it is already among the first ones.
    fn add_new(&mut self, name: &str) {
        if !self.first.contains(name) {
            self.add(name);
        }
    }

    /// Returns true if there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }
}

impl std::fmt::Display for FileNames {
    /// The first names, and the number of the others.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        let shown: Vec<String> = self.first.iter().map(|name| format!("`{name}`")).collect();
        f.write_str(&shown.join(", "))?;
        match self.count.saturating_sub(shown.len()) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// The top folder that holds the export; `None` if the export is at the top.
fn top_folder(archive: &mut Archive) -> Result<Option<String>, ImportError> {
    let (mut found, mut exports) = (FileNames::default(), FileNames::default());
    let mut is_top = false;
    archive.visit(&mut |name, _| {
        found.add(name);
        is_top |= USERS.contains(&name);
        if let Some((folder, file)) = name.split_once('/')
            && USERS.contains(&file)
        {
            exports.add_new(folder);
        }
        Ok(false)
    })?;
    if is_top {
        return Ok(None);
    }
    match exports.count {
        0 => Err(no_export(archive, "`users.json`", &found)),
        1 => Ok(exports.first.pop_first()),
        _ => Err(no_export(archive, "one export", &exports)),
    }
}

fn is_within(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

fn no_export(archive: &Archive, expected: &'static str, found: &FileNames) -> ImportError {
    ImportError::NotAnExport {
        path: archive.path().to_owned(),
        expected,
        found: found.to_string(),
    }
}

/// Sorts day files by date. Of two with the same date, the last one counts.
fn put_in_order(days: &mut Vec<Day>) {
    days.sort_unstable_by(|a, b| b.cmp(a));
    days.dedup_by_key(|day| day.date);
    days.reverse();
    days.shrink_to_fit();
}

/// The date of a file with the name `YYYY-MM-DD.json`, as the number YYYYMMDD.
fn date_of(file: &str) -> Option<u32> {
    let day = file.strip_suffix(".json")?;
    let is_date = day.len() == 10
        && day.bytes().enumerate().all(|(at, b)| {
            if at == 4 || at == 7 {
                b == b'-'
            } else {
                b.is_ascii_digit()
            }
        });
    is_date.then(|| day.replace('-', "").parse().ok()).flatten()
}
