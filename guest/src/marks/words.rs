//! Reads what is said to the bot by its form: marks (`@bot 訂正: 熱海は25日`), and questions.

use crate::bindings::types::Message;
use crate::text::sentences::sentence_ranges;

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
    let rest = behind_mention(text, bot)?;
    WORDS.into_iter().find_map(|(word, kind)| {
        let (head, after) = rest.split_at_checked(word.len())?;
        let after = after.trim_start().strip_prefix([':', '：'])?;
        let said = after.trim_start();
        let is_mark = head.eq_ignore_ascii_case(word) && !said.trim_end().is_empty();
        is_mark.then_some((kind, said))
    })
}

/// Returns true if a message may found what is said: it is not the bot's own, and does not only ask it.
pub(crate) fn tells(message: &Message, bot: &str) -> bool {
    let is_own = message.user.is_bot && message.user.name == bot;
    !is_own && !only_asks(&message.text, bot)
}

/// Returns true if a text is only said to the bot: it asks it, or corrects what it remembers.
pub(crate) fn is_only_for(text: &str, bot: &str) -> bool {
    only_asks(text, bot) || matches!(read(text, bot), Some((Kind::Correction, _)))
}

/// Returns true if each sentence behind a mention of the bot ends with a question mark.
fn only_asks(text: &str, bot: &str) -> bool {
    let asks = |line: &str| {
        let mut sentences = sentence_ranges(line).into_iter();
        sentences.all(|range| {
            let sentence = line.get(range).unwrap_or_default();
            sentence.trim_end().ends_with(['?', '？'])
        })
    };
    let only_asks = |rest: &str| rest.lines().map(str::trim).all(asks);
    read(text, bot).is_none() && behind_mention(text, bot).is_some_and(only_asks)
}

/// The text behind the mention of the bot with which it begins.
fn behind_mention<'t>(text: &'t str, bot: &str) -> Option<&'t str> {
    let mention = text.trim_start().strip_prefix('@')?;
    let rest = mention.strip_prefix(bot).filter(|_| !bot.is_empty())?;
    let is_longer = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "_-".contains(c));
    (!is_longer || !bot.is_ascii()).then(|| {
        rest.trim_start_matches(|c: char| c.is_whitespace() || ",、，\u{200B}".contains(c))
    })
}
