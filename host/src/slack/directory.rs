//! Names of the people and channels that a few messages name.

use std::collections::HashMap;

use super::message::People;
use crate::import::mrkdwn::Names;
use crate::storage::records::UserRecord;

/// Who is who, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    /// People and programs by id. One without a name has an empty one.
    pub users: HashMap<String, UserRecord>,
    /// Names of channels by id.
    pub channels: HashMap<String, String>,
}

impl Names for Directory {
    fn user(&self, id: &str) -> Option<&str> {
        self.users.get(id).map(|user| user.name.as_str())
    }

    fn channel(&self, id: &str) -> Option<&str> {
        self.channels.get(id).map(String::as_str)
    }
}

impl People for Directory {
    fn is_bot(&self, id: &str) -> Option<bool> {
        self.users.get(id).map(|user| user.is_bot)
    }
}
