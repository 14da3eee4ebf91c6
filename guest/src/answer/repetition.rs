//! Answers that repeat the prompt: its instruction, its headings, or (`copies`) the messages.

use std::collections::BTreeSet;

use super::Sources;
use super::copies::copies;
use super::lines::{Kind, Line, letters, may_have_headings, read, read_line, sentences};
use crate::text::{fold_char, is_alphanumeric};

/// A shorter line of the instruction may be in a summary by chance, in letters.
const LEAST_INSTRUCTION: usize = 12;
/// A shorter heading may too.
const LEAST_HEADING: usize = 4;
/// So many different headings of the prompt make a repetition.
const MAX_HEADINGS: usize = 2;
/// A line with a time and no more letters than this is the head of a message.
const MAX_NAME: usize = 12;
/// Shorter sentences of the prompt are not counted, in letters.
const LEAST_SENTENCE: usize = 8;

/// Returns true if an answer repeats the prompt. Text that is also in the sources does not count.
///
/// It does if it contains one line of the instruction (the text after the prompt's last rule), two headings of the
/// prompt or heads of messages, if half of its letters are in whole sentences of the prompt or parts of the
/// instruction's lines, or, for messages, if four fifths of it are copied from them.
pub(super) fn repeats(answer: &str, prompt: &str, sources: Sources<'_>) -> bool {
    repeats_instruction(answer, prompt, sources)
        || repeats_headings(answer, prompt, sources)
        || repeats_message_heads(answer, sources)
        || repeats_sentences(answer, prompt, sources)
        || matches!(sources, Sources::Messages(messages) if copies(answer, messages))
}

/// Returns true if an answer contains a line of the instruction, or two headings of the prompt.
pub(super) fn repeats_frame(answer: &str, prompt: &str, sources: Sources<'_>) -> bool {
    repeats_instruction(answer, prompt, sources) || repeats_headings(answer, prompt, sources)
}

/// The first letters of some texts: a quick test that rules out most others.
struct Begins(BTreeSet<char>);

impl Begins {
    fn of<'t>(letters: impl IntoIterator<Item = &'t String>) -> Self {
        let first = letters.into_iter().filter_map(|text| text.chars().next());
        Self(first.collect())
    }

    /// Returns true if a text begins with one of these letters.
    fn holds(&self, text: &str) -> bool {
        let first = text.chars().map(fold_char).find(|c| is_alphanumeric(*c));
        let first = first.and_then(|c| c.to_lowercase().next());
        first.is_some_and(|c| self.0.contains(&c))
    }
}

/// The lines of the instruction, as letters. The prompt's last rule is before it; without a rule, it is the last
/// paragraph.
fn instruction(prompt: &str) -> impl Iterator<Item = String> + '_ {
    let is_rule = |line: &str| line.len() > 2 && line.chars().all(|c| c == '-');
    let lines = || prompt.trim().rsplit('\n').map(str::trim);
    let count = lines()
        .position(is_rule)
        .or_else(|| lines().position(str::is_empty))
        .unwrap_or(usize::MAX);
    lines()
        .take(count)
        // The reply may contain the time.
        .filter(|line| without_time(line).is_none())
        .map(letters)
        .filter(|line| line.chars().count() >= LEAST_INSTRUCTION)
}

fn repeats_instruction(answer: &str, prompt: &str, sources: Sources<'_>) -> bool {
    let answer = letters(answer);
    let mut repeated = instruction(prompt)
        .filter(|line| answer.contains(line.as_str()))
        .peekable();
    if repeated.peek().is_none() {
        return false;
    }
    let sources: String = sources.texts().map(|text| letters(text) + "\n").collect();
    repeated.any(|line| !sources.contains(&line))
}

/// The answer without headings of the prompt. One alone is no repetition, but if it were saved, later merges would keep
/// it as part of the memory.
pub(super) fn without_headings(answer: &str, prompt: &str, sources: Sources<'_>) -> String {
    if !may_have_headings(answer) {
        return answer.trim().to_owned();
    }
    let lines = read(answer);
    let headings = lines.iter().filter(|line| line.kind == Kind::Heading);
    let repeated = structure_among(headings, prompt, sources);
    let kept: Vec<&str> = lines
        .iter()
        .filter(|line| line.kind != Kind::Heading || !repeated.contains(&letters(line.raw)))
        .map(|line| line.raw)
        .collect();
    kept.join("\n").trim().to_owned()
}

