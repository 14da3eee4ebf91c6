//! Which messages may be marks (`wit/storage.wit`, `list-marked`).

/// The id of the operator, who writes messages that are in the store alone. No platform has such an id.
pub const OPERATOR_ID: &str = "operator";

/// The words of marks, in lower case.
const WORDS: [&str; 4] = ["覚えて", "remember", "訂正", "correction"];
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
    let text = text.trim_start();
    WORDS.iter().any(|word| {
        let split = text.split_at_checked(word.len());
        split.is_some_and(|(head, rest)| {
            head.eq_ignore_ascii_case(word) && rest.trim_start().starts_with([':', '：'])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{begins, may_be};

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
