//! Marks of people: messages that they pinned, and corrections.
//!
//! A message is pinned on the platform, or begins with a mention of the bot and `覚えて:` or `remember:`. A correction begins
//! with `訂正:` or `correction:` in the same way (`words`). A mark is read from the stored message, so it changes and goes
//! with it, and has effect in its own channel alone. What programs and guests wrote is left out by the store.
//!
//! A correction outranks what is older, and strikes what its author picked (`supersede`) of what may be meant (`strikable`).

mod reading;
mod strikable;
mod supersede;
#[cfg(test)]
mod tests;
mod words;

use myao_terms::addressed::{self, Mark};
pub use reading::read_all;
pub use strikable::list_strikable;
pub(crate) use supersede::Corrections;
use supersede::Superseded;
pub(crate) use words::{is_only_for, is_text_only_for, tells};

use crate::answer::CountTokens;
use crate::bindings::errors::Error;
use crate::bindings::storage::{Marked, Strike};
use crate::bindings::types::{KeptSpan, KeptText, Message, MessageRef};
use crate::ports::Storage;
use crate::text::{flatten, shorter_heads};
use crate::ts::Ts;

/// So many marked messages are read: the newest.
const MOST_READ: u32 = 100;
/// A mark is shown with at most so many tokens.
const MAX_TOKENS: u32 = 60;
/// Tokens around a mark's text: time and list mark.
const AROUND: u32 = 16;
/// A longer mark is cut to one of so many lengths.
const CUTS: usize = 40;

/// The marks of a channel, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Marks {
    /// Messages to remember.
    pub(crate) pinned: Vec<KeptText>,
    pub(crate) corrections: Vec<KeptText>,
    /// The messages that their authors picked to be struck.
    pub(crate) strikes: Vec<Strike>,
}

impl Marks {
    /// The marks of a channel up to `until`; `bot` is the name that its mentions have. One storage call,
    /// and another if there are corrections.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub(crate) fn load(
        storage: &dyn Storage,
        channel_id: &str,
        until: Ts,
        bot: &str,
    ) -> Result<Self, Error> {
        let marked = storage
            .list_marked(channel_id, &until.to_string(), MOST_READ)
            .map_err(Error::Storage)?;
        let mut marks = Self::default();
        // The bot's own posts are made from messages: they are no source, whoever pins them.
        let is_own = |message: &Message| message.user.is_bot && message.user.name == bot;
        for Marked { message, is_pinned } in &marked {
            if is_own(message) {
                continue;
            }
            match addressed::mark(&message.text, bot) {
                Some((Mark::Correction, said)) => {
                    marks.corrections.push(kept(channel_id, message, said));
                }
                Some((Mark::Pinned, said)) => marks.pinned.push(kept(channel_id, message, said)),
                None if *is_pinned => {
                    let whole = message.text.as_str();
                    marks.pinned.push(kept(channel_id, message, whole));
                }
                None => {}
            }
        }
        for marks in [&mut marks.pinned, &mut marks.corrections] {
            marks.sort_by_key(time);
        }
        if !marks.corrections.is_empty() {
            marks.strikes = storage.list_strikes().map_err(Error::Storage)?;
            let corrections = Corrections::of(&marks);
            marks.pinned.retain(|mark| {
                let of = std::slice::from_ref(&mark.span.message);
                corrections.striking(&mark.text, of).is_none()
            });
        }
        Ok(marks)
    }

    /// All marks.
    pub(crate) fn all(&self) -> impl Iterator<Item = &KeptText> {
        self.pinned.iter().chain(&self.corrections)
    }

    /// Returns true if a message is marked.
    pub(crate) fn has(&self, of: &MessageRef) -> bool {
        let mut marked = self.all().map(|mark| &mark.span.message);
        marked.any(|message| message.channel_id == of.channel_id && message.ts == of.ts)
    }

    /// The marks that a prompt shows within so many tokens, and how many tokens that takes: corrections first, the
    /// newest first, each cut.
    pub(crate) fn shown(&self, max_tokens: u32, count_tokens: &CountTokens<'_>) -> (Self, u32) {
        let mut shown = Self::default();
        let mut used = 0_u32;
        if self.all().next().is_none() || max_tokens == 0 {
            return (shown, used);
        }
        let mut show = |from: &[KeptText], to: &mut Vec<KeptText>| {
            for mark in from.iter().rev() {
                let (mark, count) = cut(mark, count_tokens);
                let after = used.saturating_add(count.saturating_add(AROUND));
                if after > max_tokens {
                    break;
                }
                used = after;
                to.insert(0, mark);
            }
        };
        show(&self.corrections, &mut shown.corrections);
        show(&self.pinned, &mut shown.pinned);
        (shown, used)
    }
}

/// A mark in one line that is short enough to be shown, and its tokens.
fn cut(mark: &KeptText, count_tokens: &CountTokens<'_>) -> (KeptText, u32) {
    let text = flatten(&mark.text);
    let lengths = std::iter::once(text.clone()).chain(shorter_heads(&text, CUTS));
    let lengths: Vec<String> = lengths.collect();
    let named: Vec<String> = lengths
        .iter()
        .map(|text| format!("{}: {text}", mark.user.name))
        .collect();
    let counts = count_tokens(&named);
    let fits = lengths.into_iter().zip(counts);
    let found = fits.into_iter().find(|(_, count)| *count <= MAX_TOKENS);
    // A name that is too long by itself leaves no room.
    let (text, count) = found.unwrap_or((String::new(), u32::MAX));
    let mark = KeptText {
        text,
        ..mark.clone()
    };
    (mark, count)
}

/// The part of a message that is said, at the end of its text.
fn kept(channel_id: &str, message: &Message, said: &str) -> KeptText {
    let scalars = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let head = message.text.strip_suffix(said).unwrap_or_default();
    KeptText {
        span: KeptSpan {
            message: MessageRef {
                channel_id: channel_id.to_owned(),
                ts: message.ts.clone(),
            },
            start: scalars(head),
            length: scalars(said),
        },
        user: message.user.clone(),
        timestamp: message.timestamp,
        text: said.to_owned(),
    }
}

fn time(mark: &KeptText) -> Option<Ts> {
    Ts::parse(&mark.span.message.ts).ok()
}
