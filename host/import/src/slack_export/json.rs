//! The JSON of an export, as far as it is read. Strings without escapes borrow from the file.

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
    pub(super) is_shared: Option<bool>,
    pub(super) is_ext_shared: Option<bool>,
    pub(super) is_org_shared: Option<bool>,
    pub(super) is_pending_ext_shared: Option<bool>,
    pub(super) members: Option<Vec<Text<'a>>>,
}

/// The fields of a message that the survey reads.
#[derive(Debug, Deserialize)]
pub(super) struct RawOutline<'a> {
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
