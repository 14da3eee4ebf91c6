//! Calls of the component's export `about`. It calls no import, so they need no store, no model and no runtime.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use wasmtime::Store;
use wasmtime::component::Instance;

use crate::Place;
use crate::bindings::errors::SettingFault;
use crate::bindings::exports::myao::memory::about::{Component as About, Guest};
use crate::capabilities::{CallState, Capabilities, Purpose};
use crate::component::LoadedComponent;
use crate::error::CallError;
use crate::limits::Limits;

/// How often such a call may yield, at every tick of the engine: ten seconds.
const MOST_TICKS: usize = 1000;

impl LoadedComponent {
    /// `about.describe`: the component's name, versions and settings.
    #[must_use]
    pub fn about(&self) -> &Arc<About> {
        &self.about
    }

    /// `about.check`: every setting that the component refuses.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn check(&self, settings: &[(String, String)]) -> Result<Vec<SettingFault>, CallError> {
        let faults = at_once(async {
            let (mut store, about) = self.instance().await?;
            about.call_check(&mut store, settings).await
        });
        faults.map_err(|error| CallError::of(&error, &self.name, "check", &Limits::default()))
    }

    pub(crate) fn describe(&self) -> wasmtime::Result<About> {
        at_once(async {
            let (mut store, about) = self.instance().await?;
            about.call_describe(&mut store).await
        })
    }

    async fn instance(&self) -> wasmtime::Result<(Store<CallState>, Guest)> {
        let limits = Limits::default();
        let place = Place::Schedule.into();
        let state = CallState::new(Capabilities::default(), &limits, place, Purpose::Look);
        let (mut store, instance): (_, Instance) = self.instantiate(state, &limits).await?;
        let about = self.exports.about.as_ref();
        let about = about.ok_or_else(|| wasmtime::Error::msg("it has no export `about`"))?;
        let about = about.load(&mut store, &instance)?;
        Ok((store, about))
    }
}

/// The result of a future that waits for nothing, but yields.
fn at_once<T>(future: impl Future<Output = wasmtime::Result<T>>) -> wasmtime::Result<T> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..MOST_TICKS {
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return result;
        }
    }
    Err(wasmtime::Error::msg("its description comes to no end"))
}
