//! How much texts bear on a question, by the words that they share.

use std::collections::{BTreeMap, BTreeSet};

use crate::text::fold;
use crate::text::terms::{each_term, terms};

/// For each text, how much it bears on the question: the words that they share, the rare ones more.
pub(crate) fn bearing<'t>(texts: impl IntoIterator<Item = &'t str>, question: &str) -> Vec<u32> {
    let asked: BTreeSet<String> = terms(question).into_iter().collect();
    let shared: Vec<BTreeSet<&String>> = texts
        .into_iter()
        .map(|text| {
            let mut said = BTreeSet::new();
            each_term(&fold(text).to_lowercase(), &mut |term| {
                said.extend(asked.get(term));
            });
            said
        })
        .collect();
    let mut holders: BTreeMap<&String, u32> = BTreeMap::new();
    for term in shared.iter().flatten() {
        *holders.entry(term).or_default() += 1;
    }
    let all = u32::try_from(shared.len()).unwrap_or(u32::MAX);
    let weight = |term: &&String| {
        let holders = holders.get(*term).copied().unwrap_or(1).max(1);
        1 + (all / holders).max(1).ilog2()
    };
    shared
        .iter()
        .map(|terms| terms.iter().map(weight).sum())
        .collect()
}
