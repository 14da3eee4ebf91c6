//! The ways out of a place, which `trespasses.txt` lists, one line each.

use myao_tests::conversation::{START, ts};

/// The channel for which the component is called.
pub(crate) const OWN: &str = "COWN";
/// Another public channel.
pub(crate) const OPEN: &str = "COPEN";
/// A private channel.
pub(crate) const HR: &str = "CHR";
/// A public channel with guests.
pub(crate) const GUEST: &str = "CGUEST";

const TABLE: &str = include_str!("trespasses.txt");

/// What the component is called for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Call {
    /// To make memories of [`OWN`], …
    Channel,
    /// … of [`GUEST`], …
    Guest,
    /// … of a thread of [`OWN`], …
    Thread,
    /// … or of the workspace.
    Workspace,
    /// To decide what is due.
    Schedule,
    /// To answer in the thread of [`OWN`].
    Reply,
    /// The same without having been asked.
    Unasked,
    /// To decide whether to answer there.
    Judge,
    /// To put a context together for [`OWN`].
    Look,
    /// To answer a question that is asked in [`OWN`], and not posted, …
    Asked,
    /// … or by the operator.
    Operator,
}

impl Call {
    fn named(name: &str) -> Self {
        match name {
            "channel" => Self::Channel,
            "guest" => Self::Guest,
            "thread" => Self::Thread,
            "workspace" => Self::Workspace,
            "schedule" => Self::Schedule,
            "reply" => Self::Reply,
            "unasked" => Self::Unasked,
            "judge" => Self::Judge,
            "look" => Self::Look,
            "asked" => Self::Asked,
            "operator" => Self::Operator,
            other => panic!("{other}"),
        }
    }

    /// The place that an error names.
    pub(crate) fn place(self) -> String {
        match self {
            Self::Workspace => "the workspace".to_owned(),
            Self::Schedule => "the schedule".to_owned(),
            Self::Operator => "the operator".to_owned(),
            Self::Guest => format!("channel {GUEST}"),
            _ => format!("channel {OWN}"),
        }
    }
}

/// How it ends.
pub(crate) enum Expected {
    /// The call ends with an error that says so.
    Refused(String),
    /// It goes on, and gets nothing private and none of these words.
    Without(Vec<String>),
}

/// A call, what the component does in it, and how that ends.
pub(crate) struct Row {
    pub(crate) call: Call,
    pub(crate) commands: String,
    pub(crate) expected: Expected,
}

/// Ids of memories that exist.
pub(crate) struct Known {
    pub(crate) own: u64,
    pub(crate) hr: u64,
    pub(crate) workspace: u64,
}

pub(crate) fn rows(known: &Known) -> Vec<Row> {
    // The longer names first.
    let values = [
        ("$target_ts", ts(START + 60, 1).to_string()),
        ("$own_thread", format!("{OWN}:{}", ts(START, 1))),
        ("$own_ts", ts(START, 1).to_string()),
        ("$own", known.own.to_string()),
        ("$hr_thread", format!("{HR}:{}", ts(START, 3))),
        ("$hr_ts", ts(START, 3).to_string()),
        ("$hr", known.hr.to_string()),
        ("$workspace", known.workspace.to_string()),
    ];
    let table = values
        .iter()
        .fold(TABLE.to_owned(), |table, (name, value)| {
            table.replace(name, value)
        });
    let lines = table.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(of_line).collect()
}

fn of_line(line: &str) -> Vec<Row> {
    let columns: Vec<&str> = line.split(" | ").collect();
    let [calls, commands, expected] = columns[..] else {
        panic!("{line}");
    };
    let row = |call| Row {
        call: Call::named(call),
        commands: commands.replace(';', "\n"),
        expected: match expected.split_once(':') {
            Some(("refused", action)) => Expected::Refused(action.trim().to_owned()),
            Some(("without", words)) => {
                Expected::Without(words.split_whitespace().map(str::to_owned).collect())
            }
            _ => panic!("{line}"),
        },
    };
    calls.split(',').map(row).collect()
}
