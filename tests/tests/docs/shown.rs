//! Output as a document shows it, compared with what a command printed.
//!
//! `…` in the document stands for any text within a line, and a line of nothing else for any lines. A duration
//! (`0.4 s`, `1 min 13 s`) stands for any duration. Runs of blanks count as one, as columns are as wide as their cells.

/// A command, and what a document shows of its output.
#[derive(Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) command: String,
    pub(crate) output: Vec<String>,
}

/// Reads `$ command`, output, `$ command`, …; `None` if the text does not begin like that.
pub(crate) fn shown(text: &str) -> Option<Vec<Shown>> {
    let mut all: Vec<Shown> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            all.push(Shown {
                command: command.to_owned(),
                output: Vec::new(),
            });
        } else {
            all.last_mut()?.output.push(line.to_owned());
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Whether a document shows this output.
pub(crate) fn shows(shown: &[String], printed: &str) -> bool {
    let shown: Vec<Vec<String>> = shown.iter().map(|line| words(line)).collect();
    let printed: Vec<Vec<String>> = printed.lines().map(words).collect();
    lines_fit(without_empty_end(&shown), without_empty_end(&printed))
}

fn without_empty_end(lines: &[Vec<String>]) -> &[Vec<String>] {
    let end = lines.iter().rposition(|line| !line.is_empty());
    &lines[..end.map_or(0, |last| last + 1)]
}

fn lines_fit(shown: &[Vec<String>], printed: &[Vec<String>]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == &["…"] => {
            (0..=printed.len()).any(|skipped| lines_fit(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed.split_first().is_some_and(|(first, left)| {
            fits(&line.join(" "), &first.join(" ")) && lines_fit(rest, left)
        }),
    }
}

/// Whether a line is as shown; each `…` stands for any text.
fn fits(shown: &str, printed: &str) -> bool {
    let Some((before, after)) = shown.split_once('…') else {
        return shown == printed;
    };
    let Some(mut rest) = printed.strip_prefix(before) else {
        return false;
    };
    loop {
        if fits(after, rest) {
            return true;
        }
        let mut letters = rest.chars();
        if letters.next().is_none() {
            return false;
        }
        rest = letters.as_str();
    }
}

/// The words of a line, with all durations alike.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let is_unit = ["ms", "s", "min", "h"].contains(&word);
        match words.last() {
            Some(last) if is_unit && last.parse::<f64>().is_ok() => {
                words.pop();
                if words.last().is_none_or(|last| last != "DURATION") {
                    words.push("DURATION".to_owned());
                }
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[test]
fn left_out_text_durations_and_blanks_are_all_that_may_differ() {
    let fits = |shown: &str, printed: &str| {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        shows(&shown, printed)
    };
    assert!(fits("a\n…\nd", "a\nb\nc\nd\n"));
    assert!(fits("made … in a", "made 2026 in a"));
    assert!(fits("all   1 min 13 s  5", " all 0.4 s 5\n\n"));
    assert!(!fits("a\n…\nd", "a\nb\nc\nd\ne\n"));
    assert!(!fits("made … in a", "made 2026 in b"));
    assert!(!fits("all 13 s 5", "all 13 s 6"));
    assert!(!fits("all 13", "all 14"));
    assert!(!fits("a", ""));
}

#[test]
fn commands_and_their_outputs_are_told_apart() {
    let all = shown("$ a b\n1\n\n$ c\n").unwrap();
    let commands: Vec<&str> = all.iter().map(|shown| shown.command.as_str()).collect();
    assert_eq!(commands, ["a b", "c"]);
    assert_eq!(all[0].output, ["1", ""]);
    assert_eq!(shown("1\n$ a\n"), None);
}
