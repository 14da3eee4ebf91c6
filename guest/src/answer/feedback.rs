//! Feedback to the model about its bad answer.

use super::Language;
use crate::bindings::errors::BadAnswer;

/// What the model was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A memory.
    Memory,
    /// A reply.
    Reply,
    /// A judgment, as JSON.
    Judgment,
}

/// The text that is added to the prompt for the one retry: what was wrong, and what to write instead; in Japanese for a
/// Japanese conversation, otherwise in English.
#[must_use]
pub fn feedback(bad: &BadAnswer, kind: AnswerKind, language: Language) -> String {
    if language == Language::Japanese {
        format!("{}{}", japanese(bad, kind), japanese_form(kind))
    } else {
        format!("{}{}", english(bad, kind), english_form(kind))
    }
}

fn japanese(bad: &BadAnswer, kind: AnswerKind) -> String {
    let fault = match (bad, kind) {
        (BadAnswer::Empty, AnswerKind::Memory) => {
            "前回の回答は空でした。内容のある箇条書きを書いてください。"
        }
        (BadAnswer::Empty, _) => "前回の回答は空でした。",
        (BadAnswer::Refusal, AnswerKind::Memory) => {
            "前回の回答は要約を断るものでした。これは記録のための要約です。書かれている事実だけをまとめてください。"
        }
        (BadAnswer::Refusal, _) => {
            "前回の回答は断るだけのものでした。分かることがあれば述べ、なければ何が分からないのかを書いてください。"
        }
        (BadAnswer::Question, _) => {
            "前回の回答は質問でした。必要な内容はすべて上にあります。質問せずに、上の内容をまとめてください。"
        }
        (BadAnswer::PromptRepeated, AnswerKind::Memory) => {
            "前回の回答は指示文や元の文章の写しでした。見出しや指示文を繰り返さず、自分の言葉で短くまとめてください。"
        }
        (BadAnswer::PromptRepeated, _) => {
            "前回の回答は指示文や上の文章の写しでした。見出しや発言を繰り返さず、自分の言葉で書いてください。"
        }
        (BadAnswer::WrongLanguage(languages), _) => {
            let (found, expected) = (
                japanese_name(&languages.found),
                japanese_name(&languages.expected),
            );
            return format!("前回の回答は{found}でした。{expected}で書いてください。");
        }
        (BadAnswer::TooLong(length), _) => {
            let (tokens, limit) = (length.tokens, length.limit);
            return format!(
                "前回の回答は約{tokens}トークンで、長すぎました。{limit}トークン以内に収めてください。"
            );
        }
        (BadAnswer::Shrunk(_), _) => {
            "前回の回答では、既存の記憶の多くが失われました。日付・金額・名前・決定事項を残したまま、新しい内容を加えてください。"
        }
        (BadAnswer::Malformed(fault), _) => {
            return format!("前回の回答は読み取れませんでした（{fault}）。");
        }
        (BadAnswer::Other(other), _) => {
            return format!("前回の回答は受け付けられませんでした（{}）。", other.text);
        }
    };
    fault.to_owned()
}

fn japanese_form(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Memory => "\n回答には箇条書きの本文だけを書いてください。",
        AnswerKind::Reply => "\n返信の本文だけを書いてください。",
        AnswerKind::Judgment => "前後に何も付けず、上に示した形の JSON だけを書いてください。",
    }
}

/// The Japanese name of a language, from its English one.
fn japanese_name(language: &str) -> &'static str {
    match language {
        "Japanese" => "日本語",
        "English" => "英語",
        "Chinese" => "中国語",
        "Korean" => "韓国語",
        "Russian" => "ロシア語",
        _ => "別の言語",
    }
}

