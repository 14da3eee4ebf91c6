//! The bot's answers in Slack, with their sources and the ratings by people.

use maud::{Markup, html};
use myao_bot::reading::links;
use myao_bot::reading::times::rfc3339;
use myao_plugin::state::view::{SourceMessage, StoredAnswer};
use serde_json::{Value, json};

use super::Shown;
use super::sourced::{Sourced, reference};
use crate::failure::Failure;
use crate::html::{Frame, Look, channel_link, name, text, time};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

/// The answers on the page.
const ANSWERS: u32 = 50;

struct Answers {
    judged: Option<bool>,
    answers: Vec<(StoredAnswer, Value)>,
    sourced: Sourced,
}

pub(super) async fn read(
    reader: &Reader,
    judged: Option<bool>,
) -> Result<impl Shown + use<>, Failure> {
    let answers = reader.answers(judged, ANSWERS).await?;
    let clock = &reader.site.clock;
    let dated = |answer: StoredAnswer| {
        let at = rfc3339(clock.local(answer.posted.unix_seconds()));
        (answer, at)
    };
    Ok(Answers {
        judged,
        answers: answers.into_iter().map(dated).collect(),
        sourced: Sourced::of(reader),
    })
}

impl Shown for Answers {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::ANSWERS.of(language);
        let route = Route::Answers {
            judged: self.judged,
        };
        let main = html! {
            h1 { (title) }
            p class="note" { (texts::ANSWERS_HINT.of(language)) }
            (self.choice(language))
            @if self.answers.is_empty() { p { (texts::NO_ANSWERS.of(language)) } }
            @for (answer, _) in &self.answers { (self.answer(answer, language)) }
        };
        Frame {
            look,
            title,
            route: Some(&route),
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        let answers = self.answers.iter().map(|(answer, at)| {
            json!({
                "channel_id": answer.asked.channel_id,
                "channel_name": answer.asked.channel_name,
                "ts": answer.posted.to_string(),
                "at": at,
                "question": self.message(&answer.asked),
                "text": answer.text,
                "is_unasked": answer.is_unasked,
                "good": answer.good,
                "bad": answer.bad,
                "sources": answer.sources.iter().map(|source| self.message(source)).collect::<Value>(),
            })
        });
        json!({ "answers": answers.collect::<Value>() })
    }
}

impl Answers {
    /// Links to all answers, and to those that somebody found good, or bad.
    fn choice(&self, language: Language) -> Markup {
        let choices = [
            (None, texts::ALL_ANSWERS.of(language).to_owned()),
            (Some(true), format!("👍 {}", texts::GOOD.of(language))),
            (Some(false), format!("👎 {}", texts::BAD.of(language))),
        ];
        html! {
            nav class="paging" aria-label=(texts::ANSWERS.of(language)) {
                @for (judged, label) in choices {
                    a href=(Route::Answers { judged }.address())
                        aria-current=[(judged == self.judged).then_some("true")] { (label) }
                }
            }
        }
    }

    fn answer(&self, answer: &StoredAnswer, language: Language) -> Markup {
        let asked = &answer.asked;
        let posted = SourceMessage {
            ts: answer.posted,
            ..asked.clone()
        };
        html! {
            section {
                h2 {
                    @if asked.deleted { (texts::QUESTION_GONE.of(language)) } @else { (name(&asked.text)) }
                }
                p class="by" {
                    strong { (name(&asked.author)) } " "
                    (time(self.sourced.local(asked.ts))) " "
                    (channel_link(&asked.channel_id, &asked.channel_name)) " "
                    @if answer.is_unasked { small { (texts::OF_ITS_OWN_ACCORD.of(language)) } " " }
                    (self.sourced.links.to_slack(&reference(&posted), language))
                }
                @if answer.text.is_empty() {
                    p class="note" { (texts::ANSWER_GONE.of(language)) }
                } @else {
                    (text(&answer.text))
                }
                p {
                    "👍 " (texts::GOOD.of(language)) ": " (answer.good)
                    " · 👎 " (texts::BAD.of(language)) ": " (answer.bad)
                }
                @if !answer.sources.is_empty() {
                    details {
                        summary { (texts::SOURCES.of(language)) " (" (answer.sources.len()) ")" }
                        ul class="messages" {
                            @for source in &answer.sources { li { (self.sourced.message(source, language)) } }
                        }
                    }
                }
            }
        }
    }

    fn message(&self, message: &SourceMessage) -> Value {
        json!({
            "channel_id": message.channel_id,
            "channel_name": message.channel_name,
            "ts": message.ts.to_string(),
            "user_name": message.author,
            "text": message.text,
            "permalink": links::link(&reference(message), self.sourced.links.address.as_deref()),
        })
    }
}
