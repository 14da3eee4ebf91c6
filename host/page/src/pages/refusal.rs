//! What is shown in place of a page, and what to do about it.

use maud::{Markup, html};
use serde_json::Value;

use super::Shown;
use crate::Site;
use crate::failure::Failure;
use crate::html::Frame;
use crate::language::Language;
use crate::route::Route;
use crate::texts::{self, Text};

struct Refusal {
    failure: Failure,
    again: String,
}

/// The page for what is not shown.
pub(crate) fn refused(failure: Failure, site: &Site) -> impl Shown + use<> {
    Refusal {
        failure,
        again: site.again.clone(),
    }
}

impl Refusal {
    fn texts(&self) -> (Text, Text) {
        match self.failure {
            Failure::Closed => (texts::CLOSED_TITLE, texts::CLOSED),
            Failure::Used => (texts::CLOSED_TITLE, texts::USED),
            Failure::Elsewhere => (texts::ELSEWHERE_TITLE, texts::ELSEWHERE),
            Failure::NoPage => (texts::NO_PAGE_TITLE, texts::NO_PAGE),
            Failure::Host => (texts::REFUSED_TITLE, texts::HOST),
            Failure::Method => (texts::REFUSED_TITLE, texts::METHOD),
            Failure::Form => (texts::REFUSED_TITLE, texts::BAD_FORM),
            Failure::Store(_) => (texts::FAILED_TITLE, texts::FAILED),
            Failure::Call(_) => (texts::FAILED_TITLE, texts::CALL_FAILED),
        }
    }
}

impl Shown for Refusal {
    fn html(&self, language: Language) -> Markup {
        let (title, text) = self.texts();
        let title = title.of(language);
        let main = html! {
            h1 { (title) }
            p { (text.of(language)) }
            @if matches!(self.failure, Failure::Closed | Failure::Used) {
                p { (texts::AGAIN.of(language)) }
                pre { code { (self.again) } }
            }
            @if matches!(self.failure, Failure::Elsewhere | Failure::Form | Failure::NoPage | Failure::Store(_) | Failure::Call(_)) {
                p { a href=(Route::START.address()) { (texts::WORKSPACE.of(language)) } }
            }
        };
        let frame = Frame {
            language,
            title,
            route: None,
        };
        frame.around(&main)
    }

    fn json(&self) -> Value {
        self.failure.json()
    }
}
