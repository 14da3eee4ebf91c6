//! The cost of calls, by day, channel, layer and model.

pub mod costs;

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, TimeZone as _};
use myao_plugin::journal::StoredCall;
use myao_plugin::{MemoryType, Scope};

use crate::config::Prices;
use crate::usage::costs::Costs;

/// A property to group calls by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// The local day on which a call began.
    Day,
    /// The channel.
    Channel,
    /// The layer of memory.
    Layer,
    /// The model that was asked.
    Model,
}

/// One value of a dimension. Tables use this order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// A day; `None` if the timestamp is out of range.
    Day(Option<NaiveDate>),
    /// A channel with its name and id; both are empty for the workspace.
    Channel(String, String),
    /// A layer.
    Layer(Layer),
    /// `provider/model`.
    Model(String),
}

/// A layer of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Layer {
    Thread,
    ChannelShortTerm,
    ChannelLongTerm,
    Workspace,
    /// A reply, not a memory.
    Reply,
}

impl Layer {
    fn of(call: &StoredCall) -> Self {
        match (call.scope, call.memory_type) {
            (_, None) => Self::Reply,
            (Scope::Thread, _) => Self::Thread,
            (Scope::Channel, Some(MemoryType::ShortTerm)) => Self::ChannelShortTerm,
            (Scope::Channel, Some(MemoryType::LongTerm)) => Self::ChannelLongTerm,
            (Scope::Workspace, _) => Self::Workspace,
        }
    }

    /// `channel short-term`, …
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::ChannelShortTerm => "channel short-term",
            Self::ChannelLongTerm => "channel long-term",
            Self::Workspace => "workspace",
            Self::Reply => "reply",
        }
    }
}

/// Sums calls by group, in the order of the dimensions.
#[must_use]
pub fn by_groups(
    calls: &[StoredCall],
    dimensions: &[Dimension],
    timezone: chrono_tz::Tz,
    prices: &Prices,
) -> BTreeMap<Vec<Group>, Costs> {
    let mut groups: BTreeMap<Vec<Group>, Costs> = BTreeMap::new();
    for call in calls.iter().filter(|call| !call.is_recall()) {
        let key = dimensions
            .iter()
            .map(|dimension| group(call, *dimension, timezone))
            .collect();
        groups.entry(key).or_default().add(call, prices);
    }
    groups
}

