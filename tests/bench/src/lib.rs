//! The promises of speed and size, measured against something else in the same run.
//!
//! [`rows`] contains the measurements, a module for each family of rows; [`measure`] takes the times, and [`page`]
//! writes the table. [`native`], [`python`] and [`bare`] are the programs to compare with, and [`at_hand`] is a store
//! that only copies.

pub mod at_hand;
pub mod bare;
mod bindings;
pub mod contexts;
pub mod export;
pub mod machine;
pub mod measure;
pub mod native;
pub mod page;
pub mod python;
pub mod row;
pub mod rows;
