//! What was made from a message that is edited or deleted later.

use crate::calls::{
    Answer, Verdict, add_channel, backlog, delete, holds, ids, list_memories, put, same, save, say,
    talk, ts, written,
};
use crate::drafts::{all_memories, line, long_term, of_c1, short_term, time};
use crate::due::due_channels;
use crate::myao::conformance::platform::WrittenMessage;
use crate::myao::memory::storage::{DueQuery, KeptSpan, Memory, MemoryDraft, MemoryQuery};
use crate::myao::memory::types::Citation;

const PLACE: &str = "storage.memory.citations";

fn listed() -> Answer<Vec<Memory>> {
    list_memories(&MemoryQuery {
        citations: true,
        ..all_memories()
    })
}

/// The words of a line.
fn words(text: &str, line: &Citation) -> String {
    let [start, length] = [line.start, line.length].map(|at| at as usize);
    text.chars().skip(start).take(length).collect()
}

fn part(second: u64) -> KeptSpan {
    KeptSpan {
        message: of_c1(second),
        start: 0,
        length: 4,
    }
}

/// A version whose lines are of message 1, of 2, and of no message that is known.
fn version() -> Answer<Memory> {
    save(&MemoryDraft {
        content: "- 一 one\n- 二 two\n- three".to_owned(),
        source_channel_id: "C1".to_owned(),
        source_messages: vec![ts(1), ts(2)],
        citations: vec![line(0, 7, &[1]), line(8, 7, &[2]), line(16, 7, &[])],
        records: vec![part(1), part(2)],
        ..short_term("C1", 2)
    })
}

/// The lines that cite it, those that may have been made from it, and its parts; nothing else.
pub(crate) fn lines_and_parts_of_a_deleted_message_are_erased() -> Verdict {
    talk();
    let version = version()?;
    save(&MemoryDraft {
        citations: vec![line(0, 6, &[2])],
        ..long_term("C1", &version)
    })?;
    delete("C1", 1);
    let memories = listed()?;
    let contents: Vec<&str> = memories.iter().map(|of| of.content.as_str()).collect();
    let is_so = matches!(contents[..], ["a text", text] if ["one", "three"].iter().all(|gone| !text.contains(gone)));
    holds(PLACE, is_so, || {
        format!("expected `a text` and the second line of the other, found {contents:?}")
    })?;
    for memory in memories.iter().skip(1) {
        let lines = memory.citations.iter();
        let lines: Vec<_> = lines
            .map(|line| (words(&memory.content, line), &line.messages[..]))
            .collect();
        same(PLACE, &lines, &[("- 二 two".to_owned(), &[of_c1(2)][..])])?;
        same("storage.memory.records", &memory.records, &[part(2)])?;
    }
    Ok(())
}

/// Though its conversation goes on, and few messages wait.
pub(crate) fn channel_whose_memories_lost_lines_is_due() -> Verdict {
    talk();
    let version = version()?;
    let merged = save(&MemoryDraft {
        citations: vec![line(0, 6, &[2])],
        ..long_term("C1", &version)
    })?;
    let lost_lines = || Ok(backlog(None, 9)?.lost_lines);
    same("storage.get-backlog", &lost_lines()?, &false)?;
    delete("C1", 1);
    same("storage.get-backlog", &lost_lines()?, &true)?;
    let query = DueQuery {
        until: ts(9),
        window_start: ts(0),
        idle_since: ts(0),
        message_threshold: 50,
        always: false,
    };
    same("storage.list-due", &due_channels(&query)?, &["C1"])?;
    let again = MemoryDraft {
        expected: Some(version.id),
        source_messages: ids(&[2, 3, 4, 5]),
        ..short_term("C1", 5)
    };
    let again = save(&again)?;
    same("storage.get-backlog", &lost_lines()?, &false)?;
    save(&MemoryDraft {
        expected: Some(merged.id),
        ..long_term("C1", &again)
    })?;
    same("storage.list-due", &due_channels(&query)?, &[""; 0])
}

/// What was made from such a text goes, too. A text that has lost every line reads `-`.
pub(crate) fn text_without_citations_that_an_edited_message_went_into_is_erased() -> Verdict {
    talk();
    add_channel("C2", "other");
    say("C2", 1);
    let code = "the code is 1234";
    put(&written("C1", &ts(6), code));
    let made = |draft| {
        save(&MemoryDraft {
            content: code.to_owned(),
            ..draft
        })
    };
    let version = made(short_term("C1", 6))?;
    made(long_term("C1", &version))?;
    let other = save(&short_term("C2", 1))?;
    put(&WrittenMessage {
        edited_at: Some(time(7000)),
        ..written("C1", &ts(6), "the code was changed")
    });
    let memories = listed()?.into_iter();
    let contents: Vec<String> = memories.map(|of| of.content).collect();
    same(
        "storage.memory.content",
        &contents,
        &["-", "-", &other.content],
    )
}
