//! The slash command `/memory` and its arguments.

/// The slash command.
pub(crate) const COMMAND: &str = "/memory";
/// How many versions `history` shows without a number.
const DEFAULT_HISTORY: u32 = 5;
/// How many versions `history` shows at most: a message has room for 50 blocks.
pub const MAX_HISTORY: u32 = 20;

/// A request to the bot.
///
/// Exhaustive on purpose: a bot must answer each command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// The channel's memories: `/memory`, `show`, `表示`.
    Show,
    /// Versions of the short-term memory: `history`, `履歴`, and a number of them.
    History {
        /// From 1 to [`MAX_HISTORY`].
        count: u32,
    },
    /// The messages that a memory was made from: `sources`, `出典`, and which memory.
    Sources {
        /// Which memory.
        of: SourcesOf,
    },
    /// Messages that the person may see, by their content: `search`, `検索`, and words.
    Search {
        /// As they were typed; empty if there are none.
        words: String,
    },
    /// The conversation since a time: `since friday`, `金曜日から`, `3月2日以降`.
    Since {
        /// The whole text, as it was typed; empty if it names no time.
        when: String,
    },
    /// Decisions: `decisions`, `決定`, and words that the decisions are about.
    Decisions {
        /// As they were typed; empty if there are none.
        about: String,
    },
    /// Questions that nobody answered, and open tasks: `open`, `未解決`, and words behind it.
    Open {
        /// As they were typed; empty if there are none.
        about: String,
    },
    /// The main points of a thread: `thread`, `スレッド`, and a link to one of its messages.
    Thread {
        /// As it was typed; empty if there is none.
        link: String,
    },
    /// Stops or resumes remembering the person's messages: `off me`, `オフ 自分`, `on me`, `オン 自分`.
    OffRecord {
        /// True to stop remembering them; `None` if the person only asks.
        is_off: Option<bool>,
    },
    /// How the bot takes part in this channel: `mode`, `モード`, and a mode.
    Mode {
        /// The mode to set; `None` if the person only asks.
        wanted: Option<Mode>,
    },
    /// The list of commands: `help`, `ヘルプ`, and anything else.
    Help {
        /// The text, if it is not a command.
        unknown: Option<String>,
    },
}

/// How a bot takes part in a channel.
///
/// Exhaustive on purpose: a bot must know what to do in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It remembers nothing, and answers nothing: `off`, `オフ`.
    Off,
    /// It only remembers: `remember`, `記憶`.
    Remember,
    /// It answers mentions: `answer`, `回答`.
    Answer,
    /// It also answers what nobody else has answered: `join`, `参加`.
    Join,
}

/// The memory whose sources somebody asks to see.
///
/// Exhaustive on purpose: a bot must answer each question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourcesOf {
    /// The newest version of the short-term memory.
    Newest,
    /// A version: its number, `3` or `v3`.
    Version(u32),
    /// The long-term memory: `so far`, `これまで`.
    LongTerm,
}

/// Reads the `text` of a slash command (<https://docs.slack.dev/interactivity/implementing-slash-commands>). Numbers may
/// be full-width, and a version may be written `v3`.
#[must_use]
pub fn parse_command(text: &str) -> Command {
    let words: Vec<String> = text.split_whitespace().map(narrow).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let command = match *words.as_slice() {
        [] | ["show" | "表示" | "記憶"] => Some(Command::Show),
        ["history" | "versions" | "履歴"] => Some(Command::History {
            count: DEFAULT_HISTORY,
        }),
        ["history" | "versions" | "履歴", count] => number(count).map(|count| Command::History {
            count: count.min(MAX_HISTORY),
        }),
        ["sources" | "source" | "出典"] => Some(Command::Sources {
            of: SourcesOf::Newest,
        }),
        ["sources" | "source" | "出典", "so", "far"]
        | ["sources" | "source" | "出典", "これまで"] => Some(Command::Sources {
            of: SourcesOf::LongTerm,
        }),
        ["sources" | "source" | "出典", version] => {
            let version = number(version.trim_start_matches('v'));
            let of = version.map(SourcesOf::Version);
            of.map(|of| Command::Sources { of })
        }
        ["search" | "find" | "検索", ..] => Some(Command::Search {
            words: behind_first_word(text),
        }),
        [
            "decisions" | "decision" | "決定" | "決定事項" | "決まったこと",
            ..,
        ] => Some(Command::Decisions {
            about: behind_first_word(text),
        }),
        ["open" | "todo" | "未解決" | "残り", ..] => Some(Command::Open {
            about: behind_first_word(text),
        }),
        ["thread" | "スレッド", ..] => Some(Command::Thread {
            link: behind_first_word(text),
        }),
        ["since" | "から" | "以降"] => Some(Command::Since {
            when: String::new(),
        }),
        ["since", ..] => Some(Command::Since {
            when: text.trim().to_owned(),
        }),
        ["off" | "オフ" | "on" | "オン"] => Some(Command::OffRecord { is_off: None }),
        ["off" | "オフ", "me" | "自分" | "私"] => {
            Some(Command::OffRecord { is_off: Some(true) })
        }
        ["on" | "オン", "me" | "自分" | "私"] => Some(Command::OffRecord {
            is_off: Some(false),
        }),
        ["mode" | "モード"] => Some(Command::Mode { wanted: None }),
        ["mode" | "モード", name] => mode(name).map(|mode| Command::Mode { wanted: Some(mode) }),
        ["help" | "?" | "ヘルプ" | "使い方"] => Some(Command::Help { unknown: None }),
        [.., last] if last.ends_with("から") || last.ends_with("以降") => {
            Some(Command::Since {
                when: text.trim().to_owned(),
            })
        }
        _ => None,
    };
    command.unwrap_or_else(|| Command::Help {
        unknown: Some(text.trim().to_owned()),
    })
}

