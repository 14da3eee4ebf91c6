//! The manifest of the Slack app, from which <https://api.slack.com/apps> creates it
//! (<https://docs.slack.dev/reference/app-manifest>).

/// The text of `manifest.yaml`, with placeholders.
const TEMPLATE: &str = include_str!("manifest.yaml");
/// The placeholder of the name, in double quotes.
const NAME: &str = "{{name}}";
/// The placeholder of the address for events and commands, in double quotes. Without one its lines are left out.
const REQUEST_URL: &str = "{{request_url}}";
/// The placeholder for the switch of Socket Mode.
const SOCKET_MODE: &str = "{{socket_mode}}";
/// The longest name of an app, in characters.
const MAX_NAME_CHARS: usize = 35;

/// The bot's scopes (<https://docs.slack.dev/reference/scopes>), and what does not work without each. `auth.test`,
/// `chat.getPermalink`, `views.open` and `views.publish` need none; shortcuts need `commands`.
pub const REQUIRED_SCOPES: &[(&str, &str)] = &[
    (
        "app_mentions:read",
        "mentions of the bot (app_mention) do not arrive",
    ),
    (
        "channels:history",
        "messages of public channels do not arrive (message.channels) and cannot be read after a gap (conversations.history, conversations.replies)",
    ),
    (
        "channels:read",
        "public channels have no names (conversations.list, conversations.info), and their changes and members do not arrive (channel_*, member_*)",
    ),
    ("chat:write", "nothing can be posted (chat.postMessage)"),
    (
        "commands",
        "there is no slash command (/memory) and no shortcut",
    ),
    (
        "groups:history",
        "messages of private channels do not arrive (message.groups) and cannot be read after a gap (conversations.history, conversations.replies)",
    ),
    (
        "groups:read",
        "private channels have no names (conversations.list, conversations.info), and their changes and members do not arrive (group_*, member_*)",
    ),
    (
        "im:history",
        "direct messages do not arrive (message.im) and cannot be read after a gap (conversations.history, conversations.replies)",
    ),
    (
        "pins:read",
        "what people pin does not arrive (pin_added, pin_removed)",
    ),
    (
        "reactions:read",
        "what people mark with the emoji that pins does not arrive (reaction_added, reaction_removed)",
    ),
    (
        "reactions:write",
        "nobody sees that an answer is being written (reactions.add, reactions.remove)",
    ),
    (
        "users:read",
        "people have no names (users.list, users.info), and changes of them do not arrive (team_join, user_change)",
    ),
];

