//! The pages, one file each: what is read, and how it is shown as HTML and as JSON.

mod answers;
mod ask;
mod channel;
pub(crate) mod items;
mod me;
mod memory;
mod message;
mod refusal;
mod search;
mod signed_in;
mod sourced;
mod strikes;
mod timeline;
mod upkeep;
mod workspace;

use maud::Markup;
use serde_json::Value;

use super::failure::Failure;
use super::html::Look;
use super::reader::Reader;
use super::route::Route;
pub(crate) use me::issued;
pub(crate) use message::forgotten;
pub(crate) use refusal::refused;
pub(crate) use signed_in::signed_in;
pub(crate) use strikes::{STRUCK, strikes};

/// A page that was read.
pub(crate) trait Shown: Send {
    fn html(&self, look: Look) -> Markup;
    /// Its twin: the same data.
    fn json(&self) -> Value;
}

/// Reads a page.
pub(crate) async fn show(reader: Reader, route: &Route) -> Result<Box<dyn Shown>, Failure> {
    Ok(match route {
        Route::Workspace { page } => Box::new(workspace::read(&reader, *page).await?),
        Route::Channel { .. } => Box::new(channel::read(&reader, route).await?),
        Route::Message { channel_id, ts } => {
            Box::new(message::read(&reader, channel_id, *ts).await?)
        }
        Route::Memory { id } => Box::new(memory::read(&reader, *id).await?),
        Route::Search(search) => Box::new(search::read(&reader, search).await?),
        Route::Answers { judged } => Box::new(answers::read(&reader, *judged).await?),
        Route::Upkeep if !reader.visitor().sees_upkeep() => return Err(Failure::NoPage),
        Route::Upkeep => Box::new(upkeep::read(&reader).await?),
        Route::Me => Box::new(me::read(&reader).await?),
        Route::Ask { question } => Box::new(ask::read(&reader, question).await?),
    })
}
