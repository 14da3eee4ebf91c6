use super::*;

#[test]
fn a_user_is_called_by_display_name_then_real_name_then_handle() {
    let (sink, _) = read_day("[]");
    let users: Vec<_> = sink
        .users
        .iter()
        .map(|u| (u.id.as_str(), u.name.as_str(), u.is_bot))
        .collect();
    assert_eq!(
        users,
        [
            ("U1", "田中", false),
            ("U2", "Ben R&D", false),
            ("U3", "cleo", false),
            ("UB", "Deploy", true)
        ]
    );
}

#[test]
fn an_enterprise_export_names_its_users_file_otherwise() {
    let (sink, _) = read(&[("org_users.json", USERS), ("channels.json", CHANNELS)]);
    assert_eq!(sink.user_name("U1"), Some("田中"));
}

#[test]
fn bot_posts_carry_the_name_they_were_posted_under() {
    let (sink, _) = read_day(
        r#"[
        {"subtype": "bot_message", "bot_id": "B1", "username": "R&amp;D alerts", "text": "a", "ts": "1.000001"},
        {"subtype": "bot_message", "bot_id": "B1", "username": "other", "text": "b", "ts": "1.000002"},
        {"bot_id": "B2", "bot_profile": {"name": "GitHub"}, "text": "c", "ts": "1.000003"},
        {"user": "UB", "bot_id": "B3", "username": "Deploy", "text": "d", "ts": "1.000004"},
        {"user": "UB", "bot_id": "B3", "username": "Deploy (staging)", "text": "e", "ts": "1.000005"},
        {"user": "U1", "bot_id": "B4", "bot_profile": {"name": "Form"}, "text": "f", "ts": "1.000006"},
        {"subtype": "bot_message", "text": "g", "ts": "1.000007"}
    ]"#,
    );
    let authors: Vec<_> = sink
        .messages
        .iter()
        .map(|m| (m.user_id.as_str(), m.author_name.as_deref(), m.is_bot))
        .collect();
    assert_eq!(
        authors,
        [
            ("B1", None, true),
            ("B1", Some("other"), true),
            ("B2", None, true),
            ("UB", None, true),
            ("UB", Some("Deploy (staging)"), true),
            ("U1", None, false),
            ("", None, true),
        ]
    );
    assert_eq!(sink.user_name("B1"), Some("R&D alerts"));
    assert_eq!(sink.user_name("B2"), Some("GitHub"));
}

#[test]
fn people_of_other_workspaces_are_known_from_their_messages() {
    let (sink, _) = read_days(&[
        (
            DAY,
            r#"[{"user": "U1", "text": "<@U8> <@U9>", "ts": "1.000001"}]"#,
        ),
        (
            "general/2024-03-02.json",
            r#"[{"user": "U8", "text": "x", "ts": "2.000001"},
                {"user": "U8", "user_profile": {"display_name": "", "real_name": "Eve"}, "text": "x", "ts": "2.000002"},
                {"user": "U7", "text": "x", "ts": "2.000003"}]"#,
        ),
    ]);
    assert_eq!(sink.texts()[0], "@Eve @unknown user");
    assert_eq!(sink.user_name("U8"), Some("Eve"));
    assert_eq!(sink.user_name("U7"), Some(""));
}

#[test]
fn slackbot_is_a_bot_and_has_a_name() {
    let (sink, _) = read_day(r#"[{"user": "USLACKBOT", "text": "reminder", "ts": "1.000001"}]"#);
    assert_eq!(sink.user_name("USLACKBOT"), Some("Slackbot"));
    assert!(sink.messages[0].is_bot);
}

#[test]
fn comments_on_files_belong_to_who_wrote_them() {
    let (sink, _) = read_day(
        r#"[{"subtype": "file_comment", "comment": {"user": "U2"}, "text": "<@U2> commented", "ts": "1.000001"}]"#,
    );
    assert_eq!(
        (sink.messages[0].user_id.as_str(), sink.texts()[0]),
        ("U2", "@Ben R&D commented")
    );
}
