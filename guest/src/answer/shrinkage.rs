//! Answers that are far too long, and merges that lost the existing memory.

use crate::bindings::errors::Shrinkage;
use crate::extractive::Inventory;

/// An answer is too long if it is over one and a half times the limit, and over the limit by this many tokens: models
/// count badly, and so do estimates.
const SLACK_TOKENS: u32 = 100;
/// In smaller memories, shares mean little.
const LEAST_ITEMS: u32 = 4;
const LEAST_TOKENS: u32 = 60;
const LEAST_FACTS: u32 = 4;
/// With so many facts, losing nearly all of them counts whatever replaced them.
const FACTS_FOR_REPLACED: u32 = 8;

/// Returns true if a length is far over the limit.
pub(super) fn is_far_over(tokens: u32, limit: u32) -> bool {
    u64::from(tokens) * 2 > u64::from(limit) * 3 && tokens > limit.saturating_add(SLACK_TOKENS)
}

/// The loss, if too much was lost without cause.
///
/// An answer is refused if it has less than half of the tokens (of the existing memory, or of the limit if that is
/// lower, as then room was needed) and less than half of the facts, or of the items if there are few facts. It is also
/// refused if there were many facts and less than a fifth of them is left, although two fifths of the limit are free:
/// then the new memories replaced the existing one.
pub(super) fn unjustified(
    existing: &str,
    tokens_before: u32,
    text: &str,
    tokens: u32,
    limit: u32,
) -> Option<Shrinkage> {
    let (before, after) = (Inventory::of(existing), Inventory::of(text));
    let (items_before, items) = (count(before.items), count(after.items));
    let found = Shrinkage {
        tokens_before,
        tokens,
        facts_before: count(before.facts.len()),
        facts_kept: count(before.facts_in(&after)),
    };
    let is_small = items_before < LEAST_ITEMS && tokens_before < LEAST_TOKENS;
    let is_half = less_than(tokens, 1, 2, tokens_before.min(limit));
    let lost = if found.facts_before >= LEAST_FACTS {
        less_than(found.facts_kept, 1, 2, found.facts_before)
    } else {
        less_than(items, 1, 2, items_before)
    };
    let replaced = found.facts_before >= FACTS_FOR_REPLACED
        && less_than(found.facts_kept, 1, 5, found.facts_before)
        && less_than(tokens, 3, 5, limit);
    (!is_small && (is_half && lost || replaced)).then_some(found)
}

/// Returns true if a number is less than a share of another.
fn less_than(number: u32, share: u64, of: u64, whole: u32) -> bool {
    u64::from(number) * of < u64::from(whole) * share
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const EXISTING: &str = "- 2024-01-05 予算は120万円に決定\n- 2024-01-09 INC-204 を v1.2.3 で修正\n\
                            - 2024-02-01 端末を24台発注\n- 2024-02-03 担当は田中さん";

    #[test]
    fn limit_is_passed_by_far_from_half_as_much_again_and_a_hundred_on() {
        assert!(!is_far_over(450, 300) && is_far_over(451, 300));
        assert!(!is_far_over(150, 50) && is_far_over(151, 50));
        assert!(!is_far_over(u32::MAX, u32::MAX));
    }

    #[test]
    fn memory_that_lost_tokens_and_facts_has_shrunk() {
        let shrunk = unjustified(EXISTING, 80, "- いろいろ決めた", 10, 500).unwrap();
        assert_eq!((shrunk.facts_before, shrunk.facts_kept), (4, 0));
        let brief = "- 予算120万円、INC-204→v1.2.3、端末24台、田中さん";
        assert_eq!(
            unjustified(EXISTING, 80, brief, 30, 500),
            None,
            "short, but all there"
        );
    }

    #[test]
    fn memory_that_was_replaced_has_shrunk_however_long_it_is() {
        let existing =
            format!("{EXISTING}\n- 会場費は45万円、RSV-9 で予約、来場者は350人、v2.0.1 を展示");
        let other = "- 2024-04-01 新しい話題\n".repeat(8);
        let shrunk = unjustified(&existing, 120, &other, 120, 500).unwrap();
        assert_eq!((shrunk.facts_before, shrunk.facts_kept), (8, 0));
        assert_eq!(
            unjustified(&existing, 120, &other, 120, 200),
            None,
            "the limit is near"
        );
        let mixed = format!("{other}- 120万円、INC-204");
        assert_eq!(
            unjustified(&existing, 120, &mixed, 140, 500),
            None,
            "a fifth is there"
        );
    }

    #[test]
    fn memory_may_shrink_where_the_limit_leaves_no_room() {
        assert!(unjustified(EXISTING, 80, "- いろいろ", 39, 500).is_some());
        assert!(unjustified(EXISTING, 80, "- いろいろ", 24, 50).is_some());
        assert_eq!(unjustified(EXISTING, 80, "- いろいろ", 25, 50), None);
    }

    #[test]
    fn memory_too_small_for_shares_may_shrink() {
        assert_eq!(
            unjustified(
                "- 予算は120万円\n- 端末は24台\n- 期限は未定",
                40,
                "- 予算",
                4,
                500
            ),
            None
        );
    }
}
