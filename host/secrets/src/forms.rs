//! The forms of credentials.

use super::Credential;

/// The characters that a token has after its prefix.
#[derive(Clone, Copy)]
enum Alphabet {
    /// `0-9 a-f`, in either case.
    Hex,
    /// `A-Z 0-9`.
    Upper,
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Letters, digits and the rest of Base64 and of tokens in parts: `_-.=+/`.
    Any,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Any => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'..=b'/' | b'=' | b'_')
            }
        }
    }
}

/// A provider's form of tokens: a prefix, then characters of an alphabet.
pub(crate) struct Form(
    pub(crate) &'static str,
    &'static str,
    Alphabet,
    std::ops::RangeInclusive<usize>,
);

/// The longest token, in bytes: some carry claims.
const LONGEST: usize = 2_000;

use Alphabet::{Alphanumeric, Any, Hex, Upper, Url};

/// A longer prefix stands before a shorter one that begins it.
pub(crate) static FORMS: &[Form] = &[
    Form("1Password token", "ops_eyJ", Any, 100..=LONGEST),
    Form("age key", "AGE-SECRET-KEY-1", Upper, 58..=58),
    Form("Anthropic key", "sk-ant-", Url, 40..=200),
    Form("Atlassian token", "ATATT3", Any, 100..=LONGEST),
    Form("AWS key", "AKIA", Upper, 16..=16),
    Form("AWS key", "ASIA", Upper, 16..=16),
    Form("AWS key", "ABIA", Upper, 16..=16),
    Form("AWS key", "ACCA", Upper, 16..=16),
    Form("Azure storage key", "AccountKey=", Any, 86..=90),
    Form("Databricks token", "dapi", Hex, 32..=32),
    Form("DigitalOcean token", "dop_v1_", Hex, 64..=64),
    Form("DigitalOcean token", "doo_v1_", Hex, 64..=64),
    Form("DigitalOcean token", "dor_v1_", Hex, 64..=64),
    Form("Docker token", "dckr_pat_", Url, 27..=40),
    Form("Doppler token", "dp.pt.", Alphanumeric, 40..=44),
    Form("GitHub token", "github_pat_", Url, 82..=82),
    Form("GitHub token", "ghp_", Alphanumeric, 36..=36),
    Form("GitHub token", "gho_", Alphanumeric, 36..=36),
    Form("GitHub token", "ghu_", Alphanumeric, 36..=36),
    Form("GitHub token", "ghs_", Alphanumeric, 36..=36),
    Form("GitHub token", "ghr_", Alphanumeric, 36..=76),
    Form("GitLab token", "glpat-", Any, 20..=300),
    Form("GitLab token", "gldt-", Url, 20..=64),
    Form("GitLab token", "glrt-", Any, 20..=300),
    Form("GitLab token", "glptt-", Hex, 40..=40),
    Form("Google key", "AIza", Url, 35..=35),
    Form("Google client secret", "GOCSPX-", Url, 28..=28),
    Form("Google token", "ya29.", Url, 30..=LONGEST),
    Form("Grafana token", "glsa_", Url, 41..=41),
    Form("Grafana token", "glc_", Any, 32..=400),
    Form("Groq key", "gsk_", Alphanumeric, 52..=52),
    Form("Hugging Face token", "hf_", Alphanumeric, 34..=34),
    Form("Linear key", "lin_api_", Alphanumeric, 40..=40),
    Form("Mailgun key", "key-", Hex, 32..=32),
    Form("Notion token", "ntn_", Alphanumeric, 46..=46),
    Form("npm token", "npm_", Alphanumeric, 36..=36),
    Form("OpenAI key", "sk-proj-", Url, 40..=200),
    Form("OpenAI key", "sk-svcacct-", Url, 40..=200),
    Form("OpenAI key", "sk-admin-", Url, 40..=200),
    Form("OpenAI key", "sk-", Alphanumeric, 48..=48),
    Form("Perplexity key", "pplx-", Alphanumeric, 48..=48),
    Form("Postman key", "PMAK-", Url, 59..=59),
    Form("PyPI token", "pypi-AgE", Url, 50..=LONGEST),
    Form("Replicate token", "r8_", Alphanumeric, 37..=37),
    Form("RubyGems key", "rubygems_", Hex, 48..=48),
    Form("SendGrid key", "SG.", Any, 66..=66),
    Form("Sentry token", "sntrys_", Any, 80..=LONGEST),
    Form("Sentry token", "sntryu_", Hex, 64..=64),
    Form("Shopify token", "shpat_", Hex, 32..=32),
    Form("Shopify token", "shpca_", Hex, 32..=32),
    Form("Shopify token", "shppa_", Hex, 32..=32),
    Form("Shopify secret", "shpss_", Hex, 32..=32),
    Form("Slack token", "xoxa-", Url, 20..=255),
    Form("Slack token", "xoxb-", Url, 20..=255),
    Form("Slack token", "xoxc-", Url, 20..=255),
    Form("Slack token", "xoxd-", Any, 20..=400),
    Form("Slack token", "xoxe-", Url, 20..=255),
    Form("Slack token", "xoxe.xoxb-", Url, 20..=255),
    Form("Slack token", "xoxe.xoxp-", Url, 20..=255),
    Form("Slack token", "xoxp-", Url, 20..=255),
    Form("Slack token", "xoxr-", Url, 20..=255),
    Form("Slack token", "xoxs-", Url, 20..=255),
    Form("Slack token", "xapp-", Url, 20..=255),
    Form("Slack webhook", "hooks.slack.com/services/", Any, 30..=100),
    Form("Slack webhook", "hooks.slack.com/workflows/", Any, 30..=100),
    Form("Square token", "sq0atp-", Url, 22..=60),
    Form("Square secret", "sq0csp-", Url, 43..=60),
    Form("Stripe key", "sk_live_", Alphanumeric, 10..=99),
    Form("Stripe key", "sk_test_", Alphanumeric, 10..=99),
    Form("Stripe key", "rk_live_", Alphanumeric, 10..=99),
    Form("Stripe key", "rk_test_", Alphanumeric, 10..=99),
    Form("Stripe secret", "whsec_", Any, 32..=99),
    Form("Twilio key", "SK", Hex, 32..=32),
    Form("Vault token", "hvs.", Url, 90..=200),
    Form("Vault token", "hvb.", Url, 138..=300),
    Form("xAI key", "xai-", Alphanumeric, 80..=80),
];

