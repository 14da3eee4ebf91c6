//! Which conversations are taken, and who reads them.

use myao_plugin::audience::{Audience, ChannelFacts};

use super::*;
use crate::Closed;

const SECRET: &str = r#"[{"user": "U2", "text": "secret", "ts": "1.000001"}]"#;
/// A conversation of each kind; the text in a private one names another.
const ALL_KINDS: [(&str, &str); 10] = [
    ("users.json", USERS),
    (
        "channels.json",
        r#"[{"id": "C1", "name": "general", "members": ["U1"]}, {"id": "C2", "name": "hidden", "is_private": true}]"#,
    ),
    (
        "groups.json",
        r#"[{"id": "G1", "name": "board"}, {"id": "G1", "name": "board"}]"#,
    ),
    ("mpims.json", r#"[{"id": "G2", "name": "mpdm-a--b-1"}]"#),
    ("dms.json", r#"[{"id": "D1", "members": ["U1", "U2"]}]"#),
    (
        "general/2024-03-01.json",
        r#"[{"user": "U1", "text": "open, see <#G1>", "ts": "1.000001"}]"#,
    ),
    ("hidden/2024-03-01.json", SECRET),
    ("board/2024-03-01.json", SECRET),
    ("mpdm-a--b-1/2024-03-01.json", SECRET),
    ("D1/2024-03-01.json", SECRET),
];

fn ids(sink: &Recorder) -> Vec<&str> {
    sink.channels
        .iter()
        .map(|channel| channel.id.as_str())
        .collect()
}

#[test]
fn only_public_channels_are_taken_unless_options_say_more() {
    let (sink, report) = read_with(Options::default(), &ALL_KINDS);
    assert_eq!(ids(&sink), ["C1"]);
    assert_eq!(sink.texts(), ["open, see #private channel"]);
    let left_out: Vec<_> = report.left_out_conversations.into_iter().collect();
    let expected = [
        (Closed::PrivateChannels, 2),
        (Closed::GroupMessages, 1),
        (Closed::DirectMessages, 1),
    ];
    assert_eq!(left_out, expected);
    assert_eq!((report.messages, report.warnings), (1, Vec::new()));
}

#[test]
fn each_option_takes_its_kinds() {
    let include_private = Options {
        include_private: true,
        ..Options::default()
    };
    let (sink, report) = read_with(include_private, &ALL_KINDS);
    assert_eq!(ids(&sink), ["C1", "C2", "G1"]);
    assert_eq!(report.left_out_conversations.len(), 2);
    let include_direct_messages = Options {
        include_direct_messages: true,
        ..Options::default()
    };
    let (sink, report) = read_with(include_direct_messages, &ALL_KINDS);
    assert_eq!(ids(&sink), ["C1", "G2", "D1"]);
    assert_eq!(report.left_out_conversations.len(), 1);
    let (sink, report) = read_with(Options::ALL, &ALL_KINDS);
    assert_eq!(ids(&sink), ["C1", "C2", "G1", "G2", "D1"]);
    assert!(report.left_out_conversations.is_empty());
}

#[test]
fn a_channel_is_open_if_all_its_members_are_known_and_none_is_a_guest() {
    let users = r#"[{"id": "U1", "name": "a"}, {"id": "U2", "name": "b", "is_restricted": true},
        {"id": "U3", "name": "c", "is_ultra_restricted": true}, {"id": "U4", "name": "d", "is_stranger": true}]"#;
    let channels = r#"[
        {"id": "C1", "name": "open", "members": ["U1"]},
        {"id": "C2", "name": "guest", "members": ["U1", "U2"]},
        {"id": "C3", "name": "single", "members": ["U3"]},
        {"id": "C4", "name": "stranger", "members": ["U4"]},
        {"id": "C5", "name": "shared", "members": ["U1"], "is_ext_shared": true},
        {"id": "C6", "name": "nobody", "members": ["U9"]},
        {"id": "C7", "name": "unlisted"},
        {"id": "C8", "name": "empty", "members": []}]"#;
    let (sink, report) = read(&[("users.json", users), ("channels.json", channels)]);
    let open: Vec<_> = sink
        .channels
        .iter()
        .filter(|channel| channel.facts.audience() == Audience::Everybody)
        .map(|channel| channel.name.as_str())
        .collect();
    assert_eq!(open, ["open", "empty"]);
    assert_eq!(report.unknown_audiences, 2, "those without known members");
    assert_eq!(sink.channels[0].facts, ChannelFacts::PUBLIC);
}
