//! The texts around quotes, in Japanese and English.

/// The language of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyLanguage {
    /// Japanese.
    Japanese,
    /// English, also used for any other language.
    English,
}

impl ReplyLanguage {
    fn pick(self, japanese: &str, english: &str) -> String {
        match self {
            Self::Japanese => japanese.to_owned(),
            Self::English => english.to_owned(),
        }
    }

    /// Above quotes that answer a question.
    pub(super) fn found(self) -> String {
        self.pick("覚えていることから引用します。", "From what I remember:")
    }

    /// If nothing answers the question.
    pub(super) fn unknown(self) -> String {
        self.pick(
            "それについて覚えていることは見つかりませんでした。",
            "I remember nothing about that.",
        )
    }

    /// Above the newest items of a memory.
    pub(super) fn recent(self, channel: &str) -> String {
        match self {
            Self::Japanese => format!("#{channel} の最近の記憶です。"),
            Self::English => format!("What I last remember of #{channel}:"),
        }
    }

    /// Above what a thread is about.
    pub(super) fn of_thread(self) -> String {
        self.pick("このスレッドの内容です。", "What this thread is about:")
    }

    /// Above the latest messages, if there is no memory yet.
    pub(super) fn said_lately(self, channel: &str) -> String {
        match self {
            Self::Japanese => format!("#{channel} の最近の発言からの抜粋です。"),
            Self::English => format!("From the latest messages of #{channel}:"),
        }
    }

    /// What the bot can do.
    pub(super) fn help(self, name: &str) -> String {
        match self {
            Self::Japanese => format!(
                "{name}です。ここでの会話を覚えていて、聞かれたことに記憶や発言を引用して答えます。\n\
                 たとえば「公開日はいつ？」「最近の状況は？」のように聞いてください。"
            ),
            Self::English => format!(
                "I'm {name}. I remember what is said here, and answer questions by quoting it.\n\
                 Try “When is the launch?” or “What happened lately?”"
            ),
        }
    }

    /// The reply to thanks.
    pub(super) fn welcome(self) -> String {
        self.pick("どういたしまして。", "You're welcome.")
    }

    /// The source of a quote from a channel's memory.
    pub(super) fn memory_of_channel(self, channel: &str) -> String {
        match self {
            Self::Japanese => format!("#{channel} の記憶"),
            Self::English => format!("memory of #{channel}"),
        }
    }

    /// The source of a quote from the workspace's memory.
    pub(super) fn memory_of_workspace(self) -> String {
        self.pick("ワークスペースの記憶", "memory of the workspace")
    }

    /// The source of a quote from a thread's memory.
    pub(super) fn memory_of_thread(self) -> String {
        self.pick("スレッドの記憶", "memory of a thread")
    }

    /// The text of a link to a message or thread.
    pub(super) fn link(self) -> String {
        self.pick("リンク", "link")
    }

    /// A bullet with a quote and its source.
    pub(super) fn bullet(self, text: &str, origin: &[String]) -> String {
        match self {
            Self::Japanese => format!("- 「{text}」（{}）", origin.join("、")),
            Self::English => format!("- “{text}” ({})", origin.join(", ")),
        }
    }
}