/// Those lines that are also headings or message heads of the prompt, as letters.
fn structure_among<'l>(
    lines: impl Iterator<Item = &'l Line<'l>>,
    prompt: &str,
    sources: Sources<'_>,
) -> BTreeSet<String> {
    let lines: BTreeSet<String> = lines
        .map(|line| letters(line.raw))
        .filter(|line| line.chars().count() >= LEAST_HEADING)
        .collect();
    if lines.is_empty() {
        return lines;
    }
    let begins = Begins::of(&lines);
    let structure: Vec<Line<'_>> = prompt
        .split('\n')
        .filter(|line| begins.holds(line))
        .map(read_line)
        .collect();
    let structure = structure
        .iter()
        .filter(|line| line.kind == Kind::Heading || is_message_head(line))
        .map(|line| letters(line.raw));
    let mut structure: BTreeSet<String> = structure
        .filter(|heading| lines.contains(heading))
        .collect();
    if !structure.is_empty() {
        let lines = sources.texts().flat_map(|text| text.split('\n'));
        remove_all(&mut structure, lines.map(letters));
    }
    structure
}

/// Removes texts from a set.
fn remove_all(set: &mut BTreeSet<String>, texts: impl Iterator<Item = String>) {
    for text in texts {
        set.remove(&text);
    }
}

fn repeats_headings(answer: &str, prompt: &str, sources: Sources<'_>) -> bool {
    let lines = read(answer);
    let like_headings = lines
        .iter()
        .filter(|line| matches!(line.kind, Kind::Heading | Kind::Text) || is_message_head(line));
    structure_among(like_headings, prompt, sources).len() >= MAX_HEADINGS
}

/// Returns true if lines contain only the time and name above a message: a model may invent more of them than the prompt has.
fn repeats_message_heads(answer: &str, sources: Sources<'_>) -> bool {
    let bare = |line: &&str| without_time(line).is_some_and(|rest| rest <= MAX_NAME);
    let mut heads = answer.lines().filter(bare).peekable();
    if heads.peek().is_none() {
        return false;
    }
    let source_lines: BTreeSet<&str> = sources.texts().flat_map(str::lines).collect();
    let is_new = |line: &&str| !source_lines.contains(line);
    heads.filter(is_new).count() >= MAX_HEADINGS
}

/// The number of letters in a line besides a time; `None` if it has no time.
fn without_time(line: &str) -> Option<usize> {
    const TIME: &str = "0000-00-00 00:00:00";
    if !line.contains(':') {
        return None;
    }
    let shape: String = line
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    shape
        .contains(TIME)
        .then(|| letters(&shape.replace(TIME, " ")).chars().count())
}

/// `**2024-03-01 10:00:00** alice:`
fn is_message_head(line: &Line<'_>) -> bool {
    let date = line.body.get(..19).unwrap_or_default();
    let is_time = date.len() == 19
        && date
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | ' '))
        && date.matches(':').count() == 2;
    is_time && line.body.ends_with(':')
}

fn repeats_sentences(answer: &str, prompt: &str, sources: Sources<'_>) -> bool {
    let answer: Vec<(String, usize)> = sentences(answer)
        .map(letters)
        .map(|sentence| {
            let count = sentence.chars().count();
            (sentence, count)
        })
        .collect();
    let long: BTreeSet<&String> = answer
        .iter()
        .filter(|(_, count)| *count >= LEAST_SENTENCE)
        .map(|(sentence, _)| sentence)
        .collect();
    if long.is_empty() {
        return false;
    }
    let begins = Begins::of(long.iter().copied());
    let own = sentences(prompt)
        .filter(|own| begins.holds(own))
        .map(letters);
    let mut own: BTreeSet<String> = own.filter(|own| long.contains(own)).collect();
    let instruction: Vec<String> = instruction(prompt).collect();
    let parts = answer
        .iter()
        .filter(|(part, count)| {
            *count >= LEAST_INSTRUCTION && instruction.iter().any(|line| line.contains(part))
        })
        .map(|(part, _)| part.clone());
    own.extend(parts);
    if own.is_empty() {
        return false;
    }
    let theirs = sources.texts().flat_map(sentences);
    remove_all(&mut own, theirs.map(letters));
    let (mut repeated, mut all) = (0, 0);
    for (sentence, count) in &answer {
        all += count;
        if own.contains(sentence) {
            repeated += count;
        }
    }
    all > 0 && repeated * 2 >= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruction_that_the_sources_hold_may_be_quoted() {
        let instruction = "Summarize the conversation in bullets.";
        let prompt = format!("bob: hello\n---\n{instruction}");
        let answer =
            format!("- bob quotes the prompt: {instruction} He wants it in French and with dates.");
        let quoted = format!("look at this: {instruction}");
        assert!(repeats(&answer, &prompt, Sources::Messages(&["hello"])));
        assert!(!repeats(
            &answer,
            &prompt,
            Sources::Messages(&["hello", &quoted])
        ));
    }

    #[test]
    fn instruction_without_a_rule_is_the_last_paragraph() {
        let prompt = "Be kind to everybody.\n\nbob: hello\n\nSummarize the conversation.";
        let repeats = |answer: &str| repeats(answer, prompt, Sources::Messages(&["hello"]));
        assert!(repeats(
            "- Summarize the conversation.\n- bob greets everybody with a hello"
        ));
        assert!(!repeats("- bob greets everybody with a hello"));
    }
}
