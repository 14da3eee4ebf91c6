//! Loading a component that was compiled before.

use anyhow::{Context as _, Result};
use myao_plugin::LoadedComponent;
use myao_tests::project_file;

use crate::measure::in_turns;
use crate::row::{Figure, Limit, Row};

const ROUNDS: usize = 7;

pub(super) fn measure() -> Result<Vec<Row>> {
    let bytes = std::fs::read(project_file("target/component/myao_bot.wasm"))
        .context("the component is not there: run `make component`")?;
    let cache = tempfile::tempdir()?;
    let load = |cache| LoadedComponent::from_bytes("the component", &bytes, cache).map(drop);
    // The first time compiles and writes.
    load(Some(cache.path()))?;
    let pair = in_turns(ROUNDS, || load(Some(cache.path())), || load(None))?;
    Ok(vec![Row {
        what: "load the component, compiled before: engine, cache file checked and mapped, linker"
            .to_owned(),
        against: "the same without the cache, which compiles it on all cores".to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::AtMost(Figure::Times(0.01)),
        detail: pair.detail(),
    }])
}
