//! Texts on their way from Slack and to it.

use myao_slack::markdown::to_mrkdwn;
use myao_slack::mentions::Person;
use myao_slack::mrkdwn::{Names, readable, unescaped};
use myao_slack::split::split;

use super::text;

/// Two people and a channel.
struct Few;

impl Names for Few {
    fn user(&self, id: &str) -> Option<&str> {
        match id {
            "U1" => Some("alice"),
            "U2" => Some("<@U1>&amp;"),
            _ => None,
        }
    }

    fn channel(&self, id: &str) -> Option<&str> {
        (id == "C1").then_some("general")
    }
}

/// Slack's entities as readable text: it does not blow up, and what was escaped comes back as it was.
pub fn mrkdwn(data: &[u8]) {
    let text = text(data);
    let read = readable(&text, &Few);
    assert!(read.len() <= 8 * text.len() + 64, "{} bytes", read.len());
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    assert_eq!(readable(&escaped, &Few), text);
    assert_eq!(unescaped(&escaped), text);
}

/// Markdown for Slack: nobody is notified but whom the caller names, nothing is left unescaped, and the posts of a long text are
/// short enough and hold all of it.
pub fn markdown(data: &[u8]) {
    let text = text(data);
    let alice = Person {
        id: "U1".to_owned(),
        name: "alice".to_owned(),
    };
    let shown = to_mrkdwn(&text, std::slice::from_ref(&alice));
    assert_only_allowed_entities(&shown);
    assert!(!to_mrkdwn(&text, &[]).contains("<@"));
    for limit in [64, 200, 3_900] {
        let parts = split(&shown, limit);
        for part in &parts {
            assert!(part.chars().count() <= limit && !part.trim().is_empty());
        }
        // Fences are closed and opened again where code is cut.
        let words = |text: &str| text.replace('`', "").split_whitespace().collect::<String>();
        assert_eq!(words(&parts.concat()), words(&shown), "cut at {limit}");
    }
}

fn assert_only_allowed_entities(shown: &str) {
    for (at, _) in shown.match_indices('<') {
        let entity = &shown[at + 1..];
        let is_link = ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| entity.to_ascii_lowercase().starts_with(scheme));
        assert!(is_link || entity.starts_with("@U1>"), "{entity:?}");
        let end = entity.find(['>', '<', '\n']);
        assert!(
            end.is_some_and(|end| entity[end..].starts_with('>')),
            "{entity:?}"
        );
    }
    for (at, _) in shown.match_indices('&') {
        let entity = &shown[at..];
        let is_escape = ["&amp;", "&lt;", "&gt;"]
            .iter()
            .any(|escape| entity.starts_with(escape));
        assert!(is_escape, "{entity:?}");
    }
}
