//! Changes by people: a message is pinned or forgotten, a channel's memory is corrected. `Visitor` decides who may do
//! so.

use myao_bot::marking;
use myao_plugin::state::forgetting::{Forget, Mode};
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::ts::TsKey;

use super::failure::Failure;
use super::fields::Fields;
use super::pages::{STRUCK, Shown, forgotten, issued, items, strikes};
use super::reader::Reader;
use super::route::Route;
use super::tokens;

/// The page after the change.
pub(crate) enum Done {
    See(Route),
    Receipt(Box<dyn Shown>),
    SignOut,
}

/// Carries out the form of a page.
pub(crate) async fn act(
    reader: &Reader,
    route: &Route,
    form: &mut Fields,
) -> Result<Done, Failure> {
    let (workspace, clock) = (&*reader.changed(), &reader.site.clock);
    let what = form.take("do");
    let may_mark = reader.visitor().may_mark();
    match (route, what.as_str()) {
        (Route::Message { channel_id, ts }, "pin" | "unpin") if may_mark => {
            reader.message(channel_id, *ts).await?;
            marking::pin(workspace, clock, channel_id, *ts, what == "pin").await?;
            tracing::info!("{what} of {channel_id}:{ts} by the page");
            Ok(Done::See(route.clone()))
        }
        (Route::Message { channel_id, ts }, "forget") => {
            let channel = reader.channel(channel_id).await?;
            let said = reader.message(channel_id, *ts).await?;
            if !reader.visitor().may_forget(&said.user.id) {
                return Err(Failure::Form);
            }
            let message = Forget::Message {
                channel_id: channel.id.clone(),
                ts: *ts,
            };
            // The rest of the store, and its place, are the owner's to know.
            let (mode, by) = match reader.visitor().person() {
                None => (Mode::EraseAndSearch, "the owner"),
                Some(person) => (Mode::Erase, person.id.as_str()),
            };
            let receipt = workspace.forget(message, clock.seconds(), mode).await?;
            tracing::info!("forgot {}:{ts}, asked by {by} on the page", channel.id);
            let receipt = reader.visitor().sees_upkeep().then_some(receipt);
            Ok(Done::Receipt(Box::new(forgotten(channel, receipt))))
        }
        (Route::Channel { id, .. }, "correct") if may_mark => {
            let text = form.take("text");
            if text.is_empty() {
                return Err(Failure::Form);
            }
            let channel = reader.channel(id).await?;
            let plugin = reader.site.current.plugin();
            let bot = plugin.settings().text("persona.name");
            let ts = marking::correct(workspace, clock, bot, &channel.id, &text).await?;
            tracing::info!("a correction in {}, written on the page", channel.id);
            let strikable = reader.strikable(&channel.id, ts).await?;
            Ok(match strikable.as_slice() {
                [] => Done::See(Route::channel(&channel.id)),
                _ => Done::Receipt(Box::new(strikes(reader, channel, ts, strikable))),
            })
        }
        (Route::Channel { id, .. }, "strike") if may_mark => {
            let ts = TsKey::parse(&form.take("correction")).map_err(|_| Failure::Form)?;
            let struck = form.named(STRUCK).filter_map(|ts| TsKey::parse(ts).ok());
            let struck = (OPERATOR_ID, struck.collect());
            marking::strike(workspace, clock, (id, ts), struck).await?;
            Ok(Done::See(Route::channel(id)))
        }
        (Route::Channel { .. } | Route::Me, "item" | "undo-item") => {
            items::change(reader, &what, form).await?;
            Ok(Done::See(route.clone()))
        }
        (Route::Me, what) => act_for(reader, what, form).await,
        _ => Err(Failure::Form),
    }
}

/// Carries out a form of somebody's own page.
async fn act_for(reader: &Reader, what: &str, form: &mut Fields) -> Result<Done, Failure> {
    let person = reader.visitor().person().ok_or(Failure::NoPage)?;
    match what {
        "sign-out" => Ok(Done::SignOut),
        "issue" => {
            let (token, kept) = tokens::issue(reader, &form.take("name")).await?;
            tracing::info!("{} made the agent token {}", person.id, kept.id);
            Ok(Done::Receipt(Box::new(issued(token, kept))))
        }
        "withdraw" => {
            let id = form.take("id").parse().map_err(|_| Failure::Form)?;
            let (tokens, now) = (reader.changed(), reader.site.clock.seconds());
            if tokens.remove_agent_token(&person.id, id, now).await? {
                tracing::info!("{} took back the agent token {id}", person.id);
            }
            Ok(Done::See(Route::Me))
        }
        _ => Err(Failure::Form),
    }
}
