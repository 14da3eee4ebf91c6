//! The collector that the environment names: OTLP over HTTP, as JSON.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_otlp::{
    ExporterBuildError, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};

use super::{Content, Traces};

/// How long [`Traces::end`] waits for the collector at most.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// What to look at where spans do not arrive.
const REMEDY: &str = "check the variables OTEL_EXPORTER_OTLP_*; spans are sent as JSON over HTTP, to which collectors \
     listen on port 4318";

/// Why no spans can be sent.
#[derive(Debug, thiserror::Error)]
#[error("no traces are sent: {0}; {REMEDY}")]
pub struct TracesError(#[from] ExporterBuildError);

impl Traces {
    /// Traces as the environment asks for them, with the variables that OpenTelemetry specifies; none where it names
    /// no collector.
    ///
    /// # Errors
    /// [`TracesError`] where a variable has a value that is of no use.
    pub fn from_environment() -> Result<Option<Self>, TracesError> {
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
        let content = if says("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true") {
            Content::Captured
        } else {
            Content::Omitted
        };
        Ok(Some(Self::new(&provider, content)))
    }

    /// Sends what has not been sent yet, which takes some seconds at most, and ends the provider. It blocks: call it
    /// outside asynchronous code. What cannot be sent costs a warning in the log.
    pub fn end(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(END_TIMEOUT) {
            tracing::warn!("the last traces were not sent: {error}; {REMEDY}");
        }
    }
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

/// Who sends the spans: this program, unless the environment says otherwise.
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

/// Sends spans, and says once that it could not: otherwise a collector that is away would go unnoticed.
#[derive(Debug)]
struct Exporter {
    inner: opentelemetry_otlp::SpanExporter,
    has_failed: AtomicBool,
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
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
