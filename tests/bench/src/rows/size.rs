//! The size of the component.

use anyhow::{Context as _, Result};
use myao_tests::project_file;

use crate::row::{Figure, Limit, Row};

const COMPONENT: &str = "target/component/myao_bot.wasm";
const LIMIT: f64 = 1.7e6;

#[allow(
    clippy::cast_precision_loss,
    reason = "a component has fewer than 2^52 bytes"
)]
pub(super) fn measure() -> Result<Vec<Row>> {
    let file = std::fs::metadata(project_file(COMPONENT))
        .with_context(|| format!("{COMPONENT} is not there: run `make component`"))?;
    Ok(vec![Row {
        what: "size of the component".to_owned(),
        against: "–".to_owned(),
        measured: Figure::Bytes(file.len() as f64),
        limit: Limit::AtMost(Figure::Bytes(LIMIT)),
        detail: format!("{} bytes", file.len()),
    }])
}
