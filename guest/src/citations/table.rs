//! The features of the lines of a text, and which sources have them too.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;
use super::features::{Kind, Parts, Piece, each_window, pieces, speaker_and_text};
use super::values::each_value;
use crate::extractive::is_note;
use crate::extractive::messages::local_date;
use crate::text::is_kanji;
use crate::text::terms::{each_term, is_stop_word};
use crate::text::values::normal;

/// A value of more than one in so many sources is as common as a word.
const VALUE_SHARE: usize = 10;
/// The same for few sources.
const LEAST_VALUE_LIMIT: usize = 10;
/// A word of more than one in so many sources is not rare.
const TERM_SHARE: usize = 20;
/// The same for few sources.
const LEAST_TERM_LIMIT: usize = 2;
/// Words of addresses.
const ADDRESS_WORDS: &[&str] = &["http", "https", "www", "com", "co", "jp", "org", "net"];

/// A value or a word of the lines, and the sources that have it, in order.
pub(super) struct Feature {
    pub(super) kind: Kind,
    pub(super) sources: Vec<usize>,
}

/// One line of the text, in terms of the [`Table`].
#[derive(Default)]
pub(super) struct Line {
    pub(super) features: BTreeSet<usize>,
    pub(super) windows: Vec<usize>,
    pub(super) pieces: Vec<Vec<usize>>,
    pub(super) day: Option<String>,
    pub(super) names: BTreeSet<String>,
}

/// Everything that the lines say, and the sources that say it too. The lines are read first, so that nothing is kept
/// of a source but what it shares with one of them.
pub(super) struct Table<'a> {
    pub(super) sources: &'a [&'a Source<'a>],
    /// The speaker and the text of each source, as they are compared.
    pub(super) texts: Vec<(Option<String>, String)>,
    speakers: BTreeSet<String>,
    names: BTreeSet<String>,
    values: BTreeMap<String, usize>,
    terms: BTreeMap<String, usize>,
    pub(super) features: Vec<Feature>,
    windows: BTreeMap<u64, usize>,
    pub(super) window_sources: Vec<Vec<usize>>,
    pub(super) days: Vec<Option<String>>,
}

