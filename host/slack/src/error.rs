//! Errors of Slack, and how to react to them.

use std::time::Duration;

use myao_plugin::Retry;

/// Why a call to Slack failed. Every text says what to do next, and none holds a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// Too many calls of one method. The client has already waited as long as it may.
    #[error("{method}: Slack allows no more calls for now; try again {}", when(*retry_after))]
    RateLimited {
        /// The method of the Web API.
        method: &'static str,
        /// How long to wait from now on; `None` if that is not known.
        retry_after: Option<Duration>,
    },
    /// Slack understood the call and said no (`ok: false`).
    #[error("{method}: Slack says `{code}`: {}", advice(code, needed.as_deref(), provided.as_deref()))]
    Refused {
        /// The method of the Web API.
        method: &'static str,
        /// Slack's `error`, such as `channel_not_found`.
        code: String,
        /// The missing scope (`needed`), with the code `missing_scope`.
        needed: Option<String>,
        /// The scopes that the token has (`provided`), separated by commas.
        provided: Option<String>,
    },
    /// The connection could not be opened, or broke.
    #[error(
        "{method}: Slack cannot be reached: {detail}; check the network and https://slack-status.com"
    )]
    Unreachable {
        /// The method of the Web API.
        method: &'static str,
        /// The cause, without addresses.
        detail: String,
        /// True if the call may have reached Slack.
        may_have_arrived: bool,
    },
    /// No answer in time; Slack may have carried out the call.
    #[error(
        "{method}: Slack did not answer in time; try again later, or look at https://slack-status.com"
    )]
    TimedOut {
        /// The method of the Web API.
        method: &'static str,
    },
    /// An HTTP status that is not an answer of the Web API.
    #[error("{method}: Slack answered with HTTP status {status}; {}", status_advice(*status))]
    Status {
        /// The method of the Web API.
        method: &'static str,
        /// The HTTP status.
        status: u16,
    },
    /// An answer that Slack does not document.
    #[error(
        "{method}: the answer cannot be read: {detail}; check that the API's address is Slack's and no proxy answers for it"
    )]
    BadAnswer {
        /// The method of the Web API.
        method: &'static str,
        /// The fault.
        detail: String,
    },
    /// An address that is not valid.
    #[error("{what} is not used: {detail}")]
    BadAddress {
        /// The purpose of the address.
        what: &'static str,
        /// The fault.
        detail: String,
    },
    /// The app's Socket Mode is switched off.
    #[error(
        "Slack closed the connection because Socket Mode is switched off: turn it on under \"Socket Mode\" on the app's pages at https://api.slack.com/apps, or use events over HTTP"
    )]
    LinkDisabled,
}

/// The kind of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// The channel, user, message or thread does not exist, or the bot cannot see it.
    NotFound,
    /// The bot may not do that: it is not in the channel, lacks a scope, or the workspace forbids it.
    NotAllowed,
    /// The token is not valid, or no longer valid.
    Auth,
    /// Slack does not accept the arguments. The same call fails again.
    Invalid,
    /// Slack has trouble. A later call may succeed.
    Unavailable,
    /// Any other code.
    Other,
}

impl RefusalKind {
    /// The kind of one of Slack's error codes.
    fn of(code: &str) -> Self {
        match code {
            "invalid_auth" | "account_inactive" | "token_revoked" | "token_expired"
            | "not_authed" => Self::Auth,
            "channel_not_found" | "user_not_found" | "users_not_found" | "user_not_visible"
            | "message_not_found" | "thread_not_found" | "team_not_found" | "bot_not_found"
            | "not_found" => Self::NotFound,
            "not_in_channel"
            | "user_not_in_channel"
            | "missing_scope"
            | "no_permission"
            | "access_denied"
            | "is_archived"
            | "accesslimited"
            | "ekm_access_denied"
            | "team_access_not_granted"
            | "not_allowed_token_type"
            | "user_is_restricted"
            | "cant_update_message"
            | "edit_window_closed"
            | "is_inactive"
            | "messages_tab_disabled"
            | "not_enabled"
            | "method_not_supported_for_channel_type"
            | "channel_type_not_supported"
            | "two_factor_setup_required"
            | "org_login_required" => Self::NotAllowed,
            "internal_error"
            | "fatal_error"
            | "service_unavailable"
            | "request_timeout"
            | "team_added_to_org"
            | "external_channel_migrating" => Self::Unavailable,
            "msg_too_long"
            | "no_text"
            | "msg_blocks_too_long"
            | "too_many_attachments"
            | "metadata_too_large"
            | "cannot_reply_to_message"
            | "bad_timestamp"
            | "unknown_method"
            | "method_deprecated"
            | "deprecated_endpoint"
            | "missing_post_type"
            | "json_not_object"
            | "hash_conflict" => Self::Invalid,
            _ if code.starts_with("restricted_action") => Self::NotAllowed,
            _ if code.starts_with("invalid_") => Self::Invalid,
            _ => Self::Other,
        }
    }
}

impl ClientError {
    /// The kind of a refusal; `None` for other errors.
    #[must_use]
    pub fn refusal(&self) -> Option<RefusalKind> {
        match self {
            Self::Refused { code, .. } => Some(RefusalKind::of(code)),
            _ => None,
        }
    }

