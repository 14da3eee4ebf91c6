//! Checks a text of a model against what its call showed.

use std::collections::BTreeSet;

use crate::answer::Complaint;
use crate::bindings::types::{Context, Message, Source};
use crate::grounding::{Doubt, Given, Unfounded, unfounded};
use crate::notes::shown_texts;
use crate::prompt::{conversation_messages, harmless, memory_texts};
use crate::text::lines::lines;

/// A second ask names at most so many values.
const MOST_NAMED: usize = 12;

/// The lines of a text that do not follow, in order.
pub(crate) struct Doubts {
    /// Those with values that nothing founds.
    pub(crate) unfounded: Vec<Unfounded>,
    /// Those that mention somebody whom the call does not know.
    pub(crate) strangers: Vec<Unfounded>,
    /// Those with names that the call does not have.
    pub(crate) names: Vec<Unfounded>,
}

impl Doubts {
    /// The doubts about a text, given these sources, in a call with this context.
    pub(crate) fn about(text: &str, given: &[Given<'_>], context: &Context) -> Self {
        let found = unfounded(text, given, &known(context));
        let of = |doubt: Doubt| {
            let lines = found.iter().filter(|line| line.doubt == doubt);
            lines.cloned().collect()
        };
        Self {
            unfounded: of(Doubt::Value),
            strangers: of(Doubt::Stranger),
            names: of(Doubt::Name),
        }
    }

    /// Why the model is asked once more: the values that do not follow, each once and in one line.
    pub(crate) fn complaint(&self) -> Option<Complaint> {
        let mut named = BTreeSet::new();
        let values = self.unfounded.iter().flat_map(|line| &line.values);
        let values: Vec<String> = values
            .filter(|value| named.insert(*value))
            .take(MOST_NAMED)
            .map(|value| harmless::name(value).into_owned())
            .collect();
        (!values.is_empty()).then_some(Complaint::Unfounded(values))
    }
}

/// Everything that the prompt of a context shows, and `memories` beside it: messages, and lines of memories. Of messages that
/// tell nothing only the author and the time count.
pub(crate) fn given<'c>(
    context: &'c Context,
    memories: impl Iterator<Item = &'c str>,
    tells: impl Fn(&Message) -> bool,
) -> Vec<Given<'c>> {
    let messages = conversation_messages(context).map(|message| Given {
        text: if tells(message) { &message.text } else { "" },
        author: Some(&message.user.name),
        time: Some(message.timestamp),
    });
    let records = context.notes.iter().flat_map(shown_texts);
    // A part of an older message is none of those that are counted.
    let records = records.map(|record| Given {
        text: &record.text,
        author: None,
        time: Some(record.timestamp),
    });
    let found = context.notes.iter().flat_map(|notes| &notes.sources);
    let found = found.map(of);
    let threads = context.thread_memories.iter();
    let threads = threads.map(|memory| memory.content.as_str());
    let legacy = context.workspace_short_term_memory.as_deref();
    let texts = memories.chain(memory_texts(context));
    let texts = texts.chain(legacy).chain(threads);
    let lines = texts.flat_map(|text| {
        let ranges = lines(text).into_iter();
        ranges.map(|range| Given {
            text: text.get(range).unwrap_or_default(),
            author: None,
            time: None,
        })
    });
    // The prompt tells the day, without a text.
    let now = context.notes.iter().filter_map(|notes| notes.now);
    let now = now.map(|now| Given {
        text: "",
        author: None,
        time: Some(now),
    });
    let told = messages.chain(records).chain(found);
    told.chain(lines).chain(now).collect()
}

/// A source that a search found.
pub(crate) fn of(source: &Source) -> Given<'_> {
    Given {
        text: &source.text,
        author: source.user.as_ref().map(|user| user.name.as_str()),
        time: source.timestamp,
    }
}

/// The names and ids of the people and channels of a call.
fn known(context: &Context) -> Vec<&str> {
    let history = &context.conversation_history;
    let channels = context.channel_memories.iter();
    let channels = channels.flat_map(|channel| [&channel.channel_id, &channel.channel_name]);
    let notes = context.notes.iter();
    let sources = notes.clone().flat_map(|notes| &notes.sources);
    let messages = conversation_messages(context).map(|message| &message.user);
    let people = messages
        .chain(notes.flat_map(shown_texts).map(|record| &record.user))
        .chain(sources.clone().filter_map(|source| source.user.as_ref()));
    let names = [
        &context.persona.name,
        &history.channel_id,
        &history.channel_name,
    ]
    .into_iter();
    names
        .chain(channels)
        .chain(sources.map(|source| &source.channel_name))
        .chain(people.flat_map(|user| [&user.id, &user.name]))
        .map(String::as_str)
        .collect()
}
