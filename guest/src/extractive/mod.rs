//! The engine without a language model: picks the most informative sentences.
//!
//! Messages are cut into sentences (`sentences`), each is weighed by its facts, decisions and subjects (`score`), and
//! they are picked one after the other for what they add to those already picked, within the token limit (`select`).
//! Merging works on the lines of the memories in the same way (`merge`).
//!
//! A memory is a note that says how it was made, then one bullet per message or item, in order of time: `- 2024-03-01
//! alice: sentence`, and in the workspace's memory `- 2024-03-01 #general alice: sentence`. The day is given without
//! the time: readers need the day, and the order of the lines shows the rest. Every line is complete, so that a later
//! merge may keep or drop it without touching its neighbours.
//!
//! The same input always gives the same text, natively and as a component: there is no hashing
//! and no arithmetic that differs between machines.

mod inventory;
pub(crate) mod items;
mod merge;
pub(crate) mod messages;
mod score;
mod select;

use crate::text;
pub(crate) use inventory::Inventory;
use score::{Candidate, Vocabulary};
use select::{Cost, Selection};

use crate::bindings::types::Message;

/// The first line of a Japanese memory.
pub const NOTE_JA: &str = "（LLMを使わず、発言から抜粋した記憶です）";
/// The first line of any other memory.
pub const NOTE_EN: &str = "(Excerpts; made without an LLM)";
/// The same if the token limit leaves no room for more.
pub const SHORT_NOTE_JA: &str = "（抜粋）";
/// The same if the token limit leaves no room for more.
pub const SHORT_NOTE_EN: &str = "(Excerpts)";

/// A sentence that adds less than this is left out, even if there is room.
const LEAST_GAIN: f64 = 0.35;
/// Existing memories are not dropped while there is room.
const LEAST_GAIN_MERGING: f64 = 0.0;
/// The long note may take at most one in so many tokens of the limit.
const NOTE_SHARE: u32 = 5;
/// At least so many candidates are counted, however low the limit.
const LEAST_COUNTED: usize = 500;
/// If no line fits whole, the best line is tried in so many lengths.
const CUTS: usize = 40;

/// The input to summarise.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Messages in order of time, including those of threads.
    Messages(&'a [&'a Message]),
    /// Memories to merge.
    Memories {
        /// The memory so far, if there is one.
        existing: Option<&'a str>,
        /// The memories to add, older first, each with an optional label for its lines (`#general`).
        new: &'a [(Option<String>, &'a str)],
    },
}

/// Returns true if a line is the note at the beginning of this engine's memories.
#[must_use]
pub fn is_note(line: &str) -> bool {
    [NOTE_JA, NOTE_EN, SHORT_NOTE_JA, SHORT_NOTE_EN].contains(&line.trim())
}

/// Summarises the input within `max_tokens`, as `count_tokens` counts the whole text.
///
/// Returns an empty text if there is nothing to summarise, or if not even a few characters fit. Calls `count_tokens`
/// twice; more often only if the parts of a text have fewer tokens than the whole.
#[must_use]
pub fn summarize(
    input: Input<'_>,
    max_tokens: u32,
    count_tokens: &dyn Fn(&[String]) -> Vec<u32>,
) -> String {
    let mut vocabulary = Vocabulary::default();
    let (candidates, least_gain) = match input {
        Input::Messages(messages) => (messages::candidates(messages, &mut vocabulary), LEAST_GAIN),
        Input::Memories { existing, new } => (
            merge::candidates(existing, new, &mut vocabulary),
            LEAST_GAIN_MERGING,
        ),
    };
    if candidates.is_empty() {
        return String::new();
    }
    let notes = if text::is_japanese(candidates.iter().map(|c| c.text.as_str())) {
        [NOTE_JA, SHORT_NOTE_JA]
    } else {
        [NOTE_EN, SHORT_NOTE_EN]
    };
    let candidates = shortlist(candidates, &vocabulary, max_tokens);
    let draft = Draft {
        candidates: &candidates,
        vocabulary: &vocabulary,
        notes,
        least_gain,
        max_tokens,
        count_tokens,
    };
    draft
        .whole_lines()
        .or_else(|| draft.cut_line())
        .unwrap_or_default()
}

/// The candidates whose tokens are counted: the best, far more than fit.
fn shortlist(
    candidates: Vec<Candidate>,
    vocabulary: &Vocabulary,
    max_tokens: u32,
) -> Vec<Candidate> {
    let most = LEAST_COUNTED + usize::try_from(max_tokens / 4).unwrap_or(usize::MAX / 2);
    if candidates.len() <= most {
        return candidates;
    }
    let selection = Selection::new(&candidates, vocabulary);
    let gains = candidates.iter().map(|c| selection.gain(c));
    let mut ranked: Vec<(usize, f64)> = gains.enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut keep = vec![false; candidates.len()];
    for (index, _) in ranked.into_iter().take(most) {
        if let Some(flag) = keep.get_mut(index) {
            *flag = true;
        }
    }
    let mut keep = keep.into_iter();
    candidates
        .into_iter()
        .filter(|_| keep.next() == Some(true))
        .collect()
}

