//! Tokens and secrets that cannot be printed.

use std::fmt;

use reqwest::header::HeaderValue;

/// Takes the place of a token.
const REDACTED: &str = "[token]";
/// Shorter tokens are dummies (`x`), and are not taken out of texts: it would only garble them.
const MIN_SECRET_CHARS: usize = 6;

/// A bot token (`xoxb-…`), an app-level token (`xapp-…`) or a signing secret.
///
/// It has no `Display`, and `Debug` shows none of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    text: String,
    /// `Bearer …`, or `Basic …`; `Debug` does not show it either.
    header: HeaderValue,
}

/// Why a text is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It is empty.
    #[error("the token is empty: copy it from the app's pages at https://api.slack.com/apps")]
    Empty,
    /// It holds a line break or another character that is not allowed.
    #[error(
        "the token has characters that are not allowed (a line break?): copy it once more from the app's pages"
    )]
    BadCharacters,
}

impl Token {
    /// A token; spaces and line breaks around it are removed.
    ///
    /// # Errors
    /// If the text is empty, or an HTTP header cannot carry it.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        Self::sent_as(text, &format!("Bearer {}", text.trim()))
    }

    /// A secret that goes to the server as HTTP's basic authentication.
    pub(crate) fn basic(text: &str, credentials: &str) -> Result<Self, TokenError> {
        Self::sent_as(text, &format!("Basic {credentials}"))
    }

    fn sent_as(text: &str, header: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(TokenError::Empty);
        }
        if !text.chars().all(|character| character.is_ascii_graphic()) {
            return Err(TokenError::BadCharacters);
        }
        let mut header = HeaderValue::from_str(header).map_err(|_| TokenError::BadCharacters)?;
        header.set_sensitive(true);
        Ok(Self {
            text: text.to_owned(),
            header,
        })
    }

    /// The value of the header `Authorization`.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// The secret itself, for a signature.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// A text without the token: servers may echo a request.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.text.len() < MIN_SECRET_CHARS {
            return text.to_owned();
        }
        text.replace(&self.text, REDACTED)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
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

    #[test]
    fn a_token_does_not_show_itself() {
        let token = Token::new(" xoxb-1-secret\n").unwrap();
        assert_eq!(format!("{token:?} {token:#?}"), "[token] [token]");
        assert!(!format!("{:?}", token.header()).contains("secret"));
        assert_eq!(token.redact("who is xoxb-1-secret?"), "who is [token]?");
    }

    #[test]
    fn a_dummy_token_garbles_no_text() {
        assert_eq!(Token::new("x").unwrap().redact("extra"), "extra");
    }

    #[test]
    fn what_no_header_can_carry_is_no_token() {
        assert_eq!(Token::new(" \n"), Err(TokenError::Empty));
        assert_eq!(Token::new("xoxb-1\nxoxb-2"), Err(TokenError::BadCharacters));
        assert_eq!(Token::new("xoxb-é"), Err(TokenError::BadCharacters));
    }
}
