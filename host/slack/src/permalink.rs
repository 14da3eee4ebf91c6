//! Links to messages, as Slack's "Copy link" gives them: `https://NAME.slack.com/archives/C123/p1709287200000100`.

use myao_plugin::ts::TsKey;

/// The digits behind the point of a message id.
const SEQUENCE_DIGITS: usize = 6;

/// The channel's id and the message that a link leads to; `None` if it does not lead to one.
#[must_use]
pub fn parse(link: &str) -> Option<(String, TsKey)> {
    let rest = link.trim().strip_prefix("https://")?;
    let (host, path) = rest.split_once('/')?;
    if host != "slack.com" && !host.ends_with(".slack.com") {
        return None;
    }
    let path = path.split(['?', '#']).next()?;
    let mut parts = path.trim_end_matches('/').rsplit('/');
    let (message, channel_id, archives) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = message.strip_prefix('p')?;
    let is_id = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    if archives != "archives" || channel_id.is_empty() || !channel_id.chars().all(is_id) {
        return None;
    }
    let point = digits.len().checked_sub(SEQUENCE_DIGITS)?;
    let (seconds, sequence) = digits.split_at_checked(point)?;
    let ts = TsKey::parse(&format!("{seconds}.{sequence}")).ok()?;
    Some((channel_id.to_owned(), ts))
}

/// The channel's id and the first message of the thread that a link names, `?thread_ts=1709287200.000100`, or else its own message,
/// which may be a reply; `None` if it does not lead to a message. It may stand in angle brackets, with words behind `|`, as Slack
/// sends it.
#[must_use]
pub fn parse_thread(link: &str) -> Option<(String, TsKey)> {
    let link = link.trim().trim_start_matches('<').trim_end_matches('>');
    let link = link.split('|').next()?;
    let (channel_id, ts) = parse(link)?;
    let query = link.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or_default();
    let thread = query
        .split('&')
        .find_map(|part| part.strip_prefix("thread_ts="));
    let first = thread.and_then(|thread| TsKey::parse(thread).ok());
    Some((channel_id, first.unwrap_or(ts)))
}

/// The link to a message of a workspace with this address; `None` if that is not one of Slack's.
#[must_use]
pub fn link(address: &str, channel_id: &str, ts: &str) -> Option<String> {
    let link = format!(
        "{}/archives/{channel_id}/p{}",
        address.trim_end_matches('/'),
        ts.replacen('.', "", 1)
    );
    parse(&link).is_some().then_some(link)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{link, parse, parse_thread};

    #[test]
    fn links_lead_to_their_message() {
        for link in [
            "https://a.slack.com/archives/C1/p1709287200000100",
            " https://a.b.slack.com/archives/C1/p1709287200000100?thread_ts=1.0&cid=C1 ",
            "https://slack.com/archives/C1/p1709287200000100/",
        ] {
            let (channel_id, ts) = parse(link).unwrap();
            assert_eq!(
                (channel_id.as_str(), ts.to_string().as_str()),
                ("C1", "1709287200.000100")
            );
        }
    }

    #[test]
    fn other_links_lead_to_none() {
        for link in [
            "http://a.slack.com/archives/C1/p1709287200000100",
            "https://slack.com.evil.example/archives/C1/p1709287200000100",
            "https://evilslack.com/archives/C1/p1709287200000100",
            "https://a.slack.com/archives/C1",
            "https://a.slack.com/archives/C1/p12345",
            "https://a.slack.com/archives/C1/p17092872000001é0",
            "https://a.slack.com/archives/../p1709287200000100",
            "https://a.slack.com/files/C1/p1709287200000100",
            "C1:1709287200.000100",
            "",
        ] {
            assert_eq!(parse(link), None, "{link}");
        }
    }

    #[test]
    fn a_link_to_a_reply_leads_to_its_thread() {
        let link = "https://a.slack.com/archives/C1/p1709287300000200";
        for (query, expected) in [
            ("", "1709287300.000200"),
            ("?thread_ts=1709287200.000100&cid=C1", "1709287200.000100"),
            ("?cid=C1&thread_ts=1709287200.000100#x", "1709287200.000100"),
            ("?thread_ts=never", "1709287300.000200"),
        ] {
            let (channel_id, ts) = parse_thread(&format!("{link}{query}")).unwrap();
            assert_eq!(
                (channel_id.as_str(), ts.to_string().as_str()),
                ("C1", expected),
                "{query}"
            );
        }
        let sent = format!("<{link}?thread_ts=1709287200.000100|this thread>");
        let (_, ts) = parse_thread(&sent).unwrap();
        assert_eq!(ts.to_string(), "1709287200.000100");
        assert_eq!(
            parse_thread("https://a.slack.com/archives/C1?thread_ts=1.000000"),
            None
        );
    }

    #[test]
    fn message_of_a_workspace_of_slack_has_a_link() {
        let link = |address: &str| link(address, "C1", "1709287200.000100");
        let expected = "https://a.slack.com/archives/C1/p1709287200000100";
        assert_eq!(link("https://a.slack.com/").as_deref(), Some(expected));
        for address in ["https://a.example/", "javascript:alert(1)//", ""] {
            assert_eq!(link(address), None, "{address}");
        }
    }
}
