//! Reading memories.

use crate::calls::{
    Verdict, add_channel, invalid, list_memories, reply, same, save, say, talk, ts,
};
use crate::drafts::{
    all_memories, long_term, no_memories, of_thread, of_workspace, save_versions, short_term, time,
};
use crate::myao::memory::storage::{self, ChannelFilter, Memory, MemoryDraft, MemoryQuery};
use crate::myao::memory::types::MemoryType;

const PLACE: &str = "storage.list-memories";

/// Scope id, type and version of each memory.
fn labels(query: &MemoryQuery) -> crate::calls::Answer<Vec<String>> {
    let memories = list_memories(query)?.into_iter();
    let label = |memory: Memory| {
        let memory_type = match memory.memory_type {
            MemoryType::LongTerm => "long-term",
            MemoryType::ShortTerm => "short-term",
        };
        format!("{} {memory_type} {}", memory.scope_id, memory.version)
    };
    Ok(memories.map(label).collect())
}

fn fill() -> Verdict {
    talk();
    reply("C1", 2, 6);
    add_channel("C2", "another");
    say("C2", 1);
    reply("C2", 1, 2);
    save(&of_thread("C1", 2, 6))?;
    save(&of_thread("C1", 1, 5))?;
    save(&of_thread("C2", 1, 2))?;
    save(&short_term("C2", 1))?;
    let [_, newest] = save_versions([1, 2])?;
    save(&long_term("C1", &newest))?;
    save(&of_workspace(MemoryType::ShortTerm))?;
    save(&of_workspace(MemoryType::LongTerm))?;
    Ok(())
}

/// Scopes and types in the order of their enums.
pub(crate) fn memories_are_ordered_by_scope_id_type_and_version() -> Verdict {
    fill()?;
    let expected = [
        "default long-term 1",
        "default short-term 1",
        "C1 long-term 1",
        "C1 short-term 1",
        "C1 short-term 2",
        "C2 short-term 1",
        "C1:1.000000 short-term 1",
        "C1:2.000000 short-term 1",
    ];
    same(PLACE, &labels(&all_memories())?, &expected)
}

/// One channel, the workspace, and some threads.
pub(crate) fn only_the_scopes_asked_for_are_read() -> Verdict {
    fill()?;
    let none: [&str; 0] = [];
    same(PLACE, &labels(&no_memories())?, &none)?;
    let channel = |id: &str| MemoryQuery {
        channels: ChannelFilter::One(id.to_owned()),
        ..no_memories()
    };
    same(PLACE, &labels(&channel("C2"))?, &["C2 short-term 1"])?;
    same(PLACE, &labels(&channel("C9"))?, &none)?;
    let workspace = MemoryQuery {
        workspace: true,
        ..no_memories()
    };
    let expected = ["default long-term 1", "default short-term 1"];
    same(PLACE, &labels(&workspace)?, &expected)?;
    let threads = MemoryQuery {
        threads: vec!["C2:1.000000".to_owned(), "C2:9.000000".to_owned()],
        ..no_memories()
    };
    same(PLACE, &labels(&threads)?, &["C2:1.000000 short-term 1"])
}

/// The long-term memory is not counted.
pub(crate) fn history_limit_takes_the_newest_versions() -> Verdict {
    talk();
    let [.., newest] = save_versions([1, 2, 3])?;
    save(&long_term("C1", &newest))?;
    let limited = |history_limit| MemoryQuery {
        channels: ChannelFilter::All,
        history_limit,
        unmerged: true,
        ..no_memories()
    };
    let two = ["C1 long-term 1", "C1 short-term 2", "C1 short-term 3"];
    same(PLACE, &labels(&limited(2))?, &two)?;
    same(PLACE, &labels(&limited(0))?, &["C1 long-term 1"])
}

/// And no others.
pub(crate) fn unmerged_versions_come_however_old() -> Verdict {
    talk();
    let versions = save_versions([1, 2, 3, 4])?;
    let listed = |unmerged| {
        list_memories(&MemoryQuery {
            channels: ChannelFilter::One("C1".to_owned()),
            history_limit: 1,
            unmerged,
            ..no_memories()
        })
    };
    same(PLACE, &listed(true)?, &versions)?;
    let long = save(&long_term("C1", &versions[1]))?;
    let [_, _, third, fourth] = versions;
    same(
        PLACE,
        &listed(true)?,
        &[long.clone(), third, fourth.clone()],
    )?;
    same(PLACE, &listed(false)?, &[long, fourth])
}

/// The newest ones of those that were made up to then come instead; of an overwritten memory, nothing.
pub(crate) fn memories_made_after_until_do_not_exist_yet() -> Verdict {
    talk();
    let at = |seconds, expected: Option<&Memory>, draft: MemoryDraft| {
        save(&MemoryDraft {
            now: time(seconds),
            expected: expected.map(|memory| memory.id),
            ..draft
        })
    };
    let first = at(500, None, short_term("C1", 1))?;
    let long = at(500, None, long_term("C1", &first))?;
    let second = at(900, Some(&first), short_term("C1", 2))?;
    let merged = at(900, Some(&long), long_term("C1", &second))?;
    let workspace = at(900, None, of_workspace(MemoryType::LongTerm))?;
    let thread = at(900, None, of_thread("C1", 1, 5))?;
    let read = |until: Option<&str>, history_limit, unmerged| {
        list_memories(&MemoryQuery {
            until: until.map(str::to_owned),
            history_limit,
            unmerged,
            ..all_memories()
        })
    };
    for until in ["500.000000", "899.999999"] {
        let found = read(Some(until), 1, false)?;
        same(PLACE, &found, std::slice::from_ref(&first))?;
    }
    same(PLACE, &read(Some("899.999999"), 0, true)?, &[])?;
    same(PLACE, &read(Some("499.999999"), 9, true)?, &[])?;
    let now = [workspace, merged, second, thread];
    for until in [None, Some(ts(900))] {
        same(PLACE, &read(until.as_deref(), 1, false)?, &now)?;
    }
    let no_time = MemoryQuery {
        until: Some("yesterday".to_owned()),
        ..all_memories()
    };
    invalid(PLACE, &storage::list_memories(&no_time), "yesterday")
}
