//! Answers that repeat the prompt: its instruction, its headings, or the messages.

use super::Sources;
use super::lines::{Kind, Line, may_have_headings, read, read_line, sentences};
use crate::extractive::text::{fold_char, is_alphanumeric, is_caseless};
use crate::sort::{set, sort};

/// A shorter line of the instruction may stand in a summary by chance, in letters.
const LEAST_INSTRUCTION: usize = 12;
/// A shorter heading may too.
const LEAST_HEADING: usize = 4;
/// So many different headings of the prompt make a repetition.
const MAX_HEADINGS: usize = 2;
/// A line with a time and no more letters than this holds a name at most.
const MAX_NAME: usize = 12;
/// Shorter sentences of the prompt are not counted, in letters.
const LEAST_SENTENCE: usize = 8;
/// Messages are copied where so many letters and digits in a row are the same: a sentence in
/// Japanese, half a dozen words in English. What is shorter is a quotation.
const RUN: usize = 24;
/// Copies of less than this in all are no harm: of three short messages little else can be said.
const LEAST_COPIED: usize = 300;

/// Whether an answer repeats the prompt. What stands in the sources too is not the prompt's own.
///
/// It does with one line of the instruction (what follows the prompt's last rule), with two of the
/// headings, or message heads whoever wrote them, with half of its letters in whole sentences of the prompt, or, where the
/// sources are messages, with four fifths of its letters in runs of [`RUN`] that are theirs.
pub(super) fn repeats(answer: &str, prompt: &str, sources: Sources<'_>) -> bool {
    let frame = frame(prompt, sources);
    repeats_instruction(answer, prompt, sources)
        || repeats_headings(answer, &frame, sources)
        || repeats_message_heads(answer, sources)
        || repeats_sentences(answer, &frame, sources)
        || matches!(sources, Sources::Messages(messages) if copies(answer, messages))
}

/// Whether an answer has a line of the instruction, or two headings of the prompt.
pub(super) fn repeats_frame(answer: &str, prompt: &str, sources: Sources<'_>) -> bool {
    repeats_instruction(answer, prompt, sources)
        || repeats_headings(answer, &frame(prompt, sources), sources)
}

/// What of a prompt stands around its sources, which are most of it. A source is passed over where it stands as it is, behind those before
/// it; where it does not, it is read with the rest.
fn frame<'p>(prompt: &'p str, sources: Sources<'_>) -> Vec<&'p str> {
    let mut sources = sources.texts().filter(|text| !text.is_empty()).peekable();
    let mut parts = Vec::new();
    let mut rest = prompt;
    let mut line = 0;
    while let Some((part, tail)) = rest.split_at_checked(line) {
        let source = sources.next_if(|source| {
            let behind = tail.strip_prefix(*source);
            behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('\n'))
        });
        if let Some(source) = source {
            parts.push(part);
            rest = tail.get(source.len()..).unwrap_or_default();
            line = 0;
        }
        match rest.get(line..).and_then(|tail| tail.find('\n')) {
            Some(end) => line += end + 1,
            None => break,
        }
    }
    parts.push(rest);
    parts
}

/// Letters and digits alone, so that bullets, bold type and spacing make no difference.
pub(super) fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars().map(fold_char) {
        if c.is_ascii_alphanumeric() {
            letters.push(c.to_ascii_lowercase());
        } else if is_caseless(c) {
            letters.push(c);
        } else if is_alphanumeric(c) {
            letters.extend(c.to_lowercase());
        }
    }
    letters
}

/// What some texts, as [`letters`], begin with: most others are told from all of them by that.
struct Begins(Vec<char>);

impl Begins {
    fn of<'t>(letters: impl IntoIterator<Item = &'t String>) -> Self {
        let first = letters.into_iter().filter_map(|text| text.chars().next());
        Self(set(first))
    }

    /// Whether the letters of a text begin as one of them.
    fn holds(&self, text: &str) -> bool {
        let first = text.chars().map(fold_char).find(|c| is_alphanumeric(*c));
        let first = first.and_then(|c| c.to_lowercase().next());
        first.is_some_and(|c| self.0.binary_search(&c).is_ok())
    }
}

