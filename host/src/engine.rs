//! The WebAssembly engine: its stacks, the pool that instances come from, and the clock at which a call gives way.

use std::time::Duration;

use wasmtime::component::Component;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// How often a running component gives way, so that its deadline can be kept.
const TICK: Duration = Duration::from_millis(10);
/// Stack for one call: twice wasmtime's default, of which half is the host's.
const ASYNC_STACK_BYTES: usize = 2 << 20;
/// Stack of the component's own code; deeper recursion is a typed error.
const WASM_STACK_BYTES: usize = 1 << 20;
/// Linear memories in the pool: four plugins' worth of calls. Each adds some 2 µs to the start, and reserves 4 GiB of
/// addresses, of which a process has room for a hundred such pools.
const MEMORIES: u32 = 256;
/// Tables in the pool. The product's component has two.
const TABLES: u32 = 4 * MEMORIES;
/// What stays with a place in the pool until the next call: as much as a prompt of 1,000 messages touches.
const KEPT_MEMORY_BYTES: usize = 512 << 10;
const KEPT_TABLE_BYTES: usize = 64 << 10;

/// An engine whose clock ticks as long as it is there.
pub(crate) fn new_engine() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .async_stack_size(ASYNC_STACK_BYTES)
        .max_wasm_stack(WASM_STACK_BYTES);
    let engine = match with_pool(&config) {
        Some(engine) => engine,
        None => Engine::new(&config)?,
    };
    let weak = engine.weak();
    std::thread::Builder::new()
        .name("myao-epoch".to_owned())
        .spawn(move || {
            while let Some(engine) = weak.upgrade() {
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(TICK);
            }
        })?;
    Ok(engine)
}

/// An engine that takes instances from a pool, where the system can tell which of their memory was written (Linux 6.7)
/// and has addresses enough. Elsewhere each instance is made anew, which costs some 30 µs more.
fn with_pool(config: &Config) -> Option<Engine> {
    if !PoolingAllocationConfig::is_pagemap_scan_available() {
        return None;
    }
    let mut pool = PoolingAllocationConfig::new();
    pool.total_memories(MEMORIES)
        .total_stacks(MEMORIES)
        .total_tables(TABLES)
        // Mere counts.
        .total_component_instances(u32::MAX)
        .total_core_instances(u32::MAX)
        .linear_memory_keep_resident(KEPT_MEMORY_BYTES)
        .table_keep_resident(KEPT_TABLE_BYTES)
        // As few places as possible are used, so that little is kept.
        .max_unused_warm_slots(0)
        .pagemap_scan(Enabled::Yes);
    let mut config = config.clone();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Engine::new(&config)
        .inspect_err(|error| tracing::debug!("instances come from no pool: {error:#}"))
        .ok()
}

/// How many instances of a component the pool holds.
pub(crate) fn places(component: &Component) -> usize {
    let Some(needed) = component.resources_required() else {
        return 1;
    };
    let memories = MEMORIES / needed.num_memories.max(1);
    let tables = TABLES / needed.num_tables.max(1);
    usize::try_from(memories.min(tables)).map_or(1, |places| places.max(1))
}
