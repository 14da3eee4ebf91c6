//! `budget`: the most that models may cost.

use std::num::{NonZeroU32, NonZeroU64};

use myao_bot::budget::{Ceiling, Pricing, TokenPrice};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Prices;
use super::prices::MOST_PER_MILLION;

/// `budget`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetConfig {
    /// The most tokens, of prompts and answers together, that all calls of a day may take; days are those of `timezone`.
    /// Default: no limit.
    #[serde(deserialize_with = "from_one")]
    pub tokens_per_day: Option<NonZeroU64>,
    /// The same for the memories of one run: a generation run of the bot, or a command such as `myao backfill`. Default:
    /// no limit.
    #[serde(deserialize_with = "from_one")]
    pub tokens_per_run: Option<NonZeroU64>,
    /// The most money that all calls of a day may cost, in the currency of `prices`; every configured model needs a price
    /// there. Default: no limit.
    pub money_per_day: Option<Money>,
    /// The same for the memories of one run. Default: no limit.
    pub money_per_run: Option<Money>,
    /// At most so many mentions of one person are answered within 24 hours, beside the limits of
    /// `response.mention_limits`. Default: no limit.
    #[serde(deserialize_with = "from_one")]
    pub answers_per_person_per_day: Option<NonZeroU32>,
}

impl BudgetConfig {
    /// What a day may cost.
    #[must_use]
    pub fn of_day(&self) -> Ceiling {
        ceiling(self.tokens_per_day, self.money_per_day)
    }

    /// What the memories of a run may cost.
    #[must_use]
    pub fn of_run(&self) -> Ceiling {
        ceiling(self.tokens_per_run, self.money_per_run)
    }
}

fn ceiling(tokens: Option<NonZeroU64>, money: Option<Money>) -> Ceiling {
    Ceiling {
        tokens: tokens.map(NonZeroU64::get),
        money: money.map(|money| money.0),
    }
}

/// An amount of money, exact to six decimals, in millionths of a millionth of the currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
pub struct Money(#[schemars(with = "f64")] pub u128);

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let money = f64::deserialize(deserializer)?;
        if !(1e-6..=MOST_PER_MILLION).contains(&money) {
            return Err(D::Error::custom(
                "expected an amount of money, at least 0.000001",
            ));
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was just checked"
        )]
        let millionths = (money * 1e6).round() as u128;
        Ok(Self(millionths * 1_000_000))
    }
}

/// A whole number from 1 on; `None` means no limit.
fn from_one<'de, D: Deserializer<'de>, N>(deserializer: D) -> Result<Option<N>, D::Error>
where
    N: TryFrom<NonZeroU64>,
{
    let number: Option<u64> = Deserialize::deserialize(deserializer)?;
    let valid = |number| N::try_from(NonZeroU64::new(number)?).ok();
    let from_one =
        |number| valid(number).ok_or_else(|| D::Error::custom("expected a whole number from 1 on"));
    number.map(from_one).transpose()
}

/// A model without a price has the highest one, so that no budget is exceeded.
impl Pricing for Prices {
    fn of(&self, provider: &str, answered_by: &str, asked: &str) -> TokenPrice {
        if let Some(price) = Self::of(self, provider, answered_by, asked) {
            let of_prompt = price.input.0;
            return TokenPrice {
                input: of_prompt,
                cached: price.cached.map_or(of_prompt, |cached| cached.0),
                output: price.output.0,
            };
        }
        let highest = |of: fn(&super::Price) -> u64| self.models.values().map(of).max();
        let input = highest(|price| price.input.0).unwrap_or(0);
        TokenPrice {
            input,
            cached: input,
            output: highest(|price| price.output.0).unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::config::tests::parse;

    #[test]
    fn limits_are_read_and_none_is_set_by_default() {
        let config = parse(
            "budget: { tokens_per_day: 5000000000, money_per_run: 0.25, answers_per_person_per_day: 20 }",
        )
        .unwrap();
        let budget = config.budget;
        assert_eq!(budget.of_day().tokens, Some(5_000_000_000));
        assert_eq!(budget.of_run().money, Some(250_000_000_000));
        assert_eq!(budget.answers_per_person_per_day, NonZeroU32::new(20));
        let default = BudgetConfig::default();
        assert!(!default.of_day().is_set() && !default.of_run().is_set());
    }

    #[test]
    fn limits_that_allow_nothing_are_refused_with_their_key() {
        for wrong in [
            "tokens_per_day: 0",
            "tokens_per_run: -1",
            "tokens_per_run: 1.5",
            "money_per_day: 0",
            "money_per_run: .inf",
            "answers_per_person_per_day: 0",
            "answers_per_person_per_day: 4294967296",
        ] {
            let error = parse(&format!("budget:\n  {wrong}\n")).unwrap_err();
            let key = wrong.split(':').next().unwrap();
            assert!(error.contains(key), "{wrong}: {error}");
        }
    }

    #[test]
    fn model_without_a_price_costs_the_highest_one() {
        let config = parse(
            "prices: { openai/a: { input: 1, output: 8 }, openai/b: { input: 2, cached: 0.5, output: 4 } }",
        )
        .unwrap();
        let price = |model| {
            let price = Pricing::of(&config.prices, "openai", model, model);
            [price.input, price.cached, price.output].map(|price| price / 100_000)
        };
        assert_eq!(price("a"), [10, 10, 80]);
        assert_eq!(price("b"), [20, 5, 40]);
        assert_eq!(price("c"), [20, 20, 80]);
    }
}
