//! The methods of the Web API: how their parameters are sent, and if a call may be repeated.

/// The methods that the bot calls while it works.
pub(super) const NAMES: [&str; 18] = [
    "auth.test",
    "bots.info",
    "chat.getPermalink",
    "chat.postEphemeral",
    "chat.postMessage",
    "chat.update",
    "conversations.history",
    "conversations.info",
    "conversations.list",
    "conversations.members",
    "conversations.replies",
    "reactions.add",
    "reactions.remove",
    "users.conversations",
    "users.info",
    "users.list",
    "views.open",
    "views.publish",
];

/// A method of the Web API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Method {
    name: &'static str,
    body: Body,
    is_repeatable: bool,
}

/// How parameters are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// As a form, which every method takes. Methods that read take nothing else.
    Form,
    /// As JSON, which methods that write take too; it can hold objects.
    Json,
}

impl Method {
    /// A method that changes nothing, such as `conversations.info`: sent as a form, and again if it fails.
    pub(super) const fn read(name: &'static str) -> Self {
        Self {
            name,
            body: Body::Form,
            is_repeatable: true,
        }
    }

    /// A method that adds something each time, such as `chat.postMessage`: sent as JSON, and not again once it may have
    /// arrived.
    pub(super) const fn write(name: &'static str) -> Self {
        Self {
            name,
            body: Body::Json,
            is_repeatable: false,
        }
    }

    /// A method that sets something, such as `views.publish`: sent as JSON, and again if it fails, as twice is the same as
    /// once.
    pub(super) const fn set(name: &'static str) -> Self {
        Self {
            name,
            body: Body::Json,
            is_repeatable: true,
        }
    }

    /// A method that works once for its parameters, such as the exchange of a code: sent as a form, and not again once it may
    /// have arrived.
    pub(super) const fn once(name: &'static str) -> Self {
        Self {
            name,
            body: Body::Form,
            is_repeatable: false,
        }
    }

    /// Its name in Slack's documentation.
    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) const fn body(&self) -> Body {
        self.body
    }

    pub(super) const fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }
}
