//! A small Slack for tests: one workspace with its Web API, Socket Mode and signed events over HTTP, on a loopback
//! port. It does what independent emulators lack: edits and deletions, pages and time ranges, message metadata, App
//! Home, events that come twice, late or out of order, lost connections, rate limits, storms.
//!
//! A test builds a world ([`FakeSlack::add_user`], [`FakeSlack::add_channel`]), points a client at
//! [`FakeSlack::api_url`], lets people act ([`FakeSlack::post`], [`FakeSlack::edit`] …), breaks things
//! ([`FakeSlack::faults`]), waits for what should follow ([`FakeSlack::wait_until`]) and looks at what came in
//! ([`FakeSlack::requests`], [`FakeSlack::posts`], [`FakeSlack::events`], [`FakeSlack::journal`]).
//!
//! An action takes place when its function returns: the world has changed, and its events are on their way. Times are
//! a counter's ([`FakeSlack::set_clock`]), ids are numbered and every choice has a seed, so a run can be repeated.
//!
//! Shapes are those of <https://docs.slack.dev/reference>.

// Test code: what goes wrong here should end the test at once.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod actions;
mod blocks;
mod bot;
mod commands;
mod control;
mod delivery;
mod events_http;
mod faults;
mod journal;
mod line;
mod noise;
mod people;
mod pins;
mod post;
mod random;
mod server;
mod shapes;
mod sign_in;
mod signature;
mod socket;
mod state;
mod storm;
mod ts;
mod web;
mod world;

pub use bot::{BotPost, Request, Response, TokenKind};
pub use commands::SlashAnswer;
pub use delivery::{Delivery, Event, EventState};
pub use faults::{Disconnect, Fault, Faults, Order};
pub use journal::{Entry, percentile};
pub use server::FakeSlack;
pub use signature::sign;
pub use storm::{StormPlan, StormReport};
pub use ts::Ts;
pub use world::{Author, Channel, ChannelKind, Edited, Message, Reaction, Team, User, World};

/// The workspace.
pub const TEAM_ID: &str = "T0TEAM0001";
/// The other organisation of shared channels.
pub const OTHER_TEAM: &str = "T0OTHER001";
/// Another workspace of the same organisation.
pub const SISTER_TEAM: &str = "T0SISTER01";
/// The organisation.
pub const ENTERPRISE_ID: &str = "E0FAKE0001";
/// The app whose bot is tested.
pub const APP_ID: &str = "A0APP00001";
/// The bot's user.
pub const BOT_USER: &str = "U0BOT00001";
/// The bot's id as an app, which messages name together with its user.
pub const BOT_ID: &str = "B0BOT00001";
/// Slack's own user, who is there in every workspace and does not count as a bot.
pub const SLACKBOT: &str = "USLACKBOT";
/// The bot's token.
pub const BOT_TOKEN: &str = "xoxb-fake-slack-bot-token";
/// The app's id, with which people sign in.
pub const CLIENT_ID: &str = "1234.5678";
/// Its secret.
pub const CLIENT_SECRET: &str = "fake-slack-client-secret";
/// The app's token, which opens sockets.
pub const APP_TOKEN: &str = "xapp-fake-slack-app-token";
