//! The fields of queries and forms.

use std::collections::BTreeMap;

/// A longer value of a query is no request of anybody's. A question that is too long is shorter, so that it is refused by name.
const MAX_VALUE: usize = 32_000;
/// The same for a value of a form.
const MAX_TEXT: usize = 8_000;

/// The values of a query or a form. Of several with one name the last counts; one that is too long is left out.
pub(crate) struct Fields(BTreeMap<String, String>);

impl Fields {
    pub(crate) fn of_query(query: Option<&str>) -> Self {
        Self::of(query.unwrap_or_default().as_bytes(), MAX_VALUE)
    }

    /// The values of a form.
    pub(crate) fn of_form(form: &[u8]) -> Self {
        Self::of(form, MAX_TEXT)
    }

    fn of(pairs: &[u8], longest: usize) -> Self {
        let pairs = form_urlencoded::parse(pairs);
        let pairs = pairs.filter(|(_, value)| value.len() <= longest);
        Self(
            pairs
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
        )
    }

    pub(crate) fn take(&mut self, name: &str) -> String {
        self.0
            .remove(name)
            .map_or_else(String::new, |value| value.trim().to_owned())
    }

    /// The ends of the names that begin so: of boxes, those that are ticked.
    pub(crate) fn named(&self, beginning: &str) -> impl Iterator<Item = &str> {
        let names = self.0.keys();
        names.filter_map(move |name| name.strip_prefix(beginning))
    }

    /// The number of a page, from 1 on.
    pub(crate) fn number(&mut self, name: &str) -> usize {
        self.take(name).parse().unwrap_or(1).max(1)
    }
}
