//! Where `myao chat` reads its lines: a person at a terminal, or a script.

use std::fs;
use std::io::{BufRead as _, IsTerminal as _, StdinLock, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

use crate::cli::output;

/// How many lines the history keeps.
const HISTORY: usize = 1000;
/// The history's file, in the folder that [`state_folder`] finds.
const HISTORY_FILE: &str = "myao/chat-history";
/// Printed when somebody leaves a line.
const ONCE_MORE: &str = "Ctrl-C once more ends the conversation.";

pub(super) enum Lines {
    /// A person at a terminal.
    Terminal(Box<Terminal>),
    /// A script.
    Plain(StdinLock<'static>),
}

impl Lines {
    pub(super) fn open() -> anyhow::Result<Self> {
        if std::io::stdin().is_terminal() && output::in_terminal() {
            Ok(Self::Terminal(Box::new(Terminal::open()?)))
        } else {
            Ok(Self::Plain(std::io::stdin().lock()))
        }
    }

    /// Returns true if a person types them.
    pub(super) fn are_typed(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// The next line; `None` if there are no more. Blocks.
    pub(super) fn next(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        match self {
            Self::Terminal(terminal) => terminal.next(prompt),
            Self::Plain(input) => {
                let mut line = String::new();
                let read = input.read_line(&mut line);
                let read = read.context("cannot read standard input: it is to be text in UTF-8")?;
                Ok((read > 0).then_some(line))
            }
        }
    }
}

/// A line editor with the history of earlier conversations.
pub(super) struct Terminal {
    editor: DefaultEditor,
    /// `None` if no history is kept.
    history: Option<PathBuf>,
}

impl Terminal {
    fn open() -> anyhow::Result<Self> {
        let config = Config::builder()
            .auto_add_history(true)
            .max_history_size(HISTORY)?
            .build();
        let editor = DefaultEditor::with_config(config);
        let mut editor = editor.context("cannot read lines from this terminal")?;
        let history = state_folder().map(|folder| folder.join(HISTORY_FILE));
        let history = history.filter(|file| keep_to_owner(file));
        if let Some(file) = &history {
            // There is none before the first conversation.
            let _ = editor.load_history(file);
        }
        Ok(Self { editor, history })
    }

    /// The next line. The first Ctrl-C leaves a line, and one more the conversation.
    fn next(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        let mut was_left = false;
        loop {
            match self.editor.readline(prompt) {
                Ok(line) => {
                    self.keep();
                    return Ok(Some(line));
                }
                Err(ReadlineError::Interrupted) if !was_left => {
                    was_left = true;
                    writeln!(output::stdout(), "{ONCE_MORE}")?;
                }
                Err(ReadlineError::Eof | ReadlineError::Interrupted) => return Ok(None),
                Err(error) => return Err(error).context("cannot read from the terminal"),
            }
        }
    }

    /// Adds the new lines to the file.
    fn keep(&mut self) {
        let Some(file) = &self.history else {
            return;
        };
        if let Err(error) = self.editor.append_history(file) {
            let file = file.display();
            output::tell(&format!("warning: the history {file} is not kept: {error}"));
            self.history = None;
        }
    }
}

/// Makes the history's folder and file, readable by their owner only; returns true if they exist.
fn keep_to_owner(file: &Path) -> bool {
    let Some(folder) = file.parent() else {
        return false;
    };
    let mut make = fs::DirBuilder::new();
    let mut open = fs::OpenOptions::new();
    make.recursive(true);
    open.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        make.mode(0o700);
        open.mode(0o600);
    }
    make.create(folder).is_ok() && open.open(file).is_ok()
}

/// Where programs keep their state: `$XDG_STATE_HOME` or `~/.local/state`.
fn state_folder() -> Option<PathBuf> {
    let folder = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))
}
