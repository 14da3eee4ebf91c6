//! The readers of a channel, judged from known facts.
//!
//! **Invariant: what is not known is private.** A channel counts as open only if it is known to be public, not shared
//! with others, and without guests. It is shown what is said elsewhere only if it is known that nobody from outside
//! the workspace reads it.

/// Facts about a channel's readers. `None` if not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChannelFacts {
    /// True if only its members see it. Direct messages and group messages are private.
    pub is_private: Option<bool>,
    /// True if it is shared with another organisation or workspace, or is about to be.
    pub is_shared: Option<bool>,
    /// True if a guest of the workspace is a member.
    pub has_guests: Option<bool>,
}

/// Who reads a channel.
///
/// Exhaustive on purpose: a store keeps it, and must know each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// Everybody of the workspace, and nobody else.
    Everybody,
    /// Its members, all of them full members of the workspace.
    Members,
    /// Its members, and people from outside the workspace are or may be among them: guests, or another organisation.
    MembersAndOutsiders,
}

impl ChannelFacts {
    /// A public channel without guests that is not shared.
    pub const PUBLIC: Self = Self::without_outsiders(false);
    /// A private channel without guests that is not shared.
    pub const PRIVATE: Self = Self::without_outsiders(true);
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        is_private: None,
        is_shared: None,
        has_guests: None,
    };

    /// A channel without guests that is not shared.
    #[must_use]
    pub const fn without_outsiders(is_private: bool) -> Self {
        Self {
            is_private: Some(is_private),
            is_shared: Some(false),
            has_guests: Some(false),
        }
    }

    /// Who reads a channel of which this is known.
    #[must_use]
    pub fn audience(self) -> Audience {
        let has_no_outsiders = (self.is_shared, self.has_guests) == (Some(false), Some(false));
        match self.is_private {
            _ if !has_no_outsiders => Audience::MembersAndOutsiders,
            Some(false) => Audience::Everybody,
            Some(true) | None => Audience::Members,
        }
    }
}

impl Audience {
    /// Returns true if its messages may be shown in other channels, as long as the bot is a member.
    #[must_use]
    pub fn is_open(self) -> bool {
        self == Self::Everybody
    }

    /// Returns true if messages of open channels may be shown in it.
    #[must_use]
    pub fn sees_open(self) -> bool {
        self != Self::MembersAndOutsiders
    }
}

#[cfg(test)]
mod tests {
    use super::{Audience, ChannelFacts};

    #[test]
    fn only_a_channel_of_which_everything_is_known_is_open() {
        let states = [None, Some(false), Some(true)];
        for is_private in states {
            for is_shared in states {
                for has_guests in states {
                    let facts = ChannelFacts {
                        is_private,
                        is_shared,
                        has_guests,
                    };
                    let audience = facts.audience();
                    assert_eq!(audience.is_open(), facts == ChannelFacts::PUBLIC);
                    let is_closed = (is_shared, has_guests) == (Some(false), Some(false));
                    assert_eq!(audience.sees_open(), is_closed);
                }
            }
        }
    }

    #[test]
    fn unknown_is_private_and_sees_nothing_of_others() {
        assert_eq!(
            ChannelFacts::UNKNOWN.audience(),
            Audience::MembersAndOutsiders
        );
        assert_eq!(ChannelFacts::default(), ChannelFacts::UNKNOWN);
        assert_eq!(ChannelFacts::PRIVATE.audience(), Audience::Members);
    }
}
