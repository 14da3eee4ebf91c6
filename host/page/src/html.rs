//! The parts that pages are made of.
//!
//! All that people, models and files wrote goes through [`words`] or [`text`]: maud escapes it, control characters are
//! shown as such, and its direction does not reach its surroundings. A link leads to a page of this program ([`Route`])
//! or to a message in Slack, whose address `myao_slack::permalink` has checked.

use maud::{DOCTYPE, Markup, html};
use myao_bot::reading::links;
use myao_bot::reading::times;
use myao_plugin::printable::{line, lines};
use myao_plugin::ts::TsKey;
use myao_plugin::{MessageRef, Timestamp};

use super::language::Language;
use super::route::{Route, Search};
use super::texts;
use super::visitor::Visitor;

/// A longer text is cut: nobody reads it here, and Slack has it.
const MAX_CHARACTERS: usize = 2_000;
/// Slack allows names of 80 characters.
const MAX_NAME: usize = 120;

/// How a page is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) language: Language,
    pub(crate) nav: Nav,
}

impl Look {
    /// Of a page without navigation.
    pub(crate) fn bare(language: Language) -> Self {
        Self {
            language,
            nav: Nav::Owner,
        }
    }
}

/// Whose navigation a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nav {
    Owner,
    Person,
}

impl Nav {
    pub(crate) fn of(visitor: &Visitor) -> Self {
        match visitor {
            Visitor::Owner(_) => Self::Owner,
            Visitor::Person(_) => Self::Person,
        }
    }
}

/// A page's frame.
pub(crate) struct Frame<'a> {
    pub(crate) look: Look,
    pub(crate) title: &'a str,
    /// `None` for a part that is no page of its own, such as a refusal.
    pub(crate) route: Option<&'a Route>,
}

