//! The words of messages: parts of them, and those that may be marks.

use crate::calls::{
    Answer, Fault, Verdict, channel, delete, holds, put, same, say, ts, user, written,
};
use crate::drafts::of_c1;
use crate::myao::conformance::platform::WrittenMessage;
use crate::myao::memory::storage::{self, KeptSpan};

fn part(second: u64, start: u32, length: u32) -> KeptSpan {
    KeptSpan {
        message: of_c1(second),
        start,
        length,
    }
}

fn read(spans: &[KeptSpan]) -> Answer<Vec<(KeptSpan, String)>> {
    let read = storage::read_spans(spans);
    let read = read.map_err(|error| Fault::Wrong(format!("storage.read-spans: {error:?}")))?;
    Ok(read
        .into_iter()
        .map(|kept| (kept.span, kept.text))
        .collect())
}

/// Positions are counted in Unicode scalar values; a part ends with its message.
pub(crate) fn parts_of_messages_are_read_in_the_order_given() -> Verdict {
    channel();
    put(&written("C1", &ts(1), "🚢 the crane costs 500 €"));
    put(&written("C1", &ts(2), "会議は金曜日"));
    let spans = [part(2, 3, 3), part(1, 2, 9), part(1, 18, 99)];
    let texts = ["金曜日", "the crane", "500 €"].map(str::to_owned);
    let expected: Vec<(KeptSpan, String)> = spans.iter().cloned().zip(texts).collect();
    same("storage.read-spans", &read(&spans)?, &expected)
}

/// The others are read.
pub(crate) fn part_of_a_deleted_message_is_left_out() -> Verdict {
    channel();
    say("C1", 1);
    say("C1", 2);
    delete("C1", 1);
    let found = read(&[part(1, 0, 4), part(2, 0, 4), part(7, 0, 4)])?;
    same(
        "storage.read-spans",
        &found,
        &[(part(2, 0, 4), "text".to_owned())],
    )
}

/// If a person wrote it, and no program; the newest ones, up to `until`.
pub(crate) fn text_that_may_be_a_mark_is_listed() -> Verdict {
    const PLACE: &str = "storage.list-marked";
    channel();
    user("B1", "Deploys", true);
    let marks = [
        "@myao remember: the gate code is 1234",
        "@myao 覚えて: 会議は金曜日",
        "@myao correction: it is on Monday",
        "@myao 訂正: 月曜日です",
    ];
    for (text, second) in marks.into_iter().zip(1..) {
        put(&written("C1", &ts(second), text));
    }
    put(&WrittenMessage {
        user_id: "B1".to_owned(),
        ..written("C1", &ts(5), "@myao remember: build 12 passed")
    });
    put(&written("C1", &ts(7), marks[0]));
    let list = |limit| {
        let marked = storage::list_marked("C1", &ts(6), limit);
        marked.map_err(|error| Fault::Wrong(format!("{PLACE}: {error:?}")))
    };
    let all = list(100)?;
    if all.is_empty() {
        return Err(Fault::Missing("the host has no marks"));
    }
    let found: Vec<&str> = all
        .iter()
        .map(|marked| marked.message.ts.as_str())
        .collect();
    let expected = ["1.000000", "2.000000", "3.000000", "4.000000"];
    // Others may be among them.
    let lacks = expected.iter().any(|ts| !found.contains(ts));
    holds(PLACE, !lacks, || {
        format!("expected {expected:?}, found {found:?}")
    })?;
    holds(
        PLACE,
        found.is_sorted() && !found.contains(&"7.000000"),
        || {
            format!(
                "expected the oldest first, up to {}; found {found:?}",
                ts(6)
            )
        },
    )?;
    holds(PLACE, all.iter().all(|marked| !marked.is_pinned), || {
        "nobody pinned a message".to_owned()
    })?;
    holds(PLACE, !found.contains(&"5.000000"), || {
        "a program's message is listed, and nobody pinned it".to_owned()
    })?;
    let newest = list(2)?;
    holds(PLACE, newest.len() <= 2, || {
        format!("expected at most 2, found {}", newest.len())
    })
}
