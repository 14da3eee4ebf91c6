//! The answer to a question, with its sources.

use maud::{Markup, html};
use myao_bot::reading::answers::response_json;
use myao_plugin::printable::line;
use myao_plugin::{MessageRef, Response, Source};
use serde_json::{Value, json};

use super::Shown;
use crate::failure::Failure;
use crate::html::{Frame, Links, Look, channel_link, name, text, time, whole_text};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

struct Asked {
    question: String,
    /// `None` if nothing was asked yet.
    response: Option<Response>,
    links: Links,
}

pub(super) async fn read(reader: &Reader, question: &str) -> Result<impl Shown + use<>, Failure> {
    let response = match question {
        "" => None,
        question => Some(reader.ask(question).await?),
    };
    Ok(Asked {
        question: question.to_owned(),
        response,
        links: reader.links(),
    })
}

impl Shown for Asked {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::ASK.of(language);
        let route = Route::Ask {
            question: self.question.clone(),
        };
        let main = html! {
            h1 { (title) }
            form action="/ask" method="get" {
                p class="field grow" {
                    label for="q" { (texts::QUESTION.of(language)) }
                    input id="q" name="q" required value=(line(&self.question)) maxlength="500" autocomplete="off";
                }
                p class="field" { button { (texts::ASK.of(language)) } }
            }
            p class="note" { (texts::ASK_HINT.of(language)) }
            @if let Some(response) = &self.response {
                h2 { (texts::ANSWER.of(language)) }
                (whole_text(response.text.trim_end()))
                @if response.truncated { p class="note" { (texts::CUT_OFF.of(language)) } }
                @if !response.sources.is_empty() {
                    h2 { (texts::SOURCES.of(language)) }
                    ol class="messages" {
                        @for source in &response.sources { li { (self.source(source, language)) } }
                    }
                }
            }
        };
        Frame {
            look,
            title,
            route: Some(&route),
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        match &self.response {
            Some(response) => {
                response_json(&self.question, response, self.links.address.as_deref())
            }
            None => json!({ "question": Value::Null }),
        }
    }
}

impl Asked {
    fn source(&self, source: &Source, language: Language) -> Markup {
        let first: Option<&MessageRef> = source.messages.first();
        html! {
            p class="by" {
                @if let Some(user) = &source.user { strong { (name(&user.name)) } " " }
                @if let Some(at) = source.timestamp { (time(at)) " " }
                @if let Some(first) = first && !source.channel_name.is_empty() {
                    (channel_link(&first.channel_id, &source.channel_name)) " "
                }
                @for message in &source.messages {
                    (self.links.to(message, language)) " "
                }
            }
            (text(&source.text))
        }
    }
}
