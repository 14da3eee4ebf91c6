//! The items of a channel: what was decided, is to be done, is asked or is true. A model reports them beside a version's text;
//! `changes` keeps of a report what the messages say.

mod changes;
#[cfg(test)]
mod tests;

pub(crate) use changes::changes;

use crate::answer::CountTokens;
use crate::bindings::types::{Item, ItemKind};
use crate::ts::Ts;

/// Tokens around a title: number, kind, owner and date.
const AROUND: u32 = 20;

/// The items that a prompt has room for, in their order: first what can be done or answered, and of it the newest.
pub(crate) fn shown(
    items: Vec<Item>,
    max_tokens: u32,
    count_tokens: &CountTokens<'_>,
) -> Vec<Item> {
    let texts: Vec<String> = items.iter().map(|item| item.title.text.clone()).collect();
    let mut ranked: Vec<(usize, u32)> = (0..).zip(count_tokens(&texts)).collect();
    let waits = |item: &Item| matches!(item.kind, ItemKind::Task | ItemKind::Question);
    ranked.sort_by_key(|(at, _)| {
        let item = items.get(*at);
        let ts = item.and_then(|item| Ts::parse(&item.title.span.message.ts).ok());
        (
            std::cmp::Reverse(item.is_some_and(waits)),
            std::cmp::Reverse(ts),
        )
    });
    let mut room = max_tokens;
    let mut kept = vec![false; items.len()];
    for (at, tokens) in ranked {
        let needed = tokens.saturating_add(AROUND);
        if let (Some(rest), Some(kept)) = (room.checked_sub(needed), kept.get_mut(at)) {
            room = rest;
            *kept = true;
        }
    }
    let kept = items.into_iter().zip(kept);
    kept.filter_map(|(item, is_kept)| is_kept.then_some(item))
        .collect()
}
