//! Formats times, tables that fit the terminal, progress and JSON. Everything that the program prints goes through this
//! file, so that no text from elsewhere can control the terminal ([`myao_plugin::printable`]).

use std::io::{self, IsTerminal as _, Stderr, StdoutLock, Write};
use std::time::Duration;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, presets};
use indicatif::{ProgressBar, ProgressStyle};
pub(super) use myao_bot::reading::times::{rfc3339, time};
use myao_plugin::printable;
use myao_plugin::printable::{Printable, line};
use serde_json::Value;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The width if the output is not a terminal.
const WIDTH_WITHOUT_TERMINAL: u16 = 100;
/// The width of the widest header above narrow cells.
const MIN_COLUMN_WIDTH: usize = 7;
/// A shorter excerpt is useless; on a terminal that is too narrow it wraps instead.
const MIN_EXCERPT_WIDTH: usize = 20;

/// Standard output, with errors that name it.
pub(super) struct Stdout(StdoutLock<'static>);

/// Standard output for text, in which nothing can control the terminal. Text that must stay on one line (names, errors)
/// goes through [`line`] as well.
pub(super) fn stdout() -> Printable<Stdout> {
    Printable::new(raw_stdout(), printable::lines)
}

/// Standard output for the unchanged bytes of a text: only if no terminal reads them.
#[allow(clippy::disallowed_methods, reason = "the one place that prints")]
pub(super) fn raw_stdout() -> Stdout {
    Stdout(io::stdout().lock())
}

/// Standard error for log lines, which were made printable before.
#[allow(clippy::disallowed_methods, reason = "the one place that prints")]
pub(super) fn raw_stderr() -> Stderr {
    io::stderr()
}

/// Returns true if standard output is a terminal.
pub(super) fn in_terminal() -> bool {
    raw_stdout().0.is_terminal()
}

/// Returns true if standard output may have colours: in a terminal, unless the environment has `NO_COLOR`
/// (<https://no-color.org>).
pub(super) fn has_colours() -> bool {
    in_terminal() && wants_colours()
}

/// Returns true unless the environment has `NO_COLOR`.
pub(super) fn wants_colours() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Prints one line to standard error. If that is closed too, only the exit code shows the result.
pub(super) fn tell(text: &str) {
    let _ = writeln!(raw_stderr(), "{}", line(text));
}

/// The same for errors.
pub(crate) fn complain(text: &str) {
    tell(&format!("myao: {text}"));
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(of_stdout)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(of_stdout)
    }
}

fn of_stdout(error: io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("cannot write to standard output: {error}"),
    )
}

pub(super) fn print_json(value: &Value) -> anyhow::Result<()> {
    let mut out = Printable::new(raw_stdout(), printable::json);
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Prints a value of a list, in one line.
pub(super) fn print_json_line(value: &Value) -> anyhow::Result<()> {
    let mut out = Printable::new(raw_stdout(), printable::json);
    writeln!(out, "{value}")?;
    Ok(())
}

/// A table without a frame that wraps its cells to fit the terminal.
pub(super) struct Table(comfy_table::Table);

pub(super) fn table(header: &[&str]) -> Table {
    let mut table = comfy_table::Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width());
    table.set_header(header);
    Table(table)
}

impl Table {
    /// Adds a row. Each cell is kept to one line.
    pub(super) fn add_row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        let cells = cells.into_iter();
        self.0
            .add_row(cells.map(|cell| line(cell.as_ref()).into_owned()));
    }

    /// Adds a row whose cells may have several lines.
    pub(super) fn add_row_of_lines(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        let cells = cells.into_iter().map(|cell| {
            let lines: Vec<_> = cell.as_ref().lines().map(line).collect();
            lines.join("\n")
        });
        self.0.add_row(cells);
    }

    /// Aligns all columns from `first` on to the right.
    pub(super) fn align_right_from(&mut self, first: usize) {
        for column in self.0.column_iter_mut().skip(first) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }

    /// Never breaks a cell of the first column.
    pub(super) fn keep_first_column_whole(&mut self) {
        if let Some(column) = self.0.column_mut(0) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
}

/// The terminal's width, in columns.
fn width() -> u16 {
    let terminal = in_terminal()
        .then(|| comfy_table::Table::new().width())
        .flatten();
    // Some terminals do not know how wide they are.
    terminal
        .filter(|width| *width > 0)
        .unwrap_or(WIDTH_WITHOUT_TERMINAL)
}

/// The width that is left for one more column next to the widest cells of the others.
pub(super) fn room_beside<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> usize {
    let widest = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.width())
            .max()
            .unwrap_or(0)
    };
    // A cell has a space at each side; a header may be a little wider than its cells.
    let taken: usize = (0..COLUMNS)
        .map(|column| widest(column).max(MIN_COLUMN_WIDTH) + 2)
        .sum();
    usize::from(width())
        .saturating_sub(taken + 2)
        .max(MIN_EXCERPT_WIDTH)
}

