//! Words, numbers, addresses and codes in ASCII, as they stand between spaces, brackets and other scripts.

/// Signs of money.
pub(super) const CURRENCIES: &[char] = &['$', '€', '£', '¥', '￥'];

/// A part of a text without spaces.
pub(crate) struct Chunk<'t> {
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    /// It, without the marks that end a sentence or join it to the next.
    pub(crate) text: &'t str,
    /// True if a sentence may end behind it.
    pub(crate) ends_sentence: bool,
}

/// The chunks of a text, in order.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.find(is_word)?;
        let rest = text.get(start..)?;
        let whole = rest.get(..end(rest))?;
        at = start + whole.len();
        Some(Chunk {
            start,
            text: whole.trim_end_matches(['.', '!', '?', ':', '~', '&', '=', '-']),
            ends_sentence: whole.ends_with(['.', '!', '?', ':']),
        })
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_graphic() && !"\"'`()<>[]{},;|*".contains(c) || CURRENCIES.contains(&c)
}

/// The end of the chunk at the beginning of a text: `1,200` is one.
fn end(text: &str) -> usize {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let groups = c == ',' && is_digit(before) && is_digit(next);
        if !is_word(c) && !groups {
            return at;
        }
        before = Some(c);
    }
    text.len()
}
