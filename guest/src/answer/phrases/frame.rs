//! Titles, lead-ins and offers around a summary.

use super::contains_any;

const TITLES: &[&str] = &[
    "要約",
    "要約結果",
    "会話の要約",
    "まとめ",
    "サマリー",
    "記憶",
    "長期記憶",
    "短期記憶",
    "統合結果",
    "summary",
    "conversation summary",
    "summary of the conversation",
    "thread summary",
    "channel summary",
    "memory",
    "updated memory",
    "merged memory",
    "output",
    "answer",
];

/// Whether a line is only the title of a summary.
pub(in crate::answer) fn is_title(line: &str) -> bool {
    TITLES.contains(&line.trim_end_matches([':', ' ']))
}

const SUBJECTS: &[&str] = &[
    "summar",
    "bullet",
    "memory",
    "memories",
    "merged",
    "recap",
    "overview",
    "要約",
    "まとめ",
    "記憶",
    "統合",
    "箇条書き",
    "整理",
];
const ACKNOWLEDGEMENTS: &[&str] = &[
    "sure",
    "certainly",
    "of course",
    "okay",
    "ok,",
    "ok!",
    "ok.",
    "absolutely",
    "got it",
    "understood",
    "no problem",
    "はい",
    "承知",
    "了解",
    "かしこまりました",
    "わかりました",
    "分かりました",
    "もちろん",
];
const ANNOUNCEMENTS: &[&str] = &[
    "here is",
    "here's",
    "here are",
    "below is",
    "below are",
    "the following",
    "this is a summary",
    "this is the summary",
    "i have summarized",
    "i've summarized",
    "以下",
    "こちら",
    "次のとおり",
    "次の通り",
    "会話を要約",
    "要約します",
    "要約しました",
    "要約すると",
    "要約いたします",
    "まとめました",
    "まとめます",
];

/// Whether a line announces a summary.
pub(in crate::answer) fn is_lead_in(line: &str) -> bool {
    let (_, rest) = split_acknowledgement(line);
    ANNOUNCEMENTS.iter().any(|head| rest.starts_with(head)) && contains_any(line, SUBJECTS)
}

/// The longest acknowledgement that says nothing else, in characters.
const MAX_ACKNOWLEDGEMENT: usize = 20;

/// Whether a line only says that the work will be done.
pub(in crate::answer) fn is_acknowledgement(line: &str) -> bool {
    let (acknowledges, rest) = split_acknowledgement(line);
    acknowledges
        && line.chars().count() <= MAX_ACKNOWLEDGEMENT
        && line.ends_with(['.', '!', '。'])
        && (rest.is_empty() || contains_any(rest, SUBJECTS))
}

/// Whether a line begins with an acknowledgement, and what follows the sentence of it.
fn split_acknowledgement(line: &str) -> (bool, &str) {
    if !ACKNOWLEDGEMENTS.iter().any(|head| line.starts_with(head)) {
        return (false, line);
    }
    let end = line.find(['!', '.', ',', '。', '、']);
    let rest = end.and_then(|end| line.get(end..)).unwrap_or_default();
    (
        true,
        rest.trim_start_matches(['!', '.', ',', '。', '、', ' ']),
    )
}

const OFFERS_AT_HEAD: &[&str] = &[
    "let me know",
    "please let me know",
    "feel free",
    "please feel free",
    "if you need",
    "if you have any",
    "if you'd like",
    "if you would like",
    "if you want me",
    "would you like me",
    "do you want me to",
    "i hope this",
    "hope this helps",
    "hope that helps",
    "is there anything else",
    "don't hesitate",
    "please don't hesitate",
];
const OFFERS: &[&str] = &[
    "お気軽に",
    "お申し付け",
    "お声がけ",
    "お声掛け",
    "お役に立て",
    "ご質問があれば",
    "ご質問がありましたら",
    "ご不明な点",
    "以上が要約",
    "以上が会話の要約",
    "いつでもどうぞ",
    "お知らせください",
    "お聞かせください",
    "必要でしたら",
    "ご希望でしたら",
];
const ENDS: &[&str] = &[
    "以上です。",
    "以上です",
    "以上になります。",
    "以上。",
    "以上",
];

/// Whether a line behind a summary offers more, or says that it is over.
pub(in crate::answer) fn is_offer(line: &str) -> bool {
    OFFERS_AT_HEAD.iter().any(|head| line.starts_with(head))
        || contains_any(line, OFFERS)
        || ENDS.contains(&line)
}
