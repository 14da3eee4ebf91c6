//! Messages of threads.

use crate::calls::{Verdict, channel, delete, ids, list_ids, list_messages, reply, same, say, ts};
use crate::drafts::up_to;
use crate::myao::memory::storage::MessageQuery;

const PLACE: &str = "storage.list-messages";

/// Even if it is older than `since`. It does not count for `limit`.
pub(crate) fn first_message_of_a_thread_comes_with_its_replies() -> Verdict {
    channel();
    say("C1", 1);
    say("C1", 2);
    reply("C1", 1, 3);
    say("C1", 4);
    let query = MessageQuery {
        since: Some("2.500000".to_owned()),
        limit: 2,
        ..up_to(9)
    };
    let messages = list_messages(&query)?.into_iter();
    let found: Vec<(String, Option<String>)> = messages.map(|of| (of.ts, of.thread_ts)).collect();
    let expected = [(ts(1), Some(ts(1))), (ts(3), Some(ts(1))), (ts(4), None)];
    same(PLACE, &found, &expected)
}

/// Up to `until`; its messages use up none of the limit.
pub(crate) fn whole_thread_is_read_outside_since_and_limit() -> Verdict {
    channel();
    say("C1", 1);
    reply("C1", 1, 2);
    say("C1", 3);
    reply("C1", 1, 4);
    say("C1", 5);
    reply("C1", 1, 6);
    reply("C1", 1, 8);
    let query = MessageQuery {
        since: Some("3.500000".to_owned()),
        limit: 1,
        whole_thread: Some(ts(1)),
        thread_limit: 9,
        ..up_to(7)
    };
    same(PLACE, &list_ids(&query)?, &ids(&[1, 2, 4, 5, 6]))?;
    let unknown = MessageQuery {
        whole_thread: Some(ts(77)),
        ..query
    };
    same(PLACE, &list_ids(&unknown)?, &ids(&[1, 6]))
}

/// The rest of the thread does not come with the messages around it, either.
pub(crate) fn long_thread_keeps_its_first_message_and_its_newest_replies() -> Verdict {
    channel();
    say("C1", 1);
    say("C1", 2);
    for second in [3, 4, 5] {
        reply("C1", 1, second);
    }
    say("C1", 6);
    for (limit, until, expected) in [
        (0, 9, &[1, 2, 6][..]),
        (2, 9, &[1, 2, 4, 5, 6]),
        (3, 9, &[1, 2, 3, 4, 5, 6]),
        (1, 4, &[1, 2, 4]),
    ] {
        let query = MessageQuery {
            whole_thread: Some(ts(1)),
            thread_limit: limit,
            ..up_to(until)
        };
        same(PLACE, &list_ids(&query)?, &ids(expected))?;
    }
    Ok(())
}

/// Not before that, and also as of an earlier time.
pub(crate) fn first_message_names_its_thread_once_there_is_a_reply() -> Verdict {
    channel();
    say("C1", 1);
    reply("C1", 1, 5);
    let first = |until: u64| {
        let messages = list_messages(&up_to(until))?.into_iter();
        let threads: Vec<Option<String>> = messages.map(|of| of.thread_ts).collect();
        Ok(threads.into_iter().next().flatten())
    };
    same(PLACE, &first(4)?, &None::<String>)?;
    same(PLACE, &first(5)?, &Some(ts(1)))?;
    delete("C1", 5);
    same(PLACE, &first(5)?, &None::<String>)
}
