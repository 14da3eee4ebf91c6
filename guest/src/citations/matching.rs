//! Finds the sources of one line.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::features::{Kind, WINDOW};
use super::table::{Feature, Line, Table};
use crate::text::terms::each_term;

/// So many windows in a row are a stretch that may be copied.
const STRETCH: usize = 3;
/// The features that one source shares with a line.
#[derive(Clone, Copy, Default)]
struct Shared {
    /// The weight of the shared words and values.
    weight: u32,
    /// The shared windows, and those of them in stretches.
    windows: usize,
    stretches: usize,
    /// The place after the last shared window, and the length of the stretch that ends there.
    next: usize,
    run: usize,
}

/// The search for the sources of one line.
pub(super) struct Matching<'a> {
    table: &'a Table<'a>,
    line: &'a Line,
    /// The only sources that may be cited; `None` for all.
    among: Option<&'a BTreeSet<usize>>,
    shared: Vec<Shared>,
    cited: BTreeSet<usize>,
}

impl<'a> Matching<'a> {
    pub(super) fn of(
        table: &'a Table<'a>,
        line: &'a Line,
        among: Option<&'a BTreeSet<usize>>,
    ) -> Self {
        let mut shared = vec![Shared::default(); table.sources.len()];
        for feature in line
            .features
            .iter()
            .filter_map(|id| table.features.get(*id))
        {
            let weight = table.weight(feature);
            for source in &feature.sources {
                if let Some(shared) = shared.get_mut(*source) {
                    shared.weight += weight;
                }
            }
        }
        for (at, id) in line.windows.iter().enumerate() {
            for source in table.window_sources.get(*id).into_iter().flatten() {
                if let Some(shared) = shared.get_mut(*source) {
                    shared.run = if shared.next == at { shared.run + 1 } else { 1 };
                    shared.next = at + 1;
                    shared.windows += 1;
                    shared.stretches += match shared.run {
                        STRETCH => STRETCH,
                        run if run > STRETCH => 1,
                        _ => 0,
                    };
                }
            }
        }
        Self {
            table,
            line,
            among,
            shared,
            cited: BTreeSet::new(),
        }
    }

    /// The sources by the rules at the top of `citations`.
    pub(super) fn cited(mut self) -> BTreeSet<usize> {
        let ids = self.line.features.iter();
        let mut features: Vec<&Feature> =
            ids.filter_map(|id| self.table.features.get(*id)).collect();
        features.retain(|feature| !feature.sources.is_empty());
        for feature in &features {
            if feature.sources.len() <= self.table.limit(feature.kind) {
                let sources = feature.sources.iter().copied();
                let sources: Vec<usize> = sources.filter(|at| self.may_cite(*at)).collect();
                self.cited.extend(sources);
            }
        }
        self.cite_alike();
        self.cite_pieces();
        // The rarest first: its source probably has the others too.
        features.sort_by_key(|feature| feature.sources.len());
        for feature in features {
            let is_named = feature.kind == Kind::Name && self.cited.iter().any(|s| self.is_by(*s));
            if !is_named && !feature.sources.iter().any(|s| self.cited.contains(s)) {
                let sources = feature.sources.iter().filter(|s| self.is_among(**s));
                let best = sources.max_by_key(|s| (!self.is_own(**s), self.rank(**s)));
                self.cited.extend(best);
            }
        }
        self.cited
    }

    /// Cites the sources that are much like the line.
    fn cite_alike(&mut self) {
        let features = self
            .line
            .features
            .iter()
            .filter_map(|id| self.table.features.get(*id));
        let weight: u32 = features.map(|feature| self.table.weight(feature)).sum();
        let windows = self.line.windows.len();
        let mut alike = Vec::new();
        for (at, shared) in self.shared.iter().enumerate() {
            if !self.may_cite(at) {
                continue;
            }
            if windows > 0 && shared.windows == windows {
                self.cited.insert(at);
            } else if (windows > 0 && shared.stretches * 2 >= windows)
                || (weight > 0 && shared.weight * 2 >= weight)
            {
                alike.push(at);
            }
        }
        alike.sort_by_cached_key(|at| Reverse(self.rank(*at)));
        alike.truncate(self.table.limit(Kind::Term));
        self.cited.extend(alike);
    }

    /// Cites the sources of rare parts of words that no source cited so far has.
    fn cite_pieces(&mut self) {
        for piece in &self.line.pieces {
            let sources = |id: &usize| self.table.window_sources.get(*id);
            let all: Vec<&Vec<usize>> = piece.iter().filter_map(sources).collect();
            let has = |source: &usize| all.iter().all(|one| one.binary_search(source).is_ok());
            if self.cited.iter().any(has) {
                continue;
            }
            let Some(fewest) = all.iter().min_by_key(|sources| sources.len()) else {
                continue;
            };
            let limit = self.table.limit(Kind::Term);
            let found: Vec<usize> = fewest.iter().copied().filter(has).take(limit + 1).collect();
            if found.len() <= limit {
                let others = found.iter().any(|at| self.may_cite(*at));
                let may_cite = |at: &usize| match others {
                    true => self.may_cite(*at),
                    false => self.is_among(*at),
                };
                let found: Vec<usize> = found.into_iter().filter(may_cite).collect();
                self.cited.extend(found);
            }
        }
    }

    fn may_cite(&self, source: usize) -> bool {
        self.is_among(source) && !self.is_own(source)
    }

    fn is_among(&self, source: usize) -> bool {
        self.among.is_none_or(|among| among.contains(&source))
    }

    fn is_own(&self, source: usize) -> bool {
        let source = self.table.sources.get(source);
        source.is_some_and(|source| source.is_own)
    }

    /// How good a source is: by what it shares with the line, then by its day and its author.
    fn rank(&self, source: usize) -> (usize, bool, bool) {
        let shared = self.shared.get(source).copied().unwrap_or_default();
        let shares = usize::try_from(shared.weight).unwrap_or(usize::MAX / 2) * WINDOW;
        let day = self.table.days.get(source).and_then(Option::as_ref);
        let same_day = day.is_some() && day == self.line.day.as_ref();
        (shares + shared.stretches, same_day, self.is_by(source))
    }

    /// Returns true if a source is by someone whom the line names.
    fn is_by(&self, source: usize) -> bool {
        let speaker = self
            .table
            .texts
            .get(source)
            .and_then(|(name, _)| name.as_deref());
        speaker.is_some_and(|speaker| {
            let mut named = self.line.names.contains(speaker);
            each_term(speaker, &mut |term| named |= self.line.names.contains(term));
            named
        })
    }
}
