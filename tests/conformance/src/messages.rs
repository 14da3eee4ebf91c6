//! Channels and messages.

use crate::calls::{
    Verdict, add_channel, channel, delete, ids, invalid, list_channels, list_ids, list_messages,
    not_found, put, reply, same, say, say_at, ts, written,
};
use crate::drafts::{due_query, time, up_to};
use crate::myao::conformance::platform::WrittenMessage;
use crate::myao::memory::storage::{self, DueQuery, Keep, MessageQuery};

const PLACE: &str = "storage.list-messages";

pub(crate) fn channels_are_ordered_by_name_and_then_by_id() -> Verdict {
    for (id, name) in [("C3", "b"), ("C2", "a"), ("C1", "b")] {
        add_channel(id, name);
    }
    let channels = list_channels()?.into_iter();
    let found: Vec<(String, String)> = channels.map(|of| (of.id, of.name)).collect();
    let expected = [("C2", "a"), ("C1", "b"), ("C3", "b")];
    let expected: Vec<(String, String)> = expected.map(|(a, b)| (a.into(), b.into())).into();
    same("storage.list-channels", &found, &expected)
}

pub(crate) fn messages_come_oldest_first_within_inclusive_bounds() -> Verdict {
    channel();
    add_channel("C2", "other");
    say("C2", 3);
    for second in [4, 2, 3, 5] {
        say("C1", second);
    }
    let query = MessageQuery {
        since: Some(ts(3)),
        ..up_to(4)
    };
    same(PLACE, &list_ids(&query)?, &ids(&[3, 4]))
}

/// As text, 999 comes after 1000.
pub(crate) fn messages_are_ordered_numerically() -> Verdict {
    channel();
    for ts in ["1000.000002", "999.000009", "1000.000010"] {
        say_at("C1", ts);
    }
    let query = MessageQuery {
        until: "1000.000002".to_owned(),
        ..up_to(0)
    };
    same(PLACE, &list_ids(&query)?, &["999.000009", "1000.000002"])
}

pub(crate) fn limit_keeps_the_newest_or_the_oldest() -> Verdict {
    channel();
    for second in 1..=3 {
        say("C1", second);
    }
    for (limit, keep, expected) in [
        (2, Keep::Newest, &[2, 3][..]),
        (2, Keep::Oldest, &[1, 2]),
        (0, Keep::Newest, &[]),
        (0, Keep::Oldest, &[]),
    ] {
        let query = MessageQuery {
            limit,
            keep,
            ..up_to(9)
        };
        same(PLACE, &list_ids(&query)?, &ids(expected))?;
    }
    Ok(())
}

pub(crate) fn newest_top_level_messages_are_no_replies() -> Verdict {
    channel();
    for second in [1, 2, 3] {
        say("C1", second);
    }
    reply("C1", 2, 4);
    reply("C1", 2, 5);
    let query = MessageQuery {
        limit: 2,
        keep: Keep::NewestTopLevel,
        ..up_to(9)
    };
    same(PLACE, &list_ids(&query)?, &ids(&[2, 3]))
}

/// Its replies stay.
pub(crate) fn deleted_message_is_not_returned() -> Verdict {
    channel();
    say("C1", 1);
    reply("C1", 1, 2);
    delete("C1", 1);
    same(PLACE, &list_ids(&up_to(9))?, &ids(&[2]))?;
    let thread = MessageQuery {
        limit: 0,
        whole_thread: Some(ts(1)),
        thread_limit: 9,
        ..up_to(9)
    };
    same(PLACE, &list_ids(&thread)?, &ids(&[2]))
}

pub(crate) fn edit_replaces_the_text() -> Verdict {
    channel();
    say("C1", 1);
    put(&WrittenMessage {
        edited_at: Some(time(20)),
        ..written("C1", &ts(1), "another text")
    });
    let messages = list_messages(&up_to(9))?.into_iter();
    let found: Vec<(String, Option<i64>)> = messages
        .map(|message| {
            let edited_at = message.edited_at.map(|at| at.unix_seconds);
            (message.text, edited_at)
        })
        .collect();
    same(PLACE, &found, &[("another text".to_owned(), Some(20))])
}

/// The error names it.
pub(crate) fn unknown_channel_is_not_found() -> Verdict {
    channel();
    let query = MessageQuery {
        channel_id: "C9".to_owned(),
        ..up_to(9)
    };
    not_found(PLACE, &storage::list_messages(&query), "C9")?;
    let backlog = storage::get_backlog("C9", None, &ts(9));
    not_found("storage.get-backlog", &backlog, "C9")
}

/// The error names it.
pub(crate) fn what_is_no_message_id_is_invalid() -> Verdict {
    channel();
    let no_id = || "yesterday".to_owned();
    for query in [
        MessageQuery {
            until: no_id(),
            ..up_to(9)
        },
        MessageQuery {
            since: Some(no_id()),
            ..up_to(9)
        },
        MessageQuery {
            whole_thread: Some(no_id()),
            ..up_to(9)
        },
    ] {
        invalid(PLACE, &storage::list_messages(&query), "yesterday")?;
    }
    for (thread, until) in [(None, no_id()), (Some("yesterday"), ts(9))] {
        let backlog = storage::get_backlog("C1", thread, &until);
        invalid("storage.get-backlog", &backlog, "yesterday")?;
    }
    let due = storage::list_due(&DueQuery {
        until: no_id(),
        ..due_query()
    });
    invalid("storage.list-due", &due, "yesterday")
}
