//! Texts with numbers, names and times in them.

use myao_plugin::state::forgetting::Erased;
use myao_plugin::storage::Coverage;
use myao_plugin::{Engine, ItemKind, ItemState, MemoryType};

use super::labels::{LONG_TERM, SHORT_TERM, WHOLE};
use super::{Text, text};
use crate::language::Language;

fn pick(language: Language, ja: String, en: String) -> String {
    match language {
        Language::Japanese => ja,
        Language::English => en,
    }
}

fn counted(n: u64, thing: &str) -> String {
    match n {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}

pub(crate) fn item_kind(kind: ItemKind) -> Text {
    match kind {
        ItemKind::Decision => text("決定", "Decision"),
        ItemKind::Task => text("作業", "Task"),
        ItemKind::Question => text("質問", "Question"),
        ItemKind::Fact => text("事実", "Fact"),
    }
}

pub(crate) fn item_state(state: ItemState) -> Text {
    match state {
        ItemState::Open => text("未完了", "open"),
        ItemState::Done => text("完了", "done"),
        ItemState::Dropped => text("取り消し", "dropped"),
        ItemState::Superseded => text("置き換え済み", "replaced"),
        ItemState::Unknown => text("状態不明", "state not known"),
    }
}

pub(crate) fn due(day: &str, language: Language) -> String {
    pick(language, format!("{day} まで"), format!("due {day}"))
}

pub(crate) fn version(language: Language, number: u32) -> String {
    pick(
        language,
        format!("第 {number} 版"),
        format!("version {number}"),
    )
}

pub(crate) fn messages(language: Language, n: u64) -> String {
    pick(
        language,
        format!("{n} 件のメッセージ"),
        counted(n, "message"),
    )
}

pub(crate) fn new_messages(language: Language, n: u32) -> String {
    pick(
        language,
        format!("新しい発言 {n} 件"),
        counted(n.into(), "new message"),
    )
}

/// How many messages a line was made from.
pub(crate) fn sources(language: Language, n: usize) -> String {
    let n = u64::try_from(n).unwrap_or(u64::MAX);
    pick(language, format!("出典 {n} 件"), counted(n, "source"))
}

pub(crate) fn records(language: Language, n: usize) -> String {
    let n = u64::try_from(n).unwrap_or(u64::MAX);
    pick(language, format!("{n} 件"), counted(n, "sentence"))
}

pub(crate) fn more(language: Language, n: usize) -> String {
    pick(language, format!("ほか {n} 件"), format!("{n} more"))
}

pub(crate) fn thread(language: Language, channel: &str) -> String {
    pick(
        language,
        format!("#{channel} のスレッド"),
        format!("a thread in #{channel}"),
    )
}

pub(crate) fn failed(language: Language, times: u32) -> String {
    let en = format!("failed {}", counted(times.into(), "time"));
    pick(language, format!("{times} 回失敗"), en)
}

pub(crate) fn failed_calls(language: Language, n: u64) -> String {
    pick(language, format!("失敗 {n} 回"), format!("{n} failed"))
}

pub(crate) fn memory_type(memory_type: MemoryType) -> Text {
    match memory_type {
        MemoryType::ShortTerm => SHORT_TERM,
        MemoryType::LongTerm => LONG_TERM,
    }
}

pub(crate) fn engine(engine: Engine) -> Text {
    match engine {
        Engine::Llm => text("言語モデル", "language model"),
        Engine::Extractive => text("モデルなしの抜粋", "excerpts, without a model"),
        Engine::Imported => text("ほかのプログラムから", "imported"),
    }
}

/// The items that are erased along with a message, and their numbers.
pub(crate) fn erased(erased: &Erased) -> [(usize, Text); 9] {
    [
        (erased.messages, text("メッセージ", "messages")),
        (erased.lines, text("記憶の行", "lines of memories")),
        (
            erased.memories,
            text("その行があった記憶", "memories that these lines stood in"),
        ),
        (
            erased.posts,
            text(
                "ボットの投稿 (Slack では注記に置き換え)",
                "posts of the bot, replaced in Slack by a note",
            ),
        ),
        (
            erased.recordings,
            text("モデルの呼び出しの記録", "recordings of calls of the model"),
        ),
        (
            erased.model_answers,
            text("保存したモデルの回答", "stored answers of the model"),
        ),
        (
            erased.unsent_parts,
            text(
                "まだ送っていない回答の部分",
                "parts of answers that were not sent yet",
            ),
        ),
        (
            erased.events,
            text(
                "適用できなかったイベント",
                "events that could not be applied",
            ),
        ),
        (
            erased.remembered_anew,
            text(
                "次に覚え直すほかのメッセージ",
                "other messages that are remembered anew",
            ),
        ),
    ]
}

/// The input of a text.
pub(crate) fn coverage(language: Language, coverage: &Coverage) -> String {
    let (covered, messages) = (coverage.covered, coverage.messages);
    let left_out = &coverage.left_out;
    let memories = left_out.other_channels + left_out.workspace + left_out.channel;
    let mut parts = vec![if covered < messages {
        let en = format!("{covered} of {messages} messages");
        pick(
            language,
            format!("{messages} 件中 {covered} 件のメッセージから"),
            en,
        )
    } else {
        WHOLE.of(language).to_owned()
    }];
    for (n, ja, en) in [
        (memories, "件の記憶は入りきらず", "memories did not fit"),
        (
            left_out.messages,
            "件の周りのメッセージは入りきらず",
            "messages around it did not fit",
        ),
        (
            coverage.refused,
            "か所はモデルが拒否",
            "parts were refused by the model",
        ),
        (
            coverage.unfounded,
            "か所は根拠がなく削除",
            "unfounded parts were dropped",
        ),
        (coverage.late, "件は遅れて届いた", "messages came late"),
    ] {
        if n > 0 {
            parts.push(pick(language, format!("{n} {ja}"), format!("{n} {en}")));
        }
    }
    parts.join(pick(language, "、".to_owned(), "; ".to_owned()).as_str())
}

/// The cost of a memory's calls.
pub(crate) fn taken(language: Language, taken: &crate::Taken) -> String {
    let crate::Taken {
        calls,
        failed,
        input_tokens,
        output_tokens,
        duration,
        cost,
        ..
    } = taken;
    let models = taken.models.join(", ");
    pick(
        language,
        format!(
            "{models} を {calls} 回 (失敗 {failed} 回)、入力 {input_tokens}・出力 {output_tokens} トークン、{duration}、{cost}"
        ),
        format!(
            "{} of {models} ({failed} failed), {input_tokens} input and {output_tokens} output tokens, {duration}, {cost}",
            counted(*calls, "call")
        ),
    )
}

/// The button that takes back a token.
pub(crate) fn withdraw(name: &str, language: Language) -> String {
    match language {
        Language::Japanese => format!("{name} を取り消す"),
        Language::English => format!("Take back {name}"),
    }
}

/// When somebody may ask again.
pub(crate) fn minutes_left(seconds: i64, language: Language) -> String {
    let minutes = seconds.max(1).saturating_add(59) / 60;
    match language {
        Language::Japanese => format!("約 {minutes} 分後に、もう一度お試しください。"),
        Language::English if minutes == 1 => "Please try again in a minute.".to_owned(),
        Language::English => format!("Please try again in {minutes} minutes."),
    }
}
