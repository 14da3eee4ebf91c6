//! What the model is told when its answer is refused.

use super::{Language, Rejection};

/// The text to put behind the prompt's instruction in the one retry, in Japanese where the
/// prompt is, else in English. It asks for the memory alone, and names what was wrong.
#[must_use]
pub fn feedback(rejection: &Rejection, language: Language) -> String {
    if language == Language::Japanese {
        japanese(rejection)
    } else {
        english(rejection)
    }
}

fn japanese(rejection: &Rejection) -> String {
    let fault = match rejection {
        Rejection::Empty => "前回の回答は空でした。内容のある箇条書きを書いてください。".to_owned(),
        Rejection::Refusal => "前回の回答は要約を断るものでした。これは記録のための要約です。書かれている事実だけをまとめてください。".to_owned(),
        Rejection::Question => "前回の回答は質問でした。必要な内容はすべて上にあります。質問せずに、上の内容をまとめてください。".to_owned(),
        Rejection::PromptRepeated => "前回の回答は指示文や元の文章の写しでした。見出しや指示文を繰り返さず、自分の言葉で短くまとめてください。".to_owned(),
        Rejection::WrongLanguage { expected, found } => format!(
            "前回の回答は{}でした。{}で書いてください。",
            japanese_name(*found),
            japanese_name(*expected)
        ),
        Rejection::TooLong { tokens, limit } => {
            format!("前回の回答は約{tokens}トークンで、長すぎました。{limit}トークン以内に収めてください。")
        }
        Rejection::Shrunk(shrinkage) => format!(
            "前回の回答では、既存の記憶にある{}項目のうち多くが失われました。日付・金額・名前・決定事項を残したまま、新しい内容を加えてください。",
            shrinkage.items_before
        ),
    };
    format!("{fault}\n回答には箇条書きの本文だけを書いてください。")
}

fn japanese_name(language: Language) -> &'static str {
    match language {
        Language::Japanese => "日本語",
        Language::English => "英語",
        Language::Chinese => "中国語",
        Language::Korean => "韓国語",
        Language::Russian => "ロシア語",
        Language::Other => "別の言語",
    }
}

fn english(rejection: &Rejection) -> String {
    let fault = match rejection {
        Rejection::Empty => "Your last answer was empty. Write bullets that say something.".to_owned(),
        Rejection::Refusal => "Your last answer declined. This summary is kept as a record: state only the facts that are written above.".to_owned(),
        Rejection::Question => "Your last answer was a question. Everything you need is above. Summarize it and ask nothing.".to_owned(),
        Rejection::PromptRepeated => "Your last answer repeated the instruction or the text above. Leave out its headings and instructions, and use fewer words of your own.".to_owned(),
        Rejection::WrongLanguage { expected, found } => {
            format!("Your last answer was in {found}. Write in {expected}.")
        }
        Rejection::TooLong { tokens, limit } => {
            format!("Your last answer had about {tokens} tokens, which is too long. Stay within {limit} tokens.")
        }
        Rejection::Shrunk(shrinkage) => format!(
            "Your last answer lost most of the {} things in the existing memory. Keep their dates, amounts, names and decisions, and add what is new.",
            shrinkage.items_before
        ),
    };
    format!("{fault}\nAnswer with the bullets alone.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Shrinkage, languages_of};

    #[test]
    fn feedback_speaks_the_language_of_the_prompt() {
        let shrinkage = Shrinkage {
            tokens_before: 1,
            tokens: 2,
            items_before: 3,
            items: 4,
            facts_before: 5,
            facts_kept: 6,
        };
        let rejections = [
            Rejection::Empty,
            Rejection::Refusal,
            Rejection::Question,
            Rejection::PromptRepeated,
            Rejection::WrongLanguage {
                expected: Language::Japanese,
                found: Language::English,
            },
            Rejection::TooLong {
                tokens: 900,
                limit: 300,
            },
            Rejection::Shrunk(shrinkage),
        ];
        for language in [Language::Japanese, Language::English] {
            let texts: std::collections::BTreeSet<String> = rejections
                .iter()
                .map(|rejection| feedback(rejection, language))
                .collect();
            assert_eq!(texts.len(), rejections.len(), "each says something else");
            for text in &texts {
                assert_eq!(languages_of([text.as_str(), text]), [language], "{text}");
            }
        }
    }

    #[test]
    fn numbers_and_languages_are_told() {
        let rejection = Rejection::TooLong {
            tokens: 900,
            limit: 300,
        };
        let text = feedback(&rejection, Language::Japanese);
        assert!(text.contains("900") && text.contains("300"), "{text}");
        let rejection = Rejection::WrongLanguage {
            expected: Language::Japanese,
            found: Language::English,
        };
        assert!(
            feedback(&rejection, Language::Japanese)
                .starts_with("前回の回答は英語でした。日本語で")
        );
        assert!(feedback(&rejection, Language::English).contains("in English. Write in Japanese."));
        assert_eq!(
            rejection.to_string(),
            "the answer is in English, not in Japanese"
        );
    }
}
