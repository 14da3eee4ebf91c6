//! Slack's signature of a request: <https://docs.slack.dev/authentication/verifying-requests-from-slack>.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The `x-slack-signature` of a body sent at `timestamp`, in seconds since 1970.
#[must_use]
pub fn sign(secret: &str, timestamp: u64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("v0:{timestamp}:{body}").as_bytes());
    let mut signature = "v0=".to_owned();
    for byte in mac.finalize().into_bytes() {
        write!(signature, "{byte:02x}").unwrap();
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_hmac_of_version_time_and_body() {
        // From: printf 'v0:1531420618:token=x' | openssl dgst -sha256 -hmac secret
        let expected = "v0=633ec74f3ea2689a9cfc1fa49494a96b74ad596089378b53ceb9a899f9c799b9";
        assert_eq!(sign("secret", 1_531_420_618, "token=x"), expected);
    }
}