fn repeats_instruction(answer: &str, prompt: &str, sources: Sources<'_>) -> bool {
    let is_rule = |line: &str| line.len() > 2 && line.chars().all(|c| c == '-');
    let lines = || prompt.trim().rsplit('\n').map(str::trim);
    // Without a rule, a template ends with its instruction all the same.
    let count = lines()
        .position(is_rule)
        .or_else(|| lines().position(str::is_empty))
        .unwrap_or(usize::MAX);
    let answer = letters(answer);
    let mut repeated = lines()
        .take(count)
        // What time it is may be told.
        .filter(|line| without_time(line).is_none())
        .map(letters)
        .filter(|line| line.chars().count() >= LEAST_INSTRUCTION && answer.contains(line.as_str()))
        .peekable();
    if repeated.peek().is_none() {
        return false;
    }
    let sources: String = sources.texts().map(|text| letters(text) + "\n").collect();
    repeated.any(|line| !sources.contains(&line))
}

/// The answer without a heading of the prompt: one alone is no repetition, but were it remembered, it
/// would be taken for the memory's own from then on.
pub(super) fn without_headings(answer: &str, prompt: &str, sources: Sources<'_>) -> String {
    if !may_have_headings(answer) {
        return answer.trim().to_owned();
    }
    let lines = read(answer);
    let headings = lines.iter().filter(|line| line.kind == Kind::Heading);
    let repeated = structure_among(headings, &frame(prompt, sources), sources);
    let kept: Vec<&str> = lines
        .iter()
        .filter(|line| {
            line.kind != Kind::Heading || repeated.binary_search(&letters(line.raw)).is_err()
        })
        .map(|line| line.raw)
        .collect();
    kept.join("\n").trim().to_owned()
}

/// Those of some lines that are headings and message heads of the prompt's frame, as letters. Most
/// answers repeat nothing: what is not needed to tell so is not read.
fn structure_among<'l>(
    lines: impl Iterator<Item = &'l Line<'l>>,
    frame: &[&str],
    sources: Sources<'_>,
) -> Vec<String> {
    let lines = lines.map(|line| letters(line.raw));
    let lines = set(lines.filter(|line| line.chars().count() >= LEAST_HEADING));
    if lines.is_empty() {
        return lines;
    }
    let begins = Begins::of(&lines);
    let structure: Vec<Line<'_>> = frame
        .iter()
        .flat_map(|part| part.split('\n'))
        .filter(|line| begins.holds(line))
        .map(read_line)
        .collect();
    let structure = structure
        .iter()
        .filter(|line| line.kind == Kind::Heading || is_message_head(line))
        .map(|line| letters(line.raw));
    let mut structure = set(structure.filter(|heading| lines.binary_search(heading).is_ok()));
    if !structure.is_empty() {
        let lines = sources.texts().flat_map(|text| text.split('\n'));
        remove_all(&mut structure, lines.map(letters));
    }
    structure
}

/// Takes texts out of a set of texts.
fn remove_all(set: &mut Vec<String>, texts: impl Iterator<Item = String>) {
    for text in texts {
        if let Ok(place) = set.binary_search(&text) {
            set.remove(place);
        }
    }
}

fn repeats_headings(answer: &str, frame: &[&str], sources: Sources<'_>) -> bool {
    let lines = read(answer);
    let like_headings = lines
        .iter()
        .filter(|line| matches!(line.kind, Kind::Heading | Kind::Text) || is_message_head(line));
    structure_among(like_headings, frame, sources).len() >= MAX_HEADINGS
}

/// Whether lines hold no more than the time and name above a message: a model makes up more of them than
/// the prompt has.
fn repeats_message_heads(answer: &str, sources: Sources<'_>) -> bool {
    let bare = |line: &&str| without_time(line).is_some_and(|rest| rest <= MAX_NAME);
    let mut heads = answer.lines().filter(bare).peekable();
    if heads.peek().is_none() {
        return false;
    }
    let source_lines = set(sources.texts().flat_map(str::lines));
    let is_new = |line: &&str| source_lines.binary_search(line).is_err();
    heads.filter(is_new).count() >= MAX_HEADINGS
}

/// How many letters a line has beside a time to the second; none where it has no such time.
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

