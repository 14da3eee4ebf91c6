//! How documents are written: one sentence a line, and no line wider than 160 columns. So a change shows which sentences changed.

use unicode_width::UnicodeWidthStr as _;

/// The widest line, in columns of a terminal.
const WIDEST: usize = 160;
/// Begin and end of the tables that `make bench` writes into a document.
const GENERATED: (&str, &str) = ("<!-- `make bench` writes from here", "<!-- to here");
/// The head of a document that a program writes as a whole.
const ALL_GENERATED: &str = "<!-- Made from ";

/// What may come between the end of a sentence and the blank behind it.
const CLOSING: [char; 5] = [')', '”', '"', '*', '_'];

/// What is wrong with the lines of a document.
pub(crate) fn faults(path: &str, source: &str) -> Vec<String> {
    if source.starts_with(ALL_GENERATED) {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let mut is_generated = false;
    let mut is_code = false;
    for (number, line) in source.lines().enumerate() {
        if line.starts_with(GENERATED.0) {
            is_generated = true;
        }
        if is_generated {
            is_generated = !line.starts_with(GENERATED.1);
            continue;
        }
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        let mut fault = |what: &str| faults.push(format!("{path}:{}: {what}", number + 1));
        if line.width() > WIDEST {
            fault("the line is too wide");
        }
        let is_text = !is_code && !is_fence && !line.trim_start().starts_with(['|', '<']);
        if is_text && has_second_sentence(line) {
            fault("a second sentence begins in this line");
        }
    }
    faults
}

/// Whether a sentence ends within the line, and another one begins. The number of a list's item ends none.
fn has_second_sentence(line: &str) -> bool {
    let numberless = line.trim_start().trim_start_matches(char::is_numeric);
    let text = without_code(numberless.strip_prefix(". ").unwrap_or(numberless));
    text.char_indices().any(|(at, letter)| {
        let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
        match letter {
            '.' | '?' | '!' => {
                let rest = rest.trim_start_matches(CLOSING).strip_prefix(' ');
                rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '['))
            }
            // Within brackets it does not end the sentence around them.
            '。' => !rest.trim_start_matches('*').is_empty() && !rest.starts_with(['」', '）']),
            _ => false,
        }
    })
}

/// The line with a capital letter in the place of each piece of `code`.
fn without_code(line: &str) -> String {
    let parts = line.split('`').enumerate();
    parts
        .map(|(number, part)| if number % 2 == 0 { part } else { "X" })
        .collect()
}

#[test]
fn wide_lines_and_second_sentences_are_found() {
    let of = |source: &str| faults("a.md", source).len();
    let wide = "x".repeat(WIDEST + 1);
    assert_eq!(of(&wide), 1);
    assert_eq!(of(&"あ".repeat(WIDEST / 2)), 0);
    assert_eq!(of(&"あ".repeat(WIDEST / 2 + 1)), 1);
    assert_eq!(
        of(&format!(
            "<!-- `make bench` writes from here -->\n{wide}\n<!-- to here -->\n{wide}"
        )),
        1
    );
    assert_eq!(of(&format!("<!-- Made from wit/ -->\n{wide}")), 0);
    for line in [
        "One. Two",
        "**One.** Two",
        "1. One. Two",
        "One (a). `two` does",
        "一。二",
        "One? [Two](x)",
    ] {
        assert_eq!(of(line), 1, "{line}");
    }
    for line in [
        "One.",
        "1. One",
        "`a. B` one",
        "| One. | Two. Three |",
        "e.g. one",
        "一（二。）三。",
        "version 0.1. x",
    ] {
        assert_eq!(of(line), 0, "{line}");
    }
    assert_eq!(of("```text\nOne. Two\n```\nOne. Two"), 1);
}
