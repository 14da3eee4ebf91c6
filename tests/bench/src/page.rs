//! The generated part of `docs/benchmarks.md`. The text around it is written by hand, and is kept.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use myao_tests::project_file;

use crate::machine;
use crate::row::Row;

const PAGE: &str = "docs/benchmarks.md";
const BEGIN: &str = "<!-- `make bench` writes from here -->\n";
const END: &str = "<!-- to here -->\n";

/// Writes the rows into the page, and returns its path.
///
/// # Errors
/// Where the page cannot be read or written, or has lost the marks around the generated part.
pub fn write(rows: &[Row]) -> Result<PathBuf> {
    let path = project_file(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    let (before, rest) = page
        .split_once(BEGIN)
        .with_context(|| format!("{PAGE} has no line {BEGIN}"))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("{PAGE} has no line {END}"))?;
    let page = format!("{before}{BEGIN}\n{}\n{END}{after}", generated(rows)?);
    std::fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"))?;
    Ok(path)
}

fn generated(rows: &[Row]) -> Result<String> {
    let mut text = machine::described()?;
    text.push_str("\n| what | against | must reach | measured | | figures |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for row in rows {
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            row.what,
            row.against,
            row.limit,
            row.measured,
            row.verdict(),
            row.detail
        )?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use myao_tests::read_project_file;

    use super::{BEGIN, END, PAGE};
    use crate::rows::FAMILIES;

    #[test]
    fn the_table_of_the_page_is_filled() {
        let page = read_project_file(PAGE);
        let (_, rest) = page.split_once(BEGIN).unwrap();
        let (table, _) = rest.split_once(END).unwrap();
        let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
        let rows = rows.count();
        assert!(
            rows >= FAMILIES.len(),
            "{PAGE} has {rows} rows: run `make bench` on a machine with nothing else to do"
        );
    }
}
