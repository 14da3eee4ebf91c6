//! What is due.

use crate::calls::{
    Answer, Verdict, add_channel, backlog, channel, list_due, reply, same, save, say, say_at, ts,
};
use crate::drafts::{due_query, long_term, of_workspace, save_versions, short_term};
use crate::myao::memory::storage::{DueQuery, MemoryDraft};
use crate::myao::memory::types::MemoryType;

const PLACE: &str = "storage.list-due";

pub(crate) fn always() -> DueQuery {
    DueQuery {
        always: true,
        ..due_query()
    }
}

/// The ids of the channels that are listed.
pub(crate) fn due_channels(query: &DueQuery) -> Answer<Vec<String>> {
    let channels = list_due(query)?.channels.into_iter();
    Ok(channels.map(|backlog| backlog.channel.id).collect())
}

/// The threads that are listed.
pub(crate) fn due_threads(query: &DueQuery) -> Answer<Vec<Option<String>>> {
    let threads = list_due(query)?.threads.into_iter();
    Ok(threads.map(|backlog| backlog.thread_ts).collect())
}

/// Older messages are history, which a host takes in if it wants to.
pub(crate) fn never_summarized_channel_is_due_with_a_message_in_the_window() -> Verdict {
    channel();
    for (id, name) in [("C0", "first"), ("C2", "old"), ("C3", "empty")] {
        add_channel(id, name);
    }
    say("C1", 100);
    say("C1", 5000);
    say("C0", 9999);
    say_at("C2", "4999.000009");
    same(PLACE, &due_channels(&due_query())?, &["C0", "C1"])
}

/// However long it was silent.
pub(crate) fn channel_without_new_messages_is_not_due() -> Verdict {
    channel();
    say("C1", 6000);
    say("C1", 7000);
    let [version] = save_versions([7000])?;
    save(&long_term("C1", &version))?;
    same(PLACE, &due_channels(&always())?, &[""; 0])?;
    let waiting = backlog(None, 10_000)?;
    let counts = (waiting.new_message_count, waiting.unmerged_count);
    same("storage.get-backlog", &counts, &(0, 0))
}

/// Otherwise it may be left out.
pub(crate) fn channel_with_a_new_message_is_due_when_idle_or_full_or_always() -> Verdict {
    channel();
    say("C1", 6000);
    say_at("C1", "9000.000001");
    let [version] = save_versions([6000])?;
    save(&long_term("C1", &version))?;
    let idle = DueQuery {
        idle_since: "9000.000001".to_owned(),
        ..due_query()
    };
    let full = DueQuery {
        message_threshold: 1,
        ..due_query()
    };
    for query in [always(), idle, full] {
        same(PLACE, &due_channels(&query)?, &["C1"])?;
    }
    Ok(())
}

/// Even without new messages, until it is merged.
pub(crate) fn channel_with_an_unmerged_version_is_due() -> Verdict {
    channel();
    say("C1", 6000);
    let versions = save_versions([6000, 6000])?;
    let unmerged = || Ok(backlog(None, 10_000)?.unmerged_count);
    same(PLACE, &due_channels(&due_query())?, &["C1"])?;
    same("storage.get-backlog", &unmerged()?, &2)?;
    let merged = save(&long_term("C1", &versions[0]))?;
    same("storage.get-backlog", &unmerged()?, &1)?;
    save(&MemoryDraft {
        expected: Some(merged.id),
        ..long_term("C1", &versions[1])
    })?;
    same(PLACE, &due_channels(&due_query())?, &[""; 0])
}

/// Whoever asks for a time long past must get the answer for that time.
pub(crate) fn messages_after_until_do_not_exist_yet() -> Verdict {
    channel();
    add_channel("C2", "later");
    add_channel("C3", "gone");
    say("C2", 10_001);
    say("C3", 4000);
    say("C3", 11_000);
    for second in [6000, 9500, 10_001, 10_002] {
        say("C1", second);
    }
    reply("C1", 9500, 10_003);
    let due = list_due(&due_query())?;
    let waiting = backlog(None, 10_000)?;
    same(PLACE, &due.threads, &[])?;
    same(
        "storage.get-backlog",
        &waiting.latest_message_ts,
        &Some(ts(9500)),
    )?;
    same("storage.get-backlog", &waiting.new_message_count, &2)?;
    same(PLACE, &due.channels, &[waiting])?;
    let [version] = save_versions([9500])?;
    save(&long_term("C1", &version))?;
    same(PLACE, &due_channels(&always())?, &[""; 0])
}

/// Newer than those merged into the workspace's memory; each type is looked at by itself.
pub(crate) fn workspace_is_due_when_a_channel_memory_is_newer() -> Verdict {
    channel();
    say("C1", 1);
    let flags = || {
        let due = list_due(&due_query())?;
        Ok((due.workspace_long_term, due.workspace_short_term))
    };
    same(PLACE, &flags()?, &(false, false))?;
    let short = save(&short_term("C1", 1))?;
    same(PLACE, &flags()?, &(false, true))?;
    let long = save(&long_term("C1", &short))?;
    same(PLACE, &flags()?, &(true, true))?;
    for (memory_type, merged) in [
        (MemoryType::LongTerm, long.id),
        (MemoryType::ShortTerm, short.id),
    ] {
        save(&MemoryDraft {
            merged_through: Some(merged),
            ..of_workspace(memory_type)
        })?;
    }
    same(PLACE, &flags()?, &(false, false))?;
    save(&MemoryDraft {
        expected: Some(long.id),
        ..long_term("C1", &short)
    })?;
    same(PLACE, &flags()?, &(true, false))
}
