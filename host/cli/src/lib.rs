//! What the program `myao` is made of beside its commands: its configuration file and the accounts of model calls.

pub mod config;
pub mod usage;
