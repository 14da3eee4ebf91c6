//! Messages that were looked for.

use chrono::NaiveDate;
use maud::{Markup, html};
use myao_bot::clock::Clock;
use myao_bot::reading::hits::{found_json, marked};
use myao_plugin::printable::lines;
use myao_plugin::{Hit, SearchRequest, SearchResult, Timestamp};
use serde_json::{Value, json};

use super::Shown;
use super::items::Items;
use super::workspace::OFFERED;
use crate::failure::Failure;
use crate::html::{Frame, Links, Look, channel_link, cut, name, search_form, time};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::{Route, Search};
use crate::texts;

/// Hits on the page, the best first.
const HITS: u32 = 30;
const DAY_SECONDS: i64 = 86_400;

struct Searched {
    search: Search,
    names: Vec<String>,
    /// `None` if nothing was looked for yet.
    found: Option<SearchResult>,
    /// Those of the messages that were found.
    items: Option<Items>,
    has_bad_day: bool,
    links: Links,
}

pub(super) async fn read(reader: &Reader, search: &Search) -> Result<impl Shown + use<>, Failure> {
    let channels = reader.channels().await?.into_iter();
    let (since, until) = (Day::read(&search.since), Day::read(&search.until));
    let has_bad_day = since == Day::Bad || until == Day::Bad;
    let words = request_words(search);
    let found = if words.is_empty() || has_bad_day {
        None
    } else {
        let clock = &reader.site.clock;
        let request = SearchRequest {
            text: words,
            since: since.begins(clock),
            until: until.ends(clock),
            limit: HITS,
        };
        Some(reader.search(&request).await?)
    };
    let items = match &found {
        Some(found) => Some(Items::of_hits(reader, &found.hits).await?),
        None => None,
    };
    Ok(Searched {
        items,
        search: search.clone(),
        names: channels.take(OFFERED).map(|channel| channel.name).collect(),
        found,
        has_bad_day,
        links: reader.links(),
    })
}

/// The words, with the channel as the search understands it.
fn request_words(search: &Search) -> String {
    let channel = search.channel.trim_start_matches('#');
    match channel {
        "" => search.words.clone(),
        channel => format!("{} #{channel}", search.words).trim().to_owned(),
    }
}

/// The value of a field for a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Day {
    None,
    Bad,
    /// Its midnight in UTC.
    Of(i64),
}

impl Day {
    fn read(text: &str) -> Self {
        if text.is_empty() {
            return Self::None;
        }
        let day = text.parse::<NaiveDate>().ok();
        let midnight = day.and_then(|day| day.and_hms_opt(0, 0, 0));
        midnight.map_or(Self::Bad, |midnight| {
            Self::Of(midnight.and_utc().timestamp())
        })
    }

    fn begins(self, clock: &Clock) -> Option<Timestamp> {
        match self {
            Self::Of(midnight) => Some(clock.local(local_midnight(clock, midnight))),
            Self::None | Self::Bad => None,
        }
    }

    /// Its last second.
    fn ends(self, clock: &Clock) -> Option<Timestamp> {
        match self {
            Self::Of(midnight) => {
                let next = local_midnight(clock, midnight.saturating_add(DAY_SECONDS));
                Some(clock.local(next.saturating_sub(1)))
            }
            Self::None | Self::Bad => None,
        }
    }
}

/// The midnight of the time zone on the day of this midnight in UTC.
fn local_midnight(clock: &Clock, midnight: i64) -> i64 {
    let minus_offset = |at: i64| midnight - i64::from(clock.local(at).utc_offset_seconds);
    minus_offset(minus_offset(midnight))
}

impl Shown for Searched {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::SEARCH.of(language);
        let route = Route::Search(self.search.clone());
        let main = html! {
            h1 { (title) }
            (search_form(&self.search, &self.names, language))
            p class="note" { (texts::SEARCH_HINT.of(language)) }
            @if self.has_bad_day { p role="alert" { (texts::BAD_DAY.of(language)) } }
            @if let Some(items) = &self.items { (items.html(language)) }
            @if let Some(found) = &self.found {
                h2 { (texts::SEARCH_RESULTS.of(language)) }
                @if found.hits.is_empty() {
                    p { (texts::NOTHING_FOUND.of(language)) }
                } @else {
                    ol class="messages" { @for hit in &found.hits { li { (self.hit(hit, language)) } } }
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
        let address = self.links.address.as_deref();
        let mut value = match &self.found {
            Some(found) => found_json(found, address),
            None => json!({ "hits": [] }),
        };
        if let Value::Object(fields) = &mut value {
            fields.insert("words".to_owned(), self.search.words.as_str().into());
            if let Some(items) = &self.items {
                fields.insert("items".to_owned(), items.json());
            }
        }
        value
    }
}

impl Searched {
    fn hit(&self, hit: &Hit, language: Language) -> Markup {
        let message = &hit.message;
        let shown = cut(&message.text);
        html! {
            p class="by" {
                strong { (name(&message.user.name)) } " " (time(message.timestamp)) " "
                (channel_link(&hit.at.channel_id, &hit.channel_name)) " "
                (self.links.to(&hit.at, language))
            }
            p class="text" dir="auto" {
                @for (part, is_marked) in marked(&shown, &hit.terms) {
                    @if is_marked { mark { (lines(part)) } } @else { (lines(part)) }
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use myao_bot::clock::Clock;

    use super::{Day, Search, request_words};

    #[test]
    fn a_day_is_that_of_the_time_zone() {
        let clock = Clock::new(chrono_tz::Asia::Tokyo, || Duration::ZERO);
        let day = Day::read("2026-03-04");
        // 2026-03-03T15:00:00Z to 2026-03-04T14:59:59Z.
        assert_eq!(day.begins(&clock).unwrap().unix_seconds, 1_772_550_000);
        assert_eq!(day.ends(&clock).unwrap().unix_seconds, 1_772_636_399);
        // Summer time begins on this day.
        let clock = Clock::new(chrono_tz::Europe::Berlin, || Duration::ZERO);
        let day = Day::read("2026-03-29");
        let hours =
            day.ends(&clock).unwrap().unix_seconds - day.begins(&clock).unwrap().unix_seconds;
        assert_eq!(hours, 23 * 3600 - 1);
        assert_eq!(Day::read("").begins(&clock), None);
        for bad in ["yesterday", "2026-02-30", "2026-3-4T", "\u{0}"] {
            assert_eq!(Day::read(bad), Day::Bad, "{bad}");
        }
    }

    #[test]
    fn a_channel_is_part_of_what_is_looked_for() {
        let search = |words: &str, channel: &str| Search {
            words: words.to_owned(),
            channel: channel.to_owned(),
            ..Search::default()
        };
        assert_eq!(request_words(&search("crane", "general")), "crane #general");
        assert_eq!(
            request_words(&search("crane", "#general")),
            "crane #general"
        );
        assert_eq!(request_words(&search("", "general")), "#general");
        assert_eq!(request_words(&search("crane", "")), "crane");
    }
}
