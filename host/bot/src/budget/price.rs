//! The cost of calls.

use myao_plugin::journal::ModelUse;

use super::rule::Amount;

/// The price of one token of a model, in millionths of a millionth of the currency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenPrice {
    /// Of a prompt.
    pub input: u64,
    /// Of the part of a prompt that the provider had cached.
    pub cached: u64,
    /// Of an answer.
    pub output: u64,
}

impl TokenPrice {
    /// The cost of so many tokens. `cached` is a part of `input`.
    #[must_use]
    pub fn cost(self, input: u128, cached: u128, output: u128) -> Amount {
        let of = |tokens: u128, price: u64| tokens.saturating_mul(price.into());
        let money = of(input.saturating_sub(cached), self.input)
            .saturating_add(of(cached, self.cached))
            .saturating_add(of(output, self.output));
        Amount {
            tokens: input.saturating_add(output),
            money,
        }
    }
}

/// The prices of models.
pub trait Pricing: Send + Sync {
    /// The price of a model: of the one that answered, or else of the one that was asked. It must not be too low: for a
    /// model without a known price, the highest known price.
    fn of(&self, provider: &str, answered_by: &str, asked: &str) -> TokenPrice;
}

/// The cost of the answers of a model. An answer whose tokens are not reported counts as `longest` tokens, at the
/// higher price of its prompt and its answer.
#[must_use]
pub fn cost_of(used: &ModelUse, prices: &dyn Pricing, longest: u32) -> Amount {
    let price = prices.of(&used.provider, &used.answered_by, &used.model);
    let known = price.cost(
        used.input_tokens.into(),
        used.cached_tokens.into(),
        used.output_tokens.into(),
    );
    let tokens = u128::from(used.unreported).saturating_mul(longest.into());
    let dearest = price.input.max(price.output);
    known.plus(Amount {
        tokens,
        money: tokens.saturating_mul(dearest.into()),
    })
}
