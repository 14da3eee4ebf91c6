//! The same tools over HTTP: a person's agent sees what that person may see.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use myao_bot::current::Current;
use myao_bot::people::{People, Person};
use myao_page::Agents;
use myao_plugin::Place;
use myao_plugin::state::Workspace;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::tools::{Asking, Tools};
use crate::cli::app::App;

/// The maximum size of a request, in bytes.
const MAX_REQUEST_BYTES: usize = 256 << 10;

/// Answers the agents of people.
pub(in crate::cli) struct HttpAgents {
    pub(in crate::cli) app: App,
    pub(in crate::cli) workspace: Arc<dyn Workspace>,
    pub(in crate::cli) current: Current,
    pub(in crate::cli) people: Arc<People>,
    /// The workspace's address, for links to messages; `None` if not known.
    pub(in crate::cli) address: Option<String>,
}

#[async_trait::async_trait]
impl Agents for HttpAgents {
    async fn answer(&self, person: Person, request: Request) -> Response {
        let place = Place::Person(person.id.clone());
        let tools = Tools {
            app: self.app.clone(),
            plugin: self.current.plugin(),
            view: self.workspace.view(place.clone()),
            place,
            address: self.address.clone(),
            asking: Some(Asking {
                people: self.people.clone(),
                person_id: person.id,
                settings: self.current.settings(),
            }),
        };
        // Each request is for itself: no session outlives what its person may see. The page has checked the host.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_REQUEST_BYTES)
            .disable_allowed_hosts();
        let service = StreamableHttpService::new(
            move || Ok(tools.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        service.handle(request).await.map(axum::body::Body::new)
    }
}
