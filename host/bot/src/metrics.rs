//! The bot's counters, for Prometheus (<https://prometheus.io/docs/specs/om/open_metrics_spec/>). They hold only names,
//! numbers and kinds: nothing that anybody wrote, nor where.

mod figures;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use figures::Figures;
use figures::Gauges;
use myao_plugin::llm::{CallObserver, CallRecord};
use myao_plugin::printable::line;
use myao_plugin::waits::Wait;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

/// The maximum number of models with a label of their own; more than one bot can have configured. Any others are
/// counted together.
const MAX_MODELS: usize = 32;

/// The label that tells several workspaces apart.
const WORKSPACE: &str = "workspace";

/// How the lines of a metric begin.
const BEGIN: &str = "# HELP ";
/// How a text of metrics ends.
const END: &str = "# EOF";

/// Deliveries that were not stored.
pub(super) const NOT_KEPT: &str = "not-kept";

/// One label.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Kind {
    kind: &'static str,
}

/// A model's call and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    model: String,
    outcome: &'static str,
}

/// Something that waits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WaitLabels {
    kind: &'static str,
    name: &'static str,
}

/// All counters of one bot.
pub struct Metrics {
    registry: Mutex<Registry>,
    /// Deliveries, by `new`, `duplicate`, `foreign`, `not-kept`, `unsigned` and `unreadable`.
    pub deliveries: Counters,
    /// Events, by `applied`, `failed` and `set-aside`.
    pub events: Counters,
    /// Seconds from an event's arrival until it is on the disk.
    pub keep_seconds: Histogram,
    /// Replies, by `mention`, `forget`, `unasked`, `over-limit`, `failed` and `given-up`.
    pub replies: Counters,
    /// Seconds that a reply took, the model's time included.
    pub reply_seconds: Histogram,
    /// Judgments, by `respond`, `stay-silent` and `failed`.
    pub judgments: Counters,
    /// Generation runs, by `done`, `with-failures` and `failed`.
    pub runs: Counters,
    /// Memories made, by layer.
    pub memories: Counters,
    /// 1 while events can come: over a socket while it is connected, over HTTP while the bot listens.
    pub connected: Gauge,
    /// 1 while this process does the upkeep, which one process does for all.
    pub upkeep: Gauge,
    /// When the bot was started, in Unix seconds.
    pub started: Gauge,
    /// How many times the socket was connected.
    pub connections: Counter,
    /// Unreadable parts that are skipped, by `event` and `message`.
    pub left_out: Counters,
    /// Connections of clients that were closed, by `slow` and `crowded`.
    pub connections_closed: Counters,
    calls: Family<CallLabels, Counter>,
    /// The models that have a label of their own.
    models: Mutex<BTreeSet<String>>,
    tokens: Counters,
    waits: Family<WaitLabels, Gauge>,
    wait_ends: Family<WaitLabels, Gauge>,
    gauges: Gauges,
}

/// A counter by kind.
#[derive(Clone, Default)]
pub struct Counters(Family<Kind, Counter>);

impl Counters {
    /// Counts one.
    pub fn count(&self, kind: &'static str) {
        self.add(kind, 1);
    }

    /// The count so far.
    pub(super) fn get(&self, kind: &'static str) -> u64 {
        self.0.get_or_create(&Kind { kind }).get()
    }

    /// Counts several.
    pub fn add(&self, kind: &'static str, more: u64) {
        self.0.get_or_create(&Kind { kind }).inc_by(more);
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::labelled(None)
    }
}

impl Metrics {
    /// Those of one of several workspaces: each line has its name.
    #[must_use]
    pub fn of_workspace(name: &str) -> Self {
        Self::labelled(Some((WORKSPACE.into(), name.to_owned().into())))
    }

    fn labelled(label: Option<(Cow<'static, str>, Cow<'static, str>)>) -> Self {
        let mut registry = Registry::with_prefix_and_labels("myao", label.into_iter());
        let counters = |registry: &mut Registry, name: &str, help: &str| {
            let counters = Counters::default();
            registry.register(name, help, counters.0.clone());
            counters
        };
        let seconds = |registry: &mut Registry, name: &str, help: &str, from: f64| {
            // Up to about 16,000 times the smallest.
            let histogram = Histogram::new(exponential_buckets(from, 2.0, 15));
            registry.register_with_unit(name, help, Unit::Seconds, histogram.clone());
            histogram
        };
        let metrics = Self {
            deliveries: counters(&mut registry, "deliveries", "What Slack delivered"),
            events: counters(
                &mut registry,
                "events",
                "Events that took effect, or did not",
            ),
            keep_seconds: seconds(&mut registry, "keep", "From arrival to the disk", 0.000_25),
            replies: counters(&mut registry, "replies", "Answers to people"),
            reply_seconds: seconds(&mut registry, "reply", "How long an answer took", 0.01),
            judgments: counters(&mut registry, "judgments", "Whether to answer unasked"),
            runs: counters(&mut registry, "generation_runs", "Runs that make memories"),
            memories: counters(&mut registry, "memories", "Memories made"),
            connected: Gauge::default(),
            upkeep: Gauge::default(),
            started: Gauge::default(),
            connections: Counter::default(),
            left_out: counters(
                &mut registry,
                "left_out",
                "Events and messages that cannot be read",
            ),
            connections_closed: counters(
                &mut registry,
                "connections_closed",
                "Connections to the ports of the bot that were closed",
            ),
            calls: Family::default(),
            models: Mutex::default(),
            tokens: counters(&mut registry, "model_tokens", "Tokens of the models' calls"),
            waits: Family::default(),
            wait_ends: Family::default(),
            gauges: Gauges::new(&mut registry),
            registry: Mutex::new(Registry::default()),
        };
        registry.register(
            "connected",
            "Whether Slack is connected, or events are listened for",
            metrics.connected.clone(),
        );
        registry.register(
            "upkeep",
            "Whether this process does the upkeep of the workspace",
            metrics.upkeep.clone(),
        );
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program", build);
        registry.register(
            "start_timestamp_seconds",
            "When the bot was started",
            metrics.started.clone(),
        );
        registry.register(
            "connections",
            "Connections to Slack",
            metrics.connections.clone(),
        );
        registry.register("model_calls", "Calls of the models", metrics.calls.clone());
        registry.register("waits", "What waits for a time", metrics.waits.clone());
        registry.register(
            "wait_end_timestamp_seconds",
            "When the last wait of a kind ends",
            metrics.wait_ends.clone(),
        );
        Self {
            registry: Mutex::new(registry),
            ..metrics
        }
    }

