//! How much texts bear on a question, by the words that they share.

use std::collections::BTreeSet;

use crate::text::fold;
use crate::text::terms::{each_term, terms};

/// For each text, how much it bears on the question: the words that they share, the rare ones more.
pub(crate) fn bearing<'t>(texts: impl IntoIterator<Item = &'t str>, question: &str) -> Vec<u32> {
    let asked = terms(question);
    let mut holders = vec![0_u32; asked.len()];
    // The words of the question that each text has, by their numbers.
    let mut shared: Vec<BTreeSet<usize>> = Vec::new();
    for text in texts {
        let mut said = BTreeSet::new();
        each_term(&fold(text).to_lowercase(), &mut |term| {
            said.extend(asked.binary_search_by(|word| word.as_str().cmp(term)));
        });
        for number in &said {
            holders
                .get_mut(*number)
                .into_iter()
                .for_each(|count| *count += 1);
        }
        shared.push(said);
    }
    let all = u32::try_from(shared.len()).unwrap_or(u32::MAX);
    let weights: Vec<u32> = holders
        .into_iter()
        .map(|holders| 1 + (all / holders.max(1)).max(1).ilog2())
        .collect();
    let weight = |number: &usize| weights.get(*number).copied().unwrap_or_default();
    shared
        .iter()
        .map(|said| said.iter().map(weight).sum())
        .collect()
}
