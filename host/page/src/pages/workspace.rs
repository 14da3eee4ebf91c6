//! The workspace: its channels, and the memory of all of them.

use maud::{Markup, html};
use myao_bot::reading::memories::newest;
use myao_bot::reading::memory_json::memory_json;
use myao_bot::reading::times::rfc3339;
use myao_plugin::Timestamp;
use myao_plugin::state::view::{ChannelTally, StoredMemory};
use myao_plugin::storage::Channel;
use serde_json::{Value, json};

use super::{Shown, memory};
use crate::failure::Failure;
use crate::html::{Frame, Look, Slice, channel_link, search_form, time};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::{Route, Search};
use crate::texts;

/// Channels on a page.
const CHANNELS: usize = 50;
/// The names that a search field offers.
pub(super) const OFFERED: usize = 100;

struct Workspace {
    slice: Slice,
    channels: Vec<(Channel, ChannelTally, Option<Timestamp>)>,
    names: Vec<String>,
    memories: Vec<StoredMemory>,
    /// For the owner alone: it names files of the machine.
    next: Option<String>,
}

pub(super) async fn read(reader: &Reader, page: usize) -> Result<impl Shown + use<>, Failure> {
    let all = reader.channels().await?;
    let slice = Slice::of(all.len(), CHANNELS, page);
    let shown = slice.take(&all).to_vec();
    let ids = shown.iter().map(|channel| channel.id.clone()).collect();
    let tallies = reader.tallies(ids).await?;
    let local = |tally: ChannelTally| {
        let newest = tally.newest.map(|newest| reader.site.clock.local(newest));
        (tally, newest)
    };
    let channels = shown.into_iter().zip(tallies.into_iter().map(local));
    Ok(Workspace {
        slice,
        channels: channels
            .map(|(channel, (tally, newest))| (channel, tally, newest))
            .collect(),
        names: all
            .into_iter()
            .take(OFFERED)
            .map(|channel| channel.name)
            .collect(),
        memories: newest(reader.of_workspace().await?, false),
        next: reader
            .visitor()
            .sees_upkeep()
            .then(|| reader.site.next.clone()),
    })
}

impl Shown for Workspace {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::WORKSPACE.of(language);
        let route = Route::Workspace {
            page: self.slice.page,
        };
        let main = html! {
            h1 { (title) }
            (search_form(&Search::default(), &self.names, language))
            @if self.channels.is_empty() {
                p { (texts::NO_CHANNELS.of(language)) }
                @if let Some(next) = &self.next { pre { code { "myao import export.zip\n" (next) } } }
            } @else {
                h2 id="channels-heading" { (texts::CHANNELS.of(language)) }
                (self.table(language))
                (self.slice.links(texts::CHANNELS.of(language), language, |page| Route::Workspace { page }))
            }
            @for stored in &self.memories {
                section {
                    h2 { (texts::NOW.of(language)) }
                    (memory::summary(stored, None, language))
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
        let channels = self.channels.iter().map(|(channel, tally, newest)| {
            json!({
                "id": channel.id,
                "name": channel.name,
                "is_private": channel.is_private,
                "versions": tally.versions,
                "threads": tally.threads,
                "newest": newest.map(rfc3339),
            })
        });
        json!({
            "page": self.slice.page,
            "pages": self.slice.pages,
            "channels": channels.collect::<Value>(),
            "memories": self.memories.iter().map(memory_json).collect::<Value>(),
        })
    }
}

impl Workspace {
    fn table(&self, language: Language) -> Markup {
        html! {
            table aria-labelledby="channels-heading" {
                thead {
                    tr {
                        th scope="col" { (texts::CHANNEL.of(language)) }
                        th scope="col" { (texts::NEWEST_MEMORY.of(language)) }
                        th scope="col" class="number" { (texts::VERSIONS.of(language)) }
                        th scope="col" class="number" { (texts::THREADS.of(language)) }
                    }
                }
                tbody {
                    @for (channel, tally, newest) in &self.channels {
                        tr {
                            th scope="row" {
                                (channel_link(&channel.id, &channel.name))
                                @if channel.is_private { " " small { (texts::PRIVATE.of(language)) } }
                            }
                            td { @if let Some(newest) = newest { (time(*newest)) } @else { "–" } }
                            td class="number" { (tally.versions) }
                            td class="number" { (tally.threads) }
                        }
                    }
                }
            }
        }
    }
}