    /// The label of a model. A model can report any name, so the label is kept to one line, and the number of labels is
    /// limited.
    fn label(&self, model: String) -> String {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let model = line(&model).into_owned();
        if !models.contains(&model) {
            if models.len() >= MAX_MODELS {
                return "other".to_owned();
            }
            models.insert(model.clone());
        }
        model
    }

    /// Sets what waits now, replacing the previous values.
    pub fn set_waits(&self, waits: &[Wait]) {
        self.waits.clear();
        self.wait_ends.clear();
        for wait in waits {
            let labels = WaitLabels {
                kind: wait.kind.name(),
                name: wait.label,
            };
            self.waits.get_or_create(&labels).inc();
            let end = self.wait_ends.get_or_create(&labels);
            end.set(end.get().max(wait.until));
        }
    }

    /// Sets what was read of the database.
    pub fn set_figures(&self, figures: &Figures) {
        self.gauges.set(figures);
    }

    /// All of them as OpenMetrics text.
    #[must_use]
    pub fn text(&self) -> String {
        let registry = self.registry.lock();
        let registry = registry.unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = encode(&mut text, &registry);
        text
    }
}

/// The texts of several workspaces as one, in which each metric is described once.
#[must_use]
pub fn joined(texts: &[String]) -> String {
    // The first line of each metric, and all its lines.
    let mut metrics: Vec<(&str, String)> = Vec::new();
    for text in texts {
        let (mut at, mut is_new) = (0, false);
        for line in text.lines() {
            if line.starts_with(BEGIN) {
                let known = metrics.iter().position(|(first, _)| *first == line);
                (at, is_new) = (known.unwrap_or(metrics.len()), known.is_none());
                if is_new {
                    metrics.push((line, format!("{line}\n")));
                }
            } else if let Some((_, lines)) = metrics.get_mut(at)
                && line != END
                && (is_new || !line.starts_with('#'))
            {
                lines.push_str(line);
                lines.push('\n');
            }
        }
    }
    let all = metrics.into_iter().map(|(_, lines)| lines);
    all.chain([format!("{END}\n")]).collect()
}

/// Seconds as a number.
#[must_use]
pub fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

impl CallObserver for Metrics {
    fn observe(&self, record: CallRecord) {
        let model = self.label(format!("{}/{}", record.provider, record.model));
        let outcome = if record.error.is_none() {
            "answered"
        } else {
            "failed"
        };
        self.calls
            .get_or_create(&CallLabels { model, outcome })
            .inc();
        self.tokens
            .add("input", record.input_tokens.unwrap_or(0).into());
        self.tokens
            .add("output", record.output_tokens.unwrap_or(0).into());
    }
}

#[cfg(test)]
mod tests {
    use super::{Metrics, joined};

    #[test]
    fn texts_of_several_workspaces_are_one_text_that_describes_each_metric_once() {
        let (acme, beta) = (
            Metrics::of_workspace("acme"),
            Metrics::of_workspace("b\"eta"),
        );
        acme.replies.count("mention");
        beta.replies.add("mention", 2);
        // This one has no other line.
        beta.judgments.count("respond");
        let text = joined(&[acme.text(), beta.text()]);
        for line in [
            "myao_replies_total{workspace=\"acme\",kind=\"mention\"} 1\n",
            "myao_replies_total{workspace=\"b\\\"eta\",kind=\"mention\"} 2\n",
            "# HELP myao_replies Answers to people.\n",
            "# TYPE myao_replies counter\n",
            "# HELP myao_judgments Whether to answer unasked.\n",
            "myao_judgments_total{workspace=\"b\\\"eta\",kind=\"respond\"} 1\n",
            "# EOF\n",
        ] {
            assert_eq!(text.matches(line).count(), 1, "{line} in {text}");
        }
        assert!(text.ends_with("# EOF\n"), "{text}");
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        for line in samples {
            assert!(line.contains("{workspace=\""), "{line}");
        }
        let described = text.lines().filter(|line| line.starts_with("# TYPE "));
        let mut described: Vec<&str> = described.collect();
        let count = described.len();
        described.sort_unstable();
        described.dedup();
        assert_eq!(described.len(), count, "{text}");
    }
}
