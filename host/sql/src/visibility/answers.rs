//! The bot's answers, and people's feedback on them.

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::state::view::StoredAnswer;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use std::ops::ControlFlow;

use crate::fault::Fault;
use crate::messages::pins::channel_of_reaction;
use crate::place::Place;
use crate::rows;
use crate::sight::{SeenChannels, Sight};

/// Applies what somebody says of an answer; other effects change nothing.
pub(crate) fn judge(connection: &Connection, workspace: i64, effect: &Effect) -> Result<()> {
    let Effect::Feedback {
        channel_id,
        ts,
        user_id,
        is_good,
        is_given,
        at,
    } = effect
    else {
        return Ok(());
    };
    let channel = channel_of_reaction(connection, workspace, channel_id)?;
    let (ts, at) = (ts.to_database(), at.to_database());
    let columns = params![channel, ts, user_id, is_good, is_given, at];
    connection.execute(include_str!("sql/feedback.sql"), columns)?;
    Ok(())
}

/// The newest answers that may be seen in a place.
pub(crate) fn answers(
    connection: &Connection,
    place: &Place,
    judged: Option<bool>,
    limit: u32,
) -> Result<Vec<StoredAnswer>, Fault> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let sight = Sight::of(connection, place)?;
    let seen = SeenChannels::of(connection, place, &sight)?;
    let statement = include_str!("sql/answers.sql");
    let columns = params![place.workspace, judged];
    let mut answers = Vec::new();
    connection.each_until(statement, columns, |row| -> Result<_, Fault> {
        if answers.len() >= limit {
            return Ok(ControlFlow::Break(()));
        }
        let channel = row.get(6)?;
        if !seen.has(channel) {
            return Ok(ControlFlow::Continue(()));
        }
        let asked = rows::source_message(row)?;
        let of = [channel, asked.ts.to_database()];
        let parts: Vec<(i64, String)> = rows::list(
            connection,
            include_str!("sql/answer_parts.sql"),
            params![of[0], of[1]],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let Some((first, _)) = parts.first() else {
            return Ok(ControlFlow::Continue(()));
        };
        let (bad, good) =
            connection.query_row(include_str!("sql/answer_feedback.sql"), of, |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let sources = include_str!("sql/answer_sources.sql");
        let sources = rows::list(connection, sources, params![of[0], of[1]], |row| {
            seen.has(row.get(6)?)
                .then(|| rows::source_message(row))
                .transpose()
        })?;
        let texts = parts.iter().map(|(_, text)| text.as_str());
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        answers.push(StoredAnswer {
            asked,
            posted: TsKey::from_database(*first),
            text: texts.join("\n"),
            is_unasked: row.get(7)?,
            good,
            bad,
            sources: sources.into_iter().flatten().collect(),
        });
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(answers)
}
