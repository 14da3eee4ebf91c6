//! Prints costs. An unknown amount is shown as a question mark, never as zero.

use myao::usage::costs::{Costs, Sum};
use myao_page::Taken;
use myao_plugin::journal::{CallsOfMemory, StoredCall};
use serde_json::{Value, json};

use super::app::App;
use super::output;

/// One unit of a currency.
const UNIT: u128 = 1_000_000_000_000;
/// The smallest amount that is shown: four decimals.
const SHOWN: u128 = UNIT / 10_000;

/// A sum of tokens, with a question mark if some or all of it is unknown.
pub(super) fn tokens(costs: &Costs, sum: Sum) -> String {
    with_unknown(costs, sum, output::number(sum.known))
}

/// A sum of money, without its currency.
pub(super) fn money(costs: &Costs) -> String {
    with_unknown(costs, costs.money, amount(costs.money.known))
}

fn with_unknown(costs: &Costs, sum: Sum, known: String) -> String {
    match (sum.unknown, costs.answered()) {
        (unknown, answered) if unknown == answered => "?".to_owned(),
        (0, _) => known,
        _ => format!("{known} + ?"),
    }
}

/// An amount of money; an amount too small to show is not shown as zero.
pub(super) fn amount(money: u128) -> String {
    let steps = (money + SHOWN / 2) / SHOWN;
    if steps == 0 && money > 0 {
        return "< 0.0001".to_owned();
    }
    let per_unit = UNIT / SHOWN;
    format!(
        "{}.{:04}",
        output::number(steps / per_unit),
        steps % per_unit
    )
}

/// The costs as JSON: null for an unknown value, with the number of calls for which it is unknown.
pub(super) fn costs_json(costs: &Costs) -> Value {
    let known = |sum: Sum| (sum.unknown < costs.answered()).then_some(sum.known);
    let tokens = |sum: Sum| known(sum).and_then(|tokens| u64::try_from(tokens).ok());
    #[allow(
        clippy::cast_precision_loss,
        reason = "JSON has no exact fractions; a float shows 15 digits rightly"
    )]
    let cost = known(costs.money).map(|money| money as f64 / UNIT as f64);
    json!({
        "calls": costs.calls,
        "failed": costs.failed,
        "input_tokens": tokens(costs.input_tokens),
        "cached_tokens": tokens(costs.cached_tokens),
        "output_tokens": tokens(costs.output_tokens),
        "seconds": costs.duration.as_secs_f64(),
        "cost": cost,
        "unknown": {
            "input_tokens": costs.input_tokens.unknown,
            "cached_tokens": costs.cached_tokens.unknown,
            "output_tokens": costs.output_tokens.unknown,
            "cost": costs.money.unknown,
        },
    })
}

/// The cost of a memory, in lines; empty if no model was asked.
pub(super) fn taken(app: &App, taken: &CallsOfMemory) -> Vec<String> {
    let mut lines = Vec::new();
    let costs = Costs::of(&taken.calls, &app.config.prices);
    if costs.calls > 0 {
        let failed = match costs.failed {
            0 => String::new(),
            failed => format!(" ({failed} failed)"),
        };
        lines.push(format!(
            "took {}{failed} of {}: {} input ({} cached) and {} output tokens, {}, cost {}",
            output::count(costs.calls, "call"),
            models(&taken.calls).join(" and "),
            tokens(&costs, costs.input_tokens),
            tokens(&costs, costs.cached_tokens),
            tokens(&costs, costs.output_tokens),
            output::duration(costs.duration),
            with_currency(app, &money(&costs)),
        ));
    } else if !taken.calls.is_empty() {
        lines.push("took no call: the same input was answered before".to_owned());
    }
    lines.extend(
        taken
            .input_digest
            .iter()
            .map(|digest| format!("input {digest}")),
    );
    lines
}

/// The same for the web page; `None` if no model was asked.
pub(super) fn shown(app: &App, taken: &CallsOfMemory) -> Option<Taken> {
    let costs = Costs::of(&taken.calls, &app.config.prices);
    (costs.calls > 0).then(|| Taken {
        calls: costs.calls,
        failed: costs.failed,
        models: models(&taken.calls),
        input_tokens: tokens(&costs, costs.input_tokens),
        output_tokens: tokens(&costs, costs.output_tokens),
        duration: output::duration(costs.duration),
        cost: with_currency(app, &money(&costs)),
        json: taken_json(app, taken),
    })
}

/// The same as JSON.
pub(super) fn taken_json(app: &App, taken: &CallsOfMemory) -> Value {
    let mut value = costs_json(&Costs::of(&taken.calls, &app.config.prices));
    if let Value::Object(fields) = &mut value {
        fields.insert("models".to_owned(), models(&taken.calls).into());
        fields.insert("input_digest".to_owned(), json!(taken.input_digest));
    }
    value
}

/// `provider/model`, each once.
fn models(calls: &[StoredCall]) -> Vec<String> {
    let models = calls
        .iter()
        .map(|call| format!("{}/{}", call.provider, call.model));
    let models: std::collections::BTreeSet<String> = models.collect();
    models.into_iter().collect()
}

/// An amount with the currency that the configuration names, if any.
pub(super) fn with_currency(app: &App, amount: &str) -> String {
    match &app.config.prices.currency {
        Some(currency) => format!("{amount} {currency}"),
        None => amount.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_have_four_decimals_and_little_is_not_nothing() {
        let amounts = [
            0,
            49_000_000,
            75_000_000,
            12_345_678_000_000,
            1_234_000_000_000_000,
        ];
        let shown = amounts.map(amount);
        assert_eq!(
            shown,
            ["0.0000", "< 0.0001", "0.0001", "12.3457", "1,234.0000"]
        );
    }
}