/// A memory in the making.
struct Draft<'a> {
    candidates: &'a [Candidate],
    vocabulary: &'a Vocabulary,
    notes: [&'static str; 2],
    least_gain: f64,
    max_tokens: u32,
    count_tokens: &'a dyn Fn(&[String]) -> Vec<u32>,
}

impl Draft<'_> {
    /// The note and the best lines that fit whole; `None` if no line fits.
    fn whole_lines(&self) -> Option<String> {
        let (notes, costs) = self.costs();
        let [long, short] = self.notes;
        let (note, note_cost) = match notes {
            [cost, _] if cost <= self.max_tokens / NOTE_SHARE => (long, cost),
            [_, cost] => (short, cost),
        };
        let budget = self.max_tokens.checked_sub(note_cost)?;
        let mut picks =
            Selection::new(self.candidates, self.vocabulary).pick(&costs, budget, self.least_gain);
        while !picks.is_empty() {
            let text = self.render(note, &picks);
            let count = (self.count_tokens)(std::slice::from_ref(&text))
                .first()
                .copied()
                .unwrap_or(u32::MAX);
            if count <= self.max_tokens {
                return Some(text);
            }
            let mut excess = count - self.max_tokens;
            while excess > 0
                && let Some(index) = picks.pop()
            {
                let cost = costs.get(index).map_or(1, |cost| cost.joined);
                excess = excess.saturating_sub(cost.max(1));
            }
        }
        None
    }

    /// The tokens of the notes and the candidates, counted in one call.
    fn costs(&self) -> ([u32; 2], Vec<Cost>) {
        let mut texts: Vec<String> = self.notes.iter().map(|note| (*note).to_owned()).collect();
        for candidate in self.candidates {
            let said = &candidate.text;
            texts.push(format!("\n{}{}{said}", candidate.prefix, candidate.speaker));
            texts.push(format!(" {said}"));
        }
        let mut counts = (self.count_tokens)(&texts).into_iter();
        let mut next = || counts.next().unwrap_or(u32::MAX);
        let notes = [next(), next()];
        let costs = self
            .candidates
            .iter()
            .map(|_| Cost {
                alone: next(),
                joined: next(),
            })
            .collect();
        (notes, costs)
    }

    /// The text of the picked candidates, in their original order.
    fn render(&self, note: &str, picks: &[usize]) -> String {
        let mut picks = picks.to_vec();
        picks.sort();
        let picks: Vec<&Candidate> = picks
            .iter()
            .filter_map(|index| self.candidates.get(*index))
            .collect();
        let mut text = note.to_owned();
        let mut previous: Option<&Candidate> = None;
        for candidate in &picks {
            let before = previous.filter(|before| before.line == candidate.line);
            if before.is_none() {
                text.push_str(&format!("\n{}{}", candidate.prefix, candidate.speaker));
            } else if !text.ends_with(['。', '！', '？']) {
                text.push(' ');
            }
            text.push_str(&candidate.text);
            previous = Some(candidate);
        }
        text
    }

    /// The best line, shortened, with less and less around it; `None` if nothing fits.
    fn cut_line(&self) -> Option<String> {
        let selection = Selection::new(self.candidates, self.vocabulary);
        let gain = |c: &Candidate| selection.gain(c);
        let best = self.candidates.iter().rev();
        let best = best.max_by(|a, b| gain(a).total_cmp(&gain(b)))?;
        let whole = best.text.clone();
        let heads = std::iter::once(whole.clone()).chain(text::shorter_heads(&whole, CUTS));
        let heads: Vec<String> = heads.collect();
        let [_, note] = self.notes;
        let forms = [
            format!("{note}\n{}", best.prefix),
            format!("{note}\n- "),
            "- ".to_owned(),
            String::new(),
        ];
        let enough = |form: &String, head: &String| {
            form.is_empty() || *head == whole || text::width(head) > 12
        };
        let tries: Vec<String> = forms
            .iter()
            .flat_map(|form| {
                heads
                    .iter()
                    .filter(move |head| enough(form, head))
                    .map(move |head| format!("{form}{head}"))
            })
            .collect();
        let counts = (self.count_tokens)(&tries);
        tries
            .into_iter()
            .zip(counts)
            .find(|(_, count)| *count <= self.max_tokens)
            .map(|(text, _)| text)
    }
}
