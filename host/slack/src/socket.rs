//! stub
#![allow(missing_docs)]
use crate::{client::SlackClient, delivery::Inbox, error::SlackError, token::Token};
use std::sync::Arc;
use tokio::sync::watch;
#[derive(Debug, Clone)]
pub enum ConnectionState {
    Connecting,
    Connected {
        since: std::time::SystemTime,
    },
    Disconnected {
        since: std::time::SystemTime,
        reason: String,
    },
}
pub struct SocketMode;
impl SocketMode {
    pub fn new(_: SlackClient, _: Token, _: Arc<dyn Inbox>) -> Self {
        Self
    }
    pub fn state(&self) -> watch::Receiver<ConnectionState> {
        watch::channel(ConnectionState::Connecting).1
    }
    pub async fn run(self, _: watch::Receiver<bool>) -> Result<(), SlackError> {
        Ok(())
    }
}