/// Prints a table without trailing spaces.
pub(super) fn print_table(table: &Table) -> anyhow::Result<()> {
    let mut out = stdout();
    for line in table.0.to_string().lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The first line of a text that is not a note about the text, cut to a display width; a wide character takes two
/// columns.
pub(super) fn excerpt(text: &str, width: usize) -> String {
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with(['-', '*', '・']))
        .or_else(|| text.lines().next())
        .unwrap_or_default()
        .trim();
    let line = printable::line(line);
    if line.width() <= width {
        return line.into_owned();
    }
    let mut used = 1;
    let kept = line.chars().take_while(|character| {
        used += character.width().unwrap_or(0);
        used <= width
    });
    kept.collect::<String>() + "…"
}

/// A text for people: in a terminal its lines are broken at the width, between words.
pub(super) fn for_reading(text: &str) -> String {
    if in_terminal() {
        wrapped(text, usize::from(width()))
    } else {
        text.to_owned()
    }
}

/// A text in lines of at most so many columns, if no word is wider.
fn wrapped(text: &str, width: usize) -> String {
    let lines = text.lines().map(|line| wrapped_line(line, width));
    lines.collect::<Vec<_>>().join("\n")
}

/// The lines of an item of a list are set in as far as its text.
fn wrapped_line(line: &str, width: usize) -> String {
    let indent = if line.starts_with("- ") { "  " } else { "" };
    let mut out = String::new();
    let mut column = 0;
    for piece in pieces(line) {
        if column > indent.len() && column + piece.trim_end().width() > width {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        }
        out.push_str(piece);
        column += piece.width();
    }
    out.truncate(out.trim_end().len());
    out
}

/// The parts of a line between which it may be broken: words, and wide characters with the marks that belong to them.
fn pieces(line: &str) -> Vec<&str> {
    let is_wide = |c: char| c.width() == Some(2);
    let opens = |c: char| "「『（【〈《".contains(c);
    let closes = |c: char| "、。，．！？：；」』）】〉》ー".contains(c);
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let is_word = before == ' ' && c != ' ';
        let is_between =
            (is_wide(before) || is_wide(c)) && !closes(c) && !opens(before) && c != ' ';
        if is_word || is_between {
            pieces.push(line.get(start..at).unwrap_or_default());
            start = at;
        }
        before = c;
    }
    pieces.push(line.get(start..).unwrap_or_default());
    pieces
}

/// A progress bar on standard error, if that is a terminal.
pub(super) fn progress_bar(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A line on standard error that names the current wait, if that is a terminal; it disappears when this is
/// dropped.
pub(super) struct Waiting(ProgressBar);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

pub(super) fn waiting(for_what: &str) -> Waiting {
    let spinner = ProgressBar::new_spinner().with_message(line(for_what).into_owned());
    spinner.enable_steady_tick(Duration::from_millis(200));
    Waiting(spinner)
}

/// `1,234`.
pub(super) fn number(n: u128) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `4.2 s`, `3 min 20 s`, `2 h 05 min`.
pub(super) fn duration(duration: Duration) -> String {
    let tenths = (duration.as_millis() + 50) / 100;
    let seconds = (tenths + 5) / 10;
    match tenths {
        0..600 => format!("{}.{} s", tenths / 10, tenths % 10),
        600..35_995 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `1 message`, `2 messages`.
pub(super) fn count(n: u64, thing: &str) -> String {
    if n == 1 {
        format!("1 {thing}")
    } else {
        format!("{n} {thing}s")
    }
}

/// `1 memory`, `2 memories`.
pub(super) fn memories(n: u64) -> String {
    match n {
        1 => "1 memory".to_owned(),
        n => format!("{n} memories"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use unicode_width::UnicodeWidthStr as _;

    use super::{duration, excerpt, number, wrapped};

    #[test]
    fn lines_are_broken_between_words_and_wide_characters() {
        assert_eq!(
            wrapped("- The release was moved [1]\n\nto Friday", 14),
            "- The release\n  was moved\n  [1]\n\nto Friday"
        );
        assert_eq!(wrapped("リリースは金曜日。", 8), "リリース\nは金曜\n日。");
        assert_eq!(
            wrapped("https://a.example/long x", 8),
            "https://a.example/long\nx"
        );
    }

    #[test]
    fn an_excerpt_counts_wide_characters_twice() {
        let cut = excerpt("- 次のリリースは三月五日に決定しました", 21);
        assert_eq!(cut, "- 次のリリースは三月…");
        assert!(cut.width() <= 21);
        assert_eq!(excerpt("(note)\n- first\n- second", 40), "- first");
        assert_eq!(excerpt("short", 5), "short");
    }

    #[test]
    fn numbers_have_their_thousands_apart() {
        let numbers = [0, 999, 1_000, 12_345, 1_234_567].map(number);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn durations_are_rounded_to_what_matters() {
        let shown = |milliseconds| duration(Duration::from_millis(milliseconds));
        let expected = [
            "0.0 s",
            "4.2 s",
            "59.9 s",
            "1 min 00 s",
            "3 min 20 s",
            "2 h 05 min",
        ];
        let durations = [40, 4_190, 59_940, 59_960, 200_000, 7_500_000].map(shown);
        assert_eq!(durations, expected);
    }
}
