//! Decides if a call fits the budget. Pure: amounts in, a verdict out.

/// The most that may be spent in a time; `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ceiling {
    /// Tokens of prompts and answers.
    pub tokens: Option<u64>,
    /// Money, in millionths of a millionth of the currency.
    pub money: Option<u128>,
}

impl Ceiling {
    /// Returns true if there is any limit.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.tokens.is_some() || self.money.is_some()
    }

    /// The unit of which an amount is more than is allowed.
    #[must_use]
    pub fn exceeded_by(&self, amount: Amount) -> Option<Unit> {
        let tokens = self.tokens.is_some_and(|most| amount.tokens > most.into());
        let money = self.money.is_some_and(|most| amount.money > most);
        match (tokens, money) {
            (true, _) => Some(Unit::Tokens),
            (false, true) => Some(Unit::Money),
            (false, false) => None,
        }
    }
}

/// The unit of a budget.
///
/// Exhaustive on purpose: each has a key in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Tokens.
    Tokens,
    /// Money.
    Money,
}

/// The time for which a budget is.
///
/// Exhaustive on purpose: each has a key in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// From midnight to midnight.
    Day,
    /// A generation run, or a command.
    Run,
}

/// The key of the configuration that sets a limit.
#[must_use]
pub fn key(period: Period, unit: Unit) -> &'static str {
    match (period, unit) {
        (Period::Day, Unit::Tokens) => "budget.tokens_per_day",
        (Period::Day, Unit::Money) => "budget.money_per_day",
        (Period::Run, Unit::Tokens) => "budget.tokens_per_run",
        (Period::Run, Unit::Money) => "budget.money_per_run",
    }
}

/// Tokens, and what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Tokens of prompts and answers.
    pub tokens: u128,
    /// Money, in millionths of a millionth of the currency.
    pub money: u128,
}

impl Amount {
    /// Both amounts together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            money: self.money.saturating_add(other.money),
        }
    }

    /// The rest without the other amount.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            money: self.money.saturating_sub(other.money),
        }
    }
}

/// How much of a ceiling is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// By calls that have ended.
    pub(super) spent: Amount,
    /// The most that calls may cost that are under way.
    pub(super) under_way: Amount,
}

/// The decision on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is made.
    Allowed,
    /// It fits if the calls under way cost less than they may: wait for the end of one.
    NotYet,
    /// It does not fit any more.
    Spent(Unit),
    /// It would not fit if nothing were spent.
    TooLarge(Unit),
}

/// Judges a call that may cost `asked`. What is allowed never exceeds the ceiling, whatever the calls under way cost.
pub(super) fn judge(ceiling: &Ceiling, taken: &Taken, asked: Amount) -> Verdict {
    if let Some(unit) = ceiling.exceeded_by(asked) {
        return Verdict::TooLarge(unit);
    }
    let spent = taken.spent.plus(asked);
    if let Some(unit) = ceiling.exceeded_by(spent) {
        return Verdict::Spent(unit);
    }
    match ceiling.exceeded_by(spent.plus(taken.under_way)) {
        Some(_) => Verdict::NotYet,
        None => Verdict::Allowed,
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, Ceiling, Taken, Unit, Verdict, judge};

    fn tokens(tokens: u128) -> Amount {
        Amount { tokens, money: 0 }
    }

    fn money(money: u128) -> Amount {
        Amount { tokens: 0, money }
    }

    #[test]
    fn a_call_is_made_if_the_ceiling_holds_whatever_calls_under_way_cost() {
        let ceiling = Ceiling {
            tokens: Some(100),
            money: None,
        };
        for (spent, under_way, asked, expected) in [
            (0, 0, 100, Verdict::Allowed),
            (60, 30, 10, Verdict::Allowed),
            (60, 30, 11, Verdict::NotYet),
            (90, 30, 10, Verdict::NotYet),
            (90, 0, 11, Verdict::Spent(Unit::Tokens)),
            (90, 30, 11, Verdict::Spent(Unit::Tokens)),
            (100, 0, 1, Verdict::Spent(Unit::Tokens)),
            (0, 0, 101, Verdict::TooLarge(Unit::Tokens)),
            (90, 30, 101, Verdict::TooLarge(Unit::Tokens)),
        ] {
            let taken = Taken {
                spent: tokens(spent),
                under_way: tokens(under_way),
            };
            let verdict = judge(&ceiling, &taken, tokens(asked));
            assert_eq!(verdict, expected, "{spent} {under_way} {asked}");
        }
    }

    #[test]
    fn money_is_counted_beside_tokens_and_no_limit_allows_everything() {
        let ceiling = Ceiling {
            tokens: Some(100),
            money: Some(5),
        };
        let taken = Taken {
            spent: money(3),
            under_way: money(1),
        };
        assert_eq!(judge(&ceiling, &taken, money(1)), Verdict::Allowed);
        assert_eq!(judge(&ceiling, &taken, money(2)), Verdict::NotYet);
        let spent = Verdict::Spent(Unit::Money);
        assert_eq!(judge(&ceiling, &taken, money(3)), spent);
        let most = Amount {
            tokens: u128::MAX,
            money: u128::MAX,
        };
        let all = Taken {
            spent: most,
            under_way: most,
        };
        assert_eq!(judge(&Ceiling::default(), &all, most), Verdict::Allowed);
    }
}
