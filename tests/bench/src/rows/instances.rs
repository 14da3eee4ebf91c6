//! The cost of a fresh instance for every call.

use anyhow::{Result, anyhow};
use myao_plugin::Context;
use myao_plugin::llm::estimate_tokens;
use myao_tests::{default_settings, project_file};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Runtime;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, HasSelf, Linker, ResourceTable};
use wasmtime::{Config, Engine, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::render;
use crate::bindings::exports::myao::memory::memory_summarizer::Guest;
use crate::bindings::llm::{Agent, Completion, LlmError, Request};
use crate::bindings::types::{self, MemoryType, Scope};
use crate::bindings::{Bot, BotPre, llm, settings};
use crate::contexts::channel_context;
use crate::measure::in_turns;
use crate::row::{Figure, Limit, Row};

const ROUNDS: usize = 101;
/// Messages of a small prompt: the smallest that is rendered against minijinja.
const SMALL: usize = 100;
/// Messages of a prompt that is smaller than most, where an instance is most of a call.
const TINY: usize = 10;

pub(super) fn measure() -> Result<Vec<Row>> {
    let fresh = render::Component::new(&[])?;
    let mut warm = Warm::new()?;
    Ok(vec![
        row(&fresh, &mut warm, TINY, Limit::None)?,
        row(&fresh, &mut warm, SMALL, Limit::AtMost(Figure::Times(3.0)))?,
    ])
}

fn row(fresh: &render::Component, warm: &mut Warm, messages: usize, limit: Limit) -> Result<Row> {
    let context = channel_context(messages);
    let warm_context = same::<Context, types::Context>(&context)?;
    let pair = in_turns(
        ROUNDS,
        || fresh.render(&context).map(drop),
        || warm.render(&warm_context).map(drop),
    )?;
    Ok(Row {
        what: format!(
            "a call of the host: fresh instance, render {messages} messages, drop the instance"
        ),
        against: "the same render in an instance that is kept, called through wasmtime alone"
            .to_owned(),
        measured: Figure::Times(pair.ratio),
        limit,
        detail: pair.detail(),
    })
}

/// An instance that is used again and again, which the host never does.
struct Warm {
    runtime: Runtime,
    store: Store<State>,
    instance: Bot,
}

impl Warm {
    fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let mut config = Config::new();
        // As the host runs it; only these settings change the code.
        config.epoch_interruption(true);
        let engine = Engine::new(&config).map_err(wasmtime_error)?;
        let file = project_file("target/component/myao_bot.wasm");
        let component = Component::from_file(&engine, file).map_err(wasmtime_error)?;
        let pre = pre(&engine, &component).map_err(wasmtime_error)?;
        let mut store = Store::new(
            &engine,
            State {
                settings: default_settings().pairs(),
                wasi: WasiCtx::builder().build(),
                resources: ResourceTable::new(),
            },
        );
        store.set_epoch_deadline(1);
        let instance = runtime
            .block_on(pre.instantiate_async(&mut store))
            .map_err(wasmtime_error)?;
        Ok(Self {
            runtime,
            store,
            instance,
        })
    }

    fn render(&mut self, context: &types::Context) -> Result<String> {
        let summarizer: &Guest = self.instance.myao_memory_memory_summarizer();
        let call = summarizer.call_render_prompt(
            &mut self.store,
            context,
            Scope::Channel,
            MemoryType::ShortTerm,
            None,
        );
        let prompt = self.runtime.block_on(call).map_err(wasmtime_error)?;
        prompt.map_err(|error| anyhow!("the instance renders no prompt: {error:?}"))
    }
}

/// A render asks for the settings and for the model's window, and for nothing else.
fn pre(engine: &Engine, component: &Component) -> wasmtime::Result<BotPre<State>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    llm::add_to_linker::<_, HasSelf<_>>(&mut linker, |state| state)?;
    settings::add_to_linker::<_, HasSelf<_>>(&mut linker, |state| state)?;
    for (name, import) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(interface) = import.ty else {
            continue;
        };
        let is_used = |used: &str| name.starts_with(&format!("myao:memory/{used}@"));
        let is_contract = name.starts_with("myao:memory/");
        if !is_contract || is_used("llm") || is_used("settings") {
            continue;
        }
        let mut instance = linker.instance(name)?;
        for (function, _) in interface
            .exports(engine)
            .filter(|(_, item)| matches!(item.ty, ComponentItem::ComponentFunc(_)))
        {
            instance.func_new(function, |_, _, _, _| {
                wasmtime::bail!("a render needs no store")
            })?;
        }
    }
    linker.instantiate_pre(component).and_then(BotPre::new)
}

/// A value of the contract as another of its generated types.
fn same<F: Serialize, T: DeserializeOwned>(value: &F) -> Result<T> {
    Ok(serde_json::from_value(serde_json::to_value(value)?)?)
}

fn wasmtime_error(error: wasmtime::Error) -> anyhow::Error {
    anyhow!("{error:#}")
}

struct State {
    settings: Vec<(String, String)>,
    wasi: WasiCtx,
    resources: ResourceTable,
}

impl settings::Host for State {
    async fn get(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        Ok(self.settings.clone())
    }
}

impl llm::Host for State {
    async fn complete(&mut self, _: Request) -> wasmtime::Result<Result<Completion, LlmError>> {
        Ok(Err(no_model()))
    }

    async fn complete_all(
        &mut self,
        requests: Vec<Request>,
    ) -> wasmtime::Result<Vec<Result<Completion, LlmError>>> {
        Ok(requests.iter().map(|_| Err(no_model())).collect())
    }

    async fn context_window(&mut self, _: Agent) -> wasmtime::Result<Option<u32>> {
        Ok(None)
    }

    async fn count_tokens(&mut self, _: Agent, texts: Vec<String>) -> wasmtime::Result<Vec<u32>> {
        Ok(texts.iter().map(|text| estimate_tokens(text)).collect())
    }
}

fn no_model() -> LlmError {
    LlmError::Unavailable("nothing is asked here".to_owned())
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.resources,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Warm, render, same};
    use crate::contexts::channel_context;

    #[test]
    fn an_instance_that_is_kept_renders_what_the_host_renders() {
        let context = channel_context(3);
        let mut warm = Warm::new().unwrap();
        let kept = warm.render(&same(&context).unwrap()).unwrap();
        let fresh = render::Component::new(&[]).unwrap();
        assert_eq!(kept, fresh.render(&context).unwrap());
    }
}
