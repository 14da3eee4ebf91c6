//! The items and facts of a memory, to compare two versions of it.

use std::collections::BTreeSet;

use super::items::parse;
use crate::text::facts::facts;

/// The items and facts of a memory, whichever engine wrote it.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    /// The number of items.
    pub(crate) items: usize,
    /// The keys of all facts in them; not the day at the beginning of a line, which merging may drop.
    pub(crate) facts: BTreeSet<String>,
}

impl Inventory {
    /// Reads a memory.
    pub(crate) fn of(memory: &str) -> Self {
        let items = parse(memory, None);
        let facts = items.iter().flat_map(|item| facts(&item.text));
        Self {
            items: items.len(),
            facts: facts.map(|fact| fact.key).collect(),
        }
    }

    /// How many of these facts another memory contains too.
    pub(crate) fn facts_in(&self, other: &Self) -> usize {
        self.facts.intersection(&other.facts).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewritten_memory_holds_the_same_facts() {
        let before = Inventory::of("- 2024-03-01 予算は300万円に決定\n- INC-204 は v1.2.3 で直る");
        let after =
            Inventory::of("## 2024-03-01\n・300万円の予算が決まった（INC-204 は v1.2.3 で修正）");
        assert_eq!((before.items, after.items), (2, 1));
        assert_eq!(before.facts.len(), 3);
        assert_eq!(before.facts_in(&after), 3);
        assert_eq!(before.facts_in(&Inventory::of("- 予算の話をした")), 0);
    }
}