fn repeats_sentences(answer: &str, frame: &[&str], sources: Sources<'_>) -> bool {
    let answer: Vec<(String, usize)> = sentences(answer)
        .map(letters)
        .map(|sentence| {
            let count = sentence.chars().count();
            (sentence, count)
        })
        .collect();
    let long = answer
        .iter()
        .filter(|(_, count)| *count >= LEAST_SENTENCE)
        .map(|(sentence, _)| sentence);
    let long = set(long);
    if long.is_empty() {
        return false;
    }
    let begins = Begins::of(long.iter().copied());
    let own = frame
        .iter()
        .copied()
        .flat_map(sentences)
        .filter(|own| begins.holds(own))
        .map(letters);
    let mut own = set(own.filter(|own| long.binary_search(&own).is_ok()));
    if own.is_empty() {
        return false;
    }
    let theirs = sources.texts().flat_map(sentences);
    remove_all(&mut own, theirs.map(letters));
    let (mut repeated, mut all) = (0, 0);
    for (sentence, count) in &answer {
        all += count;
        if own.binary_search(sentence).is_ok() {
            repeated += count;
        }
    }
    all > 0 && repeated * 2 >= all
}

/// Whether four fifths of an answer are copied.
fn copies(answer: &str, messages: &[&str]) -> bool {
    let letters: Vec<char> = letters(answer).chars().collect();
    if letters.len() < LEAST_COPIED {
        return false;
    }
    let mut runs: Vec<(u64, usize)> = hashes(&letters).zip(0..).collect();
    sort(&mut runs);
    let mut begins = vec![false; letters.len()];
    for message in messages {
        let message: Vec<char> = self::letters(message).chars().collect();
        for hash in hashes(&message) {
            let first = runs.partition_point(|(other, _)| *other < hash);
            let same = runs
                .get(first..)
                .unwrap_or_default()
                .iter()
                .take_while(|(other, _)| *other == hash);
            for (_, at) in same {
                match begins.get_mut(*at) {
                    // The rest of them were marked with this one.
                    Some(true) | None => break,
                    Some(begin) => *begin = true,
                }
            }
        }
    }
    let copied = covered(&begins);
    copied >= LEAST_COPIED && copied * 5 >= letters.len() * 4
}

/// How many letters lie in a run that begins where it says so.
fn covered(begins: &[bool]) -> usize {
    let (mut count, mut left) = (0, 0);
    for begin in begins {
        left = if *begin { RUN } else { left };
        count += usize::from(left > 0);
        left = left.saturating_sub(1);
    }
    count
}

/// A hash of every run, in order of where it begins: polynomial, rolled from one to the next.
fn hashes(letters: &[char]) -> impl Iterator<Item = u64> {
    const BASE: u64 = 1_099_511_628_211;
    let highest = (1..RUN).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let push = |hash: u64, c: char| hash.wrapping_mul(BASE).wrapping_add(u64::from(c) + 1);
    let first = letters
        .get(..RUN)
        .map(|run| run.iter().fold(0, |hash, c| push(hash, *c)));
    let steps = letters.iter().zip(letters.iter().skip(RUN));
    first.into_iter().flat_map(move |first| {
        let mut hash = first;
        let next = steps.clone().map(move |(out, c)| {
            hash = push(
                hash.wrapping_sub((u64::from(*out) + 1).wrapping_mul(highest)),
                *c,
            );
            hash
        });
        std::iter::once(first).chain(next)
    })
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_the_hash_of_its_letters() {
        let letters: Vec<char> = "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
            .chars()
            .collect();
        let all: Vec<u64> = hashes(&letters).collect();
        assert_eq!(all.len(), letters.len() - RUN + 1);
        for (at, hash) in all.iter().enumerate() {
            assert_eq!(
                hashes(&letters[at..at + RUN]).collect::<Vec<_>>(),
                [*hash],
                "{at}"
            );
        }
        assert_eq!(all[0], all[36]);
        assert_eq!(hashes(&letters[..RUN - 1]).count(), 0);
    }

    #[test]
    fn four_fifths_of_long_text_make_a_copy() {
        let message: String = (0..100).map(|number| format!("word{number} ")).collect();
        let own =
            |count: i32| -> String { (0..count).map(|number| format!("own{number} ")).collect() };
        let answer = |count: i32| format!("- {message}\n- {}", own(count));
        assert!(copies(&message, &["other", &message]));
        assert!(copies(&answer(20), &[&message]));
        assert!(!copies(&answer(60), &[&message]));
        assert!(!copies(&message, &["other"]));
    }

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

    #[test]
    fn letters_in_overlapping_runs_count_once() {
        let mut begins = vec![false; 100];
        begins[10] = true;
        begins[20] = true;
        begins[90] = true;
        assert_eq!(covered(&begins), 10 + RUN + 10);
    }
}
