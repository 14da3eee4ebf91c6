//! Words that show what somebody wants to know. Lists are divided by `|`.

/// Words of questions that say nothing about their subject, beside the stop words of `extractive::terms`.
pub(super) const ASKING: &str = "何|誰|教|今|知|話|言|事|人|時|方|思|件|使|願|様|疲|何時|何日|何月|何件|何人|何台|何個|何回|何曜日|質問|\
    今回|現在|確認|お願い|スレッド|チャンネル|会話|内容|\
    tell|please|remember|anyone|anything|anybody|something|someone|everyone|somebody|find|give|show|help|happened|happen|did|\
    again|question|could|able|quick|much|many|does|hello|hi|hey|morning|evening|afternoon|night|thanks|thank|thx|cheers|ok|\
    okay|guys|folks|there|said|says|told|asked|since|current|currently|supposed|hear|heard|thread|channel|conversation|content";

/// Words that say when, and what is on then: much is said of a day that has nothing to do with the question. Longer ones,
/// as 今週末, are made of these.
pub(super) const WHEN: &str = "今日|本日|明日|昨日|後日|明後日|一昨日|今朝|今夜|今週|来週|先週|再来|週末|今月|来月|先月|月末|今年|来年|去年|年末|予定|\
    today|tomorrow|yesterday|tonight|day|days|week|weeks|weekend|month|months|year|years|next|last|\
    happening|plan|plans|planned|schedule|scheduled";

/// Words that ask for an overview.
pub(super) const RECAPS: &str = "最近|状況|近況|まとめ|要約|経緯|これまで|今まで|進捗|振り返|何があった|なにがあった|どうなって|\
    recap|summary|summarize|summarise|what's new|whats new|what happened|catch me up|latest|lately|recent|recently|status|\
    overview|so far|missed|miss|update|updates|going on";

/// Words that ask for the bot itself.
pub(super) const HELPS: &str = "何ができ|なにができ|使い方|つかいかた|ヘルプ|自己紹介|あなたは誰|何者|\
    help|what can you do|what do you do|who are you|how do you work|how does this work";

/// Thanks.
pub(super) const THANKS: &str = "ありがと|サンキュ|thank|thx";

/// A kind of thing that is wanted.
pub(super) struct Wanted {
    /// Words of a question that wants it.
    pub(super) asking: &'static str,
    /// Whether a digit is a sign of it.
    pub(super) digits: bool,
    /// Other signs of it in an answer.
    pub(super) signs: &'static str,
}

/// Times, amounts, people, reasons and places.
pub(super) const WANTED: &[Wanted] = &[
    Wanted {
        asking: "いつ|何時|何日|何曜|期限|締切|締め切り|日程|when|deadline|what time|what day|date",
        digits: true,
        signs: "曜|明日|来週|今週|月末|monday|tuesday|wednesday|thursday|friday|tomorrow",
    },
    Wanted {
        asking: "いくら|いくつ|何台|何人|何件|何個|何回|何秒|どのくらい|金額|how much|how many|how long|how big",
        digits: true,
        signs: "",
    },
    Wanted {
        asking: "誰|だれ|どなた|担当|who|whose|owner",
        digits: false,
        signs: "担当|さん|owner|owns|assigned|takes",
    },
    Wanted {
        asking: "なぜ|なんで|どうして|理由|原因|why|reason|cause",
        digits: false,
        signs: "ため|から|ので|原因|理由|because|due to|cause",
    },
    Wanted {
        asking: "どこ|url|リンク|場所|where|link",
        digits: false,
        signs: "://",
    },
];

/// The words of a list.
pub(super) fn listed(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split('|').filter(|word| !word.is_empty())
}

/// Whether a word of a list is of some kind.
pub(super) fn any(list: &'static str, is: impl Fn(&str) -> bool) -> bool {
    listed(list).any(is)
}
