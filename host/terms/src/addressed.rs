//! The forms in which people speak to the bot: marks (`@bot 訂正: 熱海は25日`), and requests to forget.

/// The effect of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It is always shown.
    Pinned,
    /// It replaces what is older.
    Correction,
}

/// Words before the colon, in lower case.
const MARKS: [(&str, Mark); 4] = [
    ("覚えて", Mark::Pinned),
    ("remember", Mark::Pinned),
    ("訂正", Mark::Correction),
    ("correction", Mark::Correction),
];
/// The kind of thing that a message says it notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted {
    /// Something that is decided.
    Decision,
    /// Something to do.
    Task,
    /// Something that is true: a mark.
    Fact,
}

/// Words before the colon, in lower case.
const NOTED: [(&str, Noted); 4] = [
    ("決定", Noted::Decision),
    ("decision", Noted::Decision),
    ("タスク", Noted::Task),
    ("todo", Noted::Task),
];
/// A mark's words are among the first so many characters of its text.
const HEAD: usize = 300;

/// Requests to forget, in lower case; nothing but links and names may stand beside one.
const REQUESTS: [&str; 16] = [
    "forget",
    "forget it",
    "forget this",
    "forget that",
    "forget this message",
    "please forget",
    "please forget it",
    "please forget this",
    "please forget that",
    "忘れて",
    "忘れてください",
    "忘れて下さい",
    "これ忘れて",
    "これを忘れて",
    "これを忘れてください",
    "これは忘れて",
];

/// Returns true if a text may be a mark for a bot of any name: it begins with a mention, and has one of the words of marks near its
/// beginning.
#[must_use]
pub fn may_mark(text: &str) -> bool {
    let end = text.char_indices().nth(HEAD).map(|(at, _)| at);
    let head = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    let head = head.trim_start().to_ascii_lowercase();
    head.starts_with('@') && MARKS.iter().any(|(word, _)| head.contains(word))
}

/// Returns true if a text begins with the words of a mark, without a mention: for a conversation with the bot alone, where nobody
/// mentions it.
#[must_use]
pub fn begins_mark(text: &str) -> bool {
    marked(text.trim_start()).is_some()
}

/// The kind of mark that a text is for the bot of this name, and what it says: all to its end. `None` if it is no mark, or says
/// nothing.
#[must_use]
pub fn mark<'t>(text: &'t str, bot: &str) -> Option<(Mark, &'t str)> {
    let (mark, said) = marked(behind_mention(text, bot)?)?;
    let said = said.trim_start();
    (!said.trim_end().is_empty()).then_some((mark, said))
}

/// Returns true if a text is a correction for the bot of this name.
#[must_use]
pub fn corrects(text: &str, bot: &str) -> bool {
    matches!(mark(text, bot), Some((Mark::Correction, _)))
}

/// The mark with whose word and a colon a text begins, and the rest.
fn marked(text: &str) -> Option<(Mark, &str)> {
    behind_word(text, &MARKS)
}

/// The kind of thing that a message notes, and where its text says it: its first line, behind `decision:`, `決定:`, `todo:` or `タスク:` at
/// its beginning or after a mention, or behind a mark's word after a mention.
#[must_use]
pub fn noted(text: &str) -> Option<(Noted, std::ops::Range<usize>)> {
    let begin = text.trim_start();
    let (noted, said) = match begin.strip_prefix('@') {
        None => behind_word(begin, &NOTED)?,
        Some(mention) => {
            let behind = mention.split_once(char::is_whitespace)?.1.trim_start();
            let mark = || marked(behind).map(|(_, said)| (Noted::Fact, said));
            behind_word(behind, &NOTED).or_else(mark)?
        }
    };
    let start = text.len() - said.trim_start().len();
    let line = said.trim_start().lines().next()?.trim_end();
    (!line.is_empty()).then_some((noted, start..start + line.len()))
}

/// The meaning of the word with which, and a colon, a text begins, and the rest.
fn behind_word<'t, T: Copy>(text: &'t str, words: &[(&str, T)]) -> Option<(T, &'t str)> {
    words.iter().find_map(|(word, meaning)| {
        let (head, after) = text.split_at_checked(word.len())?;
        let said = after.trim_start().strip_prefix([':', '：'])?;
        head.eq_ignore_ascii_case(word).then_some((*meaning, said))
    })
}

