//! Stand-ins: memories made in place of those that the model could not make.

use crate::calls::{
    Answer, Verdict, add_channel, backlog, channel, conflict, holds, list_due, list_memories,
    reply, same, save, say, talk,
};
use crate::drafts::{
    all_memories, due_query, long_term, no_memories, of_thread, of_workspace, save_versions,
    short_term, stand_in, time,
};
use crate::due::due_channels;
use crate::myao::memory::storage::{
    Backlog, ChannelFilter, Due, Memory, MemoryDraft, MemoryQuery, SaveMode,
};
use crate::myao::memory::types::{MemoryType, Scope};

const LIST: &str = "storage.list-memories";
const SAVE: &str = "storage.save-memory";

/// It takes a new id, but no version number.
pub(crate) fn stand_in_is_version_zero_beside_the_versions() -> Verdict {
    talk();
    let first = save(&short_term("C1", 1))?;
    let beside = save(&stand_in(Some(&first), short_term("C1", 2)))?;
    same(SAVE, &beside.version, &0)?;
    let ids = (first.id, beside.id);
    holds(SAVE, beside.id > first.id, || {
        format!("expected ids that grow, found {ids:?}")
    })?;
    let next = MemoryDraft {
        expected: Some(first.id),
        ..short_term("C1", 2)
    };
    same(LIST, &list_memories(&all_memories())?, &[beside, first])?;
    same(SAVE, &save(&next)?.version, &2)
}

/// Version 0 keeps the creation time of its first text.
pub(crate) fn stand_in_takes_the_place_of_an_earlier_one() -> Verdict {
    talk();
    let made = |content: &str, now| {
        save(&MemoryDraft {
            content: content.to_owned(),
            now: time(now),
            ..stand_in(None, short_term("C1", 1))
        })
    };
    let first = made("first", 100)?;
    let second = made("second", 200)?;
    let ids = (first.id, second.id);
    holds(SAVE, second.id > first.id, || {
        format!("expected ids that grow, found {ids:?}")
    })?;
    let times = [second.created_at, second.updated_at].map(|time| time.unix_seconds);
    same(SAVE, &times, &[100, 200])?;
    same(LIST, &list_memories(&all_memories())?, &[second])
}

/// In either mode; stand-ins of other memories stay.
pub(crate) fn saved_memory_sets_its_stand_in_aside() -> Verdict {
    talk();
    add_channel("C2", "other");
    say("C2", 1);
    for mode in [SaveMode::NewVersion, SaveMode::Overwrite] {
        let listed = list_memories(&all_memories())?;
        let mut made = listed.iter().rev();
        let newest = made.find(|memory| memory.scope_id == "C1" && memory.version > 0);
        save(&stand_in(newest, short_term("C1", 1)))?;
        let other = save(&stand_in(None, short_term("C2", 1)))?;
        let thread = save(&stand_in(None, of_thread("C1", 1, 5)))?;
        let made = save(&MemoryDraft {
            mode,
            expected: newest.map(|memory| memory.id),
            ..short_term("C1", 2)
        })?;
        same(
            LIST,
            &list_memories(&all_memories())?,
            &[made, other, thread],
        )?;
    }
    Ok(())
}

/// The writer expects the newest memory that is not a stand-in.
pub(crate) fn stand_ins_are_no_expectation() -> Verdict {
    talk();
    let beside = save(&stand_in(None, short_term("C1", 1)))?;
    for mode in [SaveMode::NewVersion, SaveMode::Overwrite, SaveMode::StandIn] {
        conflict(&MemoryDraft {
            mode,
            expected: Some(beside.id),
            ..short_term("C1", 2)
        })?;
    }
    // A stand-in is refused if the memory itself was made in the meantime.
    let made = save(&short_term("C1", 2))?;
    conflict(&stand_in(None, short_term("C1", 2)))?;
    same(LIST, &list_memories(&all_memories())?, &[made])
}

