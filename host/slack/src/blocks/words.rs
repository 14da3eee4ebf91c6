//! Headings and hints around the memories, in Japanese and in English.

use std::fmt::Display;

use super::Moment;
use crate::command::Mode;

/// The language of headings and hints. Memories are shown as they are.
///
/// Exhaustive on purpose: every text of the bot exists in each language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// 日本語。
    Japanese,
    /// English.
    English,
}

use Language::{English, Japanese};

impl Language {
    /// The language of a text, as far as its letters show it; names (`@myao`) are ignored.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let is_japanese = |c: char| matches!(c, 'ぁ'..='ヿ' | '一'..='鿿');
        let words = || {
            text.split_whitespace()
                .filter(|word| !word.starts_with('@'))
        };
        if words().any(|word| word.contains(is_japanese)) {
            return Some(Japanese);
        }
        let is_english = words().any(|word| word.contains(|c: char| c.is_ascii_alphabetic()));
        is_english.then_some(English)
    }
}

/// The fixed texts.
pub(super) struct Words {
    pub(super) home: &'static str,
    pub(super) workspace: &'static str,
    pub(super) channels: &'static str,
    pub(super) no_workspace: &'static str,
    pub(super) nothing: &'static str,
    pub(super) nothing_in_channel: &'static str,
    pub(super) nothing_with_bot: &'static str,
    pub(super) nothing_in_direct: &'static str,
    pub(super) recent: &'static str,
    pub(super) long_term: &'static str,
    pub(super) home_hint: &'static str,
    pub(super) channel_hint: &'static str,
    pub(super) nothing_left: &'static str,
    pub(super) no_sources: &'static str,
    pub(super) no_source_of_line: &'static str,
    pub(super) records: &'static str,
    pub(super) search_hint: &'static str,
    pub(super) nothing_found: &'static str,
    pub(super) since_hint: &'static str,
    pub(super) thread_hint: &'static str,
    pub(super) no_thread: &'static str,
    pub(super) quoted: &'static str,
    pub(super) thread_window: &'static str,
    pub(super) close: &'static str,
    pub(super) off_record_title: &'static str,
    pub(super) mine: &'static str,
    pub(super) off_record_help: &'static str,
    pub(super) off_me: &'static str,
    pub(super) on_me: &'static str,
    pub(super) no_channel: &'static str,
    pub(super) mode_title: &'static str,
    pub(super) mode_set: &'static str,
    pub(super) mode_off: &'static str,
    pub(super) mode_not_allowed: &'static str,
    pub(super) mode_only_admins: &'static str,
    pub(super) is_off_there: &'static str,
    pub(super) is_off_here: &'static str,
    pub(super) help: &'static str,
    pub(super) help_title: &'static str,
}

