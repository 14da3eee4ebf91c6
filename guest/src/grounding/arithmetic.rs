//! Whether a number follows from others by a short calculation.

use std::collections::BTreeSet;

/// Numbers are in thousandths.
const ONE: i128 = 1000;
/// So many numbers of the sources are tried: more say too much.
const MOST: usize = 24;

/// A number of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    /// In thousandths.
    pub(super) value: i128,
    /// What it measures; numbers that measure the same, or of which it is not known, can be added.
    pub(super) kind: Option<&'static str>,
    pub(super) is_percent: bool,
}

/// Whether a number is a sum, difference, product or share of two numbers, of three of one kind, or of two products.
pub(super) fn follows(number: Term, terms: &BTreeSet<Term>) -> bool {
    let terms: Vec<Term> = terms.iter().copied().take(MOST).collect();
    let target = number.value;
    let mut products: Vec<i128> = Vec::new();
    for (at, a) in terms.iter().enumerate() {
        for b in terms.iter().skip(at + 1) {
            let product = a.value.saturating_mul(b.value) / ONE;
            if is_pair(number, *a, *b) || product == target && adds(number, *a, *b, false) {
                return true;
            }
            products.push(product);
        }
    }
    if target < 10 * ONE {
        return false;
    }
    // Two products, and a product and a number.
    let with_products = products.iter().enumerate().any(|(at, a)| {
        let more = products.iter().skip(at + 1).copied();
        let single = terms.iter().map(|term| term.value);
        more.chain(single)
            .any(|b| a.saturating_add(b) == target || a.saturating_sub(b).abs() == target)
    });
    with_products || is_sum_of_one_kind(number, &terms)
}

/// Whether numbers may be added to this one: they measure the same.
fn adds(number: Term, a: Term, b: Term, all: bool) -> bool {
    let same = |x: Term, y: Term| x.kind == y.kind || x.kind.is_none() || y.kind.is_none();
    if all {
        same(number, a) && same(number, b) && same(a, b)
    } else {
        same(number, a) || same(number, b)
    }
}

fn is_pair(number: Term, a: Term, b: Term) -> bool {
    let target = number.value;
    let (small, large) = (a.value.min(b.value), a.value.max(b.value));
    if adds(number, a, b, true) && (small + large == target || large - small == target) {
        return true;
    }
    if number.is_percent && large > 0 && !a.is_percent && !b.is_percent {
        // To the whole percent, or exactly.
        let share = small.saturating_mul(100 * ONE) / large;
        let near =
            |share: i128| (share - target).abs() <= if target % ONE == 0 { ONE / 2 } else { 0 };
        return near(share) || near(100 * ONE - share);
    }
    let of_percent = |whole: i128, percent: i128| {
        let part = whole.saturating_mul(percent) / (100 * ONE);
        [part, whole - part, whole + part].contains(&target)
    };
    let shares = a.is_percent && of_percent(b.value, a.value)
        || b.is_percent && of_percent(a.value, b.value);
    let divides = small > ONE
        && large % small == 0
        && large / small * ONE == target
        && adds(number, a, b, false);
    shares || divides
}

/// Whether it is a sum of three or more numbers of its kind.
fn is_sum_of_one_kind(number: Term, terms: &[Term]) -> bool {
    let of_kind = terms
        .iter()
        .filter(|term| term.kind == number.kind || term.kind.is_none() || number.kind.is_none());
    let of_kind = of_kind.take(8);
    let values: Vec<i128> = of_kind.map(|term| term.value).collect();
    let sets = 1_u32 << values.len();
    (1..sets).filter(|set| set.count_ones() > 2).any(|set| {
        let chosen = (0..).zip(&values).filter(|(at, _)| set & (1 << at) != 0);
        chosen.map(|(_, value)| *value).sum::<i128>() == number.value
    })
}
