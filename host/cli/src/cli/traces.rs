//! Traces: the spans of [`myao_plugin::spans`] go to the collector that the environment names, by OTLP over HTTP, as JSON.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use myao_plugin::printable::line;
use myao_plugin::spans::TARGET;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_otlp::{
    ExporterBuildError, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// The longest time that [`Traces::end`] waits for the collector.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The remedy if spans do not arrive.
const REMEDY: &str = "check the variables OTEL_EXPORTER_OTLP_*; spans are sent as JSON over HTTP, to which collectors \
     listen on port 4318";

/// Why no spans can be sent.
#[derive(Debug, thiserror::Error)]
#[error("no traces are sent: {0}; {REMEDY}")]
pub(crate) struct TracesError(#[from] ExporterBuildError);

/// Where spans are sent. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    /// True if spans contain prompts and answers.
    pub(crate) captures_content: bool,
}

impl Traces {
    /// Traces as the environment configures them, with the variables that OpenTelemetry specifies; `None` if it names
    /// no collector.
    ///
    /// # Errors
    /// [`TracesError`] if a variable has an invalid value.
    pub(crate) fn from_environment() -> Result<Option<Self>, TracesError> {
        let has_collector =
            is_set(OTEL_EXPORTER_OTLP_ENDPOINT) || is_set(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
        if !has_collector || says("OTEL_SDK_DISABLED", "true") || says(EXPORTER, "none") {
            return Ok(None);
        }
        let exporter = Exporter {
            inner: opentelemetry_otlp::SpanExporter::builder()
                .with_http()
                .build()?,
            has_failed: AtomicBool::new(false),
        };
        let provider = SdkTracerProvider::builder()
            .with_resource(resource())
            .with_batch_exporter(exporter)
            .build();
        Ok(Some(Self {
            provider,
            captures_content: says("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true"),
        }))
    }

    /// The layer that collects the spans.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let scope = InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer_with_scope(scope))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_span))
    }

    /// Sends what has not been sent yet, which takes a few seconds at most, and shuts down the provider. It blocks:
    /// call it outside asynchronous code. If something cannot be sent, a warning is logged.
    pub(crate) fn end(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(END_TIMEOUT) {
            tracing::warn!("the last traces were not sent: {error}; {REMEDY}");
        }
    }
}

/// Returns true if this is one of the spans that are sent. Log lines do not show them.
pub(crate) fn is_span(metadata: &Metadata<'_>) -> bool {
    metadata.target() == TARGET
}

const EXPORTER: &str = "OTEL_TRACES_EXPORTER";

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn is_set(name: &str) -> bool {
    variable(name).is_some()
}

fn says(name: &str, word: &str) -> bool {
    variable(name).is_some_and(|value| value.eq_ignore_ascii_case(word))
}

/// The sender of the spans: this program, unless the environment says otherwise.
fn resource() -> Resource {
    let resource = Resource::builder_empty()
        .with_service_name(env!("CARGO_PKG_NAME"))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match variable("OTEL_SERVICE_NAME") {
        Some(name) => resource.with_service_name(name).build(),
        None => resource.build(),
    }
}

/// Sends spans, and reports once if it could not: otherwise a collector that is down would not be noticed.
#[derive(Debug)]
struct Exporter {
    inner: opentelemetry_otlp::SpanExporter,
    has_failed: AtomicBool,
}

impl SpanExporter for Exporter {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        batch.iter_mut().for_each(complete);
        let result = self.inner.export(batch).await;
        if let Err(error) = &result
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            tracing::warn!("traces cannot be sent: {error}; {REMEDY}");
        }
        result
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

/// Adds attributes that `tracing` cannot express: it has no list fields, and a span's name is fixed when it begins.
fn complete(span: &mut SpanData) {
    span.attributes
        .retain_mut(|attribute| match attribute.key.as_str() {
            "gen_ai.response.finish_reasons" => {
                let reason = StringValue::from(attribute.value.to_string());
                attribute.value = Value::Array(Array::String(vec![reason]));
                true
            }
            "myao.channel_name" => {
                span.name = format!("{} #{}", span.name, line(&attribute.value.as_str())).into();
                false
            }
            _ => true,
        });
}
