//! Memories as candidates: every line is an item, and the items become one memory.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::items::{self, Item, speaker};
use super::score::{Candidate, Content, Vocabulary};
use crate::text::fold;
use crate::text::sentences;

/// The oldest item is worth this much less than the newest.
const AGE_DISCOUNT: f64 = 0.4;

/// An item with its place in the order of time.
struct Placed {
    item: Item,
    place: Place,
    content: Content,
}

/// Items without a date keep the place they had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Before all dates.
    First,
    /// With the items of a day.
    Day(i32),
    /// After all dates.
    Last,
}

/// The items of all memories in order of time, without near duplicates.
pub(super) fn candidates(
    existing: Option<&str>,
    new: &[(Option<String>, &str)],
    vocabulary: &mut Vocabulary,
) -> Vec<Candidate> {
    let mut all = Vec::new();
    if let Some(existing) = existing {
        all.extend(place(items::parse(existing, None), Place::First));
    }
    for (label, memory) in new {
        all.extend(place(items::parse(memory, label.as_deref()), Place::Last));
    }
    let mut kept = Kept::default();
    for (item, place) in all {
        let (_, said) = speaker(&item.text);
        let content = vocabulary.read(said);
        kept.add(Placed {
            item,
            place,
            content,
        });
    }
    let mut items = kept.items;
    items.sort_by_key(|placed| placed.place);
    with_age(items)
}

/// Gives every item a place: its day, or the place of the item before it, or of the one after it.
fn place(items: Vec<Item>, otherwise: Place) -> Vec<(Item, Place)> {
    let first = items.iter().find_map(|item| item.day).map(Place::Day);
    let mut here = match (otherwise, first) {
        (Place::First, _) | (_, None) => otherwise,
        (_, Some(first)) => first,
    };
    let placed = items.into_iter().map(|item| {
        here = item.day.map_or(here, Place::Day);
        (item, here)
    });
    placed.collect()
}

/// The items that are kept, indexed so that near duplicates are found without comparing all with all.
#[derive(Default)]
struct Kept {
    items: Vec<Placed>,
    /// The sentences of each.
    sentences: Vec<BTreeSet<String>>,
    by_sentence: Holders,
}

/// The items that contain a text.
#[derive(Default)]
struct Holders(BTreeMap<String, Vec<usize>>);

impl Holders {
    fn add(&mut self, text: &str, item: usize) {
        self.0.entry(text.to_owned()).or_default().push(item);
    }

    fn of(&self, text: &str) -> &[usize] {
        self.0.get(text).map_or(&[], Vec::as_slice)
    }
}

impl Kept {
    /// Adds an item, unless it is a duplicate; replaces the duplicate if the item says more.
    fn add(&mut self, new: Placed) {
        let sentences = sentence_keys(&new.item.text);
        let found = self.repeated(&new, &sentences);
        let index = found.unwrap_or(self.items.len());
        if let Some(old) = self.items.get_mut(index) {
            if self
                .sentences
                .get(index)
                .is_some_and(|old| sentences.len() <= old.len())
            {
                return;
            }
            *old = new;
        } else {
            self.items.push(new);
            self.sentences.push(BTreeSet::new());
        }
        for sentence in &sentences {
            self.by_sentence.add(sentence, index);
        }
        if let Some(slot) = self.sentences.get_mut(index) {
            *slot = sentences;
        }
    }

    fn repeated(&self, new: &Placed, sentences: &BTreeSet<String>) -> Option<usize> {
        let same_channel = |index: &&usize| {
            let old = self.items.get(**index);
            old.is_some_and(|old| {
                let (old, new) = (&old.item.label, &new.item.label);
                old.is_none() || new.is_none() || old == new
            })
        };
        let holds_all = |index: &&usize| {
            let old = self.sentences.get(**index);
            old.is_some_and(|old| {
                let most = old.intersection(sentences).count();
                most == old.len() || most == sentences.len()
            })
        };
        let sharing = sentences
            .iter()
            .flat_map(|sentence| self.by_sentence.of(sentence));
        let mut found = sharing.filter(same_channel).filter(holds_all);
        found.next().copied()
    }
}

/// The letters and digits of an item's sentences, each with its speaker.
fn sentence_keys(text: &str) -> BTreeSet<String> {
    let letters = |text: &str| -> String {
        fold(text)
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric())
            .collect()
    };
    let (speaker, said) = speaker(text);
    let sentences = sentences::split(said).into_iter();
    sentences
        .map(|s| format!("{}:{}", letters(speaker), letters(&s.text)))
        .collect()
}

/// Older items are dropped gradually: each is worth a little less than the next newer one.
fn with_age(items: Vec<Placed>) -> Vec<Candidate> {
    let all = items.len();
    let candidate = |(index, placed): (usize, Placed)| {
        let count = |items: usize| f64::from(u32::try_from(items).unwrap_or(u32::MAX));
        let seniority = count(all - 1 - index) / count(all).max(1.0);
        Candidate {
            line: index,
            prefix: placed.item.prefix(),
            speaker: Rc::from(""),
            writer: 0,
            text: placed.item.text,
            content: placed.content,
            factor: 1.0 - AGE_DISCOUNT * seniority,
        }
    };
    items.into_iter().enumerate().map(candidate).collect()
}
