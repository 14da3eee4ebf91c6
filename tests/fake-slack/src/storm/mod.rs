//! Storms: many events in a short time, the same for the same seed, with and without faults.

mod plan;
mod play;

pub use plan::StormPlan;
pub use play::StormReport;
