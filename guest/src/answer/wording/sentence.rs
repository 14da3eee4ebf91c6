//! Sentences that decline, or ask back.

use crate::phrases::{Phrases, phrases};

const UNABLE: Phrases = phrases!("english/unable.txt");
const APOLOGIES: Phrases = phrases!("english/apologies.txt");
const UNABLE_JA: Phrases = phrases!("japanese/unable.txt");
const TASKS_JA: Phrases = phrases!("japanese/tasks.txt");

/// Returns true if a sentence declines the task.
pub(in crate::answer) fn is_refusal(sentence: &str) -> bool {
    let english = APOLOGIES.starts(sentence) && UNABLE.is_in(sentence);
    let japanese = || {
        // The apology itself contains one of the phrases.
        let said = sentence.replace("申し訳ありません", "");
        UNABLE_JA.is_in(&said) && TASKS_JA.is_in(sentence)
    };
    english || japanese()
}

const REQUESTS: Phrases = phrases!("english/requests.txt");
const MATERIAL: Phrases = phrases!("english/material.txt");
const QUESTIONS_AT_HEAD: Phrases = phrases!("english/questions-back.txt");
const MISSING: Phrases = phrases!("english/missing-material.txt");
const MATERIAL_JA: Phrases = phrases!("japanese/material.txt");
const REQUESTS_JA: Phrases = phrases!("japanese/requests.txt");
const ASKS_JA: Phrases = phrases!("japanese/request-endings.txt");
const WHICH_JA: Phrases = phrases!("japanese/questions-back.txt");
const MISSING_JA: Phrases = phrases!("japanese/missing-material.txt");

/// Returns true if a sentence asks for the text to summarise, or what to do with it.
pub(in crate::answer) fn is_question_back(sentence: &str) -> bool {
    let plain = sentence.trim_end_matches(['?', '。', '.', '!', ' ']);
    let start = plain
        .trim_start_matches("sorry, ")
        .trim_start_matches("but ");
    let asks_for = MISSING.starts(start) || REQUESTS.starts(start);
    let english = QUESTIONS_AT_HEAD.starts(start) || asks_for && MATERIAL.is_in(plain);
    let asks = ASKS_JA.ends(plain);
    let japanese = asks && REQUESTS_JA.is_in(plain) && MATERIAL_JA.is_in(plain)
        || asks && WHICH_JA.is_in(plain)
        || MISSING_JA.is_in(plain)
            && ["要約", "会話", "統合"]
                .iter()
                .any(|word| plain.contains(word));
    english || japanese
}

#[cfg(test)]
mod tests {
    use super::super::folded;
    use super::*;

    #[test]
    fn sentences_that_decline_are_found() {
        let refusals = [
            "申し訳ありませんが、この内容を要約することはできません。",
            "申し訳ございませんが、ご要望にはお応えできません。",
            "AIとして、個人的な会話の要約には応じかねます。",
            "I’m sorry, but I can’t help with that.",
            "As an AI language model, I do not have access to it.",
            "I cannot summarize this conversation.",
            "Unfortunately, I am unable to assist.",
        ];
        for text in refusals {
            assert!(is_refusal(&folded(text)), "{text}");
        }
        let others = [
            "申し訳ありません、遅れます",
            "bob: 申し訳ありません、会議に出席できません",
            "Unfortunately, the release cannot ship on Friday.",
            "bob says: I'm sorry, but I can't come",
            "残念ながら公開は延期になった。",
        ];
        for text in others {
            assert!(!is_refusal(&folded(text)), "{text}");
        }
    }

    #[test]
    fn sentences_that_ask_back_are_found() {
        let questions = [
            "要約する会話を提供してください。",
            "どのスレッドですか？",
            "要約対象のメッセージが提供されていません。",
            "どの部分を要約しましょうか？",
            "Please provide the conversation you would like me to summarize.",
            "Which thread do you mean?",
            "Could you share the messages?",
            "I don't see any conversation here.",
            "How can I help you today?",
        ];
        for text in questions {
            assert!(is_question_back(&folded(text)), "{text}");
        }
        let others = [
            "bob asked alice to please share the log.",
            "田中さんがログを共有してくださいと依頼した。",
            "公開日は未定ですか？",
            "Which colour the button gets is open.",
            "alice: could you share the messages?",
        ];
        for text in others {
            assert!(!is_question_back(&folded(text)), "{text}");
        }
    }
}
