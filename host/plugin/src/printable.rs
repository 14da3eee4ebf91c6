//! Text that is safe to show in terminals and logs.
//!
//! Text of people, files and servers may contain characters that control a terminal (escape sequences that fill the
//! clipboard, overwrite a line or change its direction) or that forge a line of a log. They are shown in Rust's
//! notation, `\u{1b}`, so that they have no effect and nothing is lost. Everything that is printed or logged goes
//! through this module: standard output and error (`cli/output.rs`), log lines, including those of components, and the
//! names of spans and labels.
//!
//! ```
//! use myao_plugin::printable::{line, lines};
//!
//! assert_eq!(lines("a\u{1b}]52;c;eA==\u{7}\nb"), "a\\u{1b}]52;c;eA==\\u{7}\nb");
//! assert_eq!(line("a\nb"), "a\\nb");
//! ```

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

/// A text of several lines: line feeds and tabs stay.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| steers(c) && !matches!(c, '\n' | '\t'), rust)
}

/// A text as one line, whatever it contains.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| steers(c) || breaks(c), rust)
}

/// JSON without control characters, which its strings may contain unescaped.
#[must_use]
pub fn json(json: &str) -> Cow<'_, str> {
    escaped(
        json,
        // Line feeds, tabs and carriage returns are layout: strings in JSON do not contain them.
        |c| (steers(c) || breaks(c)) && !matches!(c, '\n' | '\t' | '\r'),
        |out, c| write!(out, "\\u{:04x}", u32::from(c)),
    )
}

/// Returns true if a character can control a terminal: control characters, and characters that change the direction
/// of text.
#[must_use]
pub fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns true if some programs start a new line after this character. Control characters are checked elsewhere.
fn breaks(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

fn rust(out: &mut String, c: char) -> std::fmt::Result {
    write!(out, "{}", c.escape_default())
}

fn escaped(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(&mut String, char) -> std::fmt::Result,
) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for c in text.chars() {
        if is_escaped(c) {
            // Writing into a string never fails.
            let _ = escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// A writer that makes its output safe with one of the functions above. Each write must contain whole characters, as
/// the writes of `write!` do. Bytes that are not UTF-8 become U+FFFD.
pub struct Printable<W> {
    inner: W,
    show: fn(&str) -> Cow<'_, str>,
}

impl<W> Printable<W> {
    /// A writer that converts its output with `show`: [`lines`] or [`json`].
    pub fn new(inner: W, show: fn(&str) -> Cow<'_, str>) -> Self {
        Self { inner, show }
    }
}

impl<W: io::Write> io::Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.inner.write_all((self.show)(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::{json, line, lines};

    /// Everything that Unicode calls a control character, and the characters that change the direction of text.
    fn steering() -> impl Iterator<Item = char> {
        let bidi = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
        ('\0'..='\u{1f}').chain('\u{7f}'..='\u{9f}').chain(bidi)
    }

    #[test]
    fn no_character_that_steers_is_left_and_none_is_lost() {
        for c in steering() {
            let text = format!("a{c}b");
            let code = format!("{:x}", u32::from(c));
            for shown in [line(&text), lines(&text), json(&text)] {
                if matches!(c, '\n' | '\t' | '\r') {
                    continue;
                }
                assert!(!shown.contains(c), "{shown:?}");
                assert!(shown.contains(&code), "{shown:?}");
            }
        }
        assert_eq!(lines("a\r\n\tb"), "a\\r\n\tb");
        assert_eq!(line("a\r\n\tb\u{2028}"), "a\\r\\n\\tb\\u{2028}");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        let text = "日本語、العربية\u{200f}, 👩\u{200d}👩 `\\u{1b}` “é”";
        assert_eq!(
            (line(text), lines(text), json(text)),
            (text.into(), text.into(), text.into())
        );
    }

    #[test]
    fn json_says_the_same_afterwards() {
        let text: String = steering().chain("\u{2028}é".chars()).collect();
        let written = serde_json::json!({ &text: [&text] });
        let pretty = format!("{written:#}");
        let shown = json(&pretty);
        assert!(
            !shown.contains(|c: char| c.is_control() && c != '\n'),
            "{shown:?}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&shown).ok(),
            Some(written)
        );
    }
}
