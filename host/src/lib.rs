//! Host for the myao memory component.
//!
//! The way of a message: [`import`] reads it, [`storage`] keeps it, the component (loaded by
//! `plugin`) asks for it through its imports and hands back memories, which [`storage`] saves.

pub mod bindings;
pub mod import;
pub mod storage;
pub mod ts;
