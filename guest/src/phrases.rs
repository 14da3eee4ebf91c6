//! Lists of phrases: the files of `guest/phrases/`, grouped by language, with one phrase a line.

/// A list of phrases, of one language or several: the lines of each file.
#[derive(Clone, Copy)]
pub(crate) struct Phrases(pub(crate) &'static [&'static [&'static str]]);

/// The list in files of `guest/phrases/`.
macro_rules! phrases {
    ($($file:literal),+) => {
        $crate::phrases::Phrases(&[$({
            const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/phrases/", $file));
            const LINES: [&str; $crate::phrases::count_lines(TEXT)] = $crate::phrases::lines(TEXT);
            &LINES
        }),+])
    };
}

pub(crate) use phrases;

/// How many lines a text has.
#[allow(clippy::indexing_slicing, reason = "this runs at compile time")]
pub(crate) const fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at] == b'\n' || at + 1 == bytes.len() {
            count += 1;
        }
        at += 1;
    }
    count
}

/// The lines of a text, cut at compile time.
#[allow(clippy::indexing_slicing, reason = "this runs at compile time")]
pub(crate) const fn lines<const COUNT: usize>(text: &'static str) -> [&'static str; COUNT] {
    let mut lines = [""; COUNT];
    let (mut rest, mut count) = (text, 0);
    while count < COUNT {
        let mut end = 0;
        while end < rest.len() && rest.as_bytes()[end] != b'\n' {
            end += 1;
        }
        let (line, tail) = rest.split_at(end);
        lines[count] = line;
        rest = if tail.is_empty() {
            tail
        } else {
            tail.split_at(1).1
        };
        count += 1;
    }
    lines
}

impl Phrases {
    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied().flatten().copied()
    }

    /// Those that a text in lower case contains, ASCII ones as whole words.
    pub(crate) fn words_in(self, text: &str) -> impl Iterator<Item = &'static str> {
        let pairs = Pairs::of(text);
        self.iter()
            .filter(move |phrase| pairs.may_hold(phrase) && contains_words(text, phrase))
    }

    /// The weights of those that a text in lower case contains, ASCII ones as whole words; each line is a phrase and its weight.
    pub(crate) fn weights_in(self, text: &str) -> impl Iterator<Item = f64> {
        let pairs = Pairs::of(text);
        let lines = self.iter().filter(move |line| pairs.may_hold(line));
        let found = lines
            .filter_map(weighted)
            .filter(|(phrase, _)| contains_words(text, phrase));
        found.map(|(_, weight)| weight)
    }

    /// Returns true if `text` is one of them.
    pub(crate) fn has(self, text: &str) -> bool {
        self.iter().any(|phrase| phrase == text)
    }

    /// Returns true if `text` contains one of them.
    pub(crate) fn is_in(self, text: &str) -> bool {
        let pairs = Pairs::of(text);
        self.iter()
            .any(|phrase| pairs.may_hold(phrase) && text.contains(phrase))
    }

    /// Returns true if `text` starts with one of them.
    pub(crate) fn starts(self, text: &str) -> bool {
        self.iter().any(|phrase| text.starts_with(phrase))
    }

    /// Returns true if `text` ends with one of them.
    pub(crate) fn ends(self, text: &str) -> bool {
        self.iter().any(|phrase| text.ends_with(phrase))
    }
}

/// A line of a list with weights: `phrase 1.2`.
pub(crate) fn weighted(line: &'static str) -> Option<(&'static str, f64)> {
    let (phrase, weight) = line.rsplit_once(' ')?;
    Some((phrase, weight.parse().ok()?))
}

/// Returns true if a text in lower case contains a phrase, an ASCII one as whole words.
pub(crate) fn contains_words(text: &str, phrase: &str) -> bool {
    word_matches(text, phrase).next().is_some()
}

/// The pairs of neighbouring bytes in a text, of which some look the same: a quick test that rules most phrases out.
struct Pairs([u64; Self::WORDS]);

impl Pairs {
    const WORDS: usize = 32;
    /// Of the first word of a phrase so many bytes are looked at.
    const HEAD: usize = 4;

    fn of(text: &str) -> Self {
        let mut pairs = Self([0; Self::WORDS]);
        for pair in text.as_bytes().windows(2) {
            let (word, bit) = Self::place(pair);
            if let Some(word) = pairs.0.get_mut(word) {
                *word |= bit;
            }
        }
        pairs
    }

    fn place(pair: &[u8]) -> (usize, u64) {
        let hash = pair.iter().fold(0_usize, |hash, byte| {
            hash.wrapping_mul(37).wrapping_add(usize::from(*byte))
        });
        (hash / 64 % Self::WORDS, 1 << (hash % 64))
    }

    /// Returns true if the text may hold a phrase; false if it does not for sure.
    fn may_hold(&self, phrase: &str) -> bool {
        let head = phrase.split(' ').next().unwrap_or(phrase).as_bytes();
        let head = head.get(..Self::HEAD).unwrap_or(head);
        head.windows(2).all(|pair| {
            let (word, bit) = Self::place(pair);
            self.0.get(word).is_some_and(|word| word & bit != 0)
        })
    }
}

/// Where a text in lower case has a phrase, an ASCII one as whole words.
pub(crate) fn word_matches<'t>(text: &'t str, phrase: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_boundary = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    // Building a searcher costs more than comparing short phrases at every place.
    let places = text.as_bytes().windows(phrase.len().max(1)).enumerate();
    let matches = places
        .filter(|(_, bytes)| *bytes == phrase.as_bytes())
        .map(|(at, _)| at);
    matches.filter(move |at| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let tail = text.get(at + phrase.len()..);
        let after = tail.and_then(|tail| tail.chars().next());
        !phrase.is_ascii() || before.is_none_or(is_boundary) && after.is_none_or(is_boundary)
    })
}
