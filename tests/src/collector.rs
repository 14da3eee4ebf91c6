//! An OpenTelemetry collector on this machine: it keeps the spans that it is sent.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::llm_server::{Call, LlmServer, Reply};

/// The collector. It runs until the test program ends.
pub struct Collector(LlmServer);

/// A span.
#[derive(Debug, Clone)]
pub struct Span {
    /// Its name.
    pub name: String,
    /// As OTLP has it: 1 for internal, 3 for a client's.
    pub kind: u64,
    /// The id.
    pub id: String,
    /// The id of the span above it; empty where there is none.
    pub parent: String,
    /// The trace's id.
    pub trace: String,
    /// Begin and end in nanoseconds since 1970.
    pub time: (u64, u64),
    /// The attributes, by their keys.
    pub attributes: BTreeMap<String, Value>,
    /// The error in the status; `None` if there is none.
    pub error: Option<String>,
}

impl Collector {
    /// A collector.
    #[must_use]
    pub fn start() -> Self {
        Self(LlmServer::start(|_| {
            Reply::Http(200, "content-type: application/json", "{}".to_owned())
        }))
    }

    /// Its address, as `OTEL_EXPORTER_OTLP_ENDPOINT` wants it.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.0.base_url().trim_end_matches("/v1").to_owned()
    }

    /// The received calls.
    #[must_use]
    pub fn requests(&self) -> Vec<Call> {
        self.0.calls()
    }

    /// All spans, in the order in which they began.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        let requests = self.requests();
        let resources = requests
            .iter()
            .flat_map(|call| list(&call.body, "resourceSpans"));
        let scopes = resources.flat_map(|resource| list(resource, "scopeSpans"));
        let mut spans: Vec<Span> = scopes
            .flat_map(|scope| list(scope, "spans"))
            .map(Span::of)
            .collect();
        spans.sort_by_key(|span| span.time);
        spans
    }
}

impl Span {
    fn of(span: &Value) -> Self {
        let text = |key: &str| span[key].as_str().unwrap_or_default().to_owned();
        let time = |key: &str| text(key).parse().unwrap();
        let status = &span["status"];
        let is_error = status["code"].as_u64() == Some(2);
        Self {
            name: text("name"),
            kind: span["kind"].as_u64().unwrap(),
            id: text("spanId"),
            parent: text("parentSpanId"),
            trace: text("traceId"),
            time: (time("startTimeUnixNano"), time("endTimeUnixNano")),
            attributes: attributes(span),
            error: is_error.then(|| status["message"].as_str().unwrap().to_owned()),
        }
    }

    /// An attribute's text.
    #[must_use]
    pub fn text(&self, key: &str) -> &str {
        self.attributes
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("no text {key}: {self:#?}"))
    }
}

/// The attributes of a span or of a resource, numbers as numbers.
#[must_use]
pub fn attributes(of: &Value) -> BTreeMap<String, Value> {
    let key = |attribute: &Value| attribute["key"].as_str().unwrap().to_owned();
    list(of, "attributes")
        .iter()
        .map(|attribute| (key(attribute), plain(&attribute["value"])))
        .collect()
}

fn plain(value: &Value) -> Value {
    let value: &Map<String, Value> = value.as_object().unwrap();
    match value
        .iter()
        .next()
        .map(|(kind, value)| (kind.as_str(), value))
    {
        Some(("stringValue", text)) => text.clone(),
        // 64 bits are a text in Protobuf's JSON.
        Some(("intValue", Value::String(number))) => number.parse::<i64>().unwrap().into(),
        Some(("arrayValue", array)) => list(array, "values").iter().map(plain).collect(),
        _ => panic!("a value of an unexpected kind: {value:?}"),
    }
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map(Vec::as_slice).unwrap_or_default()
}
