//! Rendering through the component: a fresh instance, the context lowered into it, the templates compiled in it,
//! the prompt lifted out.

use std::sync::Arc;

use crate::contexts::channel_context;
use anyhow::{Context as _, Result, ensure};
use myao::bindings::types::{Context, MemoryType, Scope};
use myao::llm::NoLlm;
use myao::plugin::MemoryPlugin;
use myao::storage::empty::EmptyStorage;
use myao_tests::{default_settings, plugin};
use tokio::runtime::Runtime;

use crate::measure::{in_turns, in_turns_timed};
use crate::native::{Native, Variables};
use crate::python::Jinja;
use crate::row::{Figure, Limit, Row};

const ROUNDS: usize = 41;
/// Of the row against Python.
const MESSAGES: usize = 1000;

/// The component, called from one thread.
pub(super) struct Component {
    runtime: Runtime,
    plugin: MemoryPlugin,
}

impl Component {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
            plugin: plugin(Arc::new(EmptyStorage), Arc::new(NoLlm), default_settings()),
        })
    }

    pub(super) fn render(&self, context: &Context) -> Result<String> {
        self.runtime
            .block_on(self.plugin.render_prompt(
                context,
                Scope::Channel,
                MemoryType::ShortTerm,
                None,
            ))
            .context("the component renders no prompt")
    }
}

pub(super) fn measure() -> Result<Vec<Row>> {
    let component = Component::new()?;
    let mut rows = Vec::new();
    for messages in [100, 1000, 10_000] {
        rows.push(against_native(&component, messages)?);
    }
    rows.push(against_python(&component)?);
    Ok(rows)
}

fn against_native(component: &Component, messages: usize) -> Result<Row> {
    let context = channel_context(messages);
    let native = Native::new()?;
    let prompt = component.render(&context)?;
    ensure!(
        prompt == native.render(&Variables::of(&context))?,
        "the prompts of {messages} messages differ"
    );
    let pair = in_turns(
        ROUNDS,
        || component.render(&context).map(drop),
        || native.render(&Variables::of(&context)).map(drop),
    )?;
    Ok(Row {
        what: format!("render {messages} messages through the component"),
        against: "minijinja in the same program: templates compiled before, a context of structs handed over by serde".to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::AtMost(Figure::Times(1.25)),
        detail: pair.detail(),
    })
}

fn against_python(component: &Component) -> Result<Row> {
    let context = channel_context(MESSAGES);
    let (mut jinja, prompt) = Jinja::start(&Variables::of(&context))?;
    ensure!(
        prompt == component.render(&context)?,
        "Jinja2 renders another prompt"
    );
    let pair = in_turns_timed(
        ROUNDS,
        || jinja.render(),
        || {
            let begun = std::time::Instant::now();
            component.render(&context)?;
            Ok::<_, anyhow::Error>(begun.elapsed())
        },
    )?;
    Ok(Row {
        what: format!("Jinja2 in Python, {MESSAGES} messages, template and context loaded before"),
        against: "the component".to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::AtLeast(Figure::Times(5.0)),
        detail: pair.detail(),
    })
}