const JAPANESE: Words = Words {
    home: "覚えていること",
    workspace: "ワークスペース全体",
    channels: "チャンネル",
    no_workspace: "まだありません。チャンネルの記憶ができると、ここにまとめます。",
    nothing: "まだ何も覚えていません。覚えてほしいチャンネルに招待してください（チャンネルで `/invite`）。\
              会話が一段落すると、最初の記憶ができます。",
    nothing_in_channel: "このチャンネルの記憶はまだありません。招待されていて（`/invite`）会話が一段落すると、\
                         最初の記憶ができます。",
    nothing_with_bot: "ここでの会話の記憶はまだありません。ここに何か書いて、会話が一段落すると、最初の記憶ができます。",
    nothing_in_direct: "人どうしのダイレクトメッセージのことは覚えません。チャンネルや、私とのダイレクトメッセージで `/memory` と打つと、そこの記憶を見られます。",
    recent: "最近の出来事",
    long_term: "これまでのこと",
    home_hint: "チャンネルで `/memory` と打つと、そのチャンネルの記憶を見られます。使い方は `/memory ヘルプ`。",
    channel_hint: "これまでの版は `/memory 履歴`、もとになったメッセージは `/memory 出典`。",
    nothing_left: "消されたため、何も残っていません。",
    no_sources: "もとになったメッセージの記録がありません。",
    no_source_of_line: "出典はわかりません",
    records: "そのまま残していること",
    search_hint: "探す言葉を書いてください: `/memory 検索 言葉`",
    nothing_found: "見つかりませんでした。言葉を減らすか、別の言葉で試してください。",
    since_hint: "いつからかを書いてください: `/memory 金曜日から`",
    thread_hint: "スレッドのメッセージのリンクをコピーして、続けて書いてください: `/memory スレッド リンク`",
    no_thread: "あなたが見られて、まとめられるスレッドは、そこに見つかりませんでした。",
    quoted: "おもな発言",
    thread_window: "スレッドの要点",
    close: "閉じる",
    off_record_title: "覚えるかどうか",
    mine: "あなたの発言",
    off_record_help: "• `/memory オフ 自分` — これからのあなたの発言を、どこでも覚えません（`off me`）\n\
                      • `/memory オン 自分` — また覚えます（`on me`）\n\
                      • `/memory モード` — このチャンネルのことはこちら（`mode`）",
    off_me: "これからのあなたの発言は、どのチャンネルでも覚えません。私へのメンションやダイレクトメッセージにも答えません。`/memory 検索` などは使えます。\n\
             これまでの発言はそのままです。消すには管理者に頼むか、`/memory オン 自分` のあとで、そのスレッドで「忘れて」とメンションしてください。\n\
             戻すには `/memory オン 自分`。",
    on_me: "これからのあなたの発言を覚えます。その間の発言は、このあとも覚えません。",
    no_channel: "ここは私が参加しているチャンネルではありません。あなたの発言を覚えないようにするには `/memory オフ 自分`。",
    mode_title: "このチャンネルでの動き",
    mode_set: "これからはこうします。",
    mode_off: "これからのこのチャンネルの発言は覚えず、ここでのメンションにも答えません。\n\
               これまでの記憶はそのままです。消すには、運用者が `myao forget --channel` を使います。戻せるのはワークスペースの管理者か運用者です。",
    mode_only_admins: "このチャンネルのことは覚えないことになっています。戻せるのはワークスペースの管理者だけです。",
    mode_not_allowed: "ほかの組織の人やゲストは変えられません。このチャンネルにいるワークスペースのメンバーに頼んでください。",
    is_off_there: "今は覚えていません",
    is_off_here: "このチャンネルの発言は今は覚えていません。管理者が `/memory モード` で変えられます。",
    help_title: "/memory の使い方",
    help: "• `/memory` — このチャンネルの記憶\n\
           • `/memory 履歴 [件数]` — これまでの版（`history`）\n\
           • `/memory 出典 [版|これまで]` — 各行のもとになったメッセージ（`sources`）\n\
           • `/memory 金曜日から` — そのときからの決定・質問・作業とその結果、おもな発言（`since`）\n\
           • `/memory 決定 [@人] [#チャンネル] [言葉]` — 決まったこと（`decisions`）\n\
           • `/memory 未解決 [@人] [#チャンネル] [言葉]` — 答えのない質問と、残っている作業（`open`）\n\
           • `/memory スレッド リンク` — スレッドの記憶と要点（`thread`）\n\
           • `/memory 検索 言葉` — あなたが見られるメッセージを探す（`search`）\n\
           • `/memory オフ 自分` — あなたの発言を覚えないようにする（`off me`、戻すには `on me`）\n\
           • `/memory モード` — このチャンネルで覚えるか、答えるか、自分からも答えるか（`mode`）\n\
           • `/memory ヘルプ` — この説明（`help`）\n\
           答えはあなただけに見えます。",
};

