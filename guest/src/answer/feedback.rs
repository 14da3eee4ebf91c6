//! Feedback to the model about its bad answer.

use crate::bindings::errors::{BadAnswer, TokenExcess};
use crate::text::language::Language;

/// The kind of answer that the model was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A memory.
    Memory,
    /// A reply.
    Reply,
    /// A judgment, as JSON.
    Judgment,
}

/// Why the model is asked once more.
#[derive(Clone, Debug, PartialEq)]
pub enum Complaint {
    /// The answer cannot be used.
    Bad(BadAnswer),
    /// The answer was cut off at this many tokens.
    CutOff(u32),
    /// The answer has values that do not follow from the input.
    Unfounded(Vec<String>),
}

impl Complaint {
    /// Returns true if the model can mend its last answer, so that it should see it.
    #[must_use]
    pub fn is_about_parts(&self) -> bool {
        let about_length =
            |bad: &BadAnswer| matches!(bad, BadAnswer::TooLong(_) | BadAnswer::Shrunk(_));
        match self {
            Self::Bad(bad) => about_length(bad),
            Self::CutOff(_) | Self::Unfounded(_) => true,
        }
    }
}

/// The text that is added to the prompt for the one retry: what was wrong, and what to write instead; in Japanese for a
/// Japanese conversation, otherwise in English.
#[must_use]
pub fn feedback(complaint: &Complaint, kind: AnswerKind, language: Language) -> String {
    if language == Language::Japanese {
        let fault = match complaint {
            Complaint::Bad(bad) => japanese(bad, kind),
            Complaint::CutOff(limit) => format!(
                "前回の回答は{limit}トークンの上限に達し、途中で切れました。{limit}トークン以内で最後まで書いてください。{KEEP_JA}"
            ),
            Complaint::Unfounded(values) => format!(
                "前回の回答のうち、次の内容は上の文章から確かめられません：{}。上の文章のとおりに直すか、その行を省いてください。ほかの行は残してください。",
                values.join("、")
            ),
        };
        format!("{fault}{}", japanese_form(kind))
    } else {
        let fault = match complaint {
            Complaint::Bad(bad) => english(bad, kind),
            Complaint::CutOff(limit) => format!(
                "Your last answer reached the limit of {limit} tokens and was cut off. Write all of it within {limit} tokens. {KEEP_EN}"
            ),
            Complaint::Unfounded(values) => format!(
                "These parts of your last answer do not follow from the text above: {}. Correct them as the text says, or leave out their lines. Keep the other lines.",
                values.join(", ")
            ),
        };
        format!("{fault}{}", english_form(kind))
    }
}

/// The last answer, to be mended.
#[must_use]
pub fn last_answer(answer: &str, language: Language) -> String {
    let head = if language == Language::Japanese {
        "前回の回答："
    } else {
        "Your last answer:"
    };
    format!("{head}\n{answer}")
}

/// The parts that stay in a shorter answer.
const KEEP_JA: &str =
    "日付・金額・名前・決定事項・未解決の事項は残し、経緯や言い回しから削ってください。";
/// The same in English.
const KEEP_EN: &str = "Keep dates, amounts, names, decisions and open matters; leave out background and wording first.";

/// By how many percent a length must become shorter.
fn excess_percent(length: &TokenExcess) -> u32 {
    let excess = u64::from(length.tokens.saturating_sub(length.limit)) * 100;
    let percent = excess.div_ceil(u64::from(length.tokens.max(1)));
    u32::try_from(percent).unwrap_or(100)
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
                "前回の回答は約{tokens}トークンで、長すぎました。{}%以上短くし、{limit}トークン以内に収めてください。{KEEP_JA}",
                excess_percent(length)
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
                "Your last answer had about {tokens} tokens, which is too long. Make it at least {}% shorter and stay within {limit} tokens. {KEEP_EN}",
                excess_percent(length)
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
    use crate::bindings::errors::{LanguageMismatch, Shrinkage, TokenExcess};
    use crate::text::language::languages_of;

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
                    .map(|bad| feedback(&Complaint::Bad(bad.clone()), kind, language))
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
        let about = |bad, language| feedback(&Complaint::Bad(bad), AnswerKind::Memory, language);
        let text = about(too_long(), Language::Japanese);
        let numbers = ["900", "300", "67%"].map(|number| text.contains(number));
        assert_eq!(numbers, [true; 3], "{text}");
        let text = about(wrong_language(), Language::Japanese);
        assert!(text.starts_with("前回の回答は英語でした。日本語で"));
        let text = about(wrong_language(), Language::English);
        assert!(text.contains("in English. Write in Japanese."));
    }
}
