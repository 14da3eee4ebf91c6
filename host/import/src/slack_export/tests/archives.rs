use myao_slack::message::LeftOut;

use super::*;
use crate::slack_export;

fn error_of(files: &[(&str, &str)]) -> ImportError {
    let (folder, zip) = (folder_of(files), zip_of(files));
    let from_folder = read_path(folder.path()).unwrap_err();
    let from_zip = read_path(zip.path()).unwrap_err();
    assert_eq!(
        std::mem::discriminant(&from_folder),
        std::mem::discriminant(&from_zip),
        "{from_folder} / {from_zip}"
    );
    from_zip
}

#[test]
fn users_come_first_then_channels_then_messages_by_channel_and_day() {
    let message = |ts: &str| {
        format!(r#"[{{"type": "message", "user": "U1", "text": "{ts}", "ts": "{ts}"}}]"#)
    };
    let (sink, report) = read_days(&[
        ("random/2024-03-01.json", &message("1.000001")),
        ("general/2024-03-02.json", &message("3.000001")),
        ("general/2024-03-01.json", &message("2.000001")),
    ]);
    assert_eq!(sink.texts(), ["2.000001", "3.000001", "1.000001"]);
    assert_eq!(
        sink.messages
            .iter()
            .map(|m| m.channel_id.as_str())
            .collect::<Vec<_>>(),
        ["C1", "C1", "C2"]
    );
    assert_eq!((report.users, report.channels, report.messages), (4, 2, 3));
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn everything_may_lie_in_one_top_folder() {
    let (sink, report) = read(&[
        ("My export/users.json", USERS),
        ("My export/channels.json", CHANNELS),
        (
            "My export/general/2024-03-01.json",
            r#"[{"user": "U1", "text": "hi", "ts": "1.000001"}]"#,
        ),
        ("__MACOSX/._users.json", "x"),
        ("README.txt", "x"),
    ]);
    assert_eq!(sink.texts(), ["hi"]);
    assert_eq!(
        report.warnings,
        [
            "files that do not belong to an export and were ignored: 2 (`README.txt`, `__MACOSX/._users.json`)"
        ]
    );
}

#[test]
fn private_conversations_of_all_kinds_are_read() {
    let day = r#"[{"user": "U1", "text": "hi", "ts": "1.000001"}]"#;
    let (sink, _) = read(&[
        ("users.json", USERS),
        (
            "channels.json",
            r#"[{"id": "C1", "name": "general"}, {"id": "C2", "name": "hidden", "is_private": true}]"#,
        ),
        ("groups.json", r#"[{"id": "G1", "name": "board"}]"#),
        (
            "mpims.json",
            r#"[{"id": "G2", "name": "mpdm-tanaka--ben-1"}]"#,
        ),
        (
            "dms.json",
            r#"[{"id": "D1", "members": ["U1", "U2"]}, {"id": "D2", "members": ["U1", "U1"]}, {"id": "D3"}]"#,
        ),
        ("board/2024-03-01.json", day),
        ("mpdm-tanaka--ben-1/2024-03-01.json", day),
        ("D1/2024-03-01.json", day),
    ]);
    let channels: Vec<_> = sink
        .channels
        .iter()
        .map(|c| {
            (
                c.id.as_str(),
                c.name.as_str(),
                c.facts.is_private == Some(true),
            )
        })
        .collect();
    assert_eq!(
        channels,
        [
            ("C1", "general", false),
            ("C2", "hidden", true),
            ("G1", "board", true),
            ("G2", "mpdm-tanaka--ben-1", true),
            ("D1", "dm-tanaka--ben", true),
            ("D2", "dm-tanaka", true),
            ("D3", "", true),
        ]
    );
    assert_eq!(
        sink.messages
            .iter()
            .map(|m| m.channel_id.as_str())
            .collect::<Vec<_>>(),
        ["G1", "G2", "D1"]
    );
}

#[test]
fn a_channel_without_a_folder_has_no_messages() {
    let (sink, report) = read(&[("users.json", USERS), ("channels.json", CHANNELS)]);
    assert_eq!(sink.channels.len(), 2);
    assert_eq!((report.messages, report.warnings.len()), (0, 0));
}

#[test]
fn a_folder_without_a_listed_channel_is_reported() {
    let (sink, report) = read(&[
        ("users.json", USERS),
        ("channels.json", CHANNELS),
        ("lost/2024-03-01.json", "not even JSON"),
        ("lost/2024-03-02.json", "[]"),
    ]);
    assert!(sink.messages.is_empty());
    assert_eq!(
        report.warnings,
        ["day files in `lost` that were not imported, because no list has a channel for them: 2"]
    );
}

#[test]
fn files_outside_of_an_export_are_ignored_and_reported() {
    let files = [
        ("users.json", USERS),
        ("channels.json", CHANNELS),
        ("integration_logs.json", "x"),
        ("canvases.json", "x"),
        ("general/notes.txt", "x"),
        ("general/2024-3-1.json", "x"),
        ("../users.json", "x"),
        ("a/b/2024-03-01.json", "x"),
    ];
    let (_, report) = read_path(zip_of(&files).path()).unwrap();
    assert_eq!(
        report.warnings,
        [
            "files that do not belong to an export and were ignored: 4 (`../users.json`, `a/b/2024-03-01.json`, `general/2024-3-1.json`, `general/notes.txt`)"
        ]
    );
}

#[test]
fn what_is_no_export_says_what_is_missing_and_what_is_there() {
    let error = error_of(&[("a.txt", ""), ("b.txt", "")]);
    assert!(
        error.to_string().ends_with(
            "expected `users.json`, at its top or in its one top folder; found `a.txt`, `b.txt`"
        ),
        "{error}"
    );
    let error = error_of(&[("users.json", USERS), ("general/2024-03-01.json", "[]")]);
    assert!(
        error
            .to_string()
            .contains("expected `channels.json`, `groups.json`, `mpims.json` or `dms.json`"),
        "{error}"
    );
    let error = error_of(&[("a/users.json", USERS), ("b/users.json", USERS)]);
    assert!(
        error
            .to_string()
            .ends_with("expected one export, at its top or in its one top folder; found `a`, `b`"),
        "{error}"
    );
}

#[test]
fn broken_json_names_file_line_and_column() {
    let error = error_of(&[
        ("users.json", USERS),
        ("channels.json", CHANNELS),
        (DAY, "[\n  {\"ts\": }\n]"),
    ]);
    assert!(
        error
            .to_string()
            .ends_with("2024-03-01.json, line 2, column 10: expected value"),
        "{error}"
    );
    let error = error_of(&[("users.json", "[{]"), ("channels.json", CHANNELS)]);
    assert!(
        matches!(&error, ImportError::Json { file, line: 1, column: 3, .. } if file.ends_with("users.json")),
        "{error}"
    );
    let error = error_of(&[("users.json", USERS), ("channels.json", "{}")]);
    assert!(
        matches!(&error, ImportError::Json { file, .. } if file.ends_with("channels.json")),
        "{error}"
    );
}

#[test]
fn a_byte_order_mark_is_no_error() {
    let users = format!("\u{feff}{USERS}");
    let (sink, _) = read(&[("users.json", &users), ("channels.json", CHANNELS)]);
    assert_eq!(sink.users.len(), 4);
}

#[test]
fn a_message_that_cannot_be_read_is_left_out_and_named_and_the_others_are_imported() {
    for (odd, told) in [
        (
            r#"{"text": "x", "ts": "deadbeef"}"#,
            "message 2: `deadbeef`",
        ),
        (r#"{"text": "x"}"#, "message 2: ``"),
        ("{}", "message 2: ``"),
        (
            r#"{"text": "x", "ts": "2.000001", "thread_ts": "y"}"#,
            "message 2: `y`",
        ),
        (
            r#"{"text": "x", "ts": 5}"#,
            "line 2, column …: invalid type: integer `5`, expected a string",
        ),
        (
            r#"{"text": ["x"], "ts": "2.000001"}"#,
            "line 2, column …: invalid type: sequence, expected a string",
        ),
        (
            r#"{"text": "x\ud83d", "ts": "2.000001"}"#,
            "line 2, column …: unexpected end of hex escape",
        ),
        (
            "\"root:x:0\"",
            "line 2, column …: invalid type: string, expected",
        ),
        ("null", "line 2, column …: invalid type: null"),
    ] {
        let day = format!(
            r#"[{{"text": "fine", "ts": "1.000001"}},
{odd}, {{"text": "good", "ts": "3.000001"}}]"#
        );
        let (sink, report) = read(&[
            ("users.json", USERS),
            ("channels.json", CHANNELS),
            (DAY, &day),
        ]);
        assert_eq!(sink.texts(), ["fine", "good"], "{odd}");
        let reasons: Vec<_> = report.left_out.into_iter().collect();
        assert_eq!(reasons, [(LeftOut::Unreadable, 1)]);
        let [warning] = report.warnings.as_slice() else {
            panic!("{:?}", report.warnings);
        };
        assert!(
            warning.starts_with(&format!("left out: {DAY}, ")),
            "{warning}"
        );
        // `json_array` tests the columns.
        for part in told.split('…') {
            assert!(warning.contains(part), "{part:?}: {warning}");
        }
    }
}

#[test]
fn odd_people_and_channels_are_left_out_and_named() {
    let (sink, report) = read(&[
        ("users.json", r#"[{"id": 5}, {"id": "U1", "name": "ann"}]"#),
        (
            "channels.json",
            r#"[{"name": "x"}, {"id": "C1", "name": "general"}]"#,
        ),
        (DAY, r#"[{"user": "U1", "text": "hi", "ts": "1.000001"}]"#),
    ]);
    assert_eq!(sink.texts(), ["hi"]);
    assert_eq!(sink.user_name("U1"), Some("ann"));
    assert_eq!(
        report.warnings,
        [
            "left out: users.json, line 1, column 9: invalid type: integer `5`, expected a string",
            "left out: channels.json, line 1, column 14: missing field `id`",
        ]
    );
}

#[test]
fn many_odd_messages_are_counted_and_some_are_named() {
    let (_, report) = read_day(&format!("[{}5]", "5,".repeat(2_999)));
    assert_eq!(report.left_out[&LeftOut::Unreadable], 3_000);
    assert_eq!(report.warnings.len(), 21);
    assert_eq!(
        report.warnings[20],
        "left out: 2980 more records that cannot be read"
    );
}

#[test]
fn names_and_texts_are_not_longer_than_any_of_slack() {
    let users = format!(r#"[{{"id": "U1", "name": "{}"}}]"#, "あ".repeat(1_000));
    let day = format!(
        r#"[{{"text": "{}", "ts": "1.000001"}}, {{"text": "<@U1>", "ts": "2.000001"}}]"#,
        "<@U1>".repeat(20_000)
    );
    let (sink, report) = read(&[
        ("users.json", &users),
        ("channels.json", CHANNELS),
        (DAY, &day),
    ]);
    assert_eq!(sink.texts(), [format!("@{}", "あ".repeat(106))]);
    assert_eq!(
        report.warnings,
        [format!(
            "left out: {DAY}, message 1: its text has more than 1048576 bytes"
        )]
    );
}

#[test]
fn a_long_day_comes_in_batches_in_order() {
    let day: Vec<String> = (0..2_500)
        .map(|at| format!(r#"{{"text": "{at}", "ts": "{at}.000001"}}"#))
        .collect();
    let (sink, _) = read_day(&format!("[{}]", day.join(",")));
    let expected: Vec<String> = (0..2_500).map(|at| at.to_string()).collect();
    assert_eq!(sink.texts(), expected);
}

#[test]
fn a_full_store_ends_the_import() {
    let files = [
        ("users.json", USERS),
        ("channels.json", CHANNELS),
        (DAY, r#"[{"text": "x", "ts": "1.000001"}]"#),
    ];
    let mut sink = Recorder {
        full_after: Some(0),
        ..Recorder::default()
    };
    let error = slack_export::read(
        folder_of(&files).path(),
        Options::ALL,
        &mut sink,
        &mut |_| (),
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "the store failed: the disk is full");
}

#[test]
fn progress_counts_files_and_messages() {
    let day = r#"[{"text": "x", "ts": "1.000001"}, {"text": "y", "ts": "1.000002"}]"#;
    let files = [
        ("users.json", USERS),
        ("channels.json", CHANNELS),
        (DAY, day),
        ("random/2024-03-01.json", day),
    ];
    let mut seen = Vec::new();
    let mut record = |p: Progress| seen.push((p.files_done, p.files_total, p.messages));
    slack_export::read(
        folder_of(&files).path(),
        Options::ALL,
        &mut Recorder::default(),
        &mut record,
    )
    .unwrap();
    assert_eq!(seen, [(0, 2, 0), (1, 2, 2), (2, 2, 4)]);
}
