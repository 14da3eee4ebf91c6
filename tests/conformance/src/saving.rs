//! Saving memories.

use crate::calls::{
    Verdict, add_channel, channel, conflict, holds, invalid, list_memories, not_found, put, same,
    save, talk, ts, user, written,
};
use crate::drafts::{
    all_memories, line, long_term, of_c1, of_thread, of_workspace, save_versions, short_term, time,
};
use crate::myao::conformance::platform::WrittenMessage;
use crate::myao::memory::storage::{self, Citation, KeptSpan, MemoryDraft, MemoryQuery, SaveMode};
use crate::myao::memory::types::MemoryType;

const LIST: &str = "storage.list-memories";
const SAVE: &str = "storage.save-memory";

pub(crate) fn saved_memory_is_listed_as_it_was_returned() -> Verdict {
    talk();
    let short = save(&MemoryDraft {
        source_channel_id: "C1".to_owned(),
        source_messages: vec![ts(1), ts(2)],
        source_message_count: 2,
        ..short_term("C1", 2)
    })?;
    let long = save(&MemoryDraft {
        source_memories: vec![short.id],
        ..long_term("C1", &short)
    })?;
    let workspace = save(&MemoryDraft {
        merged_through: Some(long.id),
        ..of_workspace(MemoryType::LongTerm)
    })?;
    let thread = save(&of_thread("C1", 1, 5))?;
    same(SAVE, &short.version, &1)?;
    same(SAVE, &short.content, &"a text".to_owned())?;
    same(SAVE, &short.created_at.unix_seconds, &500)?;
    same(SAVE, &short.source_message_count, &2)?;
    same(SAVE, &short.source_latest_message_ts, &Some(ts(2)))?;
    same(SAVE, &long.merged_through, &Some(short.id))?;
    let listed = list_memories(&all_memories())?;
    same(LIST, &listed, &[workspace, long, short, thread])
}

pub(crate) fn citations_and_records_are_read_only_if_asked_for() -> Verdict {
    talk();
    let made = MemoryDraft {
        content: "- one\n- two".to_owned(),
        source_channel_id: "C1".to_owned(),
        source_messages: vec![ts(1), ts(2)],
        citations: vec![line(2, 3, &[1]), line(8, 3, &[1, 2])],
        records: vec![KeptSpan {
            message: of_c1(2),
            start: 0,
            length: 4,
        }],
        ..short_term("C1", 2)
    };
    let saved = save(&made)?;
    let read = |citations| {
        let listed = list_memories(&MemoryQuery {
            citations,
            ..all_memories()
        })?;
        let listed = listed.into_iter();
        Ok(listed
            .map(|of| (of.id, of.citations, of.records))
            .collect::<Vec<_>>())
    };
    same(LIST, &read(false)?, &[(saved.id, vec![], vec![])])?;
    same(
        LIST,
        &read(true)?,
        &[(saved.id, made.citations, made.records)],
    )
}

/// Whatever the draft says.
pub(crate) fn line_is_by_a_program_if_programs_wrote_all_its_messages() -> Verdict {
    talk();
    user("B1", "Deploys", true);
    put(&WrittenMessage {
        user_id: "B1".to_owned(),
        ..written("C1", &ts(6), "build 12 passed")
    });
    save(&MemoryDraft {
        content: "- one\n- two\n- six".to_owned(),
        source_channel_id: "C1".to_owned(),
        source_messages: vec![ts(1), ts(6)],
        citations: vec![
            line(2, 3, &[6]),
            Citation {
                by_program: true,
                ..line(8, 3, &[1, 6])
            },
            Citation {
                by_program: true,
                ..line(14, 3, &[])
            },
        ],
        ..short_term("C1", 6)
    })?;
    let listed = list_memories(&MemoryQuery {
        citations: true,
        ..all_memories()
    })?;
    let lines = listed.iter().flat_map(|memory| &memory.citations);
    let found: Vec<bool> = lines.map(|line| line.by_program).collect();
    same(LIST, &found, &[true, false, false])
}