impl Mode {
    /// Its name in English.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Remember => "remember",
            Self::Answer => "answer",
            Self::Join => "join",
        }
    }
}

/// The mode with a name in either language.
pub(crate) fn mode(name: &str) -> Option<Mode> {
    Some(match name {
        "off" | "オフ" => Mode::Off,
        "remember" | "記憶" => Mode::Remember,
        "answer" | "回答" => Mode::Answer,
        "join" | "参加" => Mode::Join,
        _ => return None,
    })
}

fn behind_first_word(text: &str) -> String {
    let behind = text.trim().split_once(char::is_whitespace);
    behind.map_or("", |(_, words)| words).trim().to_owned()
}

fn number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|number| *number > 0)
}

/// The word in lower case, with ASCII in place of full-width letters and digits.
fn narrow(word: &str) -> String {
    let plain = |c: char| match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    };
    word.chars().map(plain).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn words_of_both_languages_are_commands() {
        let history = |count| Command::History { count };
        let sources = |of| Command::Sources { of };
        let search = |words: &str| Command::Search {
            words: words.to_owned(),
        };
        let since = |when: &str| Command::Since {
            when: when.to_owned(),
        };
        let decisions = |about: &str| Command::Decisions {
            about: about.to_owned(),
        };
        let thread = |link: &str| Command::Thread {
            link: link.to_owned(),
        };
        let open = |about: &str| Command::Open {
            about: about.to_owned(),
        };
        let off_record = |is_off| Command::OffRecord { is_off };
        let mode = |wanted| Command::Mode { wanted };
        for (text, expected) in [
            ("off", off_record(None)),
            ("Off me", off_record(Some(true))),
            ("オフ　自分", off_record(Some(true))),
            ("on me", off_record(Some(false))),
            ("mode", mode(None)),
            ("Mode JOIN", mode(Some(Mode::Join))),
            ("モード　記憶", mode(Some(Mode::Remember))),
            ("mode answer", mode(Some(Mode::Answer))),
            ("モード オフ", mode(Some(Mode::Off))),
            ("", Command::Show),
            ("  \u{3000}", Command::Show),
            ("show", Command::Show),
            ("表示", Command::Show),
            ("history", history(DEFAULT_HISTORY)),
            ("HISTORY 3", history(3)),
            ("履歴　１２", history(12)),
            ("history 1000", history(MAX_HISTORY)),
            ("sources", sources(SourcesOf::Newest)),
            ("出典 3", sources(SourcesOf::Version(3))),
            ("source v3", sources(SourcesOf::Version(3))),
            ("Sources SO FAR", sources(SourcesOf::LongTerm)),
            ("出典　これまで", sources(SourcesOf::LongTerm)),
            ("search  Crane, A-1234 ", search("Crane, A-1234")),
            ("検索　監視 ツール", search("監視 ツール")),
            ("Search", search("")),
            ("since", since("")),
            ("Since  last friday ", since("Since  last friday")),
            ("金曜日から", since("金曜日から")),
            ("3月2日 以降", since("3月2日 以降")),
            ("検索 昨日から", search("昨日から")),
            ("decisions", decisions("")),
            ("Decisions about  Crane", decisions("about  Crane")),
            ("決定　監視", decisions("監視")),
            ("Open", open("")),
            ("未解決　先週から", open("先週から")),
            (
                "thread <https://a.slack.com/archives/C1/p1> ",
                thread("<https://a.slack.com/archives/C1/p1>"),
            ),
            ("スレッド", thread("")),
            ("ヘルプ", Command::Help { unknown: None }),
            ("？", Command::Help { unknown: None }),
        ] {
            assert_eq!(parse_command(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for text in [
            "delete",
            "history all",
            "history 0",
            "sources -1",
            "show 2 3",
            "忘れて",
            "off everybody",
            "on and on",
            "mode loud",
        ] {
            let unknown = Some(text.to_owned());
            assert_eq!(
                parse_command(&format!(" {text} ")),
                Command::Help { unknown }
            );
        }
    }
}
