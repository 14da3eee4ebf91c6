//! Which file of an export is what.
//!
//! At the top: `users.json`, and one list per kind of conversation. A folder per conversation holds one
//! file per day. Source: <https://slack.com/help/articles/220556107>.

use std::collections::{BTreeMap, BTreeSet};

use super::archive::Archive;
use crate::import::ImportError;

/// The list of people; the second name is an Enterprise Grid export's.
const USERS: [&str; 2] = ["users.json", "org_users.json"];
/// Files and folders that an export may have and that hold no messages.
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

/// A kind of conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A public channel.
    Channel,
    /// A private channel.
    Group,
    /// A conversation of several people.
    GroupMessage,
    /// A conversation of two people; its folder is called by its id.
    DirectMessage,
}

/// The lists of conversations, in the order in which they are imported.
const LISTS: [(&str, Kind); 4] = [
    ("channels.json", Kind::Channel),
    ("groups.json", Kind::Group),
    ("mpims.json", Kind::GroupMessage),
    ("dms.json", Kind::DirectMessage),
];

/// The files of an export, sorted by what they are.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The list of people.
    pub(super) users: String,
    /// The lists of conversations that are there.
    pub(super) lists: Vec<(&'static str, Kind)>,
    /// The day files of each folder, oldest first.
    pub(super) days: BTreeMap<String, Vec<String>>,
    /// Files that are no part of an export.
    pub(super) ignored: Vec<String>,
}

impl Layout {
    /// Finds the export in an archive, at its top or in its one top folder, and makes that the top.
    pub(super) fn find(archive: &mut Archive) -> Result<Self, ImportError> {
        let mut layout = Self::default();
        if !has_users(archive, "") {
            let folders: BTreeSet<&str> = archive
                .names()
                .filter_map(|name| Some(name.split_once('/')?.0))
                .collect();
            let exports: Vec<String> = folders
                .into_iter()
                .filter(|folder| has_users(archive, folder))
                .map(str::to_owned)
                .collect();
            match exports.as_slice() {
                [folder] => layout.ignored = archive.descend(folder)?,
                [] => {
                    return Err(no_export(
                        archive,
                        "`users.json`",
                        &archive.names().collect::<Vec<_>>(),
                    ));
                }
                several => {
                    return Err(no_export(
                        archive,
                        "one export",
                        &several.iter().map(String::as_str).collect::<Vec<_>>(),
                    ));
                }
            }
        }
        archive.names().for_each(|name| layout.sort_in(name));
        if layout.lists.is_empty() {
            let lists = "`channels.json`, `groups.json`, `mpims.json` or `dms.json`";
            return Err(no_export(
                archive,
                lists,
                &archive.names().collect::<Vec<_>>(),
            ));
        }
        layout.lists = LISTS
            .into_iter()
            .filter(|list| layout.lists.contains(list))
            .collect();
        Ok(layout)
    }

    fn sort_in(&mut self, name: &str) {
        if let Some((folder, file)) = name.split_once('/')
            && is_day(file)
        {
            self.days
                .entry(folder.to_owned())
                .or_default()
                .push(name.to_owned());
        } else if let Some(list) = LISTS.iter().find(|(list, _)| *list == name) {
            self.lists.push(*list);
        } else if USERS.contains(&name) {
            self.users = name.to_owned();
        } else if !WITHOUT_MESSAGES.contains(&name) {
            self.ignored.push(name.to_owned());
        }
    }
}

/// The first names of a list, and how many more there are.
pub(super) fn some_of<S: AsRef<str>>(names: &[S]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

fn has_users(archive: &Archive, folder: &str) -> bool {
    let in_folder = |name: &'_ str| match folder {
        "" => USERS.contains(&name),
        folder => name
            .strip_prefix(folder)
            .and_then(|n| n.strip_prefix('/'))
            .is_some_and(|n| USERS.contains(&n)),
    };
    archive.names().any(in_folder)
}

fn no_export(archive: &Archive, expected: &'static str, found: &[&str]) -> ImportError {
    ImportError::NotAnExport {
        path: archive.path().to_owned(),
        expected,
        found: some_of(found),
    }
}

/// Whether a file is called `YYYY-MM-DD.json`.
fn is_day(file: &str) -> bool {
    file.strip_suffix(".json").is_some_and(|day| {
        day.len() == 10
            && day.bytes().enumerate().all(|(at, b)| {
                if at == 4 || at == 7 {
                    b == b'-'
                } else {
                    b.is_ascii_digit()
                }
            })
    })
}
