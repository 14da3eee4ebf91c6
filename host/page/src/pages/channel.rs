//! A channel: what is remembered now, how that changed, what people marked, and its threads.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use maud::{Markup, html};
use myao_bot::corrections::Corrections;
use myao_bot::reading::memory_json::memory_json;
use myao_bot::reading::times::rfc3339;
use myao_plugin::state::off_record::Speaker;
use myao_plugin::state::view::{SourceMessage, Sources, StoredMemory};
use myao_plugin::storage::Channel;
use myao_plugin::{KeptText, MemoryType, ReplacedLine, Timestamp};
use serde_json::{Value, json};

use super::items::Items;
use super::sourced::{Sourced, each_once};
use super::timeline::{self, Timeline};
use super::{Shown, memory};
use crate::failure::Failure;
use crate::html::{Frame, Look, Slice, cut_after, form, name, time, words};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::{Layer, Route};
use crate::texts;

/// Threads on a page.
const THREADS: usize = 20;
/// How much of a thread's first message is its name.
const FIRST_WORDS: usize = 80;

struct Thread {
    stored: StoredMemory,
    /// Its first message, if that may be seen.
    first: Option<SourceMessage>,
}

struct ChannelPage {
    route: Route,
    channel: Channel,
    /// Since when nothing that is said in it is remembered.
    off_record: Option<Timestamp>,
    layer: Layer,
    now: Vec<(StoredMemory, Sources)>,
    timeline: Timeline,
    threads: Vec<Thread>,
    threads_slice: Slice,
    items: Items,
    corrections: Option<Corrections>,
    sourced: Sourced,
    /// For the owner alone: it names files of the machine.
    next: Option<String>,
    /// The secret of forms, for those who may correct something.
    token: Option<String>,
}

pub(super) async fn read(reader: &Reader, route: &Route) -> Result<impl Shown + use<>, Failure> {
    let Route::Channel {
        id,
        layer,
        page,
        threads,
    } = route
    else {
        return Err(Failure::NoPage);
    };
    let channel = reader.channel(id).await?;
    let of = Speaker::Channel(id.clone());
    let off_record = reader.site.workspace.off_record_since(of).await?;
    let short_term = reader.texts(id, MemoryType::ShortTerm).await?;
    let long_term = reader.texts(id, MemoryType::LongTerm).await?;
    let now = now(reader, [&short_term, &long_term]).await?;
    let texts = match layer {
        Layer::ShortTerm => &short_term,
        Layer::LongTerm => &long_term,
    };
    let mut all = reader.of_threads(id).await?;
    all.sort_by_key(|stored| Reverse((stored.memory.updated_at.unix_seconds, stored.memory.id)));
    let threads_slice = Slice::of(all.len(), THREADS, *threads);
    let mut threads = Vec::new();
    for stored in threads_slice.take(&all) {
        let messages = reader.sources(stored.memory.id).await?.messages;
        let first = messages.into_iter().find(|message| !message.deleted);
        threads.push(Thread {
            stored: stored.clone(),
            first,
        });
    }
    Ok(ChannelPage {
        timeline: timeline::read(reader, texts, *page).await?,
        items: Items::of_channel(reader, id).await?,
        corrections: reader.corrections(id).await?,
        sourced: Sourced::of(reader),
        next: reader
            .visitor()
            .sees_upkeep()
            .then(|| reader.site.next.clone()),
        token: reader
            .visitor()
            .may_mark()
            .then(|| reader.token().to_owned()),
        route: route.clone(),
        layer: *layer,
        off_record: off_record.map(|since| reader.site.clock.local(since.unix_seconds())),
        channel,
        now,
        threads,
        threads_slice,
    })
}

/// The newest text of each memory that has one that is current.
async fn now(
    reader: &Reader,
    memories: [&Vec<StoredMemory>; 2],
) -> Result<Vec<(StoredMemory, Sources)>, Failure> {
    let current = memories.map(|texts| texts.last().filter(|text| text.superseded_at.is_none()));
    let ids: BTreeSet<u64> = current
        .iter()
        .flatten()
        .map(|stored| stored.memory.id)
        .collect();
    let mut now = Vec::new();
    for stored in reader.with_text(ids).await? {
        let sources = reader.sources(stored.memory.id).await?;
        now.push((stored, sources));
    }
    Ok(now)
}

