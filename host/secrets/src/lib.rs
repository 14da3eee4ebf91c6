//! Finds credentials in a text by their form, so that they are stored and repeated nowhere.
//!
//! A form is one that a provider gives its tokens, a private key in PEM, an `Authorization` header, or a password in a URL.
//! A secret without a form of its own, such as a password in a sentence or the secret half of an AWS key, is not found.
//! The prefixes and lengths are those of the rules of gitleaks (<https://github.com/gitleaks/gitleaks>, MIT, read in November 2026).
//!
//! Of a message that is too long the rest is not kept either ([`cut`]): stores and the component have one limit.
//!
//! ```
//! let text = "use postgres://app:h4rbour@db.example/app for now";
//! assert_eq!(myao_secrets::redact(text), "use postgres://app:[redacted: password]@db.example/app for now");
//! assert_eq!(myao_secrets::redact("deploy harbour v2.3.6"), "deploy harbour v2.3.6");
//! ```
#![deny(missing_docs)]

mod forms;
mod length;

pub use length::{MAX_MESSAGE_CHARS, MAX_QUESTION_CHARS, cut, excess};

use std::borrow::Cow;
use std::ops::Range;

/// A credential in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The bytes that it takes up, at boundaries of characters.
    pub span: Range<usize>,
    /// Its kind, as placeholders name it.
    pub kind: &'static str,
}

/// Returns the credentials of a text in their order, without overlaps.
pub fn find(text: &str) -> impl Iterator<Item = Credential> {
    let mut end = 0;
    std::iter::from_fn(move || {
        let found = forms::next(text, end)?;
        end = found.span.end;
        Some(found)
    })
}

/// Puts a placeholder with its kind in the place of each credential. A text that was redacted stays as it is.
pub fn redact(text: &str) -> Cow<'_, str> {
    replaced(text, |kind, _| format!("[redacted: {kind}]"))
}

/// Puts as many characters in the place of each credential, so that all positions in the text stay what they were: a
/// placeholder with its kind if there is room for one.
pub fn mask(text: &str) -> Cow<'_, str> {
    replaced(text, |kind, credential| {
        let length = credential.chars().count();
        match length.checked_sub("[redacted: ]".len()) {
            Some(room) if room >= kind.len() => format!("[redacted: {kind:room$}]"),
            _ => "X".repeat(length),
        }
    })
}

fn replaced(text: &str, placeholder: impl Fn(&str, &str) -> String) -> Cow<'_, str> {
    let mut replaced = String::new();
    let mut end = 0;
    for Credential { span, kind } in find(text) {
        replaced.push_str(text.get(end..span.start).unwrap_or_default());
        let credential = text.get(span.clone()).unwrap_or_default();
        replaced.push_str(&placeholder(kind, credential));
        end = span.end;
    }
    if end == 0 {
        return Cow::Borrowed(text);
    }
    replaced.push_str(text.get(end..).unwrap_or_default());
    Cow::Owned(replaced)
}

#[cfg(test)]
mod tests;