impl Frame<'_> {
    /// The whole document.
    pub(crate) fn around(&self, main: &Markup) -> Markup {
        let language = self.look.language;
        html! {
            (DOCTYPE)
            html lang=(language.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (line(&cut_after(self.title, MAX_NAME))) " – myao" }
                    link rel="stylesheet" href="/style.css";
                    link rel="icon" type="image/svg+xml" href="/icon.svg";
                }
                body {
                    a class="skip" href="#main" { (texts::SKIP.of(language)) }
                    @if let Some(route) = self.route {
                        header { (self.navigation(route)) }
                    }
                    main id="main" tabindex="-1" { (main) }
                    @if let Some(route) = self.route {
                        footer { a href=(route.json_address()) { (texts::AS_JSON.of(language)) } }
                    }
                }
            }
        }
    }

    fn navigation(&self, here: &Route) -> Markup {
        let entries = [
            (Route::START, texts::WORKSPACE),
            (Route::Search(Search::default()), texts::SEARCH),
            (Route::ASK, texts::ASK),
            (Route::Answers { judged: None }, texts::ANSWERS),
            // The program's work, and its cost, are the operator's.
            match self.look.nav {
                Nav::Owner => (Route::Upkeep, texts::UPKEEP),
                Nav::Person => (Route::Me, texts::ME),
            },
        ];
        let language = self.look.language;
        html! {
            nav aria-label=(texts::NAVIGATION.of(language)) {
                strong { "myao" }
                ul {
                    @for (route, name) in entries {
                        @let is_here = std::mem::discriminant(&route) == std::mem::discriminant(here);
                        li {
                            a href=(route.address()) aria-current=[is_here.then_some("page")] {
                                (name.of(language))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A text of one line.
pub(crate) fn words(text: &str) -> Markup {
    html! { bdi { (line(&cut(text))) } }
}

/// A text with its lines.
pub(crate) fn text(text: &str) -> Markup {
    html! { p class="text" dir="auto" { (lines(&cut(text))) } }
}

/// The same, whole.
pub(crate) fn whole_text(text: &str) -> Markup {
    html! { p class="text" dir="auto" { (lines(text)) } }
}

/// A text in pieces, each with true if it is struck out.
pub(crate) fn pieces(pieces: &[(&str, bool)]) -> Markup {
    html! {
        @for (piece, is_struck) in pieces {
            @if *is_struck { s { (lines(piece)) } } @else { (lines(piece)) }
        }
    }
}

/// A name, or a title with names.
pub(crate) fn name(name: &str) -> Markup {
    html! { bdi { (line(&cut_after(name, MAX_NAME))) } }
}

pub(crate) fn cut(text: &str) -> String {
    cut_after(text, MAX_CHARACTERS)
}

/// The beginning of a text.
pub(crate) fn cut_after(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A time, as its place has it.
pub(crate) fn time(time: Timestamp) -> Markup {
    let machine = times::rfc3339(time);
    html! { time datetime=(machine.as_str().unwrap_or_default()) { (times::time(time)) } }
}

/// The name of a channel, as a link to its page.
pub(crate) fn channel_link(id: &str, name: &str) -> Markup {
    html! { a href=(Route::channel(id).address()) { (self::name(&format!("#{name}"))) } }
}

/// The context of links to messages.
#[derive(Clone)]
pub(crate) struct Links {
    /// The workspace's address in Slack; `None` if not known.
    pub(crate) address: Option<String>,
    /// True if all messages may be pinned and forgotten here.
    pub(crate) can_change: bool,
}

impl Links {
    /// A link to a message in Slack, if its address is known, and to its page.
    pub(crate) fn to(&self, of: &MessageRef, language: Language) -> Markup {
        let ts = TsKey::parse(&of.ts).ok();
        let label = if self.can_change {
            texts::CHANGE
        } else {
            texts::MESSAGE
        };
        let route = ts.map(|ts| Route::Message {
            channel_id: of.channel_id.clone(),
            ts,
        });
        html! {
            (self.to_slack(of, language))
            @if let Some(route) = route { " " a href=(route.address()) { (label.of(language)) } }
        }
    }

    pub(crate) fn to_slack(&self, of: &MessageRef, language: Language) -> Markup {
        html! {
            @if let Some(link) = links::link(of, self.address.as_deref()) {
                a href=(link) rel="noreferrer" { (texts::IN_SLACK.of(language)) }
            }
        }
    }
}

/// A form that changes something.
pub(crate) fn form(to: &Route, token: &str, fields: &Markup) -> Markup {
    html! {
        form action=(to.address()) method="post" {
            input type="hidden" name="token" value=(token);
            (fields)
        }
    }
}

/// One of several pages of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    /// From 1 on.
    pub(crate) page: usize,
    pub(crate) pages: usize,
    start: usize,
    end: usize,
}

impl Slice {
    /// The page with this number, or else the last one.
    pub(crate) fn of(total: usize, size: usize, page: usize) -> Self {
        let pages = total.div_ceil(size).max(1);
        let page = page.clamp(1, pages);
        let start = (page - 1) * size;
        Self {
            page,
            pages,
            start,
            end: (start + size).min(total),
        }
    }

    /// Its things.
    pub(crate) fn take<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        all.get(self.start..self.end).unwrap_or_default()
    }

    /// Links to its neighbours.
    pub(crate) fn links(
        &self,
        label: &str,
        language: Language,
        to: impl Fn(usize) -> Route,
    ) -> Markup {
        html! {
            @if self.pages > 1 {
                nav class="paging" aria-label=(label) {
                    @if self.page > 1 {
                        a rel="prev" href=(to(self.page - 1).address()) { (texts::PREVIOUS.of(language)) }
                    }
                    span { (self.page) " / " (self.pages) }
                    @if self.page < self.pages {
                        a rel="next" href=(to(self.page + 1).address()) { (texts::NEXT.of(language)) }
                    }
                }
            }
        }
    }
}

/// The form of a search.
pub(crate) fn search_form(search: &Search, channels: &[String], language: Language) -> Markup {
    html! {
        form role="search" action="/search" method="get" {
            p class="field grow" {
                label for="q" { (texts::SEARCH_WORDS.of(language)) }
                input id="q" name="q" type="search" value=(line(&search.words)) maxlength="500" autocomplete="off";
            }
            p class="field" {
                label for="channel" { (texts::CHANNEL.of(language)) }
                input id="channel" name="channel" value=(line(&search.channel)) list="channels"
                    maxlength="200" autocomplete="off";
                datalist id="channels" { @for name in channels { @if name.len() <= MAX_NAME { option value=(line(name)) {} } } }
            }
            p class="field" {
                label for="since" { (texts::SINCE.of(language)) }
                input id="since" name="since" type="date" value=(line(&search.since));
            }
            p class="field" {
                label for="until" { (texts::UNTIL.of(language)) }
                input id="until" name="until" type="date" value=(line(&search.until));
            }
            p class="field" { button { (texts::SEARCH.of(language)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Slice, cut, name, text, words};

    #[test]
    fn foreign_text_stays_text() {
        let hostile = "<script>alert(1)</script>\"'&\u{0}\u{202e}\u{1b}[1m";
        for markup in [name(hostile), words(hostile), text(hostile)] {
            let html = markup.into_string();
            assert!(
                html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;"),
                "{html}"
            );
            assert!(!html.contains(['\u{0}', '\u{202e}', '\u{1b}']), "{html}");
        }
        assert!(!words("a\nb").into_string().contains('\n'));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = "海".repeat(5_000);
        assert_eq!(cut(&long).chars().count(), 2_001);
        assert_eq!(cut("short"), "short");
    }

    #[test]
    fn a_page_beyond_the_last_is_the_last() {
        let all: Vec<usize> = (0..25).collect();
        let at = |page| Slice::of(all.len(), 10, page);
        assert_eq!(at(1).take(&all), (0..10).collect::<Vec<_>>());
        assert_eq!(at(3).take(&all), (20..25).collect::<Vec<_>>());
        assert_eq!((at(9).page, at(9).pages), (3, 3));
        assert_eq!(Slice::of(0, 10, 4).pages, 1);
        let none: [u8; 0] = [];
        assert_eq!(Slice::of(0, 10, 4).take(&none), none);
    }
}
