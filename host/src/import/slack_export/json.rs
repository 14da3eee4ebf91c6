//! The JSON of an export, as far as it is imported. Strings borrow from the file where they hold no
//! escapes.

use std::borrow::Cow;

use serde::Deserialize;

use super::archive::Archive;
use crate::import::ImportError;
use crate::slack::message::raw::{RawProfile, Text};

/// An element of `channels.json`, `groups.json`, `mpims.json` or `dms.json`.
#[derive(Debug, Deserialize)]
pub(super) struct RawChannel<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    pub(super) name: Option<Text<'a>>,
    pub(super) is_private: Option<bool>,
    pub(super) members: Option<Vec<Text<'a>>>,
}

/// What has to be known of all messages before the first one is imported.
#[derive(Debug, Deserialize)]
pub(super) struct RawTrace<'a> {
    #[serde(borrow)]
    pub(super) subtype: Option<Text<'a>>,
    pub(super) ts: Option<Text<'a>>,
    pub(super) thread_ts: Option<Text<'a>>,
    pub(super) reply_count: Option<u64>,
    pub(super) deleted_ts: Option<Text<'a>>,
    pub(super) user: Option<Text<'a>>,
    pub(super) user_profile: Option<RawProfile<'a>>,
    pub(super) bot_id: Option<Text<'a>>,
    pub(super) bot_profile: Option<RawProfile<'a>>,
    pub(super) username: Option<Text<'a>>,
}

/// Parses a file that was read into `buffer`.
pub(super) fn parse<'a, T: Deserialize<'a>>(
    archive: &Archive,
    name: &str,
    buffer: &'a [u8],
) -> Result<T, ImportError> {
    let buffer = buffer.strip_prefix(b"\xef\xbb\xbf").unwrap_or(buffer);
    serde_json::from_slice(buffer).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let detail = error.to_string();
        let place = format!(" at line {line} column {column}");
        ImportError::Json {
            file: archive.shown(name),
            line,
            column,
            detail: detail.strip_suffix(&place).unwrap_or(&detail).to_owned(),
        }
    })
}
