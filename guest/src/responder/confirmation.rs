//! Answers a mention that marks something: says what is remembered now and what it replaces, in fixed words, without a model.

use super::situation::Situation;
use crate::bindings::storage::Memory;
use crate::bindings::types::{Citation, KeptText, MessageRef, Scope};
use crate::marks::{Corrections, Kind, Superseded, read};
use crate::text::language::Language;
use crate::text::lines::lines;
use crate::text::{cut, flatten, strip_markers};

/// Texts are repeated up to so many columns.
const MAX_SAID: usize = 240;
/// So is each line that is replaced.
const MAX_LINE: usize = 160;
/// So many lines are named.
const MOST_LINES: usize = 5;

/// An answer of fixed words, with its citations.
pub(super) struct Confirmation {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
}

/// The answer to a message that marks itself; `None` if it asks something else. `bot` is the name that mentions have.
pub(super) fn confirmation(situation: &Situation, bot: &str) -> Option<Confirmation> {
    let answered = &situation.answered;
    let (kind, _) = read(&answered.text, bot)?;
    let language = situation.question.language;
    let of = MessageRef {
        channel_id: situation.context.conversation_history.channel_id.clone(),
        ts: answered.ts.clone(),
    };
    let mark = situation
        .marks
        .all()
        .find(|mark| mark.span.message.ts == of.ts);
    let written = match (mark, kind) {
        (None, _) => vec![line(language.may_not_mark())],
        (Some(mark), Kind::Pinned) => {
            let noted = language.noted(&said(mark));
            vec![line(noted), line(language.undone())]
        }
        (Some(mark), Kind::Correction) => correction(situation, mark, language),
    };
    Some(cited(written, &of))
}

/// A line of the answer, with the messages behind it besides the one that is answered.
struct Line {
    text: String,
    messages: Vec<MessageRef>,
}

fn line(text: String) -> Line {
    let messages = Vec::new();
    Line { text, messages }
}

fn correction(situation: &Situation, mark: &KeptText, language: Language) -> Vec<Line> {
    let mut written = vec![line(language.corrected(&said(mark)))];
    let replaced = replaced(situation, mark);
    if replaced.is_empty() {
        written.push(line(language.replaces_nothing()));
    } else {
        written.push(line(language.replaces()));
        let more = replaced.len().saturating_sub(MOST_LINES);
        written.extend(replaced.into_iter().take(MOST_LINES));
        written.extend((more > 0).then(|| line(language.and_more(more))));
    }
    written.push(line(language.undone()));
    written
}

/// The lines of the channel's memories, and of its threads', that a correction replaces, each once.
fn replaced(situation: &Situation, mark: &KeptText) -> Vec<Line> {
    let channel_id = &mark.span.message.channel_id;
    let corrections = Corrections::of(std::slice::from_ref(mark));
    let is_own = |memory: &&Memory| match memory.scope {
        Scope::Channel => memory.scope_id == *channel_id,
        Scope::Thread => true,
        Scope::Workspace => false,
    };
    let mut lines: Vec<Line> = Vec::new();
    for memory in situation.memories.iter().filter(is_own) {
        for Superseded { text, messages, .. } in corrections.superseded(memory) {
            let flat = flatten(text);
            let text = format!("- {}", cut(strip_markers(&flat).0, MAX_LINE));
            if lines.iter().all(|line| line.text != text) {
                lines.push(Line { text, messages });
            }
        }
    }
    lines
}

fn said(mark: &KeptText) -> String {
    cut(&flatten(&mark.text), MAX_SAID)
}

/// The text of the lines. All of it comes from the message that is answered, so it goes with that.
fn cited(written: Vec<Line>, answered: &MessageRef) -> Confirmation {
    let texts: Vec<&str> = written.iter().map(|line| line.text.as_str()).collect();
    let text = texts.join("\n");
    let scalars = |part: Option<&str>| {
        let count = part.unwrap_or_default().chars().count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let citations = lines(&text).into_iter().map(|range| {
        let before = text.get(..range.start).unwrap_or_default();
        let line = written.get(before.matches('\n').count());
        let mut messages: Vec<MessageRef> = vec![answered.clone()];
        messages.extend(line.map(|line| line.messages.clone()).unwrap_or_default());
        messages.dedup_by(|a, b| a.channel_id == b.channel_id && a.ts == b.ts);
        Citation {
            start: scalars(Some(before)),
            length: scalars(text.get(range)),
            messages,
            by_program: false,
        }
    });
    let citations = citations.collect();
    Confirmation { text, citations }
}
