//! What a correction may strike, for its author to pick from.

use maud::{Markup, html};
use myao_plugin::Strikable;
use myao_plugin::storage::Channel;
use myao_plugin::ts::TsKey;
use serde_json::{Value, json};

use super::Shown;
use super::sourced::Sourced;
use crate::html::{Frame, Look, form};
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

/// The beginning of the name of a box; a message's id follows.
pub(crate) const STRUCK: &str = "struck-";

struct Strikes {
    channel: Channel,
    correction: TsKey,
    strikable: Vec<Strikable>,
    sourced: Sourced,
    token: String,
}

pub(crate) fn strikes(
    reader: &Reader,
    channel: Channel,
    correction: TsKey,
    strikable: Vec<Strikable>,
) -> impl Shown + use<> {
    Strikes {
        channel,
        correction,
        strikable,
        sourced: Sourced::of(reader),
        token: reader.token().to_owned(),
    }
}

impl Shown for Strikes {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::CORRECT.of(language);
        let fields = html! {
            input type="hidden" name="do" value="strike";
            input type="hidden" name="correction" value=(self.correction.to_string());
            ul class="messages" {
                @for Strikable { said, is_likely } in &self.strikable {
                    li {
                        label {
                            input type="checkbox" name={ (STRUCK) (said.span.message.ts) } checked[*is_likely];
                            (self.sourced.kept(said, language))
                        }
                    }
                }
            }
            p class="field" { button { (texts::STRIKE.of(language)) } }
        };
        let main = html! {
            h1 { (title) }
            p class="note" { (texts::STRIKE_HINT.of(language)) }
            (form(&Route::channel(&self.channel.id), &self.token, &fields))
        };
        Frame {
            look,
            title,
            route: None,
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        let choices = self.strikable.iter().map(|of| {
            json!({ "ts": of.said.span.message.ts, "text": of.said.text, "is_likely": of.is_likely })
        });
        json!({ "correction": self.correction.to_string(), "strikable": choices.collect::<Value>() })
    }
}