impl Shown for ChannelPage {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = format!("#{}", self.channel.name);
        let main = html! {
            h1 {
                (name(&title))
                @if self.channel.is_private { " " small { (texts::PRIVATE.of(language)) } }
            }
            @if let Some(since) = self.off_record {
                p { (texts::OFF_RECORD.of(language)) " " (time(since)) }
            }
            @if self.now.is_empty() && self.threads.is_empty() {
                p { (texts::NO_MEMORIES.of(language)) }
                @if let Some(next) = &self.next { pre { code { (next) } } }
            }
            @if !self.now.is_empty() {
                h2 { (texts::NOW.of(language)) }
                @for (stored, _) in &self.now {
                    @let corrections = self.corrections.as_ref().map(|of| (of, &self.sourced));
                    section { (memory::summary(stored, corrections, language)) }
                }
                (self.sourced.records(&self.records(), language))
            }
            (self.items.html(language))
            (self.marks(language))
            (self.correction(language))
            (self.history(language))
            (self.threads(language))
        };
        Frame {
            look,
            title: &title,
            route: Some(&self.route),
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        let now = self.now.iter().map(|(stored, _)| memory_json(stored));
        let records = self.records().into_iter().map(|record| {
            json!({
                "channel_id": record.channel_id,
                "ts": record.ts.to_string(),
                "author": record.author,
                "text": record.text,
            })
        });
        let mark = |kind: &str, said: &KeptText, replaces: &[ReplacedLine]| {
            json!({
                "kind": kind,
                "ts": said.span.message.ts,
                "user_name": said.user.name,
                "text": said.text,
                "replaces": replaces,
            })
        };
        let marks = self.corrections.iter().map(Corrections::marks);
        let marks = marks.flat_map(|marks| {
            let pinned = marks.pinned.iter();
            let pinned = pinned.map(|said| mark("pinned", said, &[]));
            let corrections = marks.corrections.iter();
            pinned.chain(corrections.map(|of| mark("correction", &of.said, &of.replaces)))
        });
        let threads = self.threads.iter().map(|thread| {
            let first = thread.first.as_ref();
            json!({
                "memory": thread.stored.memory.id,
                "scope_id": thread.stored.memory.scope_id,
                "updated_at": rfc3339(thread.stored.memory.updated_at),
                "author": first.map(|first| &first.author),
                "first_words": first.map(|first| first_words(&first.text)),
            })
        });
        json!({
            "id": self.channel.id,
            "name": self.channel.name,
            "is_private": self.channel.is_private,
            "off_record_since": self.off_record.map(rfc3339),
            "memories": now.collect::<Value>(),
            "records": records.collect::<Value>(),
            "items": self.items.json(),
            "marks": marks.collect::<Value>(),
            "versions": {
                "page": self.timeline.slice.page,
                "pages": self.timeline.slice.pages,
                "shown": self.timeline.json(),
            },
            "threads": {
                "page": self.threads_slice.page,
                "pages": self.threads_slice.pages,
                "shown": threads.collect::<Value>(),
            },
        })
    }
}

impl ChannelPage {
    /// The same page with other numbers.
    fn at(&self, layer: Layer, page: usize, threads: usize) -> Route {
        Route::Channel {
            id: self.channel.id.clone(),
            layer,
            page,
            threads,
        }
    }

    fn records(&self) -> Vec<&SourceMessage> {
        each_once(self.now.iter().flat_map(|(_, sources)| &sources.records))
    }

    /// The marks of people, newest first.
    fn marks(&self, language: Language) -> Markup {
        let marks = self.corrections.as_ref().map(Corrections::marks);
        let (pinned, corrections) = match marks {
            Some(marks) => (&marks.pinned[..], &marks.corrections[..]),
            None => (&[][..], &[][..]),
        };
        html! {
            @if !corrections.is_empty() {
                h2 { (texts::CORRECTIONS.of(language)) }
                ul class="messages" {
                    @for correction in corrections.iter().rev() {
                        li { (self.sourced.kept(&correction.said, language)) }
                    }
                }
            }
            @if !pinned.is_empty() {
                h2 { (texts::PINNED.of(language)) }
                ul class="messages" {
                    @for said in pinned.iter().rev() { li { (self.sourced.kept(said, language)) } }
                }
            }
        }
    }

    /// The form of a correction.
    fn correction(&self, language: Language) -> Markup {
        let fields = html! {
            input type="hidden" name="do" value="correct";
            p class="field grow" {
                label for="text" { (texts::CORRECTION.of(language)) }
                input id="text" name="text" required maxlength="2000" autocomplete="off";
            }
            p class="field" { button { (texts::CORRECT.of(language)) } }
        };
        html! {
            @if let Some(token) = self.token.as_ref().filter(|_| !self.now.is_empty()) {
                h2 id="correct" { (texts::CORRECT.of(language)) }
                p class="note" { (texts::CORRECT_HINT.of(language)) }
                (form(&Route::channel(&self.channel.id), token, &fields))
            }
        }
    }

    fn history(&self, language: Language) -> Markup {
        let layers = [
            (Layer::ShortTerm, texts::SHORT_TERM),
            (Layer::LongTerm, texts::LONG_TERM),
        ];
        html! {
            @if !self.now.is_empty() {
                h2 id="timeline" { (texts::TIMELINE.of(language)) }
                ul class="choices" {
                    @for (layer, name) in layers {
                        li {
                            a href={ (self.at(layer, 1, 1).address()) "#timeline" }
                                aria-current=[(layer == self.layer).then_some("true")] { (name.of(language)) }
                        }
                    }
                }
                (self.timeline.html(language))
                (self.timeline.slice.links(texts::TIMELINE.of(language), language, |page| {
                    self.at(self.layer, page, self.threads_slice.page)
                }))
            }
        }
    }

    fn threads(&self, language: Language) -> Markup {
        html! {
            @if !self.threads.is_empty() {
                h2 id="threads" { (texts::THREADS.of(language)) }
                ul class="threads" {
                    @for Thread { stored, first } in &self.threads {
                        li {
                            a href=(Route::Memory { id: stored.memory.id }.address()) {
                                @match first {
                                    Some(first) => { (name(&first.author)) ": " (words(&first_words(&first.text))) }
                                    None => (words(&stored.memory.scope_id)),
                                }
                            }
                            " " small { (time(stored.memory.updated_at)) }
                        }
                    }
                }
                (self.threads_slice.links(texts::THREADS.of(language), language, |threads| {
                    self.at(self.layer, self.timeline.slice.page, threads)
                }))
            }
        }
    }
}

/// How a thread is named: the beginning of its first message.
fn first_words(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut_after(&text, FIRST_WORDS)
}

#[cfg(test)]
mod tests {
    use super::first_words;

    #[test]
    fn a_thread_is_named_by_its_first_words() {
        assert_eq!(first_words("a\n  b"), "a b");
        assert_eq!(
            first_words(&"海".repeat(90)),
            format!("{}…", "海".repeat(80))
        );
    }
}
