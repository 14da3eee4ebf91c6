//! Loads a component: compiles it, keeps the compiled code, and tells a broken file from a component of another
//! version.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Instance, InstancePre, Linker};
use wasmtime::{Config, Engine, Store};

use crate::bindings::exports::myao::memory::about::Component as About;
use crate::bindings::exports::myao::memory::{
    about, context_builder, marks, memory_generator, memory_summarizer, reply_prompt, responder,
    searcher,
};
use crate::cache::{CompiledCache, Failure, compile, load};
use crate::capabilities::{CallState, add_to_linker};
use crate::digest::sha256_hex;
use crate::limits::Limits;
use crate::system_clock;

/// The first bytes of every WebAssembly file.
const MAGIC: &[u8] = b"\0asm";
/// The package of the contract, as it appears in interface names.
const PACKAGE: &str = "myao:memory/";
/// The exports that the world `memory` has in addition to the world `summarizer`.
const MEMORY_ONLY: [&str; 4] = ["context-builder", "memory-generator", "searcher", "marks"];
/// The exports that the world `bot` has in addition to the world `memory`.
const BOT_ONLY: [&str; 1] = ["responder"];
/// The version of the contract that this host supports.
pub const CONTRACT_VERSION: &str = "0.2.0";
/// How often a running component yields, so that its deadline can be checked.
const TICK: Duration = Duration::from_millis(10);
/// Stack of one call: twice wasmtime's default. Half of it is for the host.
const ASYNC_STACK_BYTES: usize = 2 << 20;
/// Stack for the component's own code; deeper recursion is a typed error.
const WASM_STACK_BYTES: usize = 1 << 20;

/// Why a component cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read the component {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not a WebAssembly component.
    #[error(
        "{name} is not a WebAssembly component: {detail}; give one that is made for myao:memory {CONTRACT_VERSION}"
    )]
    Broken {
        /// The file, or the name that was given for it.
        name: String,
        /// The fault.
        detail: String,
    },
    /// It is a component, but not for this host.
    #[error(
        "{name} does not fit this host: it offers {found}, and this host speaks myao:memory {CONTRACT_VERSION} ({detail})"
    )]
    Incompatible {
        /// The file, or the name that was given for it.
        name: String,
        /// The interfaces of `myao:memory` that it has, with their versions.
        found: String,
        /// The mismatch.
        detail: String,
    },
    /// It is compiled, but this machine does not allow its code to run.
    #[error(
        "cannot load the machine code of {name}: {detail}; allow this program memory that can be executed (in a unit of systemd, leave \
         MemoryDenyWriteExecute out), and look whether there is enough memory"
    )]
    NotLoadable {
        /// The file, or the name that was given for it.
        name: String,
        /// The message of wasmtime.
        detail: String,
    },
    /// It has to be compiled, but this library was built without the feature `cranelift`.
    #[error(
        "{name} is not compiled yet, and this host cannot compile: give it a cache folder in which a host with the feature `cranelift` has kept the compiled code"
    )]
    NoCompiler {
        /// The file, or the name that was given for it.
        name: String,
    },
    /// wasmtime cannot be set up on this machine.
    #[error("cannot set up the WebAssembly engine: {0}")]
    Engine(String),
}

/// A compiled component of the world `bot`, `memory` or `summarizer`, ready to be instantiated. Cloning it is cheap: it is
/// loaded once and shared by the plugins of all workspaces.
///
/// ```no_run
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use myao_plugin::LoadedComponent;
/// use myao_plugin::{BuildError, MemoryPlugin, Places};
///
/// fn plugins(workspaces: Vec<Arc<dyn Places>>) -> Result<Vec<MemoryPlugin>, BuildError> {
///     let cache = Path::new("/var/cache/my-platform/myao");
///     let component = LoadedComponent::from_file(Path::new("myao_bot.wasm"), Some(cache))?;
///     let plugin = |storage| {
///         let builder = MemoryPlugin::builder().component(component.clone());
///         builder.storage(storage).build()
///     };
///     workspaces.into_iter().map(plugin).collect()
/// }
/// ```
#[derive(Clone)]
pub struct LoadedComponent {
    pub(crate) name: Arc<str>,
    digest: Arc<str>,
    pub(crate) engine: Engine,
    pub(crate) pre: InstancePre<CallState>,
    pub(crate) exports: Exports,
    pub(crate) about: Arc<About>,
}

