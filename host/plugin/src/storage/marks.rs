//! Which messages may be marks (`wit/storage.wit`, `list-marked`).

/// The id of the operator, who writes messages that are in the store alone. No platform has such an id.
pub const OPERATOR_ID: &str = "operator";

/// The words of marks, in lower case.
const WORDS: [&str; 4] = ["覚えて", "remember", CORRECTIONS[0], CORRECTIONS[1]];
/// Those of corrections.
const CORRECTIONS: [&str; 2] = ["訂正", "correction"];
/// A mark's words are among the first so many characters of its text.
const HEAD: usize = 300;

/// Returns true if a text may be a mark: it begins with a mention, and has one of the words of marks near its
/// beginning. The component decides if it is one.
#[must_use]
pub fn may_be(text: &str) -> bool {
    let end = text.char_indices().nth(HEAD).map(|(at, _)| at);
    let head = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    let head = head.trim_start().to_ascii_lowercase();
    head.starts_with('@') && WORDS.iter().any(|word| head.contains(word))
}

/// Returns true if a text begins with the words of a mark, without a mention: for a conversation with the bot alone,
/// where nobody mentions it.
#[must_use]
pub fn begins(text: &str) -> bool {
    said(text.trim_start(), &WORDS).is_some()
}

/// Returns true if a text is a correction for the bot of this name, as the component reads it.
#[must_use]
pub fn corrects(text: &str, bot: &str) -> bool {
    let mention = text.trim_start().strip_prefix('@');
    let rest = mention.and_then(|mention| mention.strip_prefix(bot));
    let is_between = |c: char| c.is_whitespace() || ",、，\u{200B}".contains(c);
    let said = rest.and_then(|rest| said(rest.trim_start_matches(is_between), &CORRECTIONS));
    !bot.is_empty() && said.is_some_and(|said| !said.trim().is_empty())
}

/// The rest of a text after one of the words and a colon.
fn said<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().find_map(|word| {
        let (head, rest) = text.split_at_checked(word.len())?;
        let said = rest.trim_start().strip_prefix([':', '：'])?;
        head.eq_ignore_ascii_case(word).then_some(said)
    })
}

#[cfg(test)]
mod tests {
    use super::{begins, corrects, may_be};

    #[test]
    fn the_words_of_a_mark_come_before_a_colon() {
        for text in ["覚えて: 海", " Remember : x", "訂正：25日", "correction:x"] {
            assert!(begins(text), "{text}");
        }
        for text in ["覚えてる?", "remember the code", "a correction: x", ""] {
            assert!(!begins(text), "{text}");
        }
    }

    #[test]
    fn corrections_mention_the_bot_first_and_say_something() {
        for text in [
            "@myao 訂正: 熱海は25日",
            " @myao、Correction：x",
            "@myao\u{200B} correction : x",
        ] {
            assert!(corrects(text, "myao"), "{text}");
        }
        for text in [
            "@myao 覚えて: 海",
            "@myao correction: ",
            "@myao a correction: x",
            "@other correction: x",
            "correction: x",
        ] {
            assert!(!corrects(text, "myao"), "{text}");
        }
        assert!(!corrects("@ correction: x", ""));
    }

    #[test]
    fn mentions_with_the_words_of_a_mark_may_be_marks() {
        for text in [
            "@myao 覚えて: 合言葉は海",
            " \n@myao Remember: the door code",
            "\u{3000}@myao　訂正：25日",
            "@myao correction:x",
            "@myao do you remember?",
        ] {
            assert!(may_be(text), "{text}");
        }
        let far = format!("@myao {} remember: x", "a".repeat(300));
        for text in ["remember: x", "訂正: @myao", "@myao hello", "", &far] {
            assert!(!may_be(text), "{text}");
        }
    }
}