impl<'a> Table<'a> {
    pub(super) fn new(sources: &'a [&'a Source<'a>]) -> Self {
        let read = |source: &&Source<'_>| {
            let (speaker, text) = speaker_and_text(source.text, source.author);
            (speaker.map(|name| normal(name.trim())), text)
        };
        let texts: Vec<_> = sources.iter().map(read).collect();
        let speakers: BTreeSet<String> =
            texts.iter().filter_map(|(name, _)| name.clone()).collect();
        let mut names = BTreeSet::new();
        for speaker in &speakers {
            each_term(speaker, &mut |term| {
                names.insert(term.to_owned());
            });
        }
        Self {
            sources,
            texts,
            speakers,
            names,
            values: BTreeMap::new(),
            terms: BTreeMap::new(),
            features: Vec::new(),
            windows: BTreeMap::new(),
            window_sources: Vec::new(),
            days: Vec::new(),
        }
    }

    pub(super) fn read_line(&mut self, line: &str) -> Line {
        let mut read = Line::default();
        if is_note(line) {
            return read;
        }
        let parts = Parts::of(line, |name, _| self.speakers.contains(name));
        read.names.extend(parts.speaker);
        let text = parts.text;
        read.day = parts.day;
        each_value(&text, &mut |value, kind| {
            read.features
                .insert(intern(&mut self.values, &mut self.features, value, kind));
        });
        each_term(&text, &mut |term| {
            if is_stop_word(term) || ADDRESS_WORDS.contains(&term) {
                return;
            }
            let kind = if self.names.contains(term) {
                read.names.insert(term.to_owned());
                Kind::Name
            } else if term.chars().count() == 1 && term.contains(is_kanji) {
                Kind::Slight
            } else {
                Kind::Term
            };
            read.features
                .insert(intern(&mut self.terms, &mut self.features, term, kind));
        });
        let windows = &mut self.windows;
        each_window(&text, &mut |window| {
            let next = windows.len();
            read.windows.push(*windows.entry(window).or_insert(next));
        });
        let piece_windows = |piece: Piece| {
            piece
                .0
                .iter()
                .filter_map(|w| windows.get(w).copied())
                .collect()
        };
        read.pieces = pieces(&text).into_iter().map(piece_windows).collect();
        read
    }

    /// Finds the sources of everything that the lines say.
    pub(super) fn read_sources(&mut self, with_days: bool) {
        let table: Vec<(u64, usize)> = self.windows.iter().map(|(w, id)| (*w, *id)).collect();
        let window_filter = Filter::of(self.windows.keys().copied());
        let term_filter = Filter::of(self.terms.keys().map(|term| head(term)));
        self.window_sources = vec![Vec::new(); table.len()];
        for (at, ((_, text), source)) in self.texts.iter().zip(self.sources).enumerate() {
            let (features, terms, values) = (&mut self.features, &self.terms, &self.values);
            each_value(text, &mut |value, _| {
                if let Some(id) = values.get(value) {
                    add(features.get_mut(*id).map(|f| &mut f.sources), at);
                }
            });
            each_term(text, &mut |term| {
                if term_filter.may_have(head(term))
                    && let Some(id) = terms.get(term)
                {
                    add(features.get_mut(*id).map(|f| &mut f.sources), at);
                }
            });
            each_window(text, &mut |window| {
                if window_filter.may_have(window)
                    && let Ok(found) = table.binary_search_by_key(&window, |(w, _)| *w)
                    && let Some((_, id)) = table.get(found)
                {
                    add(self.window_sources.get_mut(*id), at);
                }
            });
            let day = source.time.filter(|_| with_days).and_then(local_date);
            self.days.push(day);
        }
    }

    /// Returns true if a line has a value that says something.
    pub(super) fn has_value(&self, line: &Line) -> bool {
        let features = line.features.iter();
        let mut features = features.filter_map(|id| self.features.get(*id));
        features.any(|feature| feature.kind == Kind::Value)
    }

    pub(super) fn limit(&self, kind: Kind) -> usize {
        match kind {
            Kind::Name | Kind::Slight => 0,
            Kind::Term => (self.sources.len() / TERM_SHARE).max(LEAST_TERM_LIMIT),
            Kind::Value => (self.sources.len() / VALUE_SHARE).max(LEAST_VALUE_LIMIT),
        }
    }

    /// The weight of what so many sources have: whole, so that it is the same on every machine.
    pub(super) fn weight(&self, feature: &Feature) -> u32 {
        match feature.kind {
            Kind::Name => 0,
            _ => {
                1 + (self.sources.len() / feature.sources.len().max(1))
                    .max(1)
                    .ilog2()
            }
        }
    }
}

fn intern(
    ids: &mut BTreeMap<String, usize>,
    features: &mut Vec<Feature>,
    text: &str,
    kind: Kind,
) -> usize {
    if let Some(id) = ids.get(text) {
        return *id;
    }
    ids.insert(text.to_owned(), features.len());
    features.push(Feature {
        kind,
        sources: Vec::new(),
    });
    features.len() - 1
}

fn add(sources: Option<&mut Vec<usize>>, source: usize) {
    if let Some(sources) = sources
        && sources.last() != Some(&source)
    {
        sources.push(source);
    }
}

/// The first bytes of a term.
fn head(term: &str) -> u64 {
    let bytes = term.bytes().take(8);
    bytes.fold(0, |head, byte| head << 8 | u64::from(byte))
}

/// Tells quickly of most windows and terms that no line has them: a bit for each pattern of some of their bits.
struct Filter(Vec<bool>);

impl Filter {
    fn of(all: impl Iterator<Item = u64>) -> Self {
        let mut bits = vec![false; 1 << 16];
        for one in all {
            if let Some(bit) = bits.get_mut(Self::place(one)) {
                *bit = true;
            }
        }
        Self(bits)
    }

    fn place(window: u64) -> usize {
        let mixed = window ^ window >> 12 ^ window >> 25 ^ window >> 37;
        usize::from((mixed & 0xffff) as u16)
    }

    fn may_have(&self, window: u64) -> bool {
        self.0.get(Self::place(window)).copied().unwrap_or(true)
    }
}
