//! Erases lines of a text: what a message said is gone from every text once the message is edited or deleted.

use crate::bindings::types::{Citation, MessageRef};

/// The lines of a text, with what they were made from. A text whose citations are not known is one line that was made
/// from nothing that is known.
#[must_use]
pub fn lines(content: &str, citations: &[Citation]) -> Vec<Citation> {
    if !citations.is_empty() {
        return citations.to_vec();
    }
    let length = u32::try_from(content.chars().count()).unwrap_or(u32::MAX);
    vec![Citation {
        start: 0,
        length,
        messages: Vec::new(),
        by_program: false,
    }]
}

/// A part of a text, whose position is in Unicode scalar values. It ends with the text.
#[must_use]
pub fn part(text: &str, start: u32, length: u32) -> String {
    let [start, length] = [start, length].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
    text.chars().skip(start).take(length).collect()
}

/// The messages that lines cite, each once.
#[must_use]
pub fn cited(lines: &[Citation]) -> Vec<MessageRef> {
    let mut cited: Vec<MessageRef> = Vec::new();
    for message in lines.iter().flat_map(|line| &line.messages) {
        if !cited.contains(message) {
            cited.push(message.clone());
        }
    }
    cited
}

/// The stored text of a memory whose lines are all erased: a memory is never empty. People see words instead.
pub const NOTHING_LEFT: &str = "-";

/// Returns true if the lines follow one another within the text.
#[must_use]
pub fn are_in_order(content: &str, lines: &[Citation]) -> bool {
    let length = content.chars().count();
    let mut end = 0;
    lines.iter().all(|line| {
        let follows = line.start >= end;
        end = line.start.saturating_add(line.length);
        follows && line.length > 0
    }) && usize::try_from(end).is_ok_and(|end| end <= length)
}

/// The text without some of its lines, and the lines that stay, in their new places. `is_gone` gets a line's position in
/// the list. Without a line that stays, the text is empty.
#[must_use]
pub fn without(
    content: &str,
    lines: &[Citation],
    is_gone: impl Fn(usize) -> bool,
) -> (String, Vec<Citation>) {
    let text: Vec<char> = content.chars().collect();
    let part = |from: usize, to: usize| text.get(from..to.min(text.len())).unwrap_or_default();
    let mut kept = String::new();
    let mut length = 0;
    let mut stay = Vec::new();
    let mut end = 0;
    for (number, line) in lines.iter().enumerate() {
        let start = usize::try_from(line.start).unwrap_or(usize::MAX);
        let line_end = start.saturating_add(usize::try_from(line.length).unwrap_or(usize::MAX));
        let between = part(end, start.max(end));
        // The space after a line goes with it.
        let follows_gone = number > 0 && is_gone(number - 1);
        let between: String = if follows_gone {
            between.iter().collect::<String>().trim_start().to_owned()
        } else {
            between.iter().collect()
        };
        kept.push_str(&between);
        length += between.chars().count();
        if !is_gone(number) {
            stay.push(Citation {
                start: u32::try_from(length).unwrap_or(u32::MAX),
                ..line.clone()
            });
            let said: String = part(start, line_end).iter().collect();
            kept.push_str(&said);
            length += said.chars().count();
        }
        end = line_end.min(text.len());
    }
    if stay.is_empty() {
        return (String::new(), stay);
    }
    kept.extend(part(end, text.len()));
    (kept.trim_end().to_owned(), stay)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(start: u32, length: u32) -> Citation {
        Citation {
            start,
            length,
            messages: Vec::new(),
            by_program: false,
        }
    }

    #[test]
    fn a_line_goes_with_the_space_after_it() {
        let text = "- あ\n- code 1234\n- ok";
        let lines = [line(0, 3), line(4, 11), line(16, 4)];
        assert!(are_in_order(text, &lines));
        let (kept, stay) = without(text, &lines, |line| line == 1);
        assert_eq!(kept, "- あ\n- ok");
        assert_eq!(stay, [line(0, 3), line(4, 4)]);
        let (kept, stay) = without(text, &lines, |line| line == 0);
        assert_eq!(kept, "- code 1234\n- ok");
        assert_eq!(stay, [line(0, 11), line(12, 4)]);
        let (kept, stay) = without(text, &lines, |line| line == 2);
        assert_eq!((kept.as_str(), stay.len()), ("- あ\n- code 1234", 2));
    }

    #[test]
    fn a_note_stays_with_lines_and_goes_without_any() {
        let text = "(Excerpts)\n- a. b";
        let lines = [line(11, 4), line(16, 1)];
        let (kept, stay) = without(text, &lines, |line| line == 0);
        assert_eq!((kept.as_str(), stay), ("(Excerpts)\nb", vec![line(11, 1)]));
        assert_eq!(without(text, &lines, |_| true), (String::new(), Vec::new()));
    }

    #[test]
    fn a_text_without_citations_is_one_line() {
        assert_eq!(lines("あい", &[]), [line(0, 2)]);
        assert!(!are_in_order("あい", &[line(0, 3)]));
        assert!(!are_in_order("あい", &[line(1, 1), line(0, 1)]));
    }
}
