//! The items of a channel: what was decided, is to be done, is asked or is true. A model reports them beside a version's text;
//! `changes` keeps of a report what the messages say.

mod changes;
#[cfg(test)]
mod tests;

pub(crate) use changes::changes;

use std::cmp::Reverse;

use crate::answer::CountTokens;
use crate::bearing::bearing;
use crate::bindings::types::{Item, ItemKind};
use crate::describe;
use crate::text::{cut, flatten};
use crate::ts::Ts;

/// Tokens around an item: number, marks and line break.
const AROUND: u32 = 6;
/// How wide a title is shown, in columns: enough to know it again.
const MAX_WIDTH: usize = 60;

/// The items that a prompt has room for, in their order: first those that the messages speak of, then what can be done or answered,
/// and of it the newest. Their titles are cut.
pub(crate) fn shown(
    mut items: Vec<Item>,
    messages: &str,
    max_tokens: u32,
    count_tokens: &CountTokens<'_>,
) -> Vec<Item> {
    let bearing = bearing(items.iter().map(|item| &*item.title.text), messages);
    for item in &mut items {
        item.title.text = cut(&flatten(&item.title.text), MAX_WIDTH);
    }
    let line = |item: &Item| {
        let owner = item.owner.as_ref().map_or("", |owner| &owner.name);
        let (kind, due) = (describe::item_kind(item.kind), item.due.as_deref());
        format!(
            "{kind}: {} {owner} {}",
            item.title.text,
            due.unwrap_or_default()
        )
    };
    let texts: Vec<String> = items.iter().map(line).collect();
    let mut ranked: Vec<(usize, u32)> = (0..).zip(count_tokens(&texts)).collect();
    ranked.sort_by_cached_key(|(at, _)| {
        let item = items.get(*at);
        let ts = item.and_then(|item| Ts::parse(&item.title.span.message.ts).ok());
        let waits =
            item.is_some_and(|item| matches!(item.kind, ItemKind::Task | ItemKind::Question));
        Reverse((bearing.get(*at).copied(), waits, ts))
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
