//! Finds messages by their terms, by looking at every text.

use super::*;

/// A message with its terms.
struct Seen<'s> {
    id: &'s str,
    of: &'s Conversation,
    ts: TsKey,
    terms: Vec<String>,
}

impl State {
    pub(super) fn find_candidates(&self, place: &Place, query: &RecallQuery) -> Result<Candidates> {
        let (since, until) = (optional(query.since.as_ref())?, key(&query.until)?);
        let shown = self
            .channels
            .iter()
            .filter(|(id, _)| self.shows_channel(place, id));
        let seen = shown.flat_map(|(id, of)| {
            let said = of.until(until);
            said.map(move |(ts, _, of_said)| Seen {
                id,
                of,
                ts,
                terms: terms(&of_said.text),
            })
        });
        let mut seen: Vec<Seen<'_>> = seen.collect();
        seen.sort_by_key(|seen| Reverse(seen.ts));
        let counts = query.terms.iter().map(|term| TermCount {
            term: term.clone(),
            messages: count(seen.iter().filter(|seen| seen.terms.contains(term))),
        });
        let counts: Vec<TermCount> = counts.collect();
        let total = count(seen.iter());

        let is_asked_for = |seen: &&Seen<'_>| {
            (query.channels.is_empty() || query.channels.iter().any(|id| id == seen.id))
                && since.is_none_or(|since| seen.ts >= since)
        };
        let mut picked: Vec<(u32, &Seen<'_>)> = Vec::new();
        for (number, seen) in (0..).zip(seen.iter().filter(is_asked_for)) {
            let weight = weigh(&seen.terms, &counts, total);
            let has_term = query.terms.iter().any(|term| seen.terms.contains(term));
            // A common term finds the newest alone, and no term finds the newest.
            let is_new = number < COMMON_MESSAGES && (has_term || query.terms.is_empty());
            picked.extend((weight > 0 || is_new).then_some((weight, seen)));
        }
        // The sort is stable: the newest stay first.
        picked.sort_by_key(|(weight, _)| Reverse(*weight));
        picked.truncate(most(query.limit));
        let mut found = BTreeSet::new();
        for (_, Seen { id, of, ts, .. }) in picked {
            let beside = neighbours(of, *ts, (since, until), most(query.neighbours));
            found.extend(beside.into_iter().chain([*ts]).map(|ts| (*id, ts)));
        }
        let messages = found.into_iter().filter_map(|(id, ts)| {
            let of = self.channels.get(id)?;
            let message = self.message(of, ts, until)?;
            let said = terms(&message.text);
            Some(FoundMessage {
                at: MessageRef {
                    channel_id: id.to_owned(),
                    ts: message.ts.clone(),
                },
                channel_name: of.channel(id).name,
                counts: (query.terms.iter())
                    .map(|term| count(said.iter().filter(|other| *other == term)))
                    .collect(),
                length: count(said.iter()),
                similarity: None,
                message,
            })
        });
        Ok(Candidates {
            messages: messages.collect(),
            message_count: total,
            counts,
        })
    }
}

/// What a text weighs by the terms that are not common.
fn weigh(terms: &[String], counts: &[TermCount], total: u32) -> u32 {
    let rare = counts
        .iter()
        .filter(|of| !is_common(of.messages, total) && terms.contains(&of.term));
    let rare: BTreeMap<&str, u32> = rare.map(|of| (of.term.as_str(), of.messages)).collect();
    rare.into_values()
        .map(|messages| weight(messages, total))
        .sum()
}

/// The messages before and after one: of its thread, or of the top level. The first message of a thread stands in both.
fn neighbours(
    of: &Conversation,
    at: TsKey,
    (since, until): (Option<TsKey>, TsKey),
    count: usize,
) -> Vec<TsKey> {
    let Some(said) = of.messages.get(&at) else {
        return Vec::new();
    };
    let all = of
        .until(until)
        .filter(|(ts, ..)| since.is_none_or(|since| *ts >= since));
    let in_thread = all.clone().filter(|(_, of, _)| of.thread == said.thread);
    let top_level = all.filter(|(ts, of, _)| said.thread == at && of.thread == *ts);
    let mut found = Vec::new();
    for row in [
        in_thread.map(|(ts, ..)| ts).collect(),
        top_level.map(|(ts, ..)| ts).collect(),
    ] {
        let row: Vec<TsKey> = row;
        let (before, after): (Vec<TsKey>, _) = row.into_iter().partition(|ts| *ts < at);
        found.extend(before.into_iter().rev().take(count));
        found.extend(after.into_iter().filter(|ts| *ts > at).take(count));
    }
    found
}