fn english(bad: &BadAnswer, kind: AnswerKind) -> String {
    let fault = match (bad, kind) {
        (BadAnswer::Empty, AnswerKind::Memory) => {
            "Your last answer was empty. Write bullets that say something."
        }
        (BadAnswer::Empty, _) => "Your last answer was empty.",
        (BadAnswer::Refusal, AnswerKind::Memory) => {
            "Your last answer declined. This summary is kept as a record: state only the facts that are written above."
        }
        (BadAnswer::Refusal, _) => {
            "Your last answer only declined. Say what you know, or what it is that you do not know."
        }
        (BadAnswer::Question, _) => {
            "Your last answer was a question. Everything you need is above. Summarize it and ask nothing."
        }
        (BadAnswer::PromptRepeated, AnswerKind::Memory) => {
            "Your last answer repeated the instruction or the text above. Leave out its headings and instructions, and use fewer words of your own."
        }
        (BadAnswer::PromptRepeated, _) => {
            "Your last answer repeated the instruction or the text above. Leave out its headings and messages, and use your own words."
        }
        (BadAnswer::WrongLanguage(languages), _) => {
            let (found, expected) = (&languages.found, &languages.expected);
            return format!("Your last answer was in {found}. Write in {expected}.");
        }
        (BadAnswer::TooLong(length), _) => {
            let (tokens, limit) = (length.tokens, length.limit);
            return format!(
                "Your last answer had about {tokens} tokens, which is too long. Stay within {limit} tokens."
            );
        }
        (BadAnswer::Shrunk(_), _) => {
            "Your last answer lost most of the existing memory. Keep its dates, amounts, names and decisions, and add what is new."
        }
        (BadAnswer::Malformed(fault), _) => {
            return format!("Your last answer could not be read ({fault}).");
        }
        (BadAnswer::Other(other), _) => {
            return format!("Your last answer was not accepted ({}).", other.text);
        }
    };
    fault.to_owned()
}

fn english_form(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Memory => "\nAnswer with the bullets alone.",
        AnswerKind::Reply => "\nWrite the reply alone.",
        AnswerKind::Judgment => " Write nothing but JSON in the form shown above.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::languages_of;
    use crate::bindings::errors::{LanguageMismatch, Shrinkage, TokenExcess};

    fn wrong_language() -> BadAnswer {
        BadAnswer::WrongLanguage(LanguageMismatch {
            expected: "Japanese".to_owned(),
            found: "English".to_owned(),
        })
    }

    fn too_long() -> BadAnswer {
        BadAnswer::TooLong(TokenExcess {
            tokens: 900,
            limit: 300,
        })
    }

    #[test]
    fn feedback_is_in_the_language_of_the_conversation() {
        let shrunk = BadAnswer::Shrunk(Shrinkage {
            tokens_before: 1,
            tokens: 2,
            facts_before: 5,
            facts_kept: 6,
        });
        let faults = [
            BadAnswer::Empty,
            BadAnswer::Refusal,
            BadAnswer::Question,
            BadAnswer::PromptRepeated,
            wrong_language(),
            too_long(),
            shrunk,
            BadAnswer::Malformed("reason is missing".to_owned()),
        ];
        for kind in [AnswerKind::Memory, AnswerKind::Reply, AnswerKind::Judgment] {
            for language in [Language::Japanese, Language::English] {
                let texts: std::collections::BTreeSet<String> = faults
                    .iter()
                    .map(|bad| feedback(bad, kind, language))
                    .collect();
                assert_eq!(texts.len(), faults.len(), "each says something else");
                for text in &texts {
                    assert_eq!(languages_of([text.as_str(), text]), [language], "{text}");
                }
            }
        }
    }

    #[test]
    fn feedback_names_numbers_and_languages() {
        let text = feedback(&too_long(), AnswerKind::Memory, Language::Japanese);
        assert!(text.contains("900") && text.contains("300"), "{text}");
        let text = feedback(&wrong_language(), AnswerKind::Memory, Language::Japanese);
        assert!(text.starts_with("前回の回答は英語でした。日本語で"));
        let text = feedback(&wrong_language(), AnswerKind::Memory, Language::English);
        assert!(text.contains("in English. Write in Japanese."));
    }
}
