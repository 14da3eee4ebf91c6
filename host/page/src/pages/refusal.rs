//! The page that is shown in place of another, with a remedy.

use maud::{Markup, html};
use serde_json::Value;

use super::Shown;
use crate::door::WayIn;
use crate::failure::Failure;
use crate::html::{Frame, Look};
use crate::language::Language;
use crate::route::{Route, Search};
use crate::texts::{self, Text};

struct Refusal {
    failure: Failure,
    way_in: WayIn,
    to: Route,
}

/// The page for a refused request, which leads on to `to`.
pub(crate) fn refused(failure: Failure, way_in: WayIn, to: Route) -> impl Shown + use<> {
    Refusal {
        failure,
        way_in,
        to,
    }
}

/// A link to the page that somebody wanted.
pub(crate) fn go_on(to: &Route, language: Language) -> Markup {
    html! {
        p { a href=(to.address()) {
            @match to {
                &Route::START => (texts::WORKSPACE.of(language)),
                Route::Ask { question } if !question.is_empty() => (question),
                _ => (texts::GO_ON.of(language)),
            }
        } }
    }
}

impl Refusal {
    fn texts(&self) -> (Text, Text) {
        match self.failure {
            Failure::Closed => match self.way_in {
                WayIn::Command(_) => (texts::CLOSED_TITLE, texts::CLOSED),
                WayIn::SignIn => (texts::SIGN_IN_TITLE, texts::SIGN_IN_HINT),
            },
            Failure::Used => (texts::CLOSED_TITLE, texts::USED),
            Failure::Elsewhere => (texts::ELSEWHERE_TITLE, texts::ELSEWHERE),
            Failure::NoPage => (texts::NO_PAGE_TITLE, texts::NO_PAGE),
            Failure::Host => (texts::REFUSED_TITLE, texts::HOST),
            Failure::Method => (texts::REFUSED_TITLE, texts::METHOD),
            Failure::Form => (texts::REFUSED_TITLE, texts::BAD_FORM),
            Failure::Stranger => (texts::REFUSED_TITLE, texts::STRANGER),
            Failure::NotKnown(_) => (texts::FAILED_TITLE, texts::NOT_KNOWN),
            Failure::SignIn(_) => (texts::FAILED_TITLE, texts::NOT_SIGNED_IN),
            Failure::TooMany { .. } => (texts::REFUSED_TITLE, texts::TOO_MANY),
            Failure::TooLong => (texts::REFUSED_TITLE, texts::TOO_LONG),
            Failure::Store(_) => (texts::FAILED_TITLE, texts::FAILED),
            Failure::Spent => (texts::REFUSED_TITLE, texts::SPENT),
            Failure::NoAnswer(_) => (texts::FAILED_TITLE, texts::NO_ANSWER),
            Failure::Call(_) => (texts::FAILED_TITLE, texts::CALL_FAILED),
        }
    }
}

impl Shown for Refusal {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let (title, text) = self.texts();
        let title = title.of(language);
        let main = html! {
            h1 { (title) }
            p { (text.of(language)) }
            @if let Failure::TooMany { seconds } = self.failure {
                p { (texts::minutes_left(seconds, language)) }
            }
            @match (&self.failure, &self.way_in) {
                (Failure::Closed | Failure::Used, WayIn::Command(again)) => {
                    p { (texts::AGAIN.of(language)) }
                    pre { code { (again) } }
                }
                (Failure::Closed | Failure::SignIn(_) | Failure::Stranger, WayIn::SignIn) => {
                    p { a href=(self.to.sign_in_address()) { (texts::SIGN_IN.of(language)) } }
                }
                (Failure::Method | Failure::Host, _) => {}
                (Failure::Spent | Failure::NoAnswer(_), _) => {
                    p { a href=(Route::Search(Search::default()).address()) { (texts::SEARCH.of(language)) } }
                }
                _ => (go_on(&self.to, language))
            }
        };
        let frame = Frame {
            look,
            title,
            route: None,
        };
        frame.around(&main)
    }

    fn json(&self) -> Value {
        self.failure.json()
    }
}
