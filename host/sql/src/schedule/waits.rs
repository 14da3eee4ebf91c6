//! The waits in the store, for the people who maintain the bot.

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::state::replies::{MAX_REPLY_WAIT, ReplyKind};
use myao_plugin::ts::TsKey;
use myao_plugin::waits::{LONGEST_DEFERRAL, Wait, WaitKind, is_under_way};
use myao_plugin::{Scope, names};

use crate::answers::reply;
use crate::events::inbox;
use crate::fault::Fault;
use crate::place::Place;
use crate::reading::catch_up::{CHANNEL_WAITS, MESSAGE_WAITS};
use crate::rows;
use crate::rows::list;
use crate::schedule::deferrals;

/// How many waits of one kind are listed.
const MOST: u32 = 100;

/// The waits; see [`Upkeep::waits`](myao_plugin::state::upkeep::Upkeep::waits).
pub(crate) fn all(connection: &Connection, place: &Place, now: i64) -> Result<Vec<Wait>, Fault> {
    let mut waits = memories(connection, place, now)?;
    waits.extend(answers(connection, place, now)?);
    waits.extend(events(connection, place, now)?);
    waits.extend(channels(connection, place, now)?);
    waits.extend(messages(connection, place, now)?);
    waits.extend(judgments(connection, place, now)?);
    Ok(waits)
}

fn memories(connection: &Connection, place: &Place, now: i64) -> Result<Vec<Wait>, Fault> {
    let deferred = deferrals::all(connection, place)?;
    let under_way = deferred.into_iter().filter(|stored| {
        let until = stored.deferral.until.unix_seconds;
        is_under_way(until, now, LONGEST_DEFERRAL)
    });
    let mut waits: Vec<Wait> = under_way
        .map(|stored| {
            let layer = names::layer(stored.scope, stored.deferral.memory_type);
            let whose = match stored.scope {
                Scope::Workspace => String::new(),
                Scope::Channel | Scope::Thread => format!(" of {}", stored.scope_id),
            };
            Wait {
                kind: WaitKind::Memory,
                label: layer,
                what: format!("the {layer} memory{whose}"),
                until: stored.deferral.until.unix_seconds,
                why: stored.deferral.reason,
            }
        })
        .collect();
    waits.sort_by_key(|wait| wait.until);
    waits.truncate(usize::try_from(MOST).unwrap_or(usize::MAX));
    Ok(waits)
}

fn answers(connection: &Connection, place: &Place, now: i64) -> Result<Vec<Wait>> {
    let deferred = include_str!("sql/deferred_replies.sql");
    let columns = params![
        place.workspace,
        now,
        now.saturating_add(MAX_REPLY_WAIT),
        MOST
    ];
    list(connection, deferred, columns, |row| {
        let (channel, ts): (String, i64) = (row.get(0)?, row.get(1)?);
        let label = match reply::kind(row.get(2)?) {
            ReplyKind::Mention => "mention",
            ReplyKind::Unasked => "unasked",
        };
        Ok(Wait {
            kind: WaitKind::Answer,
            label,
            what: format!("the answer to {channel}:{}", TsKey::from_database(ts)),
            until: row.get(3)?,
            why: failed(row.get(4)?),
        })
    })
}

fn events(connection: &Connection, place: &Place, now: i64) -> Result<Vec<Wait>> {
    let deferred = include_str!("sql/deferred_events.sql");
    let columns = params![
        place.workspace,
        now,
        now.saturating_add(inbox::MAX_WAIT),
        MOST
    ];
    list(connection, deferred, columns, |row| {
        let id: String = row.get(0)?;
        Ok(Wait {
            kind: WaitKind::Event,
            label: "",
            what: format!("event {id}"),
            until: row.get(1)?,
            why: failed(row.get(2)?),
        })
    })
}

fn channels(connection: &Connection, place: &Place, now: i64) -> Result<Vec<Wait>> {
    let put_off = include_str!("sql/put_off_channels.sql");
    let columns = params![
        place.workspace,
        now,
        now.saturating_add(CHANNEL_WAITS.1),
        MOST
    ];
    list(connection, put_off, columns, |row| {
        let channel: String = row.get(0)?;
        Ok(Wait {
            kind: WaitKind::Channel,
            label: "",
            what: format!("reading {channel}"),
            until: row.get(1)?,
            why: failed(row.get(2)?),
        })
    })
}

fn messages(connection: &Connection, place: &Place, now: i64) -> Result<Vec<Wait>> {
    let waiting = include_str!("sql/waiting_messages.sql");
    let columns = params![
        place.workspace,
        now,
        now.saturating_add(MESSAGE_WAITS.1),
        MOST
    ];
    list(connection, waiting, columns, |row| {
        let (channel, ts): (String, i64) = (row.get(0)?, row.get(1)?);
        Ok(Wait {
            kind: WaitKind::Message,
            label: "",
            what: format!("asking for {channel}:{}", TsKey::from_database(ts)),
            until: row.get(2)?,
            why: failed(row.get(3)?),
        })
    })
}

/// A judgment that waits longer than the configuration allows has no effect, but the configuration is not known here.
fn judgments(connection: &Connection, place: &Place, now: i64) -> Result<Vec<Wait>> {
    let under_way = include_str!("sql/judgments_under_way.sql");
    let columns = params![
        place.workspace,
        now,
        now.saturating_add(LONGEST_DEFERRAL),
        MOST
    ];
    list(connection, under_way, columns, |row| {
        let (channel, thread): (String, i64) = (row.get(0)?, row.get(1)?);
        let thread = (thread > 0).then(|| format!(":{}", rows::ts(thread)));
        Ok(Wait {
            kind: WaitKind::Judgment,
            label: "judged",
            what: format!("the judgment of {channel}{}", thread.unwrap_or_default()),
            until: row.get(2)?,
            why: "it was judged, and nobody has written since".to_owned(),
        })
    })
}

fn failed(times: u32) -> String {
    match times {
        1 => "it failed once".to_owned(),
        n => format!("it failed {n} times"),
    }
}