/// The text behind the mention of the bot of this name with which it begins.
#[must_use]
pub fn behind_mention<'t>(text: &'t str, bot: &str) -> Option<&'t str> {
    let mention = text.trim_start().strip_prefix('@')?;
    let rest = mention.strip_prefix(bot).filter(|_| !bot.is_empty())?;
    let is_longer = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "_-".contains(c));
    (!is_longer || !bot.is_ascii()).then(|| {
        rest.trim_start_matches(|c: char| c.is_whitespace() || ",、，\u{200B}".contains(c))
    })
}

/// Returns the request to forget, in lower case, that words are in which no link and no name stands; `None` if they are none.
pub fn request_to_forget<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<&'static str> {
    let words: Vec<&str> = words.into_iter().collect();
    let said = words.join(" ").to_lowercase();
    let said = said.trim_matches(|c: char| !c.is_alphanumeric());
    REQUESTS.into_iter().find(|request| *request == said)
}

#[cfg(test)]
mod tests {
    use super::{Mark, Noted, begins_mark, mark, may_mark, noted, request_to_forget};

    #[test]
    fn messages_note_what_their_first_line_says_behind_the_word() {
        for (text, kind, said) in [
            (
                "決定: 会場は箱根\n詳細は後で",
                Noted::Decision,
                "会場は箱根",
            ),
            (" @myao Decision：ship it ", Noted::Decision, "ship it"),
            ("TODO:order labels", Noted::Task, "order labels"),
            ("@みゃお\u{3000}タスク： 見積もり", Noted::Task, "見積もり"),
            ("@みゃお 訂正: 25日", Noted::Fact, "25日"),
        ] {
            let found = noted(text).and_then(|(noted, range)| Some((noted, text.get(range)?)));
            assert_eq!(found, Some((kind, said)), "{text}");
        }
        for text in [
            "決定しました: x",
            "a todo: x",
            "@myaotodo: x",
            "@a @b todo: x",
            "todo:",
            "todo x",
            "",
        ] {
            assert_eq!(noted(text), None, "{text}");
        }
    }

    #[test]
    fn the_words_of_a_mark_come_before_a_colon() {
        for text in ["覚えて: 海", " Remember : x", "訂正：25日", "correction:x"] {
            assert!(begins_mark(text), "{text}");
        }
        for text in ["覚えてる?", "remember the code", "a correction: x", ""] {
            assert!(!begins_mark(text), "{text}");
        }
    }

    #[test]
    fn marks_mention_the_bot_first_and_say_something() {
        for (text, bot, said) in [
            ("@みゃお 覚えて: 海", "みゃお", (Mark::Pinned, "海")),
            ("@みゃお覚えて：海", "みゃお", (Mark::Pinned, "海")),
            (
                "  \n@みゃお　訂正 ：　熱海は25日\n2行目",
                "みゃお",
                (Mark::Correction, "熱海は25日\n2行目"),
            ),
            (
                "@myao Remember:the code",
                "myao",
                (Mark::Pinned, "the code"),
            ),
            ("@myao, CORRECTION: x", "myao", (Mark::Correction, "x")),
            (
                "@myao\u{200B} correction : x",
                "myao",
                (Mark::Correction, "x"),
            ),
        ] {
            assert_eq!(mark(text, bot), Some(said), "{text}");
        }
        for text in [
            "覚えて: 海",
            "@alice 覚えて: 海",
            "@みゃおん 覚えて: 海",
            "@みゃお 覚えてる? 合言葉: 海",
            "@みゃお do you remember: it?",
            "@みゃお 覚えて 海",
            "@みゃお 覚えて:  ",
            "みんな、@みゃお 覚えて: 海",
            "> @みゃお 訂正: 25日",
            "@みゃお",
        ] {
            assert_eq!(mark(text, "みゃお"), None, "{text}");
        }
        assert_eq!(mark("@myaobot correction: x", "myao"), None);
        assert_eq!(mark("@ 覚えて: x", ""), None);
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
            assert!(may_mark(text), "{text}");
        }
        let far = format!("@myao {} remember: x", "a".repeat(300));
        for text in ["remember: x", "訂正: @myao", "@myao hello", "", &far] {
            assert!(!may_mark(text), "{text}");
        }
    }

    #[test]
    fn a_request_to_forget_is_nothing_but_its_words() {
        for words in [
            "Forget this!",
            "忘れて",
            "  please   forget it.",
            "忘れてください。",
        ] {
            assert!(
                request_to_forget(words.split_whitespace()).is_some(),
                "{words}"
            );
        }
        for words in [
            "did you forget?",
            "forget everything",
            "傘を忘れて困った",
            "",
        ] {
            assert_eq!(request_to_forget(words.split_whitespace()), None, "{words}");
        }
    }
}