/// No form is shorter, in bytes.
const SHORTEST: usize = 18;
/// No run of characters that a token may have, and that begins a private key or a header, is shorter, in bytes.
const SHORTEST_RUN: usize = "-----BEGIN".len();

/// Returns the first credential that begins at a byte of the text, or behind it. Takes time in proportion to the text.
pub(crate) fn next(text: &str, from: usize) -> Option<Credential> {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut run_end = from;
    loop {
        // Most of a text is passed over here.
        let begins = |byte: &u8| *byte == b':' || Alphabet::Any.has(*byte);
        at += bytes.get(at..)?.iter().position(begins)?;
        if at >= run_end {
            let run = bytes.get(at..)?.iter();
            run_end = at + run.take_while(|byte| Alphabet::Any.has(**byte)).count();
        }
        let run = run_end - at;
        let byte = *bytes.get(at)?;
        if byte != b':' && run < SHORTEST_RUN {
            at = run_end;
            continue;
        }
        let (before, rest) = text.split_at_checked(at)?;
        let found = match byte {
            b'-' => private_key(rest),
            b':' => password(before, rest),
            _ if ends_in_word(before) => None,
            _ if run >= SHORTEST => token(rest).or_else(|| authorization(rest)),
            _ => authorization(rest),
        };
        if let Some((kind, start, end)) = found {
            let span = at + start..at + end;
            return Some(Credential { span, kind });
        }
        at += 1;
    }
}

