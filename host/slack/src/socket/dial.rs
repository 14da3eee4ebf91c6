//! Opens a connection.

use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt as _;
use reqwest::Url;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{Error, Message, Utf8Bytes, protocol::WebSocketConfig},
};

use super::NAME;
use crate::{client::SlackClient, error::ClientError, token::Token};

/// The longest time to open a connection, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time from then to Slack's greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest message; Slack's events have some kilobytes. A larger one ends the connection, and would be sent again.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// A byte stream under a WebSocket.
pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// Opens connections; tests have their own.
#[async_trait]
pub(super) trait Dial: Send + Sync {
    type Io: Io;
    /// A new connection.
    async fn dial(&self) -> Result<WebSocketStream<Self::Io>, ClientError>;
}

/// Opens connections to Slack.
pub(super) struct SlackDial {
    pub(super) client: SlackClient,
    pub(super) app_token: Token,
}

#[async_trait]
impl Dial for SlackDial {
    type Io = MaybeTlsStream<TcpStream>;

    async fn dial(&self) -> Result<WebSocketStream<Self::Io>, ClientError> {
        let url = self.client.open_connection(&self.app_token).await?;
        connect(&url).await
    }
}

/// Connects to an address.
pub(super) async fn connect(
    url: &Url,
) -> Result<WebSocketStream<MaybeTlsStream<TcpStream>>, ClientError> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    // Acknowledgements are small and urgent.
    let without_delay = true;
    let connection = connect_async_with_config(url.as_str(), Some(config), without_delay);
    match timeout(CONNECT_TIMEOUT, connection).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(Error::Http(response))) => Err(ClientError::Status {
            method: NAME,
            status: response.status().as_u16(),
        }),
        Ok(Err(error)) => Err(unreachable(describe(&error))),
        Err(_) => Err(ClientError::TimedOut { method: NAME }),
    }
}

/// Waits for Slack's greeting: events arrive after it.
pub(super) async fn greeting<S: Io>(
    socket: &mut WebSocketStream<S>,
) -> Result<Utf8Bytes, ClientError> {
    let first_text = async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(_))) | None => {
                    return Err(unreachable(
                        "the connection was closed before the greeting".to_owned(),
                    ));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(unreachable(describe(&error))),
            }
        }
    };
    timeout(GREETING_TIMEOUT, first_text)
        .await
        .map_err(|_| ClientError::TimedOut { method: NAME })?
}

/// The text of an error, without the address, which holds a secret.
pub(super) fn describe(error: &Error) -> String {
    match error {
        Error::Url(_) => "the address cannot be used".to_owned(),
        other => other.to_string(),
    }
}

fn unreachable(detail: String) -> ClientError {
    ClientError::Unreachable {
        method: NAME,
        detail,
        may_have_arrived: false,
    }
}
