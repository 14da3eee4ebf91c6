//! What waits in a channel or in a thread.

use crate::calls::{
    Answer, Verdict, backlog, channel, delete, ids, list_due, list_ids, put, reply, same, save,
    say, ts, written,
};
use crate::drafts::{due_query, line, of_thread, short_term, time, up_to};
use crate::due::{always, due_channels, due_threads};
use crate::myao::conformance::platform::WrittenMessage;
use crate::myao::memory::storage::{Keep, MemoryDraft, MessageQuery};

const PLACE: &str = "storage.get-backlog";
const DUE: &str = "storage.list-due";

/// Without a memory, all messages count.
pub(crate) fn backlog_counts_what_is_in_no_version_yet() -> Verdict {
    channel();
    for second in 1..=3 {
        say("C1", second);
    }
    let before = backlog(None, 9)?;
    let counted = (before.new_message_count, before.short_term_version);
    same(PLACE, &counted, &(3, None))?;
    same(PLACE, &before.summarized_through, &None::<String>)?;
    save(&version(None, 2, &[1, 2]))?;
    let after = backlog(None, 9)?;
    let counted = (after.new_message_count, after.short_term_version);
    same(PLACE, &counted, &(1, Some(1)))?;
    same(PLACE, &after.summarized_through, &Some(ts(2)))?;
    same(PLACE, &after.latest_message_ts, &Some(ts(3)))?;
    say("C1", 4);
    same(PLACE, &backlog(None, 9)?.new_message_count, &2)?;
    same(PLACE, &backlog(None, 3)?.new_message_count, &1)
}

/// A version of C1 that was made from these messages.
fn version(expected: Option<u64>, latest: u64, messages: &[u64]) -> MemoryDraft {
    MemoryDraft {
        expected,
        source_channel_id: "C1".to_owned(),
        source_messages: ids(messages),
        ..short_term("C1", latest)
    }
}

/// A first version from 20 and 30, while 1 is history and 60 is new. Then 10, 25 and a reply to 1 come late.
fn late() -> Answer<u64> {
    channel();
    for second in [1, 20, 30, 60] {
        say("C1", second);
    }
    let first = save(&version(None, 30, &[20, 30]))?;
    say("C1", 10);
    say("C1", 25);
    reply("C1", 1, 26);
    Ok(first.id)
}

/// Whatever their age, and once. What is older than the first version is history.
pub(crate) fn late_messages_wait_until_a_version_is_made_from_them() -> Verdict {
    let first = late()?;
    let waits = |until| {
        let backlog = backlog(None, until)?;
        Ok((backlog.new_message_count, backlog.late_message_count))
    };
    same(PLACE, &waits(99)?, &(4, 3))?;
    same(PLACE, &waits(25)?, &(2, 2))?;
    same(DUE, &due_channels(&always())?, &["C1"])?;
    let second = save(&version(Some(first), 30, &[10, 20, 25]))?;
    same(PLACE, &waits(99)?, &(2, 1))?;
    save(&version(Some(second.id), 60, &[1, 26, 60]))?;
    same(PLACE, &waits(99)?, &(0, 0))
}

/// The first message of a thread comes with its reply, though it is history.
pub(crate) fn only_what_waits_is_read() -> Verdict {
    late()?;
    for (limit, keep, since, expected) in [
        (9, Keep::Oldest, None, &[1, 10, 25, 26, 60][..]),
        (2, Keep::Oldest, None, &[10, 25]),
        (1, Keep::Newest, None, &[60]),
        (9, Keep::Oldest, Some(27), &[60]),
    ] {
        let query = MessageQuery {
            since: since.map(ts),
            limit,
            keep,
            only_new: true,
            ..up_to(99)
        };
        same("storage.list-messages", &list_ids(&query)?, &ids(expected))?;
    }
    Ok(())
}

