//! Messages that no backfill can reach any more, and what can be done about them.

use std::io::Write as _;

use myao_plugin::state::backfill::Unreached;
use serde_json::{Value, json};

use super::app::App;
use super::output;

/// How many channels are named.
const SHOWN: usize = 10;

/// Prints for which messages no memory was or will be made; prints nothing if there are none.
pub(super) fn print(app: &App, unreached: &[Unreached]) -> anyhow::Result<()> {
    if unreached.is_empty() {
        return Ok(());
    }
    let mut out = output::stdout();
    let messages = unreached.iter().map(|channel| channel.messages).sum();
    let channels = unreached.len() as u64;
    writeln!(
        out,
        "Left out: {} in {} older than the newest memory of their channel. No memory was made of them, and none will be: \
         memories are made in the order of time.",
        output::count(messages, "message"),
        output::count(channels, "channel"),
    )?;
    for channel in unreached.iter().take(SHOWN) {
        writeln!(
            out,
            "  #{}: {} from {} to {}",
            channel.channel_name,
            output::count(channel.messages, "message"),
            time(app, channel.oldest.unix_seconds()),
            time(app, channel.newest.unix_seconds()),
        )?;
    }
    if unreached.len() > SHOWN {
        let more = (unreached.len() - SHOWN) as u64;
        writeln!(out, "  and {} more", output::count(more, "channel"))?;
    }
    writeln!(
        out,
        "To take them in, import everything into a new database (memory.database_path), and run `{}` there before anything else.",
        app.command("backfill")
    )?;
    Ok(())
}

fn time(app: &App, unix_seconds: i64) -> String {
    output::time(app.local_time(unix_seconds))
}

/// The same as JSON.
pub(super) fn as_json(app: &App, unreached: &[Unreached]) -> Value {
    let time = |unix_seconds| output::rfc3339(app.local_time(unix_seconds));
    let channels = unreached.iter().map(|channel| {
        json!({
            "channel_id": channel.channel_id,
            "channel_name": channel.channel_name,
            "messages": channel.messages,
            "oldest": time(channel.oldest.unix_seconds()),
            "newest": time(channel.newest.unix_seconds()),
        })
    });
    channels.collect()
}
