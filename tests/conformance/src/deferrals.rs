//! Memories that could not be made and are deferred.

use crate::calls::{Answer, Fault, Verdict, add_channel, holds, not_found, same, save, say, talk};
use crate::drafts::{WORKSPACE, long_term, of_thread, of_workspace, short_term, stand_in, time};
use crate::myao::memory::storage::{self, Deferral, MemoryDraft};
use crate::myao::memory::types::{MemoryType, Scope};

const LIST: &str = "storage.list-deferrals";
const DEFER: &str = "storage.defer";
const THREAD: &str = "C1:1.000000";

fn deferral(memory_type: MemoryType, until: i64, failures: u32) -> Deferral {
    Deferral {
        memory_type,
        until: time(until),
        failures,
        reason: format!("the model failed {failures} times"),
    }
}

fn defer(scope: Scope, scope_id: &str, deferral: &Deferral) -> Verdict {
    let done = storage::defer(scope, scope_id, deferral);
    done.map_err(|error| Fault::Wrong(format!("{DEFER}: {error:?}")))
}

/// Until when each memory is deferred, how often it failed and why. A store need not keep the offset from UTC.
fn listed(scope: Scope, scope_id: &str) -> Answer<Vec<Row>> {
    let listed = storage::list_deferrals(scope, scope_id);
    let listed = listed.map_err(|error| Fault::Wrong(format!("{LIST}: {error:?}")))?;
    Ok(listed.iter().map(row).collect())
}

type Row = (MemoryType, i64, u32, String);

fn row(of: &Deferral) -> Row {
    (
        of.memory_type,
        of.until.unix_seconds,
        of.failures,
        of.reason.clone(),
    )
}

/// The long-term memory comes first.
pub(crate) fn deferrals_are_listed_by_what_they_are_about() -> Verdict {
    talk();
    add_channel("C2", "other");
    let short = deferral(MemoryType::ShortTerm, 900, 1);
    let long = deferral(MemoryType::LongTerm, 1800, 2);
    let thread = deferral(MemoryType::ShortTerm, 3600, 3);
    let workspace = deferral(MemoryType::LongTerm, 7200, 4);
    defer(Scope::Channel, "C1", &short)?;
    defer(Scope::Channel, "C1", &long)?;
    defer(Scope::Thread, THREAD, &thread)?;
    defer(Scope::Workspace, WORKSPACE, &workspace)?;
    for (scope, scope_id, expected) in [
        (Scope::Channel, "C1", vec![row(&long), row(&short)]),
        (Scope::Thread, THREAD, vec![row(&thread)]),
        (Scope::Workspace, WORKSPACE, vec![row(&workspace)]),
        (Scope::Channel, "C2", vec![]),
        (Scope::Thread, "C1:2.000000", vec![]),
    ] {
        same(LIST, &listed(scope, scope_id)?, &expected)?;
    }
    Ok(())
}

/// The newest failure is kept.
pub(crate) fn deferring_again_replaces_the_deferral() -> Verdict {
    talk();
    for (until, failures) in [(900, 1), (2700, 2)] {
        let again = deferral(MemoryType::ShortTerm, until, failures);
        defer(Scope::Channel, "C1", &again)?;
        same(LIST, &listed(Scope::Channel, "C1")?, &[row(&again)])?;
    }
    Ok(())
}

/// And no other deferral.
pub(crate) fn saved_memory_ends_its_deferral() -> Verdict {
    talk();
    add_channel("C2", "other");
    say("C2", 1);
    let short = deferral(MemoryType::ShortTerm, 900, 1);
    let long = deferral(MemoryType::LongTerm, 900, 1);
    for scope_id in ["C1", "C2"] {
        defer(Scope::Channel, scope_id, &short)?;
        defer(Scope::Channel, scope_id, &long)?;
    }
    let made = save(&short_term("C1", 1))?;
    same(LIST, &listed(Scope::Channel, "C1")?, &[row(&long)])?;
    save(&long_term("C1", &made))?;
    same(LIST, &listed(Scope::Channel, "C1")?, &[])?;
    same(LIST, &listed(Scope::Channel, "C2")?.len(), &2)?;

    defer(Scope::Thread, THREAD, &short)?;
    save(&of_thread("C1", 1, 5))?;
    same(LIST, &listed(Scope::Thread, THREAD)?, &[])?;
    defer(Scope::Workspace, WORKSPACE, &long)?;
    save(&of_workspace(MemoryType::LongTerm))?;
    same(LIST, &listed(Scope::Workspace, WORKSPACE)?, &[])
}

/// The model still has to make the memory.
pub(crate) fn stand_in_and_refused_save_end_no_deferral() -> Verdict {
    talk();
    let short = deferral(MemoryType::ShortTerm, 900, 1);
    defer(Scope::Channel, "C1", &short)?;
    save(&stand_in(None, short_term("C1", 1)))?;
    let stale = MemoryDraft {
        expected: Some(77),
        ..short_term("C1", 1)
    };
    let unknown_source = MemoryDraft {
        source_memories: vec![77],
        ..short_term("C1", 1)
    };
    for draft in [stale, unknown_source] {
        let result = storage::save_memory(&draft);
        holds("storage.save-memory", result.is_err(), || {
            format!("expected an error, found {result:?}")
        })?;
    }
    same(LIST, &listed(Scope::Channel, "C1")?, &[row(&short)])
}

/// Both when a memory is deferred and when deferrals are listed, and also for a thread of such a channel.
pub(crate) fn deferral_of_an_unknown_channel_is_not_found() -> Verdict {
    talk();
    for (scope, scope_id) in [(Scope::Channel, "C9"), (Scope::Thread, "C9:1.000000")] {
        let deferral = deferral(MemoryType::ShortTerm, 900, 1);
        not_found(DEFER, &storage::defer(scope, scope_id, &deferral), "C9")?;
        not_found(LIST, &storage::list_deferrals(scope, scope_id), "C9")?;
    }
    Ok(())
}
