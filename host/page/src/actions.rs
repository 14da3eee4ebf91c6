//! What people change: a message is pinned or forgotten, a channel's memory is corrected. [`Site::can_change`] says whether
//! they may.
//!
//! [`Site::can_change`]: crate::Site::can_change

use myao_bot::marking;
use myao_plugin::state::forgetting::{Forget, Mode};

use super::failure::Failure;
use super::pages::{Shown, forgotten};
use super::reader::Reader;
use super::route::{Fields, Route};

/// What is shown afterwards.
pub(crate) enum Done {
    See(Route),
    Receipt(Box<dyn Shown>),
}

/// Does what the form of a page asks for.
pub(crate) async fn act(
    reader: &Reader,
    route: &Route,
    form: &mut Fields,
) -> Result<Done, Failure> {
    let (workspace, clock) = (&*reader.site.workspace, &reader.site.clock);
    let what = form.take("do");
    match (route, what.as_str()) {
        (Route::Message { channel_id, ts }, "pin" | "unpin") => {
            reader.message(channel_id, *ts).await?;
            marking::pin(workspace, clock, channel_id, *ts, what == "pin").await?;
            tracing::info!("{what} of {channel_id}:{ts} by the page");
            Ok(Done::See(route.clone()))
        }
        (Route::Message { channel_id, ts }, "forget") => {
            let channel = reader.channel(channel_id).await?;
            let message = Forget::Message {
                channel_id: channel.id.clone(),
                ts: *ts,
            };
            let receipt = workspace.forget(message, clock.seconds(), Mode::EraseAndSearch);
            let receipt = receipt.await?;
            tracing::info!("forgot {}:{ts}, asked by the page", channel.id);
            Ok(Done::Receipt(Box::new(forgotten(channel, receipt))))
        }
        (Route::Channel { id, .. }, "correct") => {
            let text = form.take("text");
            if text.is_empty() {
                return Err(Failure::Form);
            }
            let channel = reader.channel(id).await?;
            let plugin = reader.site.current.plugin();
            let bot = &plugin.settings().persona.name;
            marking::correct(workspace, clock, bot, &channel.id, &text).await?;
            tracing::info!("a correction in {}, written on the page", channel.id);
            Ok(Done::See(Route::channel(&channel.id)))
        }
        _ => Err(Failure::Form),
    }
}
