//! One row of the table: the measurement, its limit, and if it was kept.

use std::fmt;
use std::time::Duration;

/// A figure and its kind.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum Figure {
    /// How many times the other.
    Times(f64),
    /// A size.
    Bytes(f64),
    /// A time.
    Seconds(f64),
    /// The length of a prompt.
    Tokens(u32),
}

impl Figure {
    fn amount(self) -> f64 {
        match self {
            Self::Times(amount) | Self::Bytes(amount) | Self::Seconds(amount) => amount,
            Self::Tokens(amount) => f64::from(amount),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Times(ratio) if ratio < 0.1 => write!(f, "1/{:.0}", 1.0 / ratio),
            Self::Times(ratio) => write!(f, "{ratio:.2} times"),
            Self::Bytes(bytes) if bytes < 1e6 => write!(f, "{:.0} KB", bytes / 1e3),
            Self::Bytes(bytes) => write!(f, "{:.3} MB", bytes / 1e6),
            Self::Seconds(seconds) => f.write_str(&shown(Duration::from_secs_f64(seconds))),
            Self::Tokens(tokens) => write!(f, "{tokens} tokens"),
        }
    }
}

/// A limit of a figure.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    /// Not more than this.
    AtMost(Figure),
    /// Not less than this.
    AtLeast(Figure),
    /// Nothing: the row explains others.
    None,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(figure) => write!(f, "at most {figure}"),
            Self::AtLeast(figure) => write!(f, "at least {figure}"),
            Self::None => f.write_str("for comparison"),
        }
    }
}

/// A row.
#[derive(Debug, Clone)]
pub struct Row {
    /// The subject of the measurement.
    pub what: String,
    /// The subject that it is compared with, in the same run.
    pub against: String,
    /// The measured value.
    pub measured: Figure,
    /// The limit of the value.
    pub limit: Limit,
    /// The figures behind it.
    pub detail: String,
}

impl Row {
    /// Returns true if the limit was kept.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        let measured = self.measured.amount();
        match self.limit {
            Limit::AtMost(limit) => measured <= limit.amount(),
            Limit::AtLeast(limit) => measured >= limit.amount(),
            Limit::None => true,
        }
    }

    /// The word for that in the table.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match (self.limit, self.is_reached()) {
            (Limit::None, _) => "–",
            (_, true) => "reached",
            (_, false) => "**MISSED**",
        }
    }
}

/// A duration with three digits.
#[must_use]
pub fn shown(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (amount, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    let digits = match amount {
        a if a >= 100.0 => 0,
        a if a >= 10.0 => 1,
        _ => 2,
    };
    format!("{amount:.digits$} {unit}")
}
