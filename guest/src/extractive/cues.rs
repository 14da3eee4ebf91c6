//! Words that show what a sentence does: decide, ask, or only keep the talk going.

/// Words of decisions, duties, dates to keep and causes found, with their weights.
/// Japanese is looked for anywhere, English between word boundaries.
const DECISIONS: &[(&str, f64)] = &[
    // Decided.
    ("決定", 1.3),
    ("決まり", 1.2),
    ("決まっ", 1.2),
    ("決めま", 1.2),
    ("決めた", 1.2),
    ("ことにし", 1.3),
    ("ことにな", 1.2),
    ("ことにする", 1.3),
    ("確定", 1.2),
    ("合意", 1.3),
    ("承認", 1.2),
    ("採用", 1.1),
    ("却下", 1.2),
    ("結論", 1.2),
    ("方針", 1.0),
    ("にします", 0.3),
    ("しましょう", 0.6),
    ("にしましょう", 0.9),
    ("でいきます", 1.0),
    ("でいきましょう", 1.0),
    ("でいこう", 0.9),
    ("見送", 1.1),
    ("中止", 1.1),
    ("廃止", 1.1),
    ("延期", 1.2),
    ("変更", 0.8),
    ("切り替え", 0.7),
    ("移行", 0.7),
    ("統一", 0.7),
    // Duties and dates.
    ("期限", 1.2),
    ("締め切り", 1.2),
    ("締切", 1.2),
    ("〆切", 1.2),
    ("納期", 1.2),
    ("担当", 1.2),
    ("リリース", 0.7),
    ("公開", 0.5),
    ("予定", 0.5),
    ("までに", 0.7),
    ("予算", 0.8),
    ("契約", 0.8),
    ("見積", 0.6),
    ("必須", 0.6),
    ("禁止", 0.9),
    ("宿題", 0.8),
    ("引き継", 0.8),
    ("対応します", 0.6),
    ("お願いします", 0.1),
    // What happened and why.
    ("原因", 1.1),
    ("障害", 0.8),
    ("復旧", 1.0),
    ("修正", 0.6),
    ("解決", 0.9),
    ("直り", 0.8),
    ("完了", 0.6),
    ("判明", 1.0),
    ("回避策", 0.9),
    ("再発防止", 1.0),
    ("不具合", 0.5),
    ("失敗", 0.4),
    // English.
    ("decided", 1.3),
    ("decision", 1.2),
    ("agreed", 1.3),
    ("approved", 1.2),
    ("rejected", 1.2),
    ("confirmed", 1.0),
    ("settled", 1.0),
    ("go with", 1.1),
    ("going with", 1.2),
    ("went with", 1.1),
    ("final", 0.5),
    ("we'll", 0.6),
    ("will", 0.4),
    ("must", 0.4),
    ("postponed", 1.2),
    ("cancelled", 1.1),
    ("canceled", 1.1),
    ("dropping", 0.7),
    ("moved to", 0.8),
    ("switch to", 0.7),
    ("switching", 0.7),
    ("migrate", 0.6),
    ("deprecated", 0.8),
    ("deadline", 1.2),
    ("due", 1.0),
    ("owner", 1.1),
    ("owns", 1.1),
    ("will own", 1.0),
    ("takes over", 0.9),
    ("assigned", 1.1),
    ("todo", 1.0),
    ("action item", 1.2),
    ("responsible", 0.8),
    ("take over", 0.7),
    ("ship", 0.7),
    ("ships", 0.8),
    ("shipped", 0.9),
    ("shipping", 0.7),
    ("release", 0.5),
    ("released", 0.9),
    ("launch", 0.7),
    ("deployed", 0.8),
    ("merged", 0.7),
    ("budget", 0.8),
    ("contract", 0.7),
    ("freeze", 0.7),
    ("root cause", 1.3),
    ("caused by", 1.2),
    ("turns out", 0.8),
    ("fixed", 0.9),
    ("the fix", 0.8),
    ("solved", 0.9),
    ("resolved", 0.9),
    ("solution", 0.8),
    ("workaround", 0.9),
    ("rolled back", 1.1),
    ("rollback", 0.9),
    ("outage", 0.9),
    ("incident", 0.7),
    ("blocked", 0.7),
    ("blocker", 0.8),
    ("regression", 0.7),
    ("the problem was", 1.2),
    ("deprecate", 0.8),
];

