//! Lists of phrases: the files of `guest/phrases/`, grouped by language, with one phrase a line.

/// A list of phrases, of one language or several.
#[derive(Clone, Copy)]
pub(crate) struct Phrases(pub(crate) &'static [&'static str]);

/// The list in files of `guest/phrases/`.
macro_rules! phrases {
    ($($file:literal),+) => {
        $crate::phrases::Phrases(&[
            $(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/phrases/", $file))),+
        ])
    };
}

pub(crate) use phrases;

impl Phrases {
    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().flat_map(|file| file.lines())
    }

    /// Whether `text` is one of them.
    pub(crate) fn has(self, text: &str) -> bool {
        self.iter().any(|phrase| phrase == text)
    }

    /// Whether `text` contains one of them.
    pub(crate) fn is_in(self, text: &str) -> bool {
        self.iter().any(|phrase| text.contains(phrase))
    }

    /// Whether `text` starts with one of them.
    pub(crate) fn starts(self, text: &str) -> bool {
        self.iter().any(|phrase| text.starts_with(phrase))
    }

    /// Whether `text` ends with one of them.
    pub(crate) fn ends(self, text: &str) -> bool {
        self.iter().any(|phrase| text.ends_with(phrase))
    }
}

/// A line of a list with weights: `phrase 1.2`.
pub(crate) fn weighted(line: &'static str) -> Option<(&'static str, f64)> {
    let (phrase, weight) = line.rsplit_once(' ')?;
    Some((phrase, weight.parse().ok()?))
}

/// Whether a text in lower case contains a phrase, an ASCII one as whole words.
pub(crate) fn contains_words(text: &str, phrase: &str) -> bool {
    word_matches(text, phrase).next().is_some()
}

/// Where a text in lower case has a phrase, an ASCII one as whole words.
pub(crate) fn word_matches<'t>(text: &'t str, phrase: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_boundary = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let matches = text.match_indices(phrase).map(|(at, _)| at);
    matches.filter(move |at| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let tail = text.get(at + phrase.len()..);
        let after = tail.and_then(|tail| tail.chars().next());
        !phrase.is_ascii() || before.is_none_or(is_boundary) && after.is_none_or(is_boundary)
    })
}
