//! Reads the words of a mark: `@bot 訂正: 熱海は25日`.

/// The effect of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is always shown.
    Pinned,
    /// It replaces what is older.
    Correction,
}

/// Words before the colon.
const WORDS: [(&str, Kind); 4] = [
    ("覚えて", Kind::Pinned),
    ("remember", Kind::Pinned),
    ("訂正", Kind::Correction),
    ("correction", Kind::Correction),
];

/// The kind of mark that a text is, and what it says: all to its end. The text begins with a mention of the bot, which has this
/// name. `None` if it is no mark, or says nothing.
pub(crate) fn read<'t>(text: &'t str, bot: &str) -> Option<(Kind, &'t str)> {
    if bot.is_empty() {
        return None;
    }
    let mention = text.trim_start().strip_prefix('@')?;
    let rest = mention.strip_prefix(bot)?;
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ",、，\u{200B}".contains(c));
    WORDS.into_iter().find_map(|(word, kind)| {
        let (head, after) = rest.split_at_checked(word.len())?;
        let after = after.trim_start().strip_prefix([':', '：'])?;
        let said = after.trim_start();
        let is_mark = head.eq_ignore_ascii_case(word) && !said.trim_end().is_empty();
        is_mark.then_some((kind, said))
    })
}
