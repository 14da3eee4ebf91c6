//! The calls of a check, and what it says if the store answers otherwise than the contract.

use std::fmt::Debug;

use crate::myao::conformance::platform::{self, WrittenMessage};
use crate::myao::memory::recall::{self, Candidates, RecallQuery};
use crate::myao::memory::storage::{
    self, Backlog, Due, DueQuery, Memory, MemoryDraft, MemoryQuery, MessageQuery, StorageError,
};
use crate::myao::memory::types::{Channel, Message, User};

/// Why a check does not pass.
pub(crate) enum Fault {
    /// The place in the contract, and what is wrong there.
    Wrong(String),
    /// A host need not have this.
    Missing(&'static str),
}

pub(crate) type Verdict = Result<(), Fault>;
pub(crate) type Answer<T> = Result<T, Fault>;

fn wrong(place: &str, what: String) -> Fault {
    Fault::Wrong(format!("{place}: {what}"))
}

/// What was found must be what the contract says.
pub(crate) fn same<A, B>(place: &str, found: &A, expected: &B) -> Verdict
where
    A: PartialEq<B> + Debug + ?Sized,
    B: Debug + ?Sized,
{
    holds(place, found == expected, || {
        format!("expected {expected:?}, found {found:?}")
    })
}

pub(crate) fn holds(place: &str, is_so: bool, otherwise: impl FnOnce() -> String) -> Verdict {
    if is_so {
        return Ok(());
    }
    Err(wrong(place, otherwise()))
}

/// The call must be refused with `not-found`, and name what it did not find.
pub(crate) fn not_found<T: Debug>(
    place: &str,
    result: &Result<T, StorageError>,
    name: &str,
) -> Verdict {
    let is_so = matches!(result, Err(StorageError::NotFound(text)) if text.contains(name));
    holds(place, is_so, || {
        format!("expected `not-found` that names {name}, found {result:?}")
    })
}

/// The call must be refused with `invalid`, and name what is wrong.
pub(crate) fn invalid<T: Debug>(
    place: &str,
    result: &Result<T, StorageError>,
    name: &str,
) -> Verdict {
    let is_so = matches!(result, Err(StorageError::Invalid(text)) if text.contains(name));
    holds(place, is_so, || {
        format!("expected `invalid` that names `{name}`, found {result:?}")
    })
}

/// The save must be refused with `conflict`.
pub(crate) fn conflict(draft: &MemoryDraft) -> Verdict {
    let result = storage::save_memory(draft);
    let is_so = matches!(result, Err(StorageError::Conflict(_)));
    let (mode, expected) = (draft.mode, draft.expected);
    holds("storage.save-memory", is_so, || {
        format!("expected `conflict` ({mode:?}, expected {expected:?}), found {result:?}")
    })
}

fn good<T>(place: &str, result: Result<T, StorageError>) -> Answer<T> {
    result.map_err(|error| wrong(place, format!("{error:?}")))
}

pub(crate) fn list_channels() -> Answer<Vec<Channel>> {
    good("storage.list-channels", storage::list_channels())
}

pub(crate) fn list_messages(query: &MessageQuery) -> Answer<Vec<Message>> {
    good("storage.list-messages", storage::list_messages(query))
}

/// The ids of the messages.
pub(crate) fn list_ids(query: &MessageQuery) -> Answer<Vec<String>> {
    let messages = list_messages(query)?.into_iter();
    Ok(messages.map(|message| message.ts).collect())
}

pub(crate) fn list_memories(query: &MemoryQuery) -> Answer<Vec<Memory>> {
    good("storage.list-memories", storage::list_memories(query))
}

pub(crate) fn list_due(query: &DueQuery) -> Answer<Due> {
    good("storage.list-due", storage::list_due(query))
}

/// What waits in C1, or in one of its threads.
pub(crate) fn backlog(thread: Option<u64>, until: u64) -> Answer<Backlog> {
    let thread = thread.map(ts);
    good(
        "storage.get-backlog",
        storage::get_backlog("C1", thread.as_deref(), &ts(until)),
    )
}

pub(crate) fn save(draft: &MemoryDraft) -> Answer<Memory> {
    good("storage.save-memory", storage::save_memory(draft))
}

pub(crate) fn find(query: &RecallQuery) -> Answer<Candidates> {
    good("recall.find-candidates", recall::find_candidates(query))
}

/// The id of the message of a second.
pub(crate) fn ts(second: u64) -> String {
    format!("{second}.000000")
}

/// The ids of the messages of these seconds.
pub(crate) fn ids(seconds: &[u64]) -> Vec<String> {
    seconds.iter().copied().map(ts).collect()
}

/// The person U1, and the public channel C1.
pub(crate) fn channel() {
    user("U1", "Aki", false);
    add_channel("C1", "general");
}

/// The same, with four messages and a reply to the first one.
pub(crate) fn talk() {
    channel();
    for second in 1..=4 {
        say("C1", second);
    }
    reply("C1", 1, 5);
}

pub(crate) fn user(id: &str, name: &str, is_bot: bool) {
    platform::add_user(&User {
        id: id.to_owned(),
        name: name.to_owned(),
        is_bot,
    });
}

pub(crate) fn add_channel(id: &str, name: &str) {
    platform::add_channel(&Channel {
        id: id.to_owned(),
        name: name.to_owned(),
        is_private: false,
    });
}

/// A message by U1 at the top level.
pub(crate) fn written(channel: &str, ts: &str, text: &str) -> WrittenMessage {
    WrittenMessage {
        channel_id: channel.to_owned(),
        ts: ts.to_owned(),
        user_id: "U1".to_owned(),
        text: text.to_owned(),
        thread_ts: None,
        edited_at: None,
    }
}

pub(crate) fn put(message: &WrittenMessage) {
    platform::put_message(message);
}

/// A message at the top level.
pub(crate) fn say(channel: &str, second: u64) {
    say_at(channel, &ts(second));
}

pub(crate) fn say_at(channel: &str, ts: &str) {
    put(&written(channel, ts, &format!("text of {ts}")));
}

pub(crate) fn reply(channel: &str, thread: u64, second: u64) {
    let ts_of_reply = ts(second);
    put(&WrittenMessage {
        thread_ts: Some(ts(thread)),
        ..written(channel, &ts_of_reply, &format!("text of {ts_of_reply}"))
    });
}

pub(crate) fn delete(channel: &str, second: u64) {
    platform::delete_message(channel, &ts(second));
}
