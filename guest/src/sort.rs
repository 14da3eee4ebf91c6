//! Sorting. The standard library's is compiled anew for each type and each order, some four kilobytes a time; here
//! places are sorted, which is compiled once, and only comparing and moving is compiled for each type.

use std::cmp::Ordering;

/// Sorts; equal items keep their order.
pub(crate) fn sort<T: Ord>(items: &mut Vec<T>) {
    sort_by(items, T::cmp);
}

/// Sorts by what a function tells of each item; equal items keep their order.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts as a comparison says; equal items keep their order.
pub(crate) fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let places = sorted_places(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    // Most are in order as they come.
    if places.is_sorted() {
        return;
    }
    let mut unsorted: Vec<Option<T>> = std::mem::take(items).into_iter().map(Some).collect();
    let sorted = places
        .into_iter()
        .filter_map(|place| unsorted.get_mut(place)?.take());
    items.extend(sorted);
}

/// A set to search with `binary_search`: sorted, each item once.
pub(crate) fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    sort(&mut items);
    items.dedup();
    items
}

fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(items in vec((0_u8..20, any::<u8>()), 0..200)) {
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&ours, &theirs);
            sort(&mut ours);
            theirs.sort();
            prop_assert_eq!(&ours, &theirs);
            theirs.dedup();
            prop_assert_eq!(set(ours), theirs);
        }
    }
}
