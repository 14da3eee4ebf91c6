//! The frames of Socket Mode: <https://docs.slack.dev/apis/events-api/using-socket-mode>.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    delivery::{Delivery, DeliveryKind},
    json::member,
};

/// The content of a text frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The connection is ready.
    Hello,
    /// The connection ends now or soon.
    Disconnect(Reason),
    /// A delivery, to keep and then to acknowledge.
    Deliver {
        envelope_id: String,
        delivery: Delivery,
    },
    /// An envelope of an unknown type, or without a payload: it is acknowledged.
    Unknown { envelope_id: String, kind: String },
    /// Anything else: it is ignored.
    Other { kind: String },
}

/// Why Slack ends a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// `warning`, some seconds before, or `refresh_requested`: a new connection has to take its place.
    Refresh,
    /// `link_disabled`: Socket Mode is switched off.
    LinkDisabled,
    /// Any other reason, such as `too_many_websockets`.
    Other(String),
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: Option<String>,
    reason: Option<String>,
    envelope_id: Option<String>,
}

/// Reads a text frame.
///
/// # Errors
/// If it is not JSON of the shape that Slack documents.
pub(super) fn read(text: &str) -> Result<Frame, serde_json::Error> {
    let head: Head = serde_json::from_str(text)?;
    let kind = head.kind.unwrap_or_default();
    let delivered = match kind.as_str() {
        "hello" => return Ok(Frame::Hello),
        "disconnect" => return Ok(Frame::Disconnect(reason(head.reason))),
        "events_api" => Some(DeliveryKind::Events),
        "slash_commands" => Some(DeliveryKind::SlashCommand),
        "interactive" => Some(DeliveryKind::Interactive),
        _ => None,
    };
    let Some(envelope_id) = head.envelope_id else {
        return Ok(Frame::Other { kind });
    };
    let Some((delivered, payload)) = delivered.zip(member(text, "payload")) else {
        return Ok(Frame::Unknown { envelope_id, kind });
    };
    let delivery = Delivery::new(delivered, payload.to_owned(), Some(envelope_id.clone()))?;
    Ok(Frame::Deliver {
        envelope_id,
        delivery,
    })
}

fn reason(reason: Option<String>) -> Reason {
    match reason.as_deref() {
        Some("warning" | "refresh_requested") => Reason::Refresh,
        Some("link_disabled") => Reason::LinkDisabled,
        _ => Reason::Other(reason.unwrap_or_default()),
    }
}

/// The acknowledgement of an envelope, with the answer of the inbox.
pub(super) fn acknowledgement(envelope_id: &str, answer: Option<Value>) -> String {
    match answer {
        Some(answer) => json!({"envelope_id": envelope_id, "payload": answer}).to_string(),
        None => json!({"envelope_id": envelope_id}).to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )]

    use super::*;

    #[test]
    fn a_payload_with_half_a_surrogate_pair_is_delivered() {
        let payload = r#"{"event_id":"Ev1","event":{"text":"\ud83d"}}"#;
        let text = format!(r#"{{"type":"events_api","envelope_id":"e1","payload":{payload}}}"#);
        let Frame::Deliver { delivery, .. } = read(&text).unwrap() else {
            panic!("not delivered");
        };
        assert_eq!(
            (delivery.id.as_str(), delivery.payload.as_str()),
            ("Ev1", payload)
        );
    }

    #[test]
    fn a_payload_keeps_its_bytes() {
        let payload = r#"{ "event_id":"Ev1","n":1.10, "big":123456789012345678901234567890,"s":"\u65e5, \"payload\": }" }"#;
        for text in [
            format!(
                r#"{{"payload":{payload},"envelope_id":"e1","type":"events_api","accepts_response_payload":false}}"#
            ),
            format!(
                " {{ \"type\" : \"events_api\" , \"retry_attempt\":0,\"x\":[1,{{\"payload\":2}}],\n\"envelope_id\":\"e1\", \"payload\" : {payload} }} "
            ),
        ] {
            let Frame::Deliver {
                envelope_id,
                delivery,
            } = read(&text).unwrap()
            else {
                panic!("{text}");
            };
            assert_eq!(
                (envelope_id.as_str(), delivery.payload.as_str()),
                ("e1", payload)
            );
            assert_eq!(
                (delivery.id.as_str(), delivery.kind),
                ("Ev1", DeliveryKind::Events)
            );
        }
    }

    #[test]
    fn an_id_stays_the_same_when_it_is_delivered_again() {
        let id = |kind: &str, payload: &str| {
            let text = format!(r#"{{"envelope_id":"e1","type":"{kind}","payload":{payload}}}"#);
            match read(&text).unwrap() {
                Frame::Deliver { delivery, .. } => delivery.id,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            id("events_api", r#"{"event_id":"Ev1","trigger_id":"t"}"#),
            "Ev1"
        );
        assert_eq!(id("events_api", "{}"), "e1");
        assert_eq!(id("slash_commands", r#"{"trigger_id":"1.2"}"#), "1.2");
        assert_eq!(id("interactive", r#"{"trigger_id":""}"#), "e1");
    }

    #[test]
    fn frames_are_told_apart() {
        let disconnect = |reason: &str| {
            read(&format!(r#"{{"type":"disconnect","reason":"{reason}"}}"#)).unwrap()
        };
        assert_eq!(
            read(r#"{"type":"hello","num_connections":1}"#).unwrap(),
            Frame::Hello
        );
        for reason in ["warning", "refresh_requested"] {
            assert_eq!(disconnect(reason), Frame::Disconnect(Reason::Refresh));
        }
        assert_eq!(
            disconnect("link_disabled"),
            Frame::Disconnect(Reason::LinkDisabled)
        );
        let other = Reason::Other("too_many_websockets".to_owned());
        assert_eq!(disconnect("too_many_websockets"), Frame::Disconnect(other));
        let unknown = |kind: &str| Frame::Unknown {
            envelope_id: "e1".to_owned(),
            kind: kind.to_owned(),
        };
        assert_eq!(
            read(r#"{"type":"block_suggestions","envelope_id":"e1","payload":{}}"#).unwrap(),
            unknown("block_suggestions")
        );
        assert_eq!(
            read(r#"{"type":"events_api","envelope_id":"e1"}"#).unwrap(),
            unknown("events_api")
        );
        assert_eq!(
            read(r#"{"ok":true}"#).unwrap(),
            Frame::Other {
                kind: String::new()
            }
        );
        for bad in [
            "",
            "{",
            "Ping",
            "1",
            r#"{"type":"events_api","envelope_id":"e1","payload":"text"}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
