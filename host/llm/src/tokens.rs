//! Token counts: exact if the model's vocabulary is public, else an upper estimate.

use myao_plugin::llm::estimate_tokens;
use tiktoken_rs::CoreBPE;
use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};

use super::models::last_part;

/// Longer texts are counted in parts: the time of byte-pair encoding grows with the square of the length of a word, and
/// a text without spaces is one word. The parts may have one or two tokens more than the whole for each cut.
const PART_CHARS: usize = 4096;

/// Counts tokens in the way of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenCounter {
    /// OpenAI's newer models: gpt-4o, gpt-4.1, gpt-5, o1, o3, o4.
    O200k,
    /// OpenAI's open models: gpt-oss.
    O200kHarmony,
    /// OpenAI's older models: gpt-4, gpt-3.5.
    Cl100k,
    /// All others, by [`estimate_tokens`].
    Estimate,
}

impl TokenCounter {
    /// The counter for a model.
    pub(super) fn of_model(model: &str) -> Self {
        match get_tokenizer(last_part(model)) {
            Some(Tokenizer::O200kBase) => Self::O200k,
            Some(Tokenizer::O200kHarmony) => Self::O200kHarmony,
            Some(Tokenizer::Cl100kBase) => Self::Cl100k,
            _ => Self::Estimate,
        }
    }

    /// How many tokens a text has. The first count reads the vocabulary (some tenths of a second), once for the whole
    /// program.
    pub(super) fn count(self, text: &str) -> u32 {
        match self.vocabulary() {
            Some(vocabulary) => parts(text)
                .map(|part| vocabulary.encode_ordinary(part).len())
                .sum::<usize>()
                .try_into()
                .unwrap_or(u32::MAX),
            None => estimate_tokens(text),
        }
    }

    fn vocabulary(self) -> Option<&'static CoreBPE> {
        match self {
            Self::O200k => Some(tiktoken_rs::o200k_base_singleton()),
            Self::O200kHarmony => Some(tiktoken_rs::o200k_harmony_singleton()),
            Self::Cl100k => Some(tiktoken_rs::cl100k_base_singleton()),
            Self::Estimate => None,
        }
    }
}

/// A text in parts that byte-pair encoding can count in little time.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .nth(PART_CHARS)
            .map_or(rest.len(), |(most, _)| {
                // Between words, if there are any; a space belongs to the word after it.
                let head = rest.get(..most).unwrap_or(rest);
                head.rfind([' ', '\n'])
                    .filter(|end| *end > 0)
                    .unwrap_or(most)
            });
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )]

    use super::*;

    const JAPANESE: &str = "次のリリースは3月5日に決定しました。田中さんが、決済画面の不具合を金曜日までに直します。\n\
        - 見積もりは120万円（税抜き）で、佐藤さんの承認待ちです\n- サーバーの移行は延期になった";
    const ENGLISH: &str = "The release is planned for March 5. Tanaka fixes the payment page by Friday; the estimate \
        of $12,000 still waits for Sato's approval.\n- The migration of the servers was postponed";

    #[test]
    fn the_vocabulary_is_chosen_by_the_models_name() {
        for (model, counter) in [
            ("gpt-4o-2024-08-06", TokenCounter::O200k),
            ("gpt-4.1-mini", TokenCounter::O200k),
            ("gpt-5-mini", TokenCounter::O200k),
            ("o3", TokenCounter::O200k),
            ("gpt-4", TokenCounter::Cl100k),
            ("gpt-3.5-turbo-0125", TokenCounter::Cl100k),
            ("openai/gpt-4o", TokenCounter::O200k),
            ("gpt-oss-20b", TokenCounter::O200kHarmony),
            ("claude-sonnet-4-5", TokenCounter::Estimate),
            ("llama3.2", TokenCounter::Estimate),
        ] {
            assert_eq!(TokenCounter::of_model(model), counter, "{model}");
        }
    }

    #[test]
    fn known_vocabularies_count_exactly() {
        // Counted with OpenAI's tiktoken.
        for (text, o200k, cl100k) in [
            ("", 0, 0),
            ("おはようございます", 4, 6),
            ("🎉🎉🎉", 6, 9),
            ("ｱｲｳ", 5, 6),
            ("<|endoftext|>", 7, 7),
            ("The quick brown fox jumps over the lazy dog", 9, 9),
        ] {
            assert_eq!(TokenCounter::O200k.count(text), o200k, "{text}");
            assert_eq!(TokenCounter::Cl100k.count(text), cl100k, "{text}");
        }
    }

    #[test]
    fn long_texts_are_counted_in_parts_that_lose_nothing() {
        let vocabulary = tiktoken_rs::o200k_base_singleton();
        for text in [
            JAPANESE.repeat(200),
            ENGLISH.repeat(200),
            "a".repeat(50_000),
        ] {
            assert_eq!(parts(&text).collect::<String>(), text);
            let whole = u32::try_from(vocabulary.encode_ordinary(&text).len()).unwrap();
            let counted = TokenCounter::O200k.count(&text);
            let cuts = u32::try_from(parts(&text).count()).unwrap();
            assert!(
                (whole..=whole + 2 * cuts).contains(&counted),
                "{counted} for {whole}"
            );
        }
    }

    #[test]
    fn the_estimate_is_never_below_any_public_vocabulary() {
        let vocabularies = [
            tiktoken_rs::r50k_base_singleton(),
            tiktoken_rs::cl100k_base_singleton(),
            tiktoken_rs::o200k_base_singleton(),
        ];
        for text in [
            JAPANESE,
            ENGLISH,
            "おはようございます",
            "ﾃｽﾄ中です、ご確認ください！",
            "𠮷野家です",
            "🎉👨‍👩‍👧‍👦👍🏽",
            "안녕하세요. 회의는 세 시입니다.",
            "Привет, как дела?",
            "https://example.com/a/b?c=d&e=f#g",
            "deadbeefcafebabe0123456789abcdef",
            "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
            "2026-11-21 23:02:01 ¥1,234,567",
            "ERROR_CODE = getUserById(42) || null;",
            "{\"key\": [1, 2, 3]}\n\n\n\t\tx",
        ] {
            for vocabulary in vocabularies {
                let tokens = u32::try_from(vocabulary.encode_ordinary(text).len()).unwrap();
                let estimate = estimate_tokens(text);
                assert!(estimate >= tokens, "{text}: {estimate} < {tokens}");
            }
        }
        assert_eq!(estimate_tokens(""), 0);
    }

    #[test]
    fn the_estimate_keeps_its_stated_margin() {
        for (text, most) in [(JAPANESE, 2.5), (ENGLISH, 1.8)] {
            let tokens = f64::from(TokenCounter::O200k.count(text));
            let estimate = f64::from(estimate_tokens(text));
            assert!(estimate < most * tokens, "{text}: {estimate} for {tokens}");
        }
    }
}
