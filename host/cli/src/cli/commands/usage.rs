//! `myao usage`: the tokens, time and money that calls of models took.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::ExitCode;

use myao::usage::costs::Costs;
use myao::usage::{Dimension, Group, by_groups};
use myao_plugin::journal::StoredCall;
use myao_plugin::printable::line;
use myao_plugin::state::vectors::EmbeddingUse;
use serde_json::{Map, Value, json};

use crate::cli::app::{App, Explained as _};
use crate::cli::args::{ByArg, UsageArgs};
use crate::cli::dates::beginning;
use crate::cli::{costs, output};

/// The columns after those of the dimensions.
const SUMS: [&str; 7] = [
    "calls", "failed", "input", "cached", "output", "time", "cost",
];

pub(crate) async fn run(app: &App, arguments: &UsageArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let since = arguments.since.map_or(0, |since| beginning(app, since));
    let before = arguments
        .until
        .map_or(i64::MAX, |until| until.end(app.config.timezone));
    let calls = workspace.calls(since, before).await.explained()?;
    let embeddings = workspace.embedding_use(since, before).await.explained()?;
    let mut dimensions: Vec<Dimension> = Vec::new();
    for by in &arguments.by {
        let dimension = dimension(*by);
        if !dimensions.contains(&dimension) {
            dimensions.push(dimension);
        }
    }
    if !app.json && Costs::of(&calls, &app.config.prices).calls == 0 {
        writeln!(
            output::stdout(),
            "No calls of a model{}.",
            within(arguments)
        )?;
        print_embeddings(embeddings)?;
        return Ok(ExitCode::SUCCESS);
    }
    print_calls(app, &calls, &dimensions, embeddings)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the sums of calls.
pub(super) fn print_calls(
    app: &App,
    calls: &[StoredCall],
    dimensions: &[Dimension],
    embeddings: EmbeddingUse,
) -> anyhow::Result<()> {
    let prices = &app.config.prices;
    let groups = by_groups(calls, dimensions, app.config.timezone, prices);
    let total = Costs::of(calls, prices);
    if app.json {
        return output::print_json(&json!({
            "currency": prices.currency,
            "groups": groups.iter().map(group_json).collect::<Vec<_>>(),
            "total": costs::costs_json(&total),
            "embeddings": { "calls": embeddings.calls, "input_tokens": embeddings.tokens },
        }));
    }
    print(app, dimensions, &groups, &total)?;
    print_notes(app, calls, &total)?;
    print_embeddings(embeddings)
}

/// Prints the embeddings, which the table does not have, as they are no memory and no reply.
fn print_embeddings(embeddings: EmbeddingUse) -> anyhow::Result<()> {
    if embeddings.calls > 0 {
        let sum = if embeddings.unreported > 0 {
            "?".to_owned()
        } else {
            output::number(embeddings.tokens.into())
        };
        let calls = output::count(embeddings.calls, "call");
        writeln!(
            output::stdout(),
            "note: vectors by which messages are found took {calls} more, with {sum} tokens"
        )?;
    }
    Ok(())
}

fn within(arguments: &UsageArgs) -> &'static str {
    if arguments.since.is_some() || arguments.until.is_some() {
        " in this time"
    } else {
        " so far"
    }
}

fn dimension(by: ByArg) -> Dimension {
    match by {
        ByArg::Day => Dimension::Day,
        ByArg::Channel => Dimension::Channel,
        ByArg::Layer => Dimension::Layer,
        ByArg::Model => Dimension::Model,
    }
}

fn print(
    app: &App,
    dimensions: &[Dimension],
    groups: &BTreeMap<Vec<Group>, Costs>,
    total: &Costs,
) -> anyhow::Result<()> {
    let names = dimensions.iter().map(|dimension| match dimension {
        Dimension::Day => "day",
        Dimension::Channel => "channel",
        Dimension::Layer => "layer",
        Dimension::Model => "model",
    });
    let cost = costs::with_currency(app, "cost");
    let sums = SUMS.iter().map(|name| match *name {
        "cost" => cost.as_str(),
        name => name,
    });
    let header: Vec<&str> = names.chain(sums).collect();
    let mut table = output::table(&header);
    table.align_right_from(dimensions.len());
    for (key, costs) in groups {
        table.add_row(key.iter().map(group_cell).chain(cells(costs)));
    }
    if groups.len() > 1 {
        let names = (0..dimensions.len()).map(|n| if n == 0 { "total" } else { "" }.to_owned());
        table.add_row(names.chain(cells(total)));
    }
    output::print_table(&table)
}

fn cells(costs: &Costs) -> [String; 7] {
    [
        output::number(costs.calls.into()),
        output::number(costs.failed.into()),
        costs::tokens(costs, costs.input_tokens),
        costs::tokens(costs, costs.cached_tokens),
        costs::tokens(costs, costs.output_tokens),
        output::duration(costs.duration),
        costs::money(costs),
    ]
}

fn group_cell(group: &Group) -> String {
    match group {
        Group::Day(day) => day.map_or_else(|| "?".to_owned(), |day| day.to_string()),
        Group::Channel(name, _) if name.is_empty() => "(workspace)".to_owned(),
        Group::Channel(name, _) => format!("#{name}"),
        Group::Layer(layer) => layer.name().to_owned(),
        Group::Model(model) => model.clone(),
    }
}

fn group_json((key, costs): (&Vec<Group>, &Costs)) -> Value {
    let mut fields = Map::new();
    for group in key {
        match group {
            Group::Day(day) => {
                fields.insert("day".to_owned(), json!(day.map(|day| day.to_string())));
            }
            Group::Channel(name, id) => {
                let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
                fields.insert("channel_id".to_owned(), json!(known(id)));
                fields.insert("channel_name".to_owned(), json!(known(name)));
            }
            Group::Layer(layer) => {
                fields.insert("layer".to_owned(), layer.name().into());
            }
            Group::Model(model) => {
                fields.insert("model".to_owned(), model.as_str().into());
            }
        }
    }
    if let Value::Object(costs) = costs::costs_json(costs) {
        fields.extend(costs);
    }
    Value::Object(fields)
}

/// Explains the question marks, and names the calls that the sums do not include.
fn print_notes(app: &App, calls: &[StoredCall], total: &Costs) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let prices = &app.config.prices;
    let priceless: BTreeSet<String> = calls
        .iter()
        .filter(|call| call.error.is_none())
        .filter(|call| {
            prices
                .of(&call.provider, &call.answered_by, &call.model)
                .is_none()
        })
        .map(|call| format!("{}/{}", call.provider, call.model))
        .collect();
    if !priceless.is_empty() {
        let models = priceless.into_iter().collect::<Vec<_>>().join(", ");
        let models = line(&models);
        writeln!(
            out,
            "note: no price is known of {models}; `prices` in the configuration sets it"
        )?;
    }
    let sums = [total.input_tokens, total.cached_tokens, total.output_tokens];
    if sums.iter().any(|sum| sum.unknown > 0) {
        writeln!(
            out,
            "note: a ? among tokens is what the provider did not report"
        )?;
    }
    if total.at_full_price > 0 {
        let calls = output::count(total.at_full_price, "call");
        writeln!(
            out,
            "note: the cached tokens of {calls} are not known; all of their input is counted at the full price"
        )?;
    }
    if total.failed > 0 {
        let calls = output::count(total.failed, "failed call");
        writeln!(
            out,
            "note: what {calls} may have cost is not known, and is in no sum"
        )?;
    }
    Ok(())
}
