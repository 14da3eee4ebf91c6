//! The JSON of an export, as far as it is imported. Strings borrow from the file where they hold no
//! escapes.

use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::archive::Archive;
use crate::import::ImportError;

/// A string that borrows, also inside `Option` and `Vec`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The string, unless it is missing or blank.
pub(super) fn filled<'t>(text: &'t Option<Text<'_>>) -> Option<&'t str> {
    text.as_ref()
        .map(|text| text.0.as_ref())
        .filter(|text| !text.trim().is_empty())
}

/// An element of `users.json`.
#[derive(Debug, Deserialize)]
pub(super) struct RawUser<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    pub(super) name: Option<Text<'a>>,
    pub(super) real_name: Option<Text<'a>>,
    pub(super) is_bot: Option<bool>,
    pub(super) profile: Option<RawProfile<'a>>,
}

/// What a user, or a message of a user, says of that user.
#[derive(Debug, Deserialize)]
pub(super) struct RawProfile<'a> {
    #[serde(borrow)]
    pub(super) display_name: Option<Text<'a>>,
    pub(super) real_name: Option<Text<'a>>,
    pub(super) name: Option<Text<'a>>,
}

/// An element of `channels.json`, `groups.json`, `mpims.json` or `dms.json`.
#[derive(Debug, Deserialize)]
pub(super) struct RawChannel<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    pub(super) name: Option<Text<'a>>,
    pub(super) is_private: Option<bool>,
    pub(super) members: Option<Vec<Text<'a>>>,
}

/// An element of a day file.
#[derive(Debug, Deserialize)]
pub(super) struct RawMessage<'a> {
    #[serde(borrow)]
    pub(super) r#type: Option<Text<'a>>,
    pub(super) subtype: Option<Text<'a>>,
    pub(super) ts: Option<Text<'a>>,
    pub(super) thread_ts: Option<Text<'a>>,
    pub(super) user: Option<Text<'a>>,
    pub(super) bot_id: Option<Text<'a>>,
    pub(super) username: Option<Text<'a>>,
    pub(super) bot_profile: Option<RawProfile<'a>>,
    pub(super) text: Option<Text<'a>>,
    pub(super) edited: Option<RawEdit<'a>>,
    pub(super) files: Option<Vec<RawFile<'a>>>,
    /// The one file of messages from before a message could have several.
    pub(super) file: Option<RawFile<'a>>,
    /// The comment on a file, of the same age.
    pub(super) comment: Option<RawComment<'a>>,
    /// The edited message, in the record of an edit.
    pub(super) message: Option<Box<RawMessage<'a>>>,
    blocks: Option<IgnoredAny>,
    attachments: Option<IgnoredAny>,
}

impl RawMessage<'_> {
    /// Whether there are blocks or attachments, which [`RichContent`] reads.
    pub(super) fn has_rich(&self) -> bool {
        self.blocks.is_some() || self.attachments.is_some()
    }
}

/// When a message was edited.
#[derive(Debug, Deserialize)]
pub(super) struct RawEdit<'a> {
    #[serde(borrow)]
    pub(super) ts: Option<Text<'a>>,
}

/// A file in a message.
#[derive(Debug, Deserialize)]
pub(super) struct RawFile<'a> {
    #[serde(borrow)]
    pub(super) title: Option<Text<'a>>,
    pub(super) name: Option<Text<'a>>,
    /// `tombstone` for a deleted file.
    pub(super) mode: Option<Text<'a>>,
}

/// A comment on a file.
#[derive(Debug, Deserialize)]
pub(super) struct RawComment<'a> {
    #[serde(borrow)]
    pub(super) user: Option<Text<'a>>,
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

/// What bots post instead of text. Its many shapes are looked through without types, and only
/// where a message has no text.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RichContent {
    #[serde(default)]
    pub(super) blocks: Value,
    #[serde(default)]
    pub(super) attachments: Value,
    /// The edited message, in the record of an edit.
    pub(super) message: Option<Box<RichContent>>,
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
