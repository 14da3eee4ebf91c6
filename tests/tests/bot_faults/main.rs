//! The bot where things go wrong: storms, kills, lost connections, changes while it runs. `myao run` is a process,
//! Slack a fake one.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod common;
mod disk;
mod floods;
mod gaps;
mod host_storm;
mod hosts;
mod killed_again;
mod kills;
mod minute;
mod running;
mod server_faults;
mod small_disk;
mod sockets;
mod speed;
mod storm;
mod waits;
mod watching;