/// Where the interfaces of a component are. A component of the world `summarizer` has only the first three, one of the
/// world `memory` all but the last.
#[derive(Clone)]
pub(crate) struct Exports {
    pub(crate) about: Option<about::GuestIndices>,
    pub(crate) memory_summarizer: Option<memory_summarizer::GuestIndices>,
    pub(crate) reply_prompt: Option<reply_prompt::GuestIndices>,
    pub(crate) context_builder: Option<context_builder::GuestIndices>,
    pub(crate) memory_generator: Option<memory_generator::GuestIndices>,
    pub(crate) searcher: Option<searcher::GuestIndices>,
    pub(crate) marks: Option<marks::GuestIndices>,
    pub(crate) responder: Option<responder::GuestIndices>,
}

impl Exports {
    fn of(engine: &Engine, pre: &InstancePre<CallState>) -> wasmtime::Result<Self> {
        let component_type = pre.component().component_type();
        // If it has one interface that only a larger world has, it is of that world and must have all its interfaces.
        let has_one_of = |interfaces: &[&str]| {
            component_type
                .exports(engine)
                .filter_map(|(name, _)| name.strip_prefix(PACKAGE))
                .filter_map(|name| name.split('@').next())
                .any(|interface| interfaces.contains(&interface))
        };
        let is_bot = has_one_of(&BOT_ONLY);
        let is_memory = is_bot || has_one_of(&MEMORY_ONLY);
        Ok(Self {
            about: Some(about::GuestIndices::new(pre)?),
            memory_summarizer: Some(memory_summarizer::GuestIndices::new(pre)?),
            reply_prompt: Some(reply_prompt::GuestIndices::new(pre)?),
            context_builder: is_memory
                .then(|| context_builder::GuestIndices::new(pre))
                .transpose()?,
            memory_generator: is_memory
                .then(|| memory_generator::GuestIndices::new(pre))
                .transpose()?,
            searcher: is_memory
                .then(|| searcher::GuestIndices::new(pre))
                .transpose()?,
            marks: is_memory
                .then(|| marks::GuestIndices::new(pre))
                .transpose()?,
            responder: is_bot
                .then(|| responder::GuestIndices::new(pre))
                .transpose()?,
        })
    }
}

impl LoadedComponent {
    /// Loads a component from a file. See [`Self::from_bytes`].
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn from_file(path: &Path, cache: Option<&Path>) -> Result<Self, LoadError> {
        let bytes = std::fs::read(path).map_err(|source| LoadError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::from_bytes(&path.display().to_string(), &bytes, cache)
    }

    /// Loads a component. `name` is used in error texts. With a `cache` folder, compiled code is stored there and found
    /// again by the digest of the component, the wasmtime version and the settings. A cache that cannot be used has no
    /// effect other than the time of a compilation (about a second).
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn from_bytes(name: &str, bytes: &[u8], cache: Option<&Path>) -> Result<Self, LoadError> {
        if !bytes.starts_with(MAGIC) {
            return Err(LoadError::Broken {
                name: name.to_owned(),
                detail: "it does not begin as WebAssembly does".to_owned(),
            });
        }
        Self::with_engine(new_engine()?, name, bytes, cache)
    }

    fn with_engine(
        engine: Engine,
        name: &str,
        bytes: &[u8],
        cache: Option<&Path>,
    ) -> Result<Self, LoadError> {
        let digest = sha256_hex(bytes);
        let component = match cache {
            Some(folder) => {
                let now = system_clock::now();
                CompiledCache::new(folder).load_or_compile(&engine, bytes, &digest, now)
            }
            None => compile(&engine, bytes).and_then(|compiled| load(&engine, &compiled)),
        }
        .map_err(|failure| not_loaded(name, failure))?;
        let mut linker = Linker::new(&engine);
        add_to_linker(&mut linker).map_err(|error| LoadError::Engine(format!("{error:#}")))?;
        let misfit = |error| incompatible(name, &engine, &component, &error);
        let pre = linker.instantiate_pre(&component).map_err(misfit)?;
        let exports = Exports::of(&engine, &pre).map_err(misfit)?;
        let loaded = Self {
            name: name.into(),
            digest: digest.into(),
            engine,
            pre,
            exports,
            about: Arc::new(About {
                name: String::new(),
                version: String::new(),
                contract: String::new(),
                settings: Vec::new(),
            }),
        };
        let about = loaded.describe().map_err(|error| LoadError::Broken {
            name: name.to_owned(),
            detail: format!("{error:#}"),
        })?;
        Ok(Self {
            about: Arc::new(about),
            ..loaded
        })
    }

    /// An instance for one call.
    pub(crate) async fn instantiate(
        &self,
        state: CallState,
        limits: &Limits,
    ) -> wasmtime::Result<(Store<CallState>, Instance)> {
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.memory_limit);
        store.set_hostcall_fuel(limits.transfer_bytes);
        // At every tick a running component yields, so that its deadline can be enforced.
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        let instance = self.pre.instantiate_async(&mut store).await?;
        Ok((store, instance))
    }

