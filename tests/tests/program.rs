//! The program `myao`: its commands, the bot, and the bot when things break. One program, so that it is linked once.

#[path = "bot/main.rs"]
mod bot;
#[path = "bot_faults/main.rs"]
mod bot_faults;
#[path = "cli/main.rs"]
mod cli;
#[path = "page/main.rs"]
mod page;
