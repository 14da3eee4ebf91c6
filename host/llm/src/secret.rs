//! A key that cannot be printed.

use std::fmt;

/// Takes the place of a key.
const REDACTED: &str = "[key]";
/// Shorter keys are dummies (`x`, `EMPTY`), and are not taken out of texts: it would only garble them.
const MIN_SECRET_CHARS: usize = 6;

/// A provider's key.
#[derive(Clone)]
pub(super) struct ApiKey(String);

impl ApiKey {
    /// A key; `None` for an empty text.
    pub(super) fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// The key itself, for the header that carries it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// A text without the key: servers may echo a request.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.len() < MIN_SECRET_CHARS {
            return text.to_owned();
        }
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}
