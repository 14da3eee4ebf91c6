//! Shared parts of the tests: the component, settings, fixtures.

pub mod abort;
pub mod backfills;
pub mod bot;
pub mod collector;
pub mod conversation;
pub mod disk;
pub mod export;
pub mod fuzzing;
pub mod kills;
pub mod llm_server;
pub mod merges;
pub mod noon;
pub mod page;
pub mod peer;
pub mod postgres;
pub mod program;
pub mod store;
pub mod team;
pub mod telling;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use myao::config::Config;
use myao_plugin::LoadedComponent;
use myao_plugin::Places;
use myao_plugin::llm::Llm;
use myao_plugin::{Limits, MemoryPlugin, MemoryPluginBuilder, Settings};
use myao_testkit::Imports;

/// A file of the project, by its path from the top.
#[must_use]
pub fn project_file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path)
}

/// The text of a file of the project.
#[must_use]
#[allow(clippy::panic)]
pub fn read_project_file(path: &str) -> String {
    let path = project_file(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The component, compiled once per test program.
#[must_use]
pub fn component() -> LoadedComponent {
    static COMPONENT: OnceLock<LoadedComponent> = OnceLock::new();
    COMPONENT.get_or_init(|| component_of("myao_bot")).clone()
}

/// A component by its name: `myao_bot`, `myao_memory`, `myao_summarizer`.
#[must_use]
#[allow(clippy::panic)]
pub fn component_of(name: &str) -> LoadedComponent {
    let path = project_file(&format!("target/component/{name}.wasm"));
    let cache = project_file("target/component-cache");
    LoadedComponent::from_file(&path, Some(&cache))
        .unwrap_or_else(|error| panic!("{error}; run `make component` first"))
}

/// The default settings, for the extractive engine; threads' memories are made at every run, so that tests meet them, and
/// prompts are the specification's.
#[must_use]
#[allow(clippy::panic)]
pub fn default_settings() -> Settings {
    Config::default()
        .settings()
        .unwrap_or_else(|error| panic!("{error}"))
        .with(|settings| {
            settings.set("memory.thread_memories", "always");
            settings.set("memory.prompt_language", "ja");
        })
}

/// The component over a storage and a model, for more to be said.
pub fn builder(
    storage: Arc<dyn Places>,
    llm: Arc<dyn Llm>,
    settings: Settings,
) -> MemoryPluginBuilder {
    MemoryPlugin::builder()
        .component(component())
        .storage(storage)
        .llm(llm)
        .settings(settings)
}

/// The component over a storage and a model.
#[must_use]
#[allow(clippy::panic)]
pub fn plugin(storage: Arc<dyn Places>, llm: Arc<dyn Llm>, settings: Settings) -> MemoryPlugin {
    builder(storage, llm, settings)
        .build()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The component over all that a host offers, the chat platform included.
#[must_use]
pub fn plugin_over(imports: Imports, settings: Settings) -> MemoryPlugin {
    plugin_within(imports, settings, Limits::default())
}

/// The same with other limits.
#[must_use]
#[allow(clippy::panic)]
pub fn plugin_within(imports: Imports, settings: Settings, limits: Limits) -> MemoryPlugin {
    builder(imports.storage, imports.llm, settings)
        .chat(imports.chat)
        .limits(limits)
        .build()
        .unwrap_or_else(|error| panic!("{error}"))
}