/// A kind, and where the credential begins and ends.
type Found = Option<(&'static str, usize, usize)>;

fn ends_in_word(before: &str) -> bool {
    let last = before.bytes().next_back();
    last.is_some_and(|byte| Alphabet::Url.has(byte))
}

/// Returns how many bytes at the beginning are of the alphabet, at most `most`.
fn length(text: &str, alphabet: Alphabet, most: usize) -> usize {
    let bytes = text.bytes().take(most);
    bytes.take_while(|byte| alphabet.has(*byte)).count()
}

/// The same without full stops at the end: they end a sentence.
fn run(text: &str, alphabet: Alphabet) -> usize {
    let run = text.get(..length(text, alphabet, LONGEST + 1));
    run.unwrap_or_default().trim_end_matches('.').len()
}

fn token(rest: &str) -> Found {
    FORMS
        .iter()
        .find_map(|Form(kind, prefix, alphabet, lengths)| {
            let after = rest.strip_prefix(prefix)?;
            let length = run(after, *alphabet);
            let next = after.as_bytes().get(length);
            let is_whole = next.is_none_or(|next| !Alphabet::Alphanumeric.has(*next));
            let is_token = is_whole && lengths.contains(&length) && varies(after.get(..length)?);
            is_token.then_some((*kind, 0, prefix.len() + length))
        })
}

/// A private key in PEM (RFC 7468), up to its end or that of the text.
fn private_key(rest: &str) -> Found {
    let label = rest.strip_prefix("-----BEGIN ")?;
    let (label, _) = label
        .split_once("-----")
        .filter(|(label, _)| label.len() <= 60)?;
    if !label.contains("PRIVATE KEY") || label.contains('\n') {
        return None;
    }
    let end = format!("-----END {label}-----");
    let to = rest.find(&end).map_or(rest.len(), |at| at + end.len());
    Some(("private key", 0, to))
}

/// The value of a header `Authorization` or `Proxy-Authorization` (RFC 9110).
fn authorization(rest: &str) -> Found {
    const NAME: &str = "authorization";
    let (_, after) = rest
        .split_at_checked(NAME.len())
        .filter(|(name, _)| name.eq_ignore_ascii_case(NAME))?;
    let quotes = ['"', '\'', ' '];
    let after = after.trim_start_matches(quotes).strip_prefix([':', '='])?;
    let after = after.trim_start_matches(quotes);
    let (scheme, after) = after.split_at(length(after, Alphabet::Alphanumeric, LONGEST));
    let known = ["bearer", "basic", "token", "apikey"];
    let is_known = known.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let value = after.trim_start_matches(' ');
    let length = run(value, Alphabet::Any);
    let from = rest.len() - value.len();
    (is_known && length >= 8 && varies(value.get(..length)?)).then_some((
        "authorization",
        from,
        from + length,
    ))
}

/// The password of a URL with a name before it: `scheme://name:password@host` (RFC 3986, section 3.2.1). It begins at the colon.
fn password(before: &str, rest: &str) -> Found {
    let is_part = |c: char| !c.is_whitespace() && !"/?#@<>\"'`".contains(c);
    let name = before.trim_end_matches(|c| is_part(c) && c != ':');
    let after = rest.get(1..).filter(|_| name.ends_with("://"))?;
    let end = after.find(|c| !is_part(c))?;
    let (password, host) = after.split_at(end);
    let is_shown = !password.starts_with(['$', '{', '%', '[']) && varies(password);
    (is_shown && host.starts_with('@')).then_some(("password", 1, 1 + end))
}

/// Returns false if all characters are the same, as in a token that only shows a form: `xxxxxxxx`.
fn varies(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    characters.any(|character| Some(character) != first)
}
