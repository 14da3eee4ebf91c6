//! Makes one connection, with or without TLS as `sslmode` says.

use deadpool_postgres::Connect;
use futures::future::BoxFuture;
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode as Negotiation;
use tokio_postgres::{Client, Config, Error};

use crate::error::is_tls;
use crate::options::SslMode;
use crate::tls::Tls;

/// Makes connections for the pool.
pub(crate) struct Connecting {
    pub(crate) tls: Tls,
    pub(crate) ssl_mode: SslMode,
}

impl Connect for Connecting {
    fn connect(&self, config: &Config) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), Error>> {
        let config = config.clone();
        Box::pin(async move {
            match (self.once(&config).await, self.ssl_mode) {
                // As libpq does: a server that refuses the one may take the other.
                (Err(error), SslMode::Prefer) if is_tls(&error) || is_not_admitted(&error) => {
                    self.otherwise(config, Negotiation::Disable, error).await
                }
                (Err(error), SslMode::Allow) if is_not_admitted(&error) => {
                    self.otherwise(config, Negotiation::Require, error).await
                }
                (connected, _) => connected,
            }
        })
    }
}

impl Connecting {
    async fn once(&self, config: &Config) -> Result<(Client, JoinHandle<()>), Error> {
        let (client, connection) = config.connect(self.tls.clone()).await?;
        let task = tokio::spawn(async move {
            // Whoever uses the connection hears of it.
            if let Err(error) = connection.await {
                tracing::debug!("a connection to PostgreSQL ended: {error}");
            }
        });
        Ok((client, task))
    }

    /// Tries the other way. If it fails, too, the first error says more.
    async fn otherwise(
        &self,
        mut config: Config,
        negotiation: Negotiation,
        first: Error,
    ) -> Result<(Client, JoinHandle<()>), Error> {
        config.ssl_mode(negotiation);
        self.once(&config).await.map_err(|_| first)
    }
}

/// Returns true if the server lets nobody in this way.
fn is_not_admitted(error: &Error) -> bool {
    error.code().is_some_and(|code| code.code() == "28000")
}
