#![allow(clippy::unwrap_used)]

use super::*;

/// Tokens that were never valid: their characters are made here, so that no scanner of repositories takes them for real.
fn made(prefix: &str, length: usize, characters: &str) -> String {
    let mut token = prefix.to_owned();
    token.extend(characters.chars().cycle().take(length));
    token
}

const HEX: &str = "0123456789abcdef";
const MIXED: &str = "aB3dE6gH9jKm";

fn kinds(text: &str) -> Vec<&'static str> {
    find(text).map(|found| found.kind).collect()
}

#[test]
fn each_form_of_a_provider_is_found_and_nothing_around_it() {
    let cases = [
        ("GitHub token", made("ghp_", 36, MIXED)),
        ("GitHub token", made("github_pat_", 82, MIXED)),
        ("GitLab token", made("glpat-", 20, MIXED)),
        ("Slack token", made("xoxb-", 51, "0123456789-aB")),
        ("Slack token", made("xapp-1-", 60, "A0B1-2345c")),
        (
            "Slack webhook",
            made("hooks.slack.com/services/", 44, "T0A1/B2C3"),
        ),
        ("OpenAI key", made("sk-proj-", 120, MIXED)),
        ("OpenAI key", made("sk-", 48, MIXED)),
        ("Anthropic key", made("sk-ant-api03-", 95, MIXED)),
        ("AWS key", made("AKIA", 16, "Q2W3E4R5")),
        ("Google key", made("AIza", 35, MIXED)),
        ("Stripe key", made("sk_live_", 24, MIXED)),
        ("SendGrid key", made("SG.", 66, "aB3dE6gH9jKm.")),
        ("npm token", made("npm_", 36, MIXED)),
        ("PyPI token", made("pypi-AgEIcHlwaS5vcmc", 150, MIXED)),
        ("DigitalOcean token", made("dop_v1_", 64, HEX)),
        ("Hugging Face token", made("hf_", 34, MIXED)),
        ("Twilio key", made("SK", 32, HEX)),
    ];
    for (kind, token) in cases {
        for (before, after) in [
            ("", ""),
            ("key=", ";"),
            ("鍵は「", "」です。"),
            ("(", ")."),
            ("\"", "\""),
        ] {
            let text = format!("{before}{token}{after}");
            assert_eq!(
                redact(&text),
                format!("{before}[redacted: {kind}]{after}"),
                "{kind}"
            );
        }
    }
}

#[test]
fn a_token_of_another_length_or_inside_a_word_is_none() {
    for text in [
        made("ghp_", 35, MIXED),
        made("ghp_", 37, MIXED),
        made("task-", 48, MIXED),
        made("AKIA", 15, "Q2W3E4R5"),
        made("SK", 33, HEX),
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".to_owned(),
        made("", 40, HEX),
    ] {
        assert_eq!(kinds(&text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn a_private_key_goes_to_its_end_and_a_cut_one_to_the_end_of_the_text() {
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\n-----END OPENSSH PRIVATE KEY-----";
    assert_eq!(
        redact(&format!("a\n{key}\nb")),
        "a\n[redacted: private key]\nb"
    );
    assert_eq!(
        redact("-----BEGIN PRIVATE KEY-----\nMIIEv"),
        "[redacted: private key]"
    );
    assert_eq!(
        kinds("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----"),
        Vec::<&str>::new()
    );
}

#[test]
fn an_authorization_header_keeps_its_scheme() {
    for (text, redacted) in [
        (
            "curl -H 'Authorization: Bearer abc.def-123456' x",
            "curl -H 'Authorization: Bearer [redacted: authorization]' x",
        ),
        (
            "{\"authorization\": \"Basic dXNlcjpwYXNz\"}",
            "{\"authorization\": \"Basic [redacted: authorization]\"}",
        ),
    ] {
        assert_eq!(redact(text), redacted);
    }
    assert_eq!(kinds("Authorization: Bearer $TOKEN"), Vec::<&str>::new());
    assert_eq!(
        kinds("authorization: who decides that?"),
        Vec::<&str>::new()
    );
}

#[test]
fn a_password_in_a_url_goes_and_the_rest_stays() {
    assert_eq!(
        redact("postgres://app:h4r:bour@db.example:5432/app と redis://:pw@cache"),
        "postgres://app:[redacted: password]@db.example:5432/app と redis://:[redacted: password]@cache"
    );
    for text in [
        "https://example.com:8080/a@b",
        "postgres://app:${PASSWORD}@db",
        "see http://example.com: mail ben@example.com",
        "ssh://git@example.com:22/x",
    ] {
        assert_eq!(kinds(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn a_redacted_text_stays_as_it_is() {
    let text = format!("{} and https://a:b@c", made("ghp_", 36, MIXED));
    let once = redact(&text).into_owned();
    assert_eq!(redact(&once), once);
}

#[test]
fn a_mask_is_as_long_as_what_it_hides() {
    let token = made("ghp_", 36, MIXED);
    assert_eq!(
        mask(&format!("鍵 {token} https://a:b2@c")),
        "鍵 [redacted: GitHub token                ] https://a:XX@c"
    );
}

#[test]
fn time_grows_with_the_text_alone() {
    let parts = [
        ":",
        "://:",
        "://a:",
        "-----BEGIN PRIVATE KE",
        "xoxd-/",
        "a/",
        "authorization:",
    ];
    for part in parts {
        let text = part.repeat(100_000 / part.len());
        assert!(find(&text).count() <= 1, "{part}");
    }
}

#[test]
fn the_document_names_who_issues_what_is_found() {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/privacy.md");
    let document = std::fs::read_to_string(document).unwrap();
    for form in forms::FORMS {
        let issuer = form.0.split(' ').next().unwrap();
        assert!(document.contains(issuer), "{issuer}");
    }
}
