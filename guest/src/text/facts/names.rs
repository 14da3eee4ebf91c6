//! The names of the participants.

use std::collections::BTreeSet;

use crate::text::fold;

/// The names of the participants, in lower case.
#[derive(Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// From display names; the parts of a name count too.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut all = BTreeSet::new();
        for name in names {
            let name = fold(name).to_lowercase();
            let parts =
                name.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '.' | '_' | '/'));
            let parts = parts.chain([name.trim()]);
            for part in parts.filter(|part| part.chars().count() > 1) {
                all.insert(part.to_owned());
            }
        }
        Self(all)
    }

    /// Returns true if a lower-case word is a name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}
