//! The fields of users and messages in Slack's JSON that are read. Exports, events and the Web API have the same. Strings
//! without escapes borrow from the text.
#![allow(missing_docs, reason = "the fields have Slack's own names")]

use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use crate::mrkdwn::unescaped;

/// A string that borrows, also inside `Option` and `Vec`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// The string, unless it is missing or blank.
pub fn filled<'t>(text: &'t Option<Text<'_>>) -> Option<&'t str> {
    text.as_ref()
        .map(|text| text.0.as_ref())
        .filter(|text| !text.trim().is_empty())
}

/// A user.
#[derive(Debug, Deserialize)]
pub struct RawUser<'a> {
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    pub name: Option<Text<'a>>,
    pub real_name: Option<Text<'a>>,
    pub is_bot: Option<bool>,
    pub is_restricted: Option<bool>,
    pub is_ultra_restricted: Option<bool>,
    pub is_stranger: Option<bool>,
    pub profile: Option<RawProfile<'a>>,
}

impl RawUser<'_> {
    /// Returns true if it is a guest, or belongs to another workspace.
    #[must_use]
    pub fn is_guest(&self) -> bool {
        [
            self.is_restricted,
            self.is_ultra_restricted,
            self.is_stranger,
        ]
        .contains(&Some(true))
    }
}

/// The profile of a user, as users and messages have it.
#[derive(Debug, Deserialize)]
pub struct RawProfile<'a> {
    #[serde(borrow)]
    pub display_name: Option<Text<'a>>,
    pub real_name: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
}

/// A message.
#[derive(Debug, Deserialize)]
pub struct RawMessage<'a> {
    #[serde(borrow)]
    pub r#type: Option<Text<'a>>,
    pub subtype: Option<Text<'a>>,
    pub ts: Option<Text<'a>>,
    pub thread_ts: Option<Text<'a>>,
    pub user: Option<Text<'a>>,
    pub bot_id: Option<Text<'a>>,
    pub username: Option<Text<'a>>,
    pub bot_profile: Option<RawProfile<'a>>,
    pub text: Option<Text<'a>>,
    pub edited: Option<RawEdit<'a>>,
    pub files: Option<Vec<RawFile<'a>>>,
    /// The only file, in messages from before there could be several.
    pub file: Option<RawFile<'a>>,
    /// The comment on a file, in messages of the same time.
    pub comment: Option<RawComment<'a>>,
    /// The edited message, if this is the record of an edit.
    pub message: Option<Box<RawMessage<'a>>>,
    blocks: Option<IgnoredAny>,
    attachments: Option<IgnoredAny>,
    pinned_to: Option<IgnoredAny>,
    reactions: Option<IgnoredAny>,
}

impl RawMessage<'_> {
    /// Returns true if it may be pinned or marked, which [`crate::pins::of_message`] and [`crate::done::of_message`]
    /// read.
    #[must_use]
    pub fn may_be_marked(&self) -> bool {
        self.pinned_to.is_some() || self.reactions.is_some()
    }

    /// Returns true if there are blocks or attachments, which [`RichContent`] reads.
    pub(super) fn has_rich(&self) -> bool {
        self.blocks.is_some() || self.attachments.is_some()
    }
}

/// When a message was edited.
#[derive(Debug, Deserialize)]
pub struct RawEdit<'a> {
    #[serde(borrow)]
    pub ts: Option<Text<'a>>,
}

/// A file in a message.
#[derive(Debug, Deserialize)]
pub struct RawFile<'a> {
    #[serde(borrow)]
    pub title: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    /// `tombstone` for a deleted file.
    pub mode: Option<Text<'a>>,
}

/// A comment on a file.
#[derive(Debug, Deserialize)]
pub struct RawComment<'a> {
    #[serde(borrow)]
    pub user: Option<Text<'a>>,
}

/// The blocks and attachments that bots post instead of text. Their many shapes are searched without types, and only
/// if a message has no text.
#[derive(Debug, Default, Deserialize)]
pub struct RichContent {
    #[serde(default)]
    pub blocks: Value,
    #[serde(default)]
    pub attachments: Value,
    /// The edited message, if this is the record of an edit.
    pub message: Option<Box<RichContent>>,
}

/// The name that Slack shows: display name, else real name, else handle.
pub fn user_name(user: &RawUser<'_>) -> String {
    let profile = user.profile.as_ref();
    let name = profile
        .and_then(|profile| filled(&profile.display_name))
        .or_else(|| filled(&user.real_name))
        .or_else(|| profile.and_then(|profile| filled(&profile.real_name)))
        .or_else(|| filled(&user.name));
    shown_name(name)
}

/// The name in the profile of a message.
pub fn profile_name(profile: &RawProfile<'_>) -> String {
    shown_name(
        filled(&profile.display_name)
            .or_else(|| filled(&profile.real_name))
            .or_else(|| filled(&profile.name)),
    )
}

fn shown_name(name: Option<&str>) -> String {
    name.map(|name| unescaped(name.trim()).into_owned())
        .unwrap_or_default()
}
