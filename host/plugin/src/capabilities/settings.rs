//! The import `settings`: values that were set when the plugin was built.

use super::CallState;
use crate::bindings::settings::Host;

impl Host for CallState {
    async fn get(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        import!(self, "settings.get", (), self.capabilities.settings.pairs())
    }
}
