//! Refusals and questions in place of a summary.

use super::contains_any;

const UNABLE: &[&str] = &[
    "i can't",
    "i cannot",
    "i can not",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "i am not able",
    "i won't",
    "i will not",
    "i don't have",
    "i do not have",
    "i'm not comfortable",
    "i must decline",
    "i couldn't",
    "i could not",
    "i have to decline",
];
const APOLOGIES: &[&str] = &[
    "i'm sorry",
    "i am sorry",
    "sorry",
    "i apologize",
    "i apologise",
    "my apologies",
    "apologies",
    "unfortunately",
    "regrettably",
    "i'm afraid",
    "i am afraid",
    "i can't",
    "i cannot",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "i am not able",
    "i won't",
    "i must decline",
    "i have to decline",
    "as an ai",
    "as a language model",
    "as a large language model",
    "as an assistant",
    "i'm just an ai",
    "i am an ai",
    "i'm an ai",
];
const SELF: &[&str] = &[
    "as an ai",
    "as a language model",
    "as a large language model",
    "i'm an ai",
    "i am an ai",
];
const UNABLE_JA: &[&str] = &[
    "できません",
    "出来ません",
    "できかねます",
    "致しかねます",
    "いたしかねます",
    "お答えできない",
    "応じられません",
    "応じかねます",
    "控えさせていただ",
    "お断り",
    "できない",
    "ありません",
];
const TASKS_JA: &[&str] = &[
    "要約",
    "会話の",
    "お手伝い",
    "お力に",
    "リクエスト",
    "ご要望",
    "ご依頼",
    "お答え",
    "回答",
    "生成",
    "応じ",
    "お応え",
    "aiとして",
    "言語モデル",
    "aiアシスタント",
    "この内容",
    "そのような",
];

/// Whether a sentence declines the task.
pub(in crate::answer) fn is_refusal(sentence: &str) -> bool {
    let english = APOLOGIES.iter().any(|head| sentence.starts_with(head))
        && (contains_any(sentence, UNABLE) || SELF.iter().any(|head| sentence.starts_with(head)));
    let japanese = || {
        // An apology holds one of the phrases itself.
        let said = sentence.replace("申し訳ありません", "");
        contains_any(&said, UNABLE_JA) && contains_any(sentence, TASKS_JA)
    };
    english || japanese()
}

const REQUESTS: &[&str] = &[
    "please provide",
    "please share",
    "please paste",
    "please send",
    "please specify",
    "please clarify",
    "please give me",
    "please upload",
    "please tell me",
    "could you",
    "can you",
    "can i",
    "would you",
    "i need",
    "kindly provide",
    "provide the",
    "share the",
];
const MATERIAL: &[&str] = &[
    "conversation",
    "message",
    "thread",
    "channel",
    "text",
    "content",
    "memory",
    "memories",
    "summar",
    "details",
    "information",
    "transcript",
    "context",
    "chat",
    "history",
];
const QUESTIONS_AT_HEAD: &[&str] = &[
    "which thread",
    "which channel",
    "which conversation",
    "which messages",
    "what would you like",
    "what do you want me",
    "how can i help",
    "how can i assist",
    "how may i",
    "would you like me",
    "do you want me to",
    "should i summarize",
    "should i summarise",
    "shall i",
];
const MISSING: &[&str] = &[
    "i don't see any",
    "i do not see any",
    "i don't have the conversation",
    "there is no conversation",
    "there are no messages to",
    "no conversation was provided",
    "no conversation has been provided",
    "it looks like you haven't",
    "it seems you haven't",
    "it seems that you haven't",
    "you haven't provided",
    "it looks like you didn't",
    "it seems like you didn't",
    "it seems that the conversation",
    "it looks like the",
    "it seems like the",
    "i'm ready to summar",
    "i am ready to summar",
];
const MATERIAL_JA: &[&str] = &[
    "要約",
    "会話",
    "メッセージ",
    "スレッド",
    "チャンネル",
    "内容",
    "テキスト",
    "記憶",
    "履歴",
    "情報",
    "ログ",
    "文章",
];
const REQUESTS_JA: &[&str] = &[
    "提供",
    "教えて",
    "送って",
    "お送り",
    "貼り付け",
    "共有",
    "入力して",
    "指定",
    "提示",
    "お知らせ",
    "お聞かせ",
    "ご用意",
];
const ASKS_JA: &[&str] = &[
    "ください",
    "下さい",
    "いただけますか",
    "いただけますでしょうか",
    "もらえますか",
    "お願いします",
    "お願いいたします",
    "お願い致します",
    "ますか",
    "ですか",
    "でしょうか",
    "ましょうか",
];
const WHICH_JA: &[&str] = &[
    "どのスレッド",
    "どのチャンネル",
    "どの会話",
    "どのメッセージ",
    "どの部分",
    "どちらのスレッド",
    "どちらの会話",
    "何を要約",
    "何をお手伝い",
    "どのように要約",
    "どのようにまとめ",
    "どのような要約",
    "どのようなご用件",
    "要約しましょうか",
    "よろしいでしょうか",
];
/// What all of [`MISSING_JA`] end with.
const NEGATION_JA: &str = "ません";
const MISSING_JA: &[&str] = &[
    "含まれていません",
    "含まれておりません",
    "見当たりません",
    "提供されていません",
    "示されていません",
    "共有されていません",
    "入力されていません",
    "記載されていません",
    "が見つかりません",
];

/// Whether a sentence asks the reader for what is to be summarised, or what to do with it.
pub(in crate::answer) fn is_question_back(sentence: &str) -> bool {
    let plain = sentence.trim_end_matches(['?', '。', '.', '!', ' ']);
    let start = plain
        .trim_start_matches("sorry, ")
        .trim_start_matches("but ");
    let at_head = |heads: &[&str]| heads.iter().any(|head| start.starts_with(head));
    let english = at_head(QUESTIONS_AT_HEAD)
        || at_head(MISSING) && contains_any(plain, MATERIAL)
        || at_head(REQUESTS) && contains_any(plain, MATERIAL);
    let asks = ASKS_JA.iter().any(|end| plain.ends_with(end));
    let japanese = asks && contains_any(plain, REQUESTS_JA) && contains_any(plain, MATERIAL_JA)
        || asks && contains_any(plain, WHICH_JA)
        || plain.contains(NEGATION_JA)
            && contains_any(plain, MISSING_JA)
            && contains_any(plain, &["要約", "会話", "統合"]);
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
