//! The import `settings`: values that were set when the plugin was built.

use super::CallState;
use crate::bindings::settings::{Host, Values};

impl Host for CallState {
    async fn get(&mut self) -> wasmtime::Result<Values> {
        import!(
            self,
            "settings.get",
            (),
            Values::clone(&self.capabilities.settings)
        )
    }
}
