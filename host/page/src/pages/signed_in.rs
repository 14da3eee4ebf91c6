//! The page that somebody gets whom Slack sent back. The browser goes on by itself.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::Shown;
use crate::html::{Frame, Look};
use crate::route::Route;
use crate::texts;

struct SignedIn;

/// The page after the sign-in.
pub(crate) fn signed_in() -> impl Shown {
    SignedIn
}

impl Shown for SignedIn {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::SIGNED_IN.of(language);
        let main = html! {
            h1 { (title) }
            p { a href=(Route::START.address()) { (texts::WORKSPACE.of(language)) } }
        };
        Frame {
            look,
            title,
            route: None,
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        json!({})
    }
}
