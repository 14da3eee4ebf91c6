//! The cost of calls: tokens, time and money. An unknown amount is never counted as zero.

use std::time::Duration;

use myao_plugin::journal::StoredCall;

use crate::config::{Price, Prices};

/// A sum whose parts may be unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// The sum of the known parts.
    pub known: u128,
    /// The number of unknown parts.
    pub unknown: u64,
}

impl Sum {
    fn add(&mut self, part: Option<impl Into<u128>>) {
        match part {
            Some(part) => self.known = self.known.saturating_add(part.into()),
            None => self.unknown += 1,
        }
    }
}

/// The total cost of some calls. The cost of failed calls is unknown, and in none of the sums.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    /// Calls, including failed ones; reused answers are not counted.
    pub calls: u64,
    /// Calls without an answer.
    pub failed: u64,
    /// Tokens of the prompts, including cached ones.
    pub input_tokens: Sum,
    /// Tokens of the prompts that the provider had cached.
    pub cached_tokens: Sum,
    /// Tokens of the answers.
    pub output_tokens: Sum,
    /// Total duration of the calls.
    pub duration: Duration,
    /// Money, in millionths of a millionth of the currency.
    pub money: Sum,
    /// Calls without a price.
    pub without_price: u64,
    /// Calls whose number of cached tokens is unknown, so that their whole prompt is counted at the full price.
    pub at_full_price: u64,
}

impl Costs {
    /// The cost of these calls.
    pub fn of<'a>(calls: impl IntoIterator<Item = &'a StoredCall>, prices: &Prices) -> Self {
        let mut costs = Self::default();
        for call in calls {
            costs.add(call, prices);
        }
        costs
    }

    /// Adds a call.
    pub fn add(&mut self, call: &StoredCall, prices: &Prices) {
        if call.is_recall() {
            return;
        }
        self.calls += 1;
        self.duration = self.duration.saturating_add(call.duration);
        if call.error.is_some() {
            self.failed += 1;
            return;
        }
        self.input_tokens.add(call.input_tokens);
        self.cached_tokens.add(call.cached_tokens);
        self.output_tokens.add(call.output_tokens);
        let price = prices.of(&call.provider, &call.answered_by, &call.model);
        self.money.add(price.and_then(|price| money(call, price)));
        match price {
            None => self.without_price += 1,
            Some(price) if price.cached.is_some() && call.cached_tokens.is_none() => {
                self.at_full_price += 1;
            }
            Some(_) => {}
        }
    }

    /// Calls with an answer.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.calls - self.failed
    }
}

/// The cost of a call; `None` if its tokens are unknown.
fn money(call: &StoredCall, price: Price) -> Option<u128> {
    let (input, output) = (call.input_tokens?, call.output_tokens?);
    let cached = call.cached_tokens.unwrap_or(0).min(input);
    let of =
        |tokens: u32, price: crate::config::PerMillion| u128::from(tokens) * u128::from(price.0);
    Some(
        of(input - cached, price.input)
            + of(cached, price.cached.unwrap_or(price.input))
            + of(output, price.output),
    )
}
