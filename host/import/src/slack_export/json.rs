//! The JSON of an export, as far as it is imported. Strings borrow from the file where they hold no
//! escapes.

use std::borrow::Cow;

use myao_slack::message::raw::{RawProfile, Text};
use serde::Deserialize;

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
