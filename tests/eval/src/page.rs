//! The generated part of `docs/quality.md`. The text around it is written by hand, and is kept.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

const BEGIN: &str = "<!-- `make eval` writes from here -->\n";
const END: &str = "<!-- to here -->\n";

/// Writes the tables into a page.
pub(crate) fn write(path: &Path, tables: &str) -> Result<()> {
    let page = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {page}"))?;
    let text = with_tables(&text, tables)
        .with_context(|| format!("{page} has lost the marks around the generated part"))?;
    fs::write(path, text).with_context(|| format!("cannot write {page}"))
}

fn with_tables(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!(
        "{before}{BEGIN}\n{}\n\n{END}{after}",
        tables.trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, with_tables};

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let page = format!("a\n{BEGIN}\nold\n{END}b\n");
        let expected = format!("a\n{BEGIN}\nnew\n\n{END}b\n");
        assert_eq!(with_tables(&page, "\nnew\n"), Some(expected));
        assert_eq!(with_tables("a\n", "new"), None);
    }
}
