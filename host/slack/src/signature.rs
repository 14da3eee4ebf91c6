//! Slack's signatures: <https://docs.slack.dev/authentication/verifying-requests-from-slack>.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::{form::hex_digit, token::Token};

/// How far the time of a request may be from ours, in seconds, as Slack recommends. An old request may be a replay.
const TOLERANCE_SECONDS: u64 = 300;

/// The only version of signatures.
const VERSION: &str = "v0";

/// Why a request is not Slack's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// A header is missing.
    #[error("the request has no header {0}: it is not from Slack")]
    Missing(&'static str),
    /// The time is not a number.
    #[error("the header X-Slack-Request-Timestamp is not a Unix time")]
    BadTimestamp,
    /// The time is too far from ours.
    #[error(
        "the request's time is {0} s away from ours, more than {TOLERANCE_SECONDS} s: if this happens with every request, set this machine's clock"
    )]
    Stale(u64),
    /// Not `v0=` and 64 hexadecimal digits.
    #[error("the header X-Slack-Signature is not a signature of version {VERSION}")]
    BadSignature,
    /// Signed with another secret, or changed on its way.
    #[error(
        "the signature does not match the request: check that slack.signing_secret is the app's signing secret"
    )]
    Mismatch,
}

/// Checks that Slack sent a request: `timestamp` and `signature` are its headers `X-Slack-Request-Timestamp` and
/// `X-Slack-Signature`, `body` is the unchanged body, `now` is in Unix seconds. Signatures are compared in constant time.
///
/// # Errors
/// If it is not Slack's, or too old.
pub fn verify(
    signing_secret: &Token,
    timestamp: &str,
    body: &[u8],
    signature: &str,
    now: u64,
) -> Result<(), SignatureError> {
    let time: u64 = timestamp
        .parse()
        .map_err(|_| SignatureError::BadTimestamp)?;
    let distance = now.abs_diff(time);
    if distance > TOLERANCE_SECONDS {
        return Err(SignatureError::Stale(distance));
    }
    let digits = signature
        .strip_prefix(VERSION)
        .and_then(|rest| rest.strip_prefix('='));
    let tag = digits.and_then(unhex).ok_or(SignatureError::BadSignature)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(signing_secret.bytes())
        .map_err(|_| SignatureError::Mismatch)?;
    mac.update(format!("{VERSION}:{timestamp}:").as_bytes());
    mac.update(body);
    mac.verify_slice(&tag).map_err(|_| SignatureError::Mismatch)
}

fn unhex(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let digits = digits.as_bytes();
    if digits.len() != 2 * bytes.len() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = hex_digit(*high)? << 4 | hex_digit(*low)?;
    }
    Some(bytes)
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
    use crate::testing::sign;

    const NOW: u64 = 1_700_000_000;

    fn secret() -> Token {
        Token::new("8f742231b10e8888abcd99yyyzzz85a5").unwrap()
    }

    fn check(time: &str, body: &str, signature: &str) -> Result<(), SignatureError> {
        verify(&secret(), time, body.as_bytes(), signature, NOW)
    }

    #[test]
    fn the_example_of_slacks_documentation_is_genuine() {
        let body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
        let signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
        let time = 1_531_420_618;
        let check =
            |body: &str, now| verify(&secret(), "1531420618", body.as_bytes(), signature, now);
        assert_eq!(check(body, time), Ok(()));
        assert_eq!(
            check(&body.replace("roadrunner", "coyote"), time),
            Err(SignatureError::Mismatch)
        );
    }

    #[test]
    fn another_secret_time_or_body_does_not_fit() {
        let time = NOW.to_string();
        let genuine = sign(&secret(), NOW, "{}");
        assert_eq!(check(&time, "{}", &genuine), Ok(()));
        let mismatch = Err(SignatureError::Mismatch);
        assert_eq!(check(&time, "{} ", &genuine), mismatch);
        assert_eq!(check(&(NOW + 1).to_string(), "{}", &genuine), mismatch);
        let other = sign(
            &Token::new("another secret".replace(' ', "-").as_str()).unwrap(),
            NOW,
            "{}",
        );
        assert_eq!(check(&time, "{}", &other), mismatch);
    }

    #[test]
    fn a_recorded_request_is_too_old_after_five_minutes() {
        for (time, expected) in [
            (NOW - 300, Ok(())),
            (NOW + 300, Ok(())),
            (NOW - 301, Err(SignatureError::Stale(301))),
            (NOW + 301, Err(SignatureError::Stale(301))),
            (0, Err(SignatureError::Stale(NOW))),
        ] {
            assert_eq!(
                check(&time.to_string(), "{}", &sign(&secret(), time, "{}")),
                expected
            );
        }
    }

    #[test]
    fn headers_that_hold_something_else_are_named() {
        let time = NOW.to_string();
        let genuine = sign(&secret(), NOW, "{}");
        assert_eq!(
            check("yesterday", "{}", &genuine),
            Err(SignatureError::BadTimestamp)
        );
        assert_eq!(
            check("-1", "{}", &genuine),
            Err(SignatureError::BadTimestamp)
        );
        for bad in [
            "",
            "v0=",
            "v0=zz",
            &genuine[1..],
            &genuine[..genuine.len() - 2],
            &genuine.replace("v0", "v1"),
        ] {
            assert_eq!(
                check(&time, "{}", bad),
                Err(SignatureError::BadSignature),
                "{bad}"
            );
        }
        let not_hex = format!("v0={}", "g".repeat(64));
        assert_eq!(
            check(&time, "{}", &not_hex),
            Err(SignatureError::BadSignature)
        );
    }
}
