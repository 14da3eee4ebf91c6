//! The parts of WASI that Rust's standard library needs, all empty: no arguments, environment, files, network or
//! streams. Clocks stand still, and random numbers are the same in every call, so the component's result depends only
//! on its input.

use std::time::Duration;

use wasmtime::component::{HasSelf, Linker, Resource, ResourceTable};
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock;
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock::Host;
use wasmtime_wasi::{Deterministic, HostWallClock, WasiCtx};

use super::CallState;

/// How many streams and similar resources one call may hold at once. Rust's standard library holds three streams; the
/// host needs a hundred bytes for each.
const MAX_RESOURCES: usize = 1024;
/// How many random bytes may be requested at once. The seeds of hash maps need 16.
const MAX_RANDOM_BYTES: u64 = 64 << 10;

/// The WASI context of each call. No call sees anything of another call or of the machine.
pub(super) fn context() -> WasiCtx {
    let mut wasi = WasiCtx::builder();
    wasi.wall_clock(StoppedClock)
        .secure_random(numbers())
        .insecure_random(numbers())
        .insecure_random_seed(0)
        .max_random_size(MAX_RANDOM_BYTES)
        .allow_tcp(false)
        .allow_udp(false);
    wasi.build()
}

/// A resource table with a limit, so that a component cannot fill the host's memory with it.
pub(super) fn resources() -> ResourceTable {
    let mut table = ResourceTable::new();
    table.set_max_capacity(MAX_RESOURCES);
    table
}

/// Links WASI. wasmtime's timers would show a component how much time passes; they are left out here.
pub(super) fn add_to_linker(linker: &mut Linker<CallState>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_async(linker)?;
    linker.allow_shadowing(true);
    monotonic_clock::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    linker.allow_shadowing(false);
    Ok(())
}

/// The same bytes for every call. They are not all equal: code that draws until a number fits must come to an end.
fn numbers() -> Deterministic {
    Deterministic::new((0..=u8::MAX).collect())
}

/// It is always 1970.
struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// A timer would never end, because the clock stands still.
#[derive(Debug, thiserror::Error)]
#[error("it waits for a time to pass, and a component has no clock")]
struct NoTimers;

impl Host for CallState {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(0)
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        Ok(1)
    }

    fn subscribe_instant(&mut self, _: u64) -> wasmtime::Result<Resource<DynPollable>> {
        Err(NoTimers.into())
    }

    fn subscribe_duration(&mut self, _: u64) -> wasmtime::Result<Resource<DynPollable>> {
        Err(NoTimers.into())
    }
}
