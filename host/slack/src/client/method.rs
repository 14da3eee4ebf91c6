//! The methods of the Web API: how their parameters are sent, and whether a call may be repeated.

/// A method of the Web API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    name: &'static str,
    body: Body,
    is_repeatable: bool,
}

/// How parameters are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// What every method takes, and methods that read take alone.
    Form,
    /// What methods that write take, too; for objects within parameters.
    Json,
}

impl Method {
    /// A method that changes nothing, such as `conversations.info`: sent as a form, and again where it fails.
    #[must_use]
    pub const fn read(name: &'static str) -> Self {
        Self {
            name,
            body: Body::Form,
            is_repeatable: true,
        }
    }

    /// A method that does something anew each time, such as `chat.postMessage`: sent as JSON, and never again once it
    /// may have arrived.
    #[must_use]
    pub const fn write(name: &'static str) -> Self {
        Self {
            name,
            body: Body::Json,
            is_repeatable: false,
        }
    }

    /// A method that sets something, such as `views.publish`: sent as JSON, and again where it fails, as twice is the
    /// same as once.
    #[must_use]
    pub const fn set(name: &'static str) -> Self {
        Self {
            name,
            body: Body::Json,
            is_repeatable: true,
        }
    }

    /// Its name in Slack's documentation.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) const fn body(&self) -> Body {
        self.body
    }

    pub(super) const fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }
}
