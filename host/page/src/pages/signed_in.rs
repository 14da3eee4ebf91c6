//! The page that somebody gets whom Slack sent back. The browser goes on by itself, but for a question.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::Shown;
use super::refusal::go_on;
use crate::html::{Frame, Look};
use crate::route::Route;
use crate::texts;

struct SignedIn(Route);

/// The page after the sign-in, which leads on to `to`.
pub(crate) fn signed_in(to: Route) -> impl Shown {
    SignedIn(to)
}

impl Shown for SignedIn {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::SIGNED_IN.of(language);
        let main = html! {
            h1 { (title) }
            (go_on(&self.0, language))
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