    /// Returns true if Slack may have carried out the call all the same: a post may be in the channel.
    #[must_use]
    pub fn may_have_arrived(&self) -> bool {
        match self {
            Self::Unreachable {
                may_have_arrived, ..
            } => *may_have_arrived,
            Self::TimedOut { .. } | Self::BadAnswer { .. } => true,
            Self::Status { status, .. } => *status >= 500,
            Self::Refused { .. } => self.refusal() == Some(RefusalKind::Unavailable),
            Self::RateLimited { .. } | Self::BadAddress { .. } | Self::LinkDisabled => false,
        }
    }

    /// Returns if and when the same call may succeed later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::RateLimited { .. }
            | Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::BadAnswer { .. } => Retry::Later,
            Self::Status { status, .. } if *status >= 500 || *status == 408 => Retry::Later,
            Self::Status { .. } | Self::BadAddress { .. } | Self::LinkDisabled => {
                Retry::AfterRepair
            }
            Self::Refused { code, .. } => match RefusalKind::of(code) {
                RefusalKind::Unavailable | RefusalKind::Other => Retry::Later,
                RefusalKind::NotFound | RefusalKind::Invalid => Retry::Never,
                RefusalKind::NotAllowed | RefusalKind::Auth => Retry::AfterRepair,
            },
        }
    }

    /// Returns true if the same call may succeed later without a change on this side.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.retry() == Retry::Later
    }
}

fn when(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(wait) => format!(
            "in {} s",
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
        ),
        None => "later".to_owned(),
    }
}

fn status_advice(status: u16) -> &'static str {
    match status {
        500.. => "try again later, or look at https://slack-status.com",
        300..400 => "redirects are not followed: check the API's address",
        _ => "check the API's address and any proxy",
    }
}

fn advice(code: &str, needed: Option<&str>, provided: Option<&str>) -> String {
    let text = match code {
        "missing_scope" => return scope_advice(needed, provided),
        "not_in_channel" => "invite the bot to the channel (`/invite @…`)",
        "channel_not_found" => {
            "check the channel's id; a private channel is found only once the bot is invited to it"
        }
        "is_archived" => "the channel is archived; nothing can be posted there",
        "not_allowed_token_type" => {
            "this is the wrong kind of token: Web API calls take the bot token (`xoxb-…`), Socket Mode takes the app-level token (`xapp-…`)"
        }
        "not_enabled" => "turn on the Home tab under \"App Home\" on the app's pages",
        "msg_too_long" => "split the text",
        _ => match RefusalKind::of(code) {
            RefusalKind::Auth => {
                "the token is not valid (any more): install the app again and put its current tokens into the configuration"
            }
            RefusalKind::NotFound => "it does not exist, or this bot cannot see it; check the id",
            RefusalKind::NotAllowed => "the workspace's settings forbid it; ask its administrators",
            RefusalKind::Invalid => {
                "the same call will fail again; look the code up on the method's page at https://docs.slack.dev"
            }
            RefusalKind::Unavailable => "try again later, or look at https://slack-status.com",
            RefusalKind::Other => "look the code up on the method's page at https://docs.slack.dev",
        },
    };
    text.to_owned()
}

fn scope_advice(needed: Option<&str>, provided: Option<&str>) -> String {
    let needed = needed.map_or_else(
        || "the scope that the method needs".to_owned(),
        |scope| format!("`{scope}`"),
    );
    let provided = provided.map_or_else(String::new, |scopes| format!(" (it has {scopes})"));
    format!(
        "the token lacks {needed}{provided}: add it under \"OAuth & Permissions\" and install the app again"
    )
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )]

    use super::*;

    fn refused(code: &str) -> ClientError {
        ClientError::Refused {
            method: "chat.postMessage",
            code: code.to_owned(),
            needed: None,
            provided: None,
        }
    }

    #[test]
    fn a_missing_scope_is_named() {
        let error = ClientError::Refused {
            method: "users.list",
            code: "missing_scope".to_owned(),
            needed: Some("users:read".to_owned()),
            provided: Some("chat:write,im:history".to_owned()),
        };
        assert_eq!(
            error.to_string(),
            "users.list: Slack says `missing_scope`: the token lacks `users:read` (it has chat:write,im:history): \
             add it under \"OAuth & Permissions\" and install the app again"
        );
    }

    #[test]
    fn codes_fall_into_their_groups() {
        use RefusalKind::{Auth, Invalid, NotAllowed, NotFound, Other, Unavailable};
        let groups = [
            ("token_revoked", Auth),
            ("invalid_auth", Auth),
            ("invalid_cursor", Invalid),
            ("channel_not_found", NotFound),
            ("not_in_channel", NotAllowed),
            ("restricted_action_thread_locked", NotAllowed),
            ("fatal_error", Unavailable),
            ("something_new", Other),
        ];
        for (code, group) in groups {
            assert_eq!(refused(code).refusal(), Some(group), "{code}");
        }
    }

    #[test]
    fn a_refused_post_stands_nowhere_and_a_lost_answer_leaves_doubt() {
        assert!(!refused("not_in_channel").may_have_arrived());
        assert!(refused("fatal_error").may_have_arrived());
        let method = "chat.postMessage";
        assert!(ClientError::TimedOut { method }.may_have_arrived());
        assert!(
            ClientError::Status {
                method,
                status: 502
            }
            .may_have_arrived()
        );
        let error = ClientError::RateLimited {
            method,
            retry_after: Some(Duration::from_millis(1500)),
        };
        assert!(!error.may_have_arrived());
        assert_eq!(
            error.to_string(),
            "chat.postMessage: Slack allows no more calls for now; try again in 2 s"
        );
    }
}
