//! The parts of the program `myao` other than its commands: the configuration file and the costs of model calls.

pub mod config;
pub mod usage;