/// This includes stand-ins of a channel that has nothing else, of a thread, and of the workspace.
pub(crate) fn stand_ins_are_listed_outside_the_history_limit() -> Verdict {
    talk();
    add_channel("C2", "other");
    say("C2", 1);
    let versions = save_versions([1, 2, 3])?;
    let merged = save(&long_term("C1", &versions[1]))?;
    let beside = save(&stand_in(versions.last(), short_term("C1", 4)))?;
    let alone = save(&stand_in(None, short_term("C2", 1)))?;
    let query = |history_limit, unmerged| MemoryQuery {
        channels: ChannelFilter::All,
        history_limit,
        unmerged,
        ..no_memories()
    };
    for (limit, unmerged, from) in [
        (0, false, 3),
        (0, true, 2),
        (1, false, 2),
        (2, true, 1),
        (9, false, 0),
    ] {
        let mut expected = vec![merged.clone(), beside.clone()];
        expected.extend(versions.iter().skip(from).cloned());
        expected.push(alone.clone());
        same(LIST, &list_memories(&query(limit, unmerged))?, &expected)?;
    }
    let one = MemoryQuery {
        channels: ChannelFilter::One("C2".to_owned()),
        ..query(1, true)
    };
    same(LIST, &list_memories(&one)?, &[alone])?;
    let made = save(&of_thread("C1", 1, 5))?;
    let thread = save(&stand_in(Some(&made), of_thread("C1", 1, 5)))?;
    let workspace = save(&stand_in(None, of_workspace(MemoryType::ShortTerm)))?;
    let others = MemoryQuery {
        workspace: true,
        threads: vec![thread.scope_id.clone()],
        ..no_memories()
    };
    same(LIST, &list_memories(&others)?, &[workspace, thread, made])
}

/// Their source messages keep waiting for the memory itself.
pub(crate) fn stand_ins_change_no_backlog() -> Verdict {
    channel();
    say("C1", 150);
    reply("C1", 150, 7000);
    for (is_summarized, count) in [(false, 2), (true, 1)] {
        let before = waiting()?;
        same("storage.get-backlog", &before.0.new_message_count, &count)?;
        same("storage.list-due", &before.2.threads.len(), &1)?;
        let listed = list_memories(&all_memories())?;
        let newest = |scope| {
            let mut made = listed.iter().rev().filter(|memory| memory.version > 0);
            made.find(|memory: &&Memory| memory.scope == scope)
        };
        save(&stand_in(newest(Scope::Channel), short_term("C1", 7000)))?;
        save(&stand_in(newest(Scope::Thread), thread_memory(7000)))?;
        same("storage.get-backlog", &waiting()?, &before)?;
        if !is_summarized {
            // From here on, there are also a version that waits to be merged and a thread's memory.
            save(&short_term("C1", 150))?;
            save(&thread_memory(150))?;
            same(
                "storage.get-backlog",
                &backlog(None, 10_000)?.unmerged_count,
                &1,
            )?;
        }
    }
    same("storage.list-due", &due_channels(&due_query())?, &["C1"])
}

fn thread_memory(latest: u64) -> MemoryDraft {
    of_thread("C1", 150, latest)
}

/// What waits in the channel and in its thread, and what is due.
fn waiting() -> Answer<(Backlog, Backlog, Due)> {
    let of_thread = backlog(Some(150), 10_000)?;
    let due = Due {
        // Its memories are newer, whether or not a stand-in was saved.
        workspace_short_term: false,
        ..list_due(&due_query())?
    };
    Ok((backlog(None, 10_000)?, of_thread, due))
}

/// A newer stand-in of a channel does not count, nor does what a stand-in of the workspace has merged.
pub(crate) fn stand_ins_make_no_workspace_due() -> Verdict {
    talk();
    let flags = || {
        let due = list_due(&due_query())?;
        Ok((due.workspace_long_term, due.workspace_short_term))
    };
    save(&stand_in(None, short_term("C1", 1)))?;
    same("storage.list-due", &flags()?, &(false, false))?;
    let made = save(&short_term("C1", 1))?;
    let workspace = MemoryDraft {
        merged_through: Some(made.id),
        ..of_workspace(MemoryType::ShortTerm)
    };
    save(&stand_in(None, workspace.clone()))?;
    same("storage.list-due", &flags()?, &(false, true))?;
    save(&workspace)?;
    save(&stand_in(Some(&made), short_term("C1", 1)))?;
    same("storage.list-due", &flags()?, &(false, false))
}
