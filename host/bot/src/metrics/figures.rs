//! The figures that are read from the database when somebody asks for the metrics.

use std::sync::atomic::AtomicU64;

use myao_plugin::state::catch_up::Swept;
use myao_plugin::state::upkeep::{Backlog, DatabaseUse, Pile};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Registry};

use super::Kind;

/// Figures at a time. Those that could not be read are `None`, and stay as they were.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// The time, in Unix seconds.
    pub now: i64,
    /// Work that is not done.
    pub backlog: Option<Backlog>,
    /// How this process fares with the database.
    pub database: DatabaseUse,
    /// Up to when nothing is missing, in Unix seconds.
    pub caught_up: Option<i64>,
    /// True if deliveries are missing.
    pub gap: Option<bool>,
    /// How many channels Slack did not return.
    pub unread: Option<usize>,
    /// How far the comparison with Slack is.
    pub swept: Option<Swept>,
    /// The spent part of each limit of the day.
    pub budget: Vec<(&'static str, f64)>,
}

pub(super) struct Gauges {
    backlog: Family<Kind, Gauge>,
    ages: Family<Kind, Gauge>,
    errors: Counter,
    connections: Family<Kind, Gauge>,
    caught_up: Gauge,
    gaps: Family<Kind, Gauge>,
    sweep: Family<Kind, Gauge>,
    budget: Family<Kind, Gauge<f64, AtomicU64>>,
}

impl Gauges {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            backlog: new(registry, "backlog", "Work that is not done"),
            ages: new(
                registry,
                "backlog_age_seconds",
                "How old the oldest of it is",
            ),
            errors: new(
                registry,
                "database_errors",
                "Calls that failed for a reason of the database",
            ),
            connections: new(
                registry,
                "database_connections",
                "Connections in use, and how many there can be",
            ),
            caught_up: new(
                registry,
                "caught_up_timestamp_seconds",
                "Up to when nothing is missing",
            ),
            gaps: new(registry, "gaps", "What is to be read again"),
            sweep: new(
                registry,
                "sweep",
                "Channels that are compared with Slack, were compared, and were refused",
            ),
            budget: new(
                registry,
                "budget_spent_ratio",
                "The spent part of the budget of the day",
            ),
        }
    }

    pub(super) fn set(&self, figures: &Figures) {
        let set = |family: &Family<Kind, Gauge>, kind, value: Option<i64>| {
            if let Some(value) = value {
                family.get_or_create(&Kind { kind }).set(value);
            }
        };
        if let Some(backlog) = figures.backlog {
            let age = |pile: Pile| Some(pile.since.map_or(0, |since| figures.now - since));
            for (kind, pile) in [("event", backlog.events), ("mention", backlog.mentions)] {
                set(&self.backlog, kind, Some(pile.count));
                set(&self.ages, kind, age(pile));
            }
            set(&self.backlog, "parked", Some(backlog.parked.count));
        }
        let DatabaseUse { errors, used, most } = figures.database;
        self.errors.inc_by(errors.saturating_sub(self.errors.get()));
        for (kind, number) in [("used", used), ("most", most)] {
            set(&self.connections, kind, i64::try_from(number).ok());
        }
        if let Some(at) = figures.caught_up {
            self.caught_up.set(at);
        }
        set(&self.gaps, "deliveries", figures.gap.map(i64::from));
        let unread = figures.unread.and_then(|unread| i64::try_from(unread).ok());
        set(&self.gaps, "channels", unread);
        if let Some(swept) = &figures.swept {
            let refused = swept.refused.len().try_into().ok();
            for (kind, number) in [
                ("channels", swept.channels.try_into().ok()),
                ("done", swept.done.try_into().ok()),
                ("refused", refused),
            ] {
                set(&self.sweep, kind, number);
            }
        }
        for (kind, part) in &figures.budget {
            self.budget.get_or_create(&Kind { kind }).set(*part);
        }
    }
}

fn new<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}
