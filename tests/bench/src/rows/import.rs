//! The import of a Slack export.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use myao_tests::store::{TestStore, WORKSPACE};

use crate::bare;
use crate::export::{Size, write};
use crate::measure::in_turns_timed;
use crate::row::{Figure, Limit, Row};

const ROUNDS: usize = 15;
const SIZE: Size = Size {
    channels: 50,
    days: 40,
    messages: 50,
};

pub(super) fn measure() -> Result<Vec<Row>> {
    let export = tempfile::tempdir()?;
    write(export.path(), SIZE)?;
    let empty = TestStore::empty();
    drop(empty.workspace());
    check(export.path(), &empty)?;
    let pair = in_turns_timed(
        ROUNDS,
        || timed(&empty, |store| through_myao(export.path(), store)),
        || timed(&empty, |store| by_hand(export.path(), store)),
    )?;
    let messages = SIZE.channels * SIZE.days * SIZE.messages;
    Ok(vec![Row {
        what: format!("import of a Slack export with {messages} messages"),
        against: "decoding the same files once with serde_json and inserting the same rows in one transaction"
            .to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::AtMost(Figure::Times(2.5)),
        detail: pair.detail(),
    }])
}

/// The time of an import into a copy of an empty database, which is open all the while.
fn timed(empty: &TestStore, import: impl FnOnce(&TestStore) -> Result<()>) -> Result<Duration> {
    let store = TestStore::copy_of(empty);
    let _open = store.open();
    let begun = Instant::now();
    import(&store)?;
    Ok(begun.elapsed())
}

fn through_myao(export: &Path, store: &TestStore) -> Result<()> {
    let mut sink = store.open().import(WORKSPACE, 1)?;
    myao_import::import(
        export,
        myao_import::Options::default(),
        &mut sink,
        &mut |_| {},
    )?;
    let tally = sink.commit()?;
    ensure!(tally.messages.unchanged == 0, "an import of nothing new");
    Ok(())
}

fn by_hand(export: &Path, store: &TestStore) -> Result<()> {
    bare::import::import(export, &store.path(), WORKSPACE)
}

/// Both write the same rows.
fn check(export: &Path, empty: &TestStore) -> Result<()> {
    let (one, other) = (TestStore::copy_of(empty), TestStore::copy_of(empty));
    through_myao(export, &one)?;
    by_hand(export, &other)?;
    bare::check_same(
        &one.path(),
        &other.path(),
        include_str!("../bare/sql/import_differs.sql"),
    )
}
