//! Rendering through the component: a fresh instance, the context lowered into it, the prompt rendered there and lifted out.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use myao_plugin::llm::NoLlm;
use myao_plugin::storage::empty::EmptyStorage;
use myao_plugin::{Context, MemoryPlugin, MemoryType, Scope};
use myao_tests::{default_settings, plugin, project_file};
use tokio::runtime::Runtime;

use crate::contexts::channel_context;
use crate::measure::{in_turns, in_turns_timed, timed};
use crate::native::{Native, Variables};
use crate::python::Jinja;
use crate::row::{Figure, Limit, Row};

const ROUNDS: usize = 41;
/// Of the rows against Python and with a user's template.
const MESSAGES: usize = 1000;
/// How often Python and the component render in a round, so that both are as warm.
const REPEAT: u32 = 5;

/// The component, called from one thread.
pub(super) struct Component {
    runtime: Runtime,
    plugin: MemoryPlugin,
}

impl Component {
    /// With some templates in place of the built-in ones.
    pub(super) fn new(templates: &[(&str, String)]) -> Result<Self> {
        let settings = default_settings().with(|settings| {
            for (name, source) in templates {
                settings.set(format!("templates.{name}"), source);
            }
        });
        Ok(Self {
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
            plugin: plugin(Arc::new(EmptyStorage), Arc::new(NoLlm), settings),
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
    let component = Component::new(&[])?;
    let mut rows = Vec::new();
    for messages in [100, 1000, 10_000] {
        let limit = Limit::AtMost(Figure::Times(1.25));
        rows.push(against_native(&component, messages, "", limit)?);
    }
    let users = Component::new(&[users_template()?])?;
    let with_it = " with a template of a user's";
    rows.push(against_native(&users, MESSAGES, with_it, Limit::None)?);
    rows.push(against_python(&component)?);
    Ok(rows)
}

/// A template with the same output as the built-in one, which is read in each call.
fn users_template() -> Result<(&'static str, String)> {
    let name = "_messages.j2";
    let source = std::fs::read_to_string(project_file("templates").join(name))?;
    Ok((name, source))
}

fn against_native(
    component: &Component,
    messages: usize,
    templates: &str,
    limit: Limit,
) -> Result<Row> {
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
        what: format!("render {messages} messages through the component{templates}"),
        against: "minijinja in the same program, with compiled templates and a context of structs"
            .to_owned(),
        measured: Figure::Times(pair.ratio),
        limit,
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
        || jinja.render(REPEAT),
        || timed(REPEAT, &mut || component.render(&context).map(drop)),
    )?;
    Ok(Row {
        what: format!("Jinja2 in Python, {MESSAGES} messages, template and context loaded before"),
        against: "the component".to_owned(),
        measured: Figure::Times(pair.ratio),
        limit: Limit::AtLeast(Figure::Times(5.0)),
        detail: pair.detail(),
    })
}