/// The most that such words can add.
const MOST_DECISION: f64 = 2.4;

/// Greetings, thanks, laughter, and what chat programs write when people come and go.
const CHATTER: &[&str] = &[
    "おはよう",
    "こんにちは",
    "こんばんは",
    "お疲れ",
    "おつかれ",
    "ありがと",
    "よろしく",
    "了解",
    "承知",
    "なるほど",
    "いいね",
    "すごい",
    "さすが",
    "おめでと",
    "お願いします",
    "助かります",
    "行ってきます",
    "いってらっしゃい",
    "ただいま",
    "おかえり",
    "すみません",
    "ごめん",
    "楽しみ",
    "hello",
    "hi",
    "hey",
    "good morning",
    "morning",
    "good night",
    "thanks",
    "thank you",
    "thx",
    "cheers",
    "ok",
    "okay",
    "cool",
    "nice",
    "great",
    "sure",
    "sorry",
    "np",
    "no problem",
    "brb",
    "welcome",
    "congrats",
    "see you",
    "sounds good",
    "got it",
    "makes sense",
    "joined the channel",
    "left the channel",
    "さんが参加しました",
    "が退出しました",
];

/// Talk that is not about the work, whatever numbers it names.
const SMALL_TALK: &[&str] = &[
    "お昼",
    "ランチ",
    "お弁当",
    "コーヒー",
    "笑",
    "ｗｗ",
    "lunch",
    "coffee",
    "lol",
    "haha",
    "hehe",
];

/// How much a sentence decides, assigns, dates or explains; 0 for not at all.
pub(crate) fn decision(folded_lower: &str) -> f64 {
    let found = DECISIONS
        .iter()
        .filter(|(cue, _)| contains(folded_lower, cue));
    let mut weights: Vec<f64> = found.map(|(_, weight)| *weight).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    // Every further cue says half as much as the one before.
    let sum: f64 = weights
        .iter()
        .rev()
        .fold(0.0, |rest, weight| weight + rest / 2.0);
    sum.min(MOST_DECISION)
}

/// Whether the sentence greets, thanks, laughs or nods.
pub(crate) fn is_chatter(folded_lower: &str) -> bool {
    CHATTER.iter().any(|cue| contains(folded_lower, cue))
}

/// Whether the sentence is about lunch and the like.
pub(super) fn is_small_talk(folded_lower: &str) -> bool {
    SMALL_TALK.iter().any(|cue| contains(folded_lower, cue))
}

/// Whether the sentence asks.
pub(crate) fn is_question(folded_lower: &str) -> bool {
    let text = folded_lower.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    let endings = [
        "?",
        "ですか",
        "ますか",
        "でしょうか",
        "ませんか",
        "ましたか",
        "ましょうか",
        "かな",
        "だっけ",
    ];
    endings.iter().any(|ending| text.ends_with(ending))
}

fn contains(text: &str, cue: &str) -> bool {
    if !cue.is_ascii() {
        return text.contains(cue);
    }
    text.match_indices(cue).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + cue.len()..).and_then(|t| t.chars().next());
        let bounds = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_');
        bounds(before) && bounds(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_told_from_talk() {
        assert!(decision("リリースは来週に延期することにしました。") > 1.2);
        assert!(decision("we agreed: bob owns the migration") > 1.2);
        assert!(
            decision("the willow is duel") == 0.0,
            "cues are whole words"
        );
        assert!(decision("今日は暑いですね") == 0.0);
        assert!(is_chatter("thanks a lot!") && !is_chatter("this okayed nothing"));
        assert!(is_question("いつ出ますか。") && is_question("really?") && !is_question("yes."));
    }
}
