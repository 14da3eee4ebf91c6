//! How much memory one call may have.

use wasmtime::ResourceLimiter;

/// Ends a call that asks for more.
pub(crate) struct MemoryLimit {
    pub(crate) bytes: usize,
}

/// The component asked for more memory than it may have.
#[derive(Debug, thiserror::Error)]
#[error("no more memory is allowed")]
pub(crate) struct OutOfMemory;

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > self.bytes.min(maximum.unwrap_or(usize::MAX)) {
            return Err(OutOfMemory.into());
        }
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(OutOfMemory.into())
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(maximum.is_none_or(|maximum| desired <= maximum))
    }
}