const ENGLISH: Words = Words {
    home: "What I remember",
    workspace: "The whole workspace",
    channels: "Channels",
    no_workspace: "Nothing yet. It appears here once channels have memories.",
    nothing: "I remember nothing yet. Invite me to the channels that I should remember (`/invite` in the channel). \
              The first memory is made once a conversation has been quiet for a while.",
    nothing_in_channel: "There is no memory of this channel yet. The first is made once I am a member (`/invite`) and a \
                         conversation has been quiet for a while.",
    nothing_with_bot: "There is no memory of our conversation yet. Write to me here; the first is made once it has been quiet for a while.",
    nothing_in_direct: "I remember nothing of direct messages between people. `/memory` in a channel, or in our own direct message, shows what I remember of it.",
    recent: "Recent events",
    long_term: "So far",
    home_hint: "`/memory` in a channel shows what I remember of it; `/memory help` says more.",
    channel_hint: "Earlier versions: `/memory history`. The messages behind them: `/memory sources`.",
    nothing_left: "There is nothing left of it: all of it was taken back.",
    no_sources: "No messages are recorded for it.",
    no_source_of_line: "no source is known",
    records: "Kept word for word",
    search_hint: "Write what to look for: `/memory search words`",
    nothing_found: "Nothing is found. Try fewer or other words.",
    since_hint: "Write from when: `/memory since friday`",
    thread_hint: "Copy the link to a message of the thread, and write it behind the command: `/memory thread LINK`",
    no_thread: "I found no thread there that you may see and that says something.",
    quoted: "What was said",
    thread_window: "Thread in short",
    close: "Close",
    off_record_title: "Whether I remember",
    mine: "Your messages",
    off_record_help: "• `/memory off me` — I remember nothing that you say from now on, in any channel\n\
                      • `/memory on me` — I remember again\n\
                      • `/memory mode` — what I do in this channel",
    off_me: "From now on I remember nothing that you say, in any channel, and do not answer when you mention me or write to me. \
             `/memory search` and the like still work.\n\
             What you said before stays. To remove it, ask an admin; or mention me with “forget” in a message's thread, after \
             `/memory on me`.\n\
             `/memory on me` takes this back.",
    on_me: "From now on I remember what you say. What you said in the meantime stays unremembered.",
    no_channel: "This is no channel that I am in. `/memory off me` stops me from remembering what you say.",
    mode_title: "What I do in this channel",
    mode_set: "From now on:",
    mode_off: "From now on I remember nothing that is said in this channel, and do not answer when I am mentioned here.\n\
               What I remember from before stays. To remove it, the operator uses `myao forget --channel`. Only an admin of the workspace, or the operator, can end this.",
    mode_only_admins: "Nothing is to be remembered in this channel. Only admins of the workspace can end that.",
    mode_not_allowed: "Guests and people of other organisations cannot change it. Ask a member of the workspace who is in this channel.",
    is_off_there: "not remembered at present",
    is_off_here: "I do not remember what is said in this channel at present. `/memory mode`, from an admin, changes that.",
    help_title: "How to use /memory",
    help: "• `/memory` — what I remember of this channel\n\
           • `/memory history [count]` — its earlier versions\n\
           • `/memory sources [version|so far]` — the messages that each line was made from\n\
           • `/memory since friday` — what was decided, asked and is to do since then, what became of it, and what was said\n\
           • `/memory decisions [@person] [#channel] [words]` — what was decided\n\
           • `/memory open [@person] [#channel] [words]` — questions without an answer, and what is to do\n\
           • `/memory thread link` — the memory of a thread, and its main points\n\
           • `/memory search words` — messages that you may see\n\
           • `/memory off me` — stop remembering you (`on me`: begin again)\n\
           • `/memory mode` — what I do in this channel: remember, answer, join in\n\
           • `/memory help` — this text\n\
           Only you see the answers.",
};

