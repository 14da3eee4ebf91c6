//! The rest of the budget of the day.

use std::sync::Arc;

use anyhow::anyhow;
use myao_bot::budget::{Day, Period, Unit, key};
use myao_plugin::state::Workspace;

use super::Finding;
use crate::cli::app::App;
use crate::cli::{costs, output};

const CHECK: &str = "budget";
/// How many tokens an answer counts for of which the provider reported none, and no context window is known.
const UNREPORTED: u32 = 32_768;

/// The finding for the budget of the day; `None` if none is configured.
pub(super) async fn check(
    app: &App,
    workspace: &Arc<dyn Workspace>,
) -> anyhow::Result<Option<Finding>> {
    let limits = app.config.budget.of_day();
    if !limits.is_set() {
        return Ok(None);
    }
    // The check of the configuration reports the fault.
    let Ok(budget) = app.budget(workspace) else {
        return Ok(None);
    };
    let day = Day::today(&app.clock());
    let window = app.config.agents.memory.context_window;
    let longest = window.map_or(UNREPORTED, std::num::NonZero::get);
    let spent = budget.spent_in(day, longest).await;
    let spent = spent.map_err(|error| anyhow!(error))?;
    let mut found = Vec::new();
    let mut low = None;
    if let Some(most) = limits.tokens {
        let key = key(Period::Day, Unit::Tokens);
        let (spent, most) = (spent.tokens, u128::from(most));
        let of = output::number(most);
        found.push(format!("{} of {of} tokens ({key})", output::number(spent)));
        low = low.or(is_low(spent, most).then_some(key));
    }
    if let Some(most) = limits.money {
        let key = key(Period::Day, Unit::Money);
        let of = costs::with_currency(app, &costs::amount(most));
        found.push(format!("{} of {of} ({key})", costs::amount(spent.money)));
        low = low.or(is_low(spent.money, most).then_some(key));
    }
    let found = format!("today: {}", found.join("; "));
    let Some(key) = low else {
        return Ok(Some(Finding::good(CHECK, found)));
    };
    let end = output::time(app.local_time(day.end));
    let advice = format!(
        "calls that do not fit into the rest wait until {end}; a higher {key} allows them today"
    );
    Ok(Some(Finding::warning(CHECK, found).with_advice(advice)))
}

/// Returns true if less than a tenth is left.
fn is_low(spent: u128, most: u128) -> bool {
    most.saturating_sub(spent) < most / 10
}
