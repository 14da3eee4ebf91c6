//! A message, the actions on it, and the receipt of an erasure.

use maud::{Markup, html};
use myao_bot::reading::times;
use myao_plugin::KeptText;
use myao_plugin::state::forgetting::{Erased, Forget, Mode, Receipt};
use myao_plugin::storage::Channel;
use myao_plugin::ts::TsKey;
use serde_json::{Value, json};

use super::Shown;
use crate::failure::Failure;
use crate::html::{Frame, Links, Look, channel_link, form, name, text, time, words};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

struct MessagePage {
    route: Route,
    channel: Channel,
    said: KeptText,
    /// `None` for those who may not pin it here.
    is_pinned: Option<bool>,
    may_forget: bool,
    /// The effects of forgetting it, for those who may know them.
    erased: Option<Erased>,
    links: Links,
    token: String,
}

pub(super) async fn read(
    reader: &Reader,
    channel_id: &str,
    ts: TsKey,
) -> Result<impl Shown + use<>, Failure> {
    let channel = reader.channel(channel_id).await?;
    let said = reader.message(channel_id, ts).await?;
    let is_pinned = match reader.visitor().may_mark() {
        true => Some(is_pinned(reader, &said).await?),
        false => None,
    };
    let erased = match reader.visitor().sees_upkeep() {
        true => Some(would_go(reader, channel_id, ts).await?),
        false => None,
    };
    Ok(MessagePage {
        route: Route::Message {
            channel_id: channel.id.clone(),
            ts,
        },
        may_forget: reader.visitor().may_forget(&said.user.id),
        erased,
        links: reader.links(),
        channel,
        said,
        is_pinned,
        token: reader.token().to_owned(),
    })
}

async fn is_pinned(reader: &Reader, said: &KeptText) -> Result<bool, Failure> {
    let marks = reader.corrections(&said.span.message.channel_id).await?;
    Ok(marks.is_some_and(|marks| {
        let mut pinned = marks.marks().pinned.iter();
        pinned.any(|pinned| pinned.span.message == said.span.message)
    }))
}

async fn would_go(reader: &Reader, channel_id: &str, ts: TsKey) -> Result<Erased, Failure> {
    let message = Forget::Message {
        channel_id: channel_id.to_owned(),
        ts,
    };
    let now = reader.now().unix_seconds;
    let receipt = reader.site.workspace.forget(message, now, Mode::DryRun);
    Ok(receipt.await?.erased)
}

impl Shown for MessagePage {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::MESSAGE.of(language);
        let button = |action: &str, label: &str| {
            form(
                &self.route,
                &self.token,
                &html! {
                    p class="field" { button name="do" value=(action) { (label) } }
                },
            )
        };
        let main = html! {
            h1 { (title) }
            p class="by" {
                strong { (name(&self.said.user.name)) } " " (time(self.said.timestamp)) " "
                (channel_link(&self.channel.id, &self.channel.name)) " "
                (self.links.to_slack(&self.said.span.message, language))
            }
            (text(&self.said.text))
            @if let Some(is_pinned) = self.is_pinned {
                @let (action, mark) = if is_pinned { ("unpin", texts::UNPIN) } else { ("pin", texts::PIN) };
                h2 { (texts::PINNED.of(language)) }
                p class="note" { (texts::PIN_HINT.of(language)) }
                (button(action, mark.of(language)))
            } @else {
                p class="note" { (texts::PIN_IN_SLACK.of(language)) }
            }
            @if self.may_forget {
                h2 { (texts::FORGET.of(language)) }
                @if let Some(erased) = &self.erased {
                    p { (texts::WOULD_GO.of(language)) }
                    (rows(erased, language))
                }
                p class="note" { (texts::FORGET_HINT.of(language)) }
                (button("forget", texts::FORGET_NOW.of(language)))
            }
        };
        Frame {
            look,
            title,
            route: Some(&self.route),
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        json!({
            "channel_id": self.channel.id,
            "channel_name": self.channel.name,
            "ts": self.said.span.message.ts,
            "at": times::rfc3339(self.said.timestamp),
            "user_name": self.said.user.name,
            "text": self.said.text,
            "is_pinned": self.is_pinned,
            "would_go": self.erased.as_ref().map(erased_json),
        })
    }
}

struct Forgotten {
    channel: Channel,
    /// `None` for those who may not know about other places.
    receipt: Option<Receipt>,
}

/// Lists the erased items of a channel.
pub(crate) fn forgotten(channel: Channel, receipt: Option<Receipt>) -> impl Shown + use<> {
    Forgotten { channel, receipt }
}

impl Shown for Forgotten {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::FORGOTTEN.of(language);
        let receipt = self.receipt.as_ref();
        let search = receipt.and_then(|receipt| receipt.search.as_ref());
        let main = html! {
            h1 { (title) }
            @if let Some(receipt) = receipt { (rows(&receipt.erased, language)) }
            @if let Some(search) = search {
                @if search.texts > 0 && search.found.is_empty() { p { (texts::NONE_LEFT.of(language)) } }
                @if !search.found.is_empty() {
                    p { (texts::STILL_SAID.of(language)) }
                    ul { @for found in &search.found { li { (found.rows) " " (words(&found.place)) } } }
                }
                @if let Some(why) = &search.kept_pages { p class="note" { (words(why)) } }
            }
            p class="note" { (texts::NOT_REACHED.of(language)) }
            p { (channel_link(&self.channel.id, &self.channel.name)) }
        };
        Frame {
            look,
            title,
            route: None,
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        let erased = self.receipt.as_ref().map(|receipt| &receipt.erased);
        erased.map_or_else(|| json!({}), erased_json)
    }
}

/// The layers from which something goes.
fn rows(erased: &Erased, language: Language) -> Markup {
    html! {
        table {
            tbody {
                @for (n, what) in texts::erased(erased) {
                    @if n > 0 { tr { th scope="row" { (what.of(language)) } td { (n) } } }
                }
            }
        }
    }
}

fn erased_json(erased: &Erased) -> Value {
    json!({
        "messages": erased.messages,
        "lines": erased.lines,
        "memories": erased.memories,
        "posts": erased.posts,
        "remembered_anew": erased.remembered_anew,
    })
}
