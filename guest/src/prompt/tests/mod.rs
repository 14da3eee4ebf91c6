#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod content;
mod harmless;
mod languages;
mod templates;

use super::*;
use crate::bindings::errors::Combination;
use crate::bindings::types::{Notes, Scope::*, Timestamp};
use crate::testing::golden_context;
use MemoryType::{LongTerm, ShortTerm};

fn replaced(name: &str, source: &str) -> Result<Renderer, Error> {
    Renderer::new(&[Template {
        name: name.to_owned(),
        source: source.to_owned(),
    }])
}

fn render(context: &Context, scope: Scope, memory_type: MemoryType) -> String {
    Renderer::new(&[])
        .unwrap()
        .render(context, scope, memory_type, None, false)
        .unwrap()
}

fn fault<T>(result: Result<T, Error>) -> TemplateFault {
    match result {
        Err(Error::Template(fault)) => fault,
        Err(error) => panic!("another error: {error:?}"),
        Ok(_) => panic!("no error"),
    }
}

fn position(prompt: &str, part: &str) -> usize {
    prompt
        .find(part)
        .unwrap_or_else(|| panic!("{part:?} is missing in\n{prompt}"))
}
