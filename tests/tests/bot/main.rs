//! The bot as a workspace meets it: `myao run` as a process, against the fake Slack and a model that a test scripts,
//! with a database on the disk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod audiences;
mod audit;
mod budget;
mod catch_up;
mod commands;
mod digests;
mod direct;
mod feedback;
mod forget;
mod http;
mod items;
mod marks;
mod memory;
mod mentions;
mod missing;
mod modes;
mod odd;
mod off_record;
mod page;
mod people;
mod postgres;
mod posting;
mod retention;
mod secrecy;
mod strangers;
mod strikes;
pub(crate) mod support;
mod sweep;
pub(crate) mod team;
mod unasked;
mod withdrawn;
mod workspaces;