/// The manifest, in YAML, for an app called `name` (its first 35 characters). `request_url` is the address to which Slack
/// sends events and commands over HTTP; Socket Mode needs none.
#[must_use]
pub fn manifest(socket_mode: bool, request_url: Option<&str>, name: &str) -> String {
    let name: String = name.trim().chars().take(MAX_NAME_CHARS).collect();
    let name = quoted(if name.is_empty() { "myao" } else { &name });
    let request_url = request_url.filter(|_| !socket_mode).map(quoted);
    let socket_mode = if socket_mode { "true" } else { "false" };
    let mut out = String::with_capacity(TEMPLATE.len());
    for line in TEMPLATE.lines() {
        // One placeholder per line, so that a value is not searched for another placeholder.
        let line = if line.contains(NAME) {
            line.replace(NAME, &name)
        } else if line.contains(REQUEST_URL) {
            match &request_url {
                Some(url) => line.replace(REQUEST_URL, url),
                None => continue,
            }
        } else {
            line.replace(SOCKET_MODE, socket_mode)
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// The text for between double quotes in YAML.
fn quoted(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    plain.fold(String::new(), |mut out, c| {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use super::*;
    use crate::command::COMMAND;
    use crate::shortcut::THREAD;

    /// The events that are subscribed to, and a scope that each needs, as Slack's reference has them
    /// (<https://docs.slack.dev/reference/events>). An empty one means none.
    const EVENTS: [(&str, &str); 26] = [
        ("app_home_opened", ""),
        ("app_mention", "app_mentions:read"),
        ("channel_archive", "channels:read"),
        ("channel_created", "channels:read"),
        ("channel_deleted", "channels:read"),
        ("channel_left", "channels:read"),
        ("channel_rename", "channels:read"),
        ("channel_shared", "channels:read"),
        ("channel_unarchive", "channels:read"),
        ("channel_unshared", "groups:read"),
        ("group_archive", "groups:read"),
        ("group_deleted", "groups:read"),
        ("group_left", "groups:read"),
        ("group_rename", "groups:read"),
        ("group_unarchive", "groups:read"),
        ("member_joined_channel", "channels:read"),
        ("member_left_channel", "groups:read"),
        ("message.channels", "channels:history"),
        ("message.groups", "groups:history"),
        ("message.im", "im:history"),
        ("pin_added", "pins:read"),
        ("pin_removed", "pins:read"),
        ("reaction_added", "reactions:read"),
        ("reaction_removed", "reactions:read"),
        ("team_join", "users:read"),
        ("user_change", "users:read"),
    ];

    /// The items of the list below the line `key`, each with the line before it.
    fn list<'t>(yaml: &'t str, key: &str) -> Vec<(&'t str, &'t str)> {
        let lines: Vec<_> = yaml.lines().map(str::trim).collect();
        let start = lines.iter().position(|line| *line == key).unwrap();
        let pairs = lines.iter().zip(lines.iter().skip(1)).skip(start);
        pairs
            .take_while(|(_, line)| line.starts_with(['-', '#']))
            .filter_map(|(before, line)| Some((line.strip_prefix("- ")?, *before)))
            .collect()
    }

    #[test]
    fn the_manifest_asks_for_the_required_scopes_and_says_why() {
        let yaml = manifest(true, None, "myao");
        let scopes = list(&yaml, "bot:");
        let required: Vec<_> = REQUIRED_SCOPES.iter().map(|(scope, _)| *scope).collect();
        let asked: Vec<_> = scopes.iter().map(|(scope, _)| *scope).collect();
        assert_eq!(asked, required);
        for (scope, before) in scopes {
            assert!(before.starts_with("# "), "{scope} has no reason");
        }
    }

    #[test]
    fn the_scopes_allow_the_events_and_no_scope_is_idle() {
        let yaml = manifest(true, None, "myao");
        let events: BTreeSet<_> = list(&yaml, "bot_events:")
            .into_iter()
            .map(|(event, _)| event)
            .collect();
        assert_eq!(events, EVENTS.map(|(event, _)| event).into());
        let mut needed: BTreeSet<_> = EVENTS.map(|(_, scope)| scope).into();
        needed.remove("");
        needed.extend(["chat:write", "commands", "reactions:write"]);
        let required: BTreeSet<_> = REQUIRED_SCOPES.iter().map(|(scope, _)| *scope).collect();
        assert_eq!(needed, required);
    }

    #[test]
    fn socket_mode_needs_no_address() {
        let yaml = manifest(true, Some("https://a.example/slack"), "みゃお");
        assert!(yaml.contains("  socket_mode_enabled: true\n"));
        assert!(!yaml.contains("url:"), "{yaml}");
        assert!(
            yaml.contains("  name: \"みゃお\"\n")
                && yaml.contains("    display_name: \"みゃお\"\n")
        );
        assert!(yaml.contains(&format!("    - command: {COMMAND}\n")));
        assert!(yaml.contains(&format!("      callback_id: {THREAD}\n")));
    }

    #[test]
    fn http_has_its_address_three_times() {
        let yaml = manifest(false, Some("https://a.example/slack"), "myao");
        assert!(yaml.contains("  socket_mode_enabled: false\n"));
        assert!(yaml.contains("      url: \"https://a.example/slack\"\n"));
        let address = "    request_url: \"https://a.example/slack\"\n";
        assert_eq!(yaml.matches(address).count(), 2, "{yaml}");
        assert!(!manifest(false, None, "myao").contains("url:"));
    }

    #[test]
    fn a_name_cannot_break_out_of_its_quotes() {
        let yaml = manifest(
            true,
            None,
            " a\"b\\c\n{{request_url}}: {{socket_mode}} and more than fits",
        );
        assert!(
            yaml.contains("  name: \"a\\\"b\\\\c{{request_url}}: {{socket_mod\"\n"),
            "{yaml}"
        );
        assert!(manifest(true, None, " ").contains("  name: \"myao\"\n"));
    }

    #[test]
    fn nothing_is_left_to_fill_in() {
        for yaml in [
            manifest(true, None, "myao"),
            manifest(false, Some("https://a.example"), "myao"),
        ] {
            assert!(!yaml.contains("{{"), "{yaml}");
            assert!(
                yaml.contains("    home_tab_enabled: true\n")
                    && yaml.contains("    messages_tab_enabled: true\n")
            );
        }
    }
}
