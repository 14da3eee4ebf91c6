//! The texts around quotes, in Japanese and English.

use crate::bindings::types::Source;
use crate::extractive::messages::local_date;
use crate::text::language::Language;

/// Texts in Japanese, and in English for any other language.
impl Language {
    fn pick(self, japanese: &str, english: &str) -> String {
        match self {
            Self::Japanese => japanese.to_owned(),
            _ => english.to_owned(),
        }
    }

    /// Above the messages that are closest to a question.
    pub(in crate::responder) fn closest(self) -> String {
        self.pick("近い発言です。", "Closest messages:")
    }

    /// If nothing is close to a question.
    pub(in crate::responder) fn unknown(self) -> String {
        self.pick(
            "それについて覚えていることは見つかりませんでした。",
            "I found nothing about that.",
        )
    }

    /// A model's answer that names none of the sources that it was given.
    pub(in crate::responder) fn without_source(self, text: &str) -> String {
        let mark = self.pick("（出典なし）", "(no source)");
        let before = match self {
            _ if text.ends_with("```") => "\n",
            Self::Japanese => "",
            _ => " ",
        };
        format!("{text}{before}{mark}")
    }

    /// Stands for a link to a source where there is none.
    pub(in crate::responder) fn reference(self, source: &Source) -> String {
        let date = source.timestamp.and_then(local_date);
        let author = source.user.iter().map(|user| user.name.clone());
        let origin: Vec<String> = match source.user {
            Some(_) => author.chain(date).collect(),
            None => vec![self.memory_of(&source.channel_name)],
        };
        match self {
            Self::Japanese => format!("（{}）", origin.join("、")),
            _ => format!("({})", origin.join(", ")),
        }
    }

    /// The source of a line of a memory: of a channel, or of the workspace.
    pub(in crate::responder) fn memory_of(self, channel: &str) -> String {
        match channel {
            "" => self.memory_of_workspace(),
            channel => self.memory_of_channel(channel),
        }
    }

    /// Above the newest items of a memory.
    pub(in crate::responder) fn recent(self, channel: &str) -> String {
        match self {
            Self::Japanese => format!("#{channel} の最近の記憶です。"),
            _ => format!("What I last remember of #{channel}:"),
        }
    }

    /// Above what a thread is about.
    pub(in crate::responder) fn of_thread(self) -> String {
        self.pick("このスレッドの内容です。", "What this thread is about:")
    }

    /// Above the latest messages, if there is no memory yet.
    pub(in crate::responder) fn said_lately(self, channel: &str) -> String {
        match self {
            Self::Japanese => format!("#{channel} の最近の発言からの抜粋です。"),
            _ => format!("From the latest messages of #{channel}:"),
        }
    }

    /// The abilities of the bot.
    pub(in crate::responder) fn help(self, name: &str) -> String {
        match self {
            Self::Japanese => format!(
                "{name}です。ここでの会話を覚えていて、聞かれたことに記憶や発言を引用して答えます。\n\
                 たとえば「公開日はいつ？」「最近の状況は？」のように聞いてください。"
            ),
            _ => format!(
                "I'm {name}. I remember what is said here, and answer questions by quoting it.\n\
                 Try “When is the launch?” or “What happened lately?”"
            ),
        }
    }

    /// The reply to thanks.
    pub(in crate::responder) fn welcome(self) -> String {
        self.pick("どういたしまして。", "You're welcome.")
    }

    /// The answer to what is to be remembered.
    pub(in crate::responder) fn noted(self, said: &str) -> String {
        match self {
            Self::Japanese => format!("覚えました: {said}"),
            _ => format!("Noted: {said}"),
        }
    }

    /// The answer to a correction.
    pub(in crate::responder) fn corrected(self, said: &str) -> String {
        match self {
            Self::Japanese => format!("訂正を覚えました: {said}"),
            _ => format!("Noted the correction: {said}"),
        }
    }

    /// The effect of a correction.
    pub(in crate::responder) fn outranks(self) -> String {
        self.pick(
            "これより古い記録に優先します。消される行は、訂正した人が選んだものだけです。",
            "It outranks what was said before. It strikes only what its author picks.",
        )
    }

    /// How a mark is undone.
    pub(in crate::responder) fn undone(self) -> String {
        self.pick(
            "取り消すには、その発言を編集するか削除してください。",
            "To undo it, edit or delete your message.",
        )
    }

    /// If somebody may not mark anything.
    pub(in crate::responder) fn may_not_mark(self) -> String {
        self.pick(
            "覚えておくことや訂正を頼めるのは、このワークスペースのメンバーだけです。",
            "Only members of this workspace can ask me to remember or correct something.",
        )
    }

    fn memory_of_channel(self, channel: &str) -> String {
        match self {
            Self::Japanese => format!("#{channel} の記憶"),
            _ => format!("memory of #{channel}"),
        }
    }

    fn memory_of_workspace(self) -> String {
        self.pick("ワークスペースの記憶", "memory of the workspace")
    }

    /// A bullet with a quote and its source.
    pub(in crate::responder) fn bullet(self, text: &str, origin: &[String]) -> String {
        match self {
            Self::Japanese => format!("- 「{text}」（{}）", origin.join("、")),
            _ => format!("- “{text}” ({})", origin.join(", ")),
        }
    }
}
