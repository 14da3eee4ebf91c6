//! The component at its boundary, and generation runs over databases. One program, so that it is linked once.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs
)]

mod attacks;
#[path = "component/main.rs"]
mod component;
mod erasing;
mod fuzz;
mod goldens;
mod places;
#[path = "runs/main.rs"]
mod runs;