/// Deleted replies do not make a thread either.
pub(crate) fn deleted_messages_do_not_wait() -> Verdict {
    channel();
    say("C1", 6000);
    reply("C1", 6000, 7000);
    delete("C1", 7000);
    same(DUE, &due_threads(&due_query())?, &[])?;
    same(PLACE, &backlog(None, 9999)?.new_message_count, &1)?;
    delete("C1", 6000);
    same(DUE, &due_channels(&due_query())?, &[""; 0])?;
    same(
        PLACE,
        &backlog(None, 9999)?.latest_message_ts,
        &None::<String>,
    )
}

/// And only then.
pub(crate) fn thread_is_due_with_a_reply_and_again_with_a_new_one() -> Verdict {
    channel();
    say("C1", 100);
    reply("C1", 100, 6000);
    let waiting = backlog(Some(100), 10_000)?;
    same(PLACE, &waiting.thread_ts, &Some(ts(100)))?;
    same(PLACE, &waiting.new_message_count, &2)?;
    same(PLACE, &waiting.latest_message_ts, &Some(ts(6000)))?;
    same(DUE, &list_due(&due_query())?.threads, &[waiting])?;
    save(&of_thread("C1", 100, 6000))?;
    same(DUE, &due_threads(&due_query())?, &[])?;
    reply("C1", 100, 6001);
    same(DUE, &due_threads(&due_query())?, &[Some(ts(100))])?;
    let new = backlog(Some(100), 10_000)?;
    let counted = (new.new_message_count, new.short_term_version);
    same(PLACE, &counted, &(1, Some(1)))
}

/// Nothing waits in it.
pub(crate) fn first_message_alone_is_no_thread() -> Verdict {
    channel();
    say("C1", 6000);
    same(DUE, &due_threads(&due_query())?, &[])?;
    let nothing = backlog(Some(6000), 10_000)?;
    let found = (nothing.new_message_count, nothing.latest_message_ts);
    same(PLACE, &found, &(0, None))
}

/// A platform may deliver a reply first.
pub(crate) fn thread_whose_first_message_comes_late_counts_it() -> Verdict {
    channel();
    reply("C1", 6000, 7000);
    same(PLACE, &backlog(Some(6000), 9999)?.new_message_count, &1)?;
    say("C1", 6000);
    same(PLACE, &backlog(Some(6000), 9999)?.new_message_count, &2)
}

/// Once, whether by an edit or by a deletion; the memory that is made then ends it.
pub(crate) fn thread_of_which_a_summarized_message_changed_is_due_again() -> Verdict {
    channel();
    say("C1", 100);
    reply("C1", 100, 6000);
    reply("C1", 100, 6500);
    let made_at = |now, expected| {
        save(&MemoryDraft {
            expected,
            now: time(now),
            // What changes is not cited, so that the line stays.
            citations: vec![line(0, 6, &[100])],
            ..of_thread("C1", 100, 6500)
        })
    };
    let mut newest = made_at(6600, None)?;
    same(DUE, &due_threads(&due_query())?, &[])?;
    let edit = || {
        put(&WrittenMessage {
            thread_ts: Some(ts(100)),
            edited_at: Some(time(7000)),
            ..written("C1", &ts(6000), "another text")
        });
    };
    for change in [&edit as &dyn Fn(), &|| delete("C1", 6000)] {
        change();
        let again = backlog(Some(100), 10_000)?;
        same(PLACE, &again.new_message_count, &1)?;
        same(DUE, &list_due(&due_query())?.threads, &[again])?;
        newest = made_at(8000, Some(newest.id))?;
        same(DUE, &due_threads(&due_query())?, &[])?;
    }
    Ok(())
}

/// If it was never summarised.
pub(crate) fn thread_outside_the_window_is_not_due() -> Verdict {
    channel();
    say("C1", 100);
    reply("C1", 100, 4999);
    reply("C1", 100, 10_001);
    same(DUE, &due_threads(&due_query())?, &[])
}