    /// The same, for a host that needs the world `bot`.
    ///
    /// # Errors
    /// [`LoadError::Incompatible`] if the component is of the world `memory` or `summarizer`.
    pub fn with_bot(self) -> Result<Self, LoadError> {
        if self.exports.responder.is_some() {
            return Ok(self);
        }
        let world = match self.exports.memory_generator {
            Some(_) => "memory",
            None => "summarizer",
        };
        Err(LoadError::Incompatible {
            name: self.name.to_string(),
            found: format!("the world {world} alone"),
            detail: "give it a component of the world bot".to_owned(),
        })
    }

    /// SHA-256 of its bytes, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

fn new_engine() -> Result<Engine, LoadError> {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .async_stack_size(ASYNC_STACK_BYTES)
        .max_wasm_stack(WASM_STACK_BYTES);
    let engine = Engine::new(&config).map_err(|error| LoadError::Engine(format!("{error:#}")))?;
    let weak = engine.weak();
    std::thread::Builder::new()
        .name("myao-epoch".to_owned())
        .spawn(move || {
            while let Some(engine) = weak.upgrade() {
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(TICK);
            }
        })
        .map_err(|error| LoadError::Engine(error.to_string()))?;
    Ok(engine)
}

fn not_loaded(name: &str, failure: Failure) -> LoadError {
    let name = name.to_owned();
    match failure {
        Failure::Component(error) => LoadError::Broken {
            name,
            detail: format!("{error:#}"),
        },
        Failure::Machine(error) => LoadError::NotLoadable {
            name,
            detail: format!("{error:#}"),
        },
        #[cfg(not(feature = "cranelift"))]
        Failure::NoCompiler => LoadError::NoCompiler { name },
    }
}

fn incompatible(
    name: &str,
    engine: &Engine,
    component: &Component,
    error: &wasmtime::Error,
) -> LoadError {
    let component_type = component.component_type();
    let exports = component_type
        .exports(engine)
        .map(|(name, item)| (name, item.ty));
    let imports = component_type
        .imports(engine)
        .map(|(name, item)| (name, item.ty));
    let mut found: Vec<&str> = exports
        .chain(imports)
        .filter(|(name, item)| {
            name.starts_with(PACKAGE) && matches!(item, ComponentItem::ComponentInstance(_))
        })
        .map(|(name, _)| name)
        .collect();
    found.sort_unstable();
    found.dedup();
    let found = if found.is_empty() {
        "no interface of myao:memory".to_owned()
    } else {
        found.join(", ")
    };
    LoadError::Incompatible {
        name: name.to_owned(),
        found,
        detail: format!("{error:#}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::env::consts::ARCH;
    use std::path::Path;

    use wasmtime::{Config, Engine};

    use super::{LoadError, LoadedComponent};

    /// An empty component.
    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn code_that_this_machine_does_not_run_is_no_fault_of_the_file() {
        // This compiles for another system; that code cannot be loaded here.
        let mut config = Config::new();
        config.target(&format!("{ARCH}-pc-windows-msvc")).unwrap();
        let engine = Engine::new(&config).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for cache in [None, Some(folder.path())] {
            let load = |bytes: &[u8], cache: Option<&Path>| {
                LoadedComponent::with_engine(engine.clone(), "plugin.wasm", bytes, cache).err()
            };
            let error = load(EMPTY, cache).unwrap();
            assert!(matches!(error, LoadError::NotLoadable { .. }), "{error}");
            let told = error.to_string();
            for words in ["machine code of plugin.wasm: ", "MemoryDenyWriteExecute"] {
                assert!(told.contains(words), "{told}");
            }
            let error = load(b"\0asm\x0d\0\x01\0more", cache).unwrap();
            assert!(matches!(error, LoadError::Broken { .. }), "{error}");
        }
    }
}
