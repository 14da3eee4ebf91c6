//! Texts by number: one map of texts for everything that counts, groups or remembers them. A map for each kind of
//! value would be compiled anew each time, some five kilobytes; beside the numbers a plain list holds the values.

use std::collections::BTreeMap;

/// Texts, each with its number: 0, 1, 2 … in the order in which they came first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(BTreeMap<String, usize>);

impl Numbers {
    /// The number of a text, which is a new one where the text is new.
    pub(crate) fn number(&mut self, text: &str) -> usize {
        if let Some(number) = self.get(text) {
            return number;
        }
        let next = self.0.len();
        self.0.insert(text.to_owned(), next);
        next
    }

    /// The number of a text that is there.
    pub(crate) fn get(&self, text: &str) -> Option<usize> {
        self.0.get(text).copied()
    }

    /// Whether a text is there.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.0.contains_key(text)
    }
}

impl<S: AsRef<str>> FromIterator<S> for Numbers {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let mut numbers = Self::default();
        for text in texts {
            numbers.number(text.as_ref());
        }
        numbers
    }
}

/// The value of a number, in a list that grows as far as it has to.
pub(crate) fn of_number<T: Default>(values: &mut Vec<T>, number: usize) -> Option<&mut T> {
    if values.len() <= number {
        values.resize_with(number + 1, T::default);
    }
    values.get_mut(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_in_the_order_in_which_they_came_first() {
        let mut numbers: Numbers = ["b", "a", "b"].into_iter().collect();
        assert_eq!(
            ["b", "a", "c", "a"].map(|text| numbers.number(text)),
            [0, 1, 2, 1]
        );
        assert_eq!([numbers.get("c"), numbers.get("d")], [Some(2), None]);
    }

    #[test]
    fn values_between_the_known_ones_are_the_default() {
        let mut values: Vec<u32> = Vec::new();
        for number in [2, 0, 2] {
            if let Some(value) = of_number(&mut values, number) {
                *value += 1;
            }
        }
        assert_eq!(values, [1, 0, 2]);
    }
}
