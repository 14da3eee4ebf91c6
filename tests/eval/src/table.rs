//! Tables in Markdown and their cells.

/// The cell of a figure that was not measured.
pub(crate) const NOT_RUN: &str = "not run";

/// A table that grows row by row.
pub(crate) struct Table(String);

impl Table {
    /// A table with these heads of columns.
    pub(crate) fn new<Head: Into<String>>(heads: impl IntoIterator<Item = Head>) -> Self {
        let mut table = Self(String::new());
        let columns = table.row(heads);
        table.0 += &"|---".repeat(columns);
        table.0 += "|\n";
        table
    }

    /// Returns how many cells it has.
    pub(crate) fn row<Cell: Into<String>>(
        &mut self,
        cells: impl IntoIterator<Item = Cell>,
    ) -> usize {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        self.0 += &format!("| {} |\n", cells.join(" | "));
        cells.len()
    }

    /// A row of two cells.
    pub(crate) fn pair(&mut self, what: &str, value: String) {
        self.row([what.to_owned(), value]);
    }

    pub(crate) fn text(self) -> String {
        self.0
    }
}

/// Some of all, in percent.
pub(crate) fn share(part: usize, all: usize) -> String {
    match all {
        0 => "–".to_owned(),
        all => format!("{:.0} % ({part}/{all})", 100.0 * number(part) / number(all)),
    }
}

/// `1 workspace`, `2 workspaces`.
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The value that so many percent of all values do not exceed.
pub(crate) fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let place = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(place).copied().unwrap_or_default()
}

pub(crate) fn number(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Table, percentile, share};

    #[test]
    fn rows_are_written_below_the_heads() {
        let mut table = Table::new(["a", "b"]);
        table.pair("x", share(1, 3));
        table.pair("y", share(0, 0));
        assert_eq!(
            table.text(),
            "| a | b |\n|---|---|\n| x | 33 % (1/3) |\n| y | – |\n"
        );
    }

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let values = [4.0, 1.0, 3.0, 2.0];
        let of = [0, 50, 75, 95, 100].map(|percent| percentile(&values, percent));
        assert!(of == [1.0, 2.0, 3.0, 4.0, 4.0], "{of:?}");
        assert!(percentile(&[], 50) == 0.0);
    }
}
