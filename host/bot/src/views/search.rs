//! Messages that somebody looks for.

use futures::StreamExt as _;
use myao_plugin::{Hit, Place, SearchRequest};
use myao_slack::blocks::{FoundMessage, SearchView, Source};

use super::{CALLS_IN_FLIGHT, Views, moment};

/// How many messages an answer shows.
const HITS: u32 = 10;

impl Views {
    /// The messages that this person may see and that say this, the best first.
    ///
    /// # Errors
    /// The words of an error of the store or the component.
    pub async fn search(&self, user_id: String, words: String) -> Result<SearchView, String> {
        let mut view = SearchView {
            found: Vec::new(),
            words,
        };
        if view.words.is_empty() {
            return Ok(view);
        }
        let request = SearchRequest {
            text: view.words.clone(),
            since: None,
            until: None,
            limit: HITS,
        };
        let plugin = self.current.plugin();
        let found = plugin
            .search(Place::Person(user_id), &request, self.clock.now())
            .await
            .map_err(|error| error.to_string())?;
        let hits = futures::stream::iter(found.hits).map(|hit| self.hit(hit));
        view.found = hits.buffered(CALLS_IN_FLIGHT).collect().await;
        Ok(view)
    }

    async fn hit(&self, hit: Hit) -> FoundMessage {
        let link = self.chat.permalink(hit.at.channel_id, hit.at.ts).await;
        FoundMessage {
            channel: hit.channel_name,
            message: Source {
                at: moment(hit.message.timestamp),
                author: hit.message.user.name,
                text: hit.message.text,
                permalink: link.ok(),
            },
        }
    }
}