/// Ids grow across the whole workspace.
pub(crate) fn versions_count_up_and_ids_grow() -> Verdict {
    talk();
    let saved = save_versions([1, 2, 3])?;
    same(SAVE, &saved.each_ref().map(|of| of.version), &[1, 2, 3])?;
    let long = save(&long_term("C1", &saved[0]))?;
    let ids: Vec<u64> = saved
        .iter()
        .chain([&long])
        .map(|memory| memory.id)
        .collect();
    let grow = ids.is_sorted_by(|a, b| a < b);
    holds(SAVE, grow, || {
        format!("expected ids that grow, found {ids:?}")
    })
}

/// A memory that merged the older text can then see that there is a newer one.
pub(crate) fn overwritten_memory_takes_a_greater_id_and_keeps_its_creation_time() -> Verdict {
    talk();
    let mut draft = MemoryDraft {
        mode: SaveMode::Overwrite,
        now: time(100),
        ..short_term("C1", 1)
    };
    let first = save(&draft)?;
    draft.expected = Some(first.id);
    draft.now = time(200);
    draft.content = "a newer text".to_owned();
    let second = save(&draft)?;
    holds(SAVE, second.id > first.id, || {
        format!(
            "expected an id greater than {}, found {}",
            first.id, second.id
        )
    })?;
    let found = (second.version, second.content.as_str());
    same(SAVE, &found, &(1, "a newer text"))?;
    let times = [second.created_at, second.updated_at].map(|time| time.unix_seconds);
    same(SAVE, &times, &[100, 200])?;
    same(LIST, &list_memories(&all_memories())?, &[second])
}

/// If versions were on and are off now.
pub(crate) fn overwriting_replaces_all_versions() -> Verdict {
    talk();
    let [_, newest] = save_versions([1, 2])?;
    let memory = save(&MemoryDraft {
        mode: SaveMode::Overwrite,
        expected: Some(newest.id),
        ..short_term("C1", 3)
    })?;
    let next = MemoryDraft {
        expected: Some(memory.id),
        ..short_term("C1", 4)
    };
    same(LIST, &list_memories(&all_memories())?, &[memory])?;
    same(SAVE, &save(&next)?.version, &2)
}

/// The writer that was too late reads again.
pub(crate) fn stale_expectation_is_a_conflict_and_writes_nothing() -> Verdict {
    talk();
    let first = save(&short_term("C1", 1))?;
    for expected in [None, Some(first.id + 1)] {
        conflict(&MemoryDraft {
            expected,
            ..short_term("C1", 2)
        })?;
    }
    same(LIST, &list_memories(&all_memories())?, &[first])
}

pub(crate) fn empty_text_is_refused() -> Verdict {
    talk();
    for content in ["", " \n"] {
        let empty = MemoryDraft {
            content: content.to_owned(),
            ..short_term("C1", 1)
        };
        invalid(SAVE, &storage::save_memory(&empty), "")?;
    }
    same(LIST, &list_memories(&all_memories())?, &[])
}

/// All or nothing, however late the unknown source is found. The error names it.
pub(crate) fn unknown_sources_are_refused_and_nothing_is_saved() -> Verdict {
    talk();
    let message = MemoryDraft {
        source_channel_id: "C1".to_owned(),
        source_messages: vec![ts(1), ts(77)],
        ..short_term("C1", 1)
    };
    let memory = MemoryDraft {
        source_memories: vec![77],
        ..short_term("C1", 1)
    };
    let merged = MemoryDraft {
        merged_through: Some(77),
        ..short_term("C1", 1)
    };
    let cited = MemoryDraft {
        citations: vec![line(0, 6, &[1, 77])],
        ..short_term("C1", 1)
    };
    let kept = MemoryDraft {
        records: vec![KeptSpan {
            message: of_c1(77),
            start: 0,
            length: 4,
        }],
        ..short_term("C1", 1)
    };
    for draft in [message, memory, merged, cited, kept] {
        invalid(SAVE, &storage::save_memory(&draft), "77")?;
    }
    same(LIST, &list_memories(&all_memories())?, &[])
}

/// The same for the memory of a thread in such a channel. The error names it.
pub(crate) fn memory_of_an_unknown_channel_is_not_found() -> Verdict {
    channel();
    add_channel("C2", "other");
    for draft in [short_term("C9", 1), of_thread("C9", 1, 2)] {
        not_found(SAVE, &storage::save_memory(&draft), "C9")?;
    }
    Ok(())
}
