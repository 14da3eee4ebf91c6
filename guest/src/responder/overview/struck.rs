//! Takes what corrections strike out of the messages of an overview.

use myao_terms::addressed::{self, Mark};

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::types::MessageRef;
use crate::marks::Corrections;
use crate::recall::Overview;
use crate::records::decisions;
use crate::responder::Responder;

impl Responder<'_> {
    /// Leaves out what is struck, and returns the corrections that strike a decision. One storage call.
    pub(super) fn strike(
        &self,
        hits: &mut Vec<Hit>,
        beside: &mut Vec<Hit>,
        overview: &mut Overview,
    ) -> Result<Vec<MessageRef>, Error> {
        let strikes = self.ports.storage.list_strikes().map_err(Error::Storage)?;
        if strikes.is_empty() {
            return Ok(Vec::new());
        }
        let bot = &self.ports.settings.bot_name;
        let all = hits.iter().chain(&*beside).chain(&overview.earlier);
        let said = all.clone().filter_map(|hit| {
            let person = Some(&hit.message).filter(|message| !message.user.is_bot)?;
            match addressed::mark(&person.text, bot) {
                Some((Mark::Correction, said)) => Some((&hit.at, said)),
                _ => None,
            }
        });
        let corrections = Corrections::new(said, &strikes);
        let replacing = |hit: &Hit| {
            let at = std::slice::from_ref(&hit.at);
            let mut decided = decisions(&hit.message.text, hit.message.user.is_bot);
            decided.find_map(|said| corrections.striking(said, at).cloned())
        };
        let replacing = all.filter_map(replacing).collect();
        for hits in [hits, beside, &mut overview.earlier] {
            corrections.strike(hits);
        }
        let is_struck = |hit: &Hit| corrections.rest_of(&hit.at, &hit.message.text).is_some();
        overview.before.retain(|_, hit| !is_struck(hit));
        Ok(replacing)
    }
}
