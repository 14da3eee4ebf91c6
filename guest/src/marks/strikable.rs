//! The messages that a correction may strike, for its author to pick from.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::reading::shown_memories;
use super::supersede::Statement;
use super::{Marks, is_text_only_for, time};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::marks::Strikable;
use crate::bindings::recall::RecallQuery;
use crate::bindings::types::{KeptSpan, KeptText, Message, MessageRef};
use crate::cited_lines::cited_lines;
use crate::ports::{Recall, Storage};
use crate::settings::Settings;
use crate::text::lines::lines;
use crate::ts::Ts;

/// So many are shown: as many as somebody reads.
const MOST: usize = 10;
/// So many messages are looked at that have words of the correction.
const MOST_FOUND: u32 = 50;

/// The messages that the correction with this id may strike, as `wit/marks.wit` says.
///
/// # Errors
/// [`Error::Storage`].
pub fn list_strikable(
    (storage, recall): (&dyn Storage, &dyn Recall),
    settings: &Settings,
    (channel_id, correction): (&str, Ts),
    until: Ts,
) -> Result<Vec<Strikable>, Error> {
    let bot = &settings.bot_name;
    let marks = Marks::load(storage, channel_id, until, bot)?;
    let mut corrections = marks.corrections.iter();
    let Some(said) = corrections.find(|mark| time(mark) == Some(correction)) else {
        return Ok(Vec::new());
    };
    let statement = Statement::read(&said.text);
    let is_older = |of: &MessageRef| {
        let ts = Ts::parse(&of.ts).ok();
        of.channel_id == channel_id && ts.is_some_and(|ts| ts < correction)
    };
    // The lines of memories that may be meant, by the messages that they cite.
    let mut cited: BTreeMap<String, String> = BTreeMap::new();
    for memory in shown_memories(storage, settings, channel_id, until)? {
        for (line, citation) in cited_lines(&memory) {
            if statement.differs(&Statement::read(line)) {
                let older = citation.messages.iter().filter(|of| is_older(of));
                cited.extend(older.map(|of| (of.ts.clone(), line.to_owned())));
            }
        }
    }
    let spans: Vec<KeptSpan> = cited.keys().map(|ts| whole(channel_id, ts)).collect();
    let mut messages = storage.read_spans(&spans).map_err(Error::Storage)?;
    let query = RecallQuery {
        terms: recall.terms(&said.text),
        text: String::new(),
        channels: vec![channel_id.to_owned()],
        since: None,
        until: correction.to_string(),
        limit: MOST_FOUND,
        neighbours: 0,
    };
    let found = recall.find_candidates(&query).map_err(Error::Storage)?;
    for found in found.messages {
        if is_older(&found.at) && !cited.contains_key(&found.at.ts) {
            messages.push(text_of(channel_id, found.message));
        }
    }
    let mut strikable: Vec<Strikable> = Vec::new();
    for message in messages {
        let (ts, user) = (&message.span.message.ts, &message.user);
        let is_own = user.is_bot && user.name == *bot;
        if is_own || is_text_only_for(&message.text, bot) {
            continue;
        }
        let all = lines(&message.text).into_iter();
        let all = all.filter_map(|range| message.text.get(range));
        let meant: Vec<&str> = all
            .filter(|line| statement.differs(&Statement::read(line)))
            .collect();
        let text = match (meant.as_slice(), cited.get(ts)) {
            ([], None) => continue,
            ([], Some(line)) => line.clone(),
            (meant, _) => meant.join(" "),
        };
        let contradicts = |line: &str| statement.contradicts(&Statement::read(line));
        let is_likely = contradicts(&text) || meant.into_iter().any(contradicts);
        strikable.push(Strikable {
            said: KeptText { text, ..message },
            is_likely,
        });
    }
    strikable.sort_by_key(|of| Reverse((of.is_likely, time(&of.said))));
    strikable.truncate(MOST);
    Ok(strikable)
}

fn whole(channel_id: &str, ts: &str) -> KeptSpan {
    KeptSpan {
        message: MessageRef {
            channel_id: channel_id.to_owned(),
            ts: ts.to_owned(),
        },
        start: 0,
        length: u32::MAX,
    }
}

fn text_of(channel_id: &str, message: Message) -> KeptText {
    KeptText {
        span: whole(channel_id, &message.ts),
        user: message.user,
        timestamp: message.timestamp,
        text: message.text,
    }
}