impl Language {
    pub(super) fn words(self) -> &'static Words {
        match self {
            Japanese => &JAPANESE,
            English => &ENGLISH,
        }
    }

    /// The command that sets a mode, and the mode in words.
    pub(super) fn mode(self, mode: Mode) -> (&'static str, &'static str) {
        match (self, mode) {
            (Japanese, Mode::Off) => ("モード オフ", "何も覚えず、答えません"),
            (Japanese, Mode::Remember) => ("モード 記憶", "覚えるだけで、メンションにも答えません"),
            (Japanese, Mode::Answer) => ("モード 回答", "覚えて、メンションに答えます"),
            (Japanese, Mode::Join) => (
                "モード 参加",
                "覚えて、メンションに答え、誰も答えない発言にも、役に立つとモデルが判断したら答えます",
            ),
            (English, Mode::Off) => ("mode off", "I remember nothing, and answer nothing"),
            (English, Mode::Remember) => {
                ("mode remember", "I only remember, and answer no mention")
            }
            (English, Mode::Answer) => {
                ("mode answer", "I remember, and answer when I am mentioned")
            }
            (English, Mode::Join) => (
                "mode join",
                "I remember, answer when I am mentioned, and answer what nobody else answers if a model judges that it helps",
            ),
        }
    }

    /// A mode as one of a list; the longest text is 75 characters.
    pub(super) fn mode_in_short(self, mode: Mode) -> &'static str {
        match (self, mode) {
            (Japanese, Mode::Off) => "何も覚えない",
            (Japanese, Mode::Remember) => "覚えるだけ",
            (Japanese, Mode::Answer) => "メンションに答える",
            (Japanese, Mode::Join) => "自分からも答える",
            (English, Mode::Off) => "Remember nothing",
            (English, Mode::Remember) => "Only remember",
            (English, Mode::Answer) => "Answer mentions",
            (English, Mode::Join) => "Join in",
        }
    }

    /// Says that there is no memory yet, with a remedy.
    pub(super) fn nothing_here(self, is_direct: bool) -> &'static str {
        let words = self.words();
        if is_direct {
            words.nothing_with_bot
        } else {
            words.nothing_in_channel
        }
    }

    /// Says that the budget of the day is used up, and until when.
    pub(super) fn out_of_budget(self, asks_again: impl Display) -> String {
        match self {
            Japanese => format!(
                "今日使える予算を使い切りました。{asks_again} から、また質問に答え、新しい記憶を作ります。"
            ),
            English => format!(
                "The budget for today is used up. From {asks_again} on I answer questions and make new memories again."
            ),
        }
    }

    pub(super) fn channel_title(self, channel: &str) -> String {
        match self {
            Japanese => format!("#{channel} の記憶"),
            English => format!("What I remember of #{channel}"),
        }
    }

    pub(super) fn history_title(self, channel: &str) -> String {
        match self {
            Japanese => format!("#{channel} の記憶の履歴"),
            English => format!("Memories of #{channel}"),
        }
    }

    pub(super) fn sources_title(self, channel: &str, version: u32) -> String {
        match self {
            Japanese => format!("#{channel} の記憶 {version} の出典"),
            English => format!("Sources of memory {version} of #{channel}"),
        }
    }

    pub(super) fn long_term_sources_title(self, channel: &str) -> String {
        match self {
            Japanese => format!("#{channel} のこれまでのことの出典"),
            English => format!("Sources of #{channel} so far"),
        }
    }

    /// Says if messages of `what` are remembered; `since` is when that ended.
    pub(super) fn off_record(self, what: &str, since: Option<Moment>) -> String {
        match (self, since) {
            (Japanese, None) => format!("{what}: 覚えます。"),
            (Japanese, Some(since)) => format!("{what}: {since} から覚えていません。"),
            (English, None) => format!("{what}: remembered."),
            (English, Some(since)) => format!("{what}: not remembered since {since}."),
        }
    }

    pub(super) fn search_title(self, words: &str) -> String {
        match self {
            Japanese => format!("「{words}」の検索"),
            English => format!("Search for “{words}”"),
        }
    }

    pub(super) fn thread_title(self, channel: &str, messages: u32) -> String {
        match self {
            Japanese => format!("#{channel} のスレッドの要点（{messages} 件のメッセージから）"),
            English => format!(
                "A thread in #{channel}: the main points of {}",
                counted(messages, "message")
            ),
        }
    }

    pub(super) fn version(self, version: u32) -> String {
        match self {
            Japanese => format!("記憶 {version}"),
            English => format!("Memory {version}"),
        }
    }

    pub(super) fn versions(self, count: u32) -> String {
        match self {
            Japanese => format!("全 {count} 版"),
            English => counted(count, "version"),
        }
    }

    pub(super) fn sources(self, links: &str) -> String {
        match self {
            Japanese => format!("出典: {links}"),
            English => format!("sources: {links}"),
        }
    }

    pub(super) fn corrections(self, said: &str) -> String {
        match self {
            Japanese => format!("訂正: {said}"),
            English => format!("corrected: {said}"),
        }
    }

    pub(super) fn messages(self, count: u32) -> String {
        match self {
            Japanese => format!("{count} 件のメッセージから"),
            English => format!("from {}", counted(count, "message")),
        }
    }

    /// Says how much of a text is hidden, and how to show it.
    pub(super) fn more_text(self, chars: usize, how: &str) -> String {
        match self {
            Japanese => format!("続き {chars} 文字: `{how}`"),
            English => format!("{}: `{how}`", counted(chars, "more character")),
        }
    }

    pub(super) fn more_channels(self, count: usize) -> String {
        match self {
            Japanese => format!("ほかに {count} チャンネル: `myao memory list`"),
            English => format!("{}: `myao memory list`", counted(count, "more channel")),
        }
    }

    pub(super) fn more_versions(self, count: u32, how: &str) -> String {
        match self {
            Japanese => format!("ほかに {count} 版: `{how}`"),
            English => format!("{}: `{how}`", counted(count, "more version")),
        }
    }

    pub(super) fn more_messages(self, count: u32, how: &str) -> String {
        match self {
            Japanese => format!("ほかに {count} 件: `{how}`"),
            English => format!("{}: `{how}`", counted(count, "more message")),
        }
    }

    pub(super) fn more_lines(self, count: u32, how: &str) -> String {
        match self {
            Japanese => format!("ほかに {count} 行: `{how}`"),
            English => format!("{}: `{how}`", counted(count, "more line")),
        }
    }

    pub(super) fn no_version(self, version: u32) -> String {
        match self {
            Japanese => format!(
                "このチャンネルに記憶 {version} はありません。ある版は `/memory 履歴` で見られます。"
            ),
            English => {
                format!(
                    "This channel has no memory {version}. `/memory history` shows which there are."
                )
            }
        }
    }

    /// Names a text that is not a command; it is escaped.
    pub(super) fn unknown(self, what: &str) -> String {
        match self {
            Japanese => format!("「{what}」はわかりません。できることは次のとおりです。"),
            English => format!("I do not know “{what}”. This is what I can do:"),
        }
    }
}

/// A number of things, in English.
fn counted(count: impl Display, thing: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {thing}{plural}")
}