fn group(call: &StoredCall, dimension: Dimension, timezone: chrono_tz::Tz) -> Group {
    match dimension {
        Dimension::Day => Group::Day(
            DateTime::from_timestamp_millis(call.started_at)
                .map(|time| timezone.from_utc_datetime(&time.naive_utc()).date_naive()),
        ),
        Dimension::Channel => {
            let id = match call.scope {
                Scope::Workspace => String::new(),
                Scope::Channel => call.scope_id.clone(),
                Scope::Thread => {
                    let channel = call.scope_id.rsplit_once(':');
                    channel.map_or_else(String::new, |(channel, _)| channel.to_owned())
                }
            };
            let name = call.channel_name.clone().unwrap_or_else(|| id.clone());
            Group::Channel(name, id)
        }
        Dimension::Layer => Group::Layer(Layer::of(call)),
        Dimension::Model => Group::Model(format!("{}/{}", call.provider, call.model)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use std::time::Duration;

    use myao_plugin::journal::StoredCall;
    use myao_plugin::llm::{Agent, FinishReason};
    use myao_plugin::{MemoryType, Scope};

    use super::{Dimension, Group, Layer, by_groups};
    use crate::config::{PerMillion, Price, Prices};
    use crate::usage::costs::{Costs, Sum};

    /// 1,000 input tokens, 400 of them cached, and 200 output tokens.
    fn call() -> StoredCall {
        StoredCall {
            agent: Agent::Memory,
            scope: Scope::Channel,
            scope_id: "C1".into(),
            memory_type: Some(MemoryType::ShortTerm),
            channel_name: Some("雑談".into()),
            provider: "openai".into(),
            model: "gpt-4o".into(),
            answered_by: "gpt-4o-2024-08-06".into(),
            started_at: 0,
            duration: Duration::from_millis(1_500),
            attempts: 1,
            input_tokens: Some(1_000),
            cached_tokens: Some(400),
            output_tokens: Some(200),
            finish_reason: Some(FinishReason::Stop),
            error: None,
            digest: None,
        }
    }

    fn prices() -> Prices {
        let price = Price {
            input: PerMillion(2_500_000),
            cached: Some(PerMillion(1_250_000)),
            output: PerMillion(10_000_000),
        };
        Prices {
            currency: None,
            models: [("openai/gpt-4o".to_owned(), price)].into(),
        }
    }

    fn known(known: u128) -> Sum {
        Sum { known, unknown: 0 }
    }

    #[test]
    fn money_is_that_of_full_and_cached_input_and_of_output() {
        let costs = Costs::of([&call()], &prices());
        // 600 × 2.5 + 400 × 1.25 + 200 × 10 = 1,500 + 500 + 2,000 millionths.
        assert_eq!(costs.money, known(4_000 * 1_000_000));
        assert_eq!(
            (costs.input_tokens, costs.cached_tokens),
            (known(1_000), known(400))
        );
        assert_eq!(
            (costs.calls, costs.failed, costs.duration.as_millis()),
            (1, 0, 1_500)
        );
    }

    #[test]
    fn what_is_not_known_is_counted_apart_and_never_as_nothing() {
        let untold = StoredCall {
            output_tokens: None,
            ..call()
        };
        let priceless = StoredCall {
            model: "gpt-5".into(),
            answered_by: "gpt-5".into(),
            ..call()
        };
        let costs = Costs::of([&call(), &untold, &priceless], &prices());
        assert_eq!(
            costs.output_tokens,
            Sum {
                known: 400,
                unknown: 1
            }
        );
        assert_eq!(
            costs.money,
            Sum {
                known: 4_000 * 1_000_000,
                unknown: 2
            }
        );
        assert_eq!(costs.without_price, 1);
    }

    #[test]
    fn input_whose_cached_part_is_not_told_costs_the_full_price() {
        let untold = StoredCall {
            cached_tokens: None,
            ..call()
        };
        let costs = Costs::of([&untold], &prices());
        assert_eq!(costs.money, known((2_500 + 2_000) * 1_000_000));
        assert_eq!((costs.cached_tokens.unknown, costs.at_full_price), (1, 1));
    }

    #[test]
    fn failed_calls_are_counted_and_in_no_sum_and_recalled_answers_are_no_calls() {
        let failed = StoredCall {
            error: Some("timed-out".into()),
            finish_reason: None,
            input_tokens: None,
            ..call()
        };
        let recalled = StoredCall {
            attempts: 0,
            ..call()
        };
        let costs = Costs::of([&failed, &recalled], &prices());
        assert_eq!((costs.calls, costs.failed, costs.answered()), (1, 1, 0));
        assert_eq!(
            (costs.input_tokens, costs.money),
            (Sum::default(), Sum::default())
        );
        let recalls = by_groups(&[recalled], &[Dimension::Day], chrono_tz::UTC, &prices());
        assert_eq!(recalls.len(), 0);
    }

    #[test]
    fn groups_are_by_local_day_channel_layer_and_model() {
        let at = |started_at, scope, scope_id: &str, memory_type| StoredCall {
            started_at,
            scope,
            scope_id: scope_id.into(),
            memory_type: Some(memory_type),
            ..call()
        };
        let (short, long) = (MemoryType::ShortTerm, MemoryType::LongTerm);
        let workspace = StoredCall {
            channel_name: None,
            ..at(1_772_463_600_000, Scope::Workspace, "default", long)
        };
        let calls = [
            // 2026-03-02T14:59:59Z and a second later: midnight in Tokyo.
            at(1_772_463_599_000, Scope::Channel, "C1", short),
            at(1_772_463_600_000, Scope::Channel, "C1", long),
            at(
                1_772_463_600_000,
                Scope::Thread,
                "C1:1709287200.000001",
                short,
            ),
            workspace,
        ];
        let groups = |dimension| {
            let tokyo = chrono_tz::Asia::Tokyo;
            let groups = by_groups(&calls, &[dimension], tokyo, &prices());
            let counted = groups
                .into_iter()
                .map(|(key, costs)| (key[0].clone(), costs.calls));
            counted.collect::<Vec<_>>()
        };
        let day = |text: &str| Group::Day(Some(text.parse().unwrap()));
        assert_eq!(
            groups(Dimension::Day),
            [(day("2026-03-02"), 1), (day("2026-03-03"), 3)]
        );
        let channel = |name: &str, id: &str| Group::Channel(name.into(), id.into());
        assert_eq!(
            groups(Dimension::Channel),
            [(channel("", ""), 1), (channel("雑談", "C1"), 3)]
        );
        let layers = [
            Layer::Thread,
            Layer::ChannelShortTerm,
            Layer::ChannelLongTerm,
            Layer::Workspace,
        ];
        assert_eq!(
            groups(Dimension::Layer),
            layers.map(|layer| (Group::Layer(layer), 1))
        );
        assert_eq!(
            groups(Dimension::Model),
            [(Group::Model("openai/gpt-4o".into()), 4)]
        );
    }
}
