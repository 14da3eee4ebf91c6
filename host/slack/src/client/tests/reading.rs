use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use serde_json::{Value, json};

use crate::{
    client::HistoryRequest,
    testing::{Server, TOKEN, answer, json as answer_json},
    token::Token,
};

#[tokio::test]
async fn auth_test_says_who_and_what_it_may_do() {
    let server = Server::start(|_, _| {
        let body = json!({"ok": true, "url": "https://t.slack.com/", "team": "T", "user": "bot", "team_id": "T1", "user_id": "U1", "bot_id": "B1"});
        answer(200, &[("x-oauth-scopes", "chat:write, users:read,")], &body.to_string())
    })
    .await;
    let auth = server.client().auth_test().await.unwrap();
    let ids = (
        auth.user_id.as_str(),
        auth.bot_id.as_deref(),
        auth.team_id.as_str(),
    );
    assert_eq!(ids, ("U1", Some("B1"), "T1"));
    assert_eq!(auth.scopes.unwrap(), ["chat:write", "users:read"]);
    let call = &server.calls()[0];
    assert_eq!(call.path, "/api/auth.test");
    assert_eq!(call.header("authorization"), format!("Bearer {TOKEN}"));
}

#[tokio::test]
async fn scopes_that_slack_does_not_tell_are_unknown() {
    let server = Server::start(|_, _| {
        answer_json(&json!({"ok": true, "url": "u", "team": "T", "team_id": "T1", "user_id": "U1"}))
    })
    .await;
    let auth = server.client().auth_test().await.unwrap();
    assert_eq!((auth.scopes, auth.bot_id), (None, None));
}

/// Regression 9: a listing that ended at the first page made the rest look deleted.
#[tokio::test]
async fn channels_come_from_all_pages_even_after_an_empty_one() {
    let server = Server::start(|call, _| {
        let (channels, cursor) = match call.params["cursor"].as_str() {
            None => (json!([{"id": "C1", "name": "a", "is_member": true, "is_archived": false, "is_private": false}]), "two=="),
            Some("two==") => (json!([]), "three"),
            Some(_) => (json!([{"id": "C2", "name": "b", "is_archived": true}]), ""),
        };
        answer_json(&json!({"ok": true, "channels": channels, "response_metadata": {"next_cursor": cursor}}))
    })
    .await;
    let channels = server.client().channels().await.unwrap();
    let ids: Vec<_> = channels
        .iter()
        .map(|channel| (channel.id.as_str(), channel.is_archived, channel.is_member))
        .collect();
    assert_eq!(
        ids,
        [("C1", Some(false), Some(true)), ("C2", Some(true), None)]
    );
    let first = server.calls()[0].params.clone();
    assert_eq!(
        first,
        json!({"types": "public_channel,private_channel", "exclude_archived": "false", "limit": "200"}),
        "closed channels belong to it"
    );
}

#[tokio::test]
async fn an_odd_entry_of_a_listing_hides_no_other() {
    let odd = [
        r#""name": 5"#,
        r#""name": "\ud83d""#,
        r#""is_member": "yes""#,
    ];
    let entries: Vec<String> = odd
        .iter()
        .enumerate()
        .map(|(number, odd)| format!(r#"{{"id": "C1", {odd}}}, {{"id": "C{number}9"}}"#))
        .collect();
    let body = format!(r#"{{"ok": true, "channels": [{}]}}"#, entries.join(","));
    let server = Server::start(move |_, _| answer(200, &[], &body)).await;
    let channels = server.client().channels().await.unwrap();
    let ids: Vec<_> = channels.iter().map(|channel| channel.id.as_str()).collect();
    assert_eq!(ids, ["C09", "C19", "C29"]);
}

#[tokio::test]
async fn a_page_with_an_odd_message_has_the_others() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for odd in [r#""\ud83d""#, &deep] {
        let body = format!(
            r#"{{"ok": true, "messages": [{{"ts": "1.1"}}, {{"ts": "1.2", "text": {odd}}}, {{"ts": "1.3"}}], "has_more": false}}"#
        );
        let server = Server::start(move |_, _| answer(200, &[], &body)).await;
        let page = server
            .client()
            .history(&HistoryRequest::default())
            .await
            .unwrap();
        assert_eq!(page.messages, [json!({"ts": "1.1"}), json!({"ts": "1.3"})]);
        assert_eq!(page.unreadable[0]["ts"], "1.2");
        assert_eq!((page.unreadable.len(), page.has_more), (1, false));
    }
}

#[tokio::test]
async fn a_listing_that_breaks_in_the_middle_is_an_error() {
    for broken in [
        json!({"ok": false, "error": "invalid_cursor"}),
        json!({"ok": true}),
        json!({"ok": true, "members": [{"name": "without an id"}]}),
        json!({"ok": true, "members": [{"id": "U2"}], "response_metadata": {"next_cursor": "again"}}),
    ] {
        let server = Server::start(move |_, number| match number {
            0 => answer_json(&json!({"ok": true, "members": [{"id": "U1"}], "response_metadata": {"next_cursor": "again"}})),
            _ => answer_json(&broken),
        })
        .await;
        assert!(server.client().users().await.is_err());
    }
}

#[tokio::test]
async fn a_user_has_the_name_that_slack_shows() {
    let server = Server::start(|_, _| {
        answer_json(&json!({"ok": true, "members": [
            {"id": "U1", "name": "handle", "real_name": "Full Name", "profile": {"display_name": "chosen", "real_name": "Full Name"}},
            {"id": "U2", "name": "handle", "profile": {"display_name": " ", "real_name": "Full Name"}, "deleted": true},
            {"id": "U3", "name": "handle", "is_bot": true, "profile": {"display_name": ""}},
            {"id": "U4"},
            {"id": "U5", "name": "r&amp;d"},
        ]}))
    })
    .await;
    let users = server.client().users().await.unwrap();
    let names: Vec<_> = users
        .iter()
        .map(|user| (user.record().name, user.record().is_bot))
        .collect();
    let expected = [
        ("chosen", false),
        ("Full Name", false),
        ("handle", true),
        ("", false),
        ("r&d", false),
    ];
    assert_eq!(
        names,
        expected.map(|(name, is_bot)| (name.to_owned(), is_bot))
    );
}

#[tokio::test]
async fn members_come_from_all_pages_and_none_is_passed_over() {
    let server = Server::start(|call, _| {
        let (members, cursor) = match (
            call.params["channel"].as_str(),
            call.params["cursor"].as_str(),
        ) {
            (Some("C1"), None) => (json!(["U1", "U2"]), "next="),
            (Some("C1"), Some(_)) => (json!(["U3"]), ""),
            _ => (json!(["U1", 5]), ""),
        };
        answer_json(
            &json!({"ok": true, "members": members, "response_metadata": {"next_cursor": cursor}}),
        )
    })
    .await;
    let client = server.client();
    assert_eq!(client.members("C1").await.unwrap(), ["U1", "U2", "U3"]);
    assert!(client.members("C2").await.is_err());
    let call = &server.calls()[0];
    assert_eq!(call.path, "/api/conversations.members");
    assert_eq!(call.params, json!({"channel": "C1", "limit": "1000"}));
}

#[test]
fn a_channel_is_shared_or_direct_in_several_ways() {
    let facts = |fields: Value| {
        let mut channel = json!({"id": "C1", "is_private": false});
        for (name, value) in fields.as_object().unwrap() {
            channel[name] = value.clone();
        }
        let channel: crate::client::Channel = serde_json::from_value(channel).unwrap();
        let effects = channel.effects(TsKey::first_of(1));
        let shared = effects.get(1).map(|effect| match effect {
            Effect::ChannelShared { is_shared, .. } => *is_shared,
            _ => None,
        });
        match &effects[0] {
            Effect::ChannelName { is_private, .. } => (*is_private, shared.flatten()),
            _ => (None, None),
        }
    };
    assert_eq!(facts(json!({})), (Some(false), None));
    let alone = json!({"is_shared": false, "is_ext_shared": false, "is_org_shared": false});
    assert_eq!(facts(alone), (Some(false), Some(false)));
    for way in [
        "is_shared",
        "is_ext_shared",
        "is_org_shared",
        "is_pending_ext_shared",
    ] {
        let mut fields = json!({"is_shared": false});
        fields[way] = json!(true);
        assert_eq!(facts(fields), (Some(false), Some(true)), "{way}");
    }
    for way in ["is_im", "is_mpim"] {
        assert_eq!(facts(json!({way: true})), (Some(true), None), "{way}");
    }
}

#[tokio::test]
async fn one_channel_and_one_person_are_found_by_their_ids() {
    let server = Server::start(|call, _| match call.path.as_str() {
        "/api/conversations.info" => answer_json(
            &json!({"ok": true, "channel": {"id": call.params["channel"], "is_private": true}}),
        ),
        _ => answer_json(&json!({"ok": true, "user": {"id": call.params["user"], "name": "n"}})),
    })
    .await;
    let channel = server.client().channel_info("D1").await.unwrap();
    assert_eq!(
        (channel.id.as_str(), channel.name, channel.is_private),
        ("D1", None, Some(true))
    );
    let user = server.client().user_info("U1").await.unwrap();
    assert_eq!(user.record().name, "n");
}

#[tokio::test]
async fn a_page_of_history_is_as_slack_gives_it() {
    let server = Server::start(|_, _| {
        answer_json(&json!({"ok": true, "messages": [{"ts": "2.0", "subtype": "new_kind"}, {"ts": "1.0"}], "has_more": true,
            "response_metadata": {"next_cursor": "next"}}))
    })
    .await;
    let request = HistoryRequest {
        channel: "C1".to_owned(),
        oldest: Some("1.0".to_owned()),
        inclusive: true,
        limit: Some(15),
        ..HistoryRequest::default()
    };
    let page = server.client().history(&request).await.unwrap();
    assert_eq!(
        page.messages,
        [
            json!({"ts": "2.0", "subtype": "new_kind"}),
            json!({"ts": "1.0"})
        ]
    );
    assert_eq!(
        (page.has_more, page.next_cursor.as_deref()),
        (true, Some("next"))
    );
    let next = HistoryRequest {
        cursor: page.next_cursor,
        ..request
    };
    server.client().replies(&next, "1.0").await.unwrap();
    let calls = server.calls();
    assert_eq!(
        calls[0].params,
        json!({"channel": "C1", "oldest": "1.0", "inclusive": "true", "limit": "15", "include_all_metadata": "true"})
    );
    assert_eq!(
        (&calls[1].params["ts"], &calls[1].params["cursor"]),
        (&json!("1.0"), &json!("next"))
    );
    assert_eq!(calls[1].path, "/api/conversations.replies");
}

#[tokio::test]
async fn socket_mode_is_opened_with_the_app_token() {
    let server = Server::start(|_, _| {
        answer_json(&json!({"ok": true, "url": "ws://127.0.0.1:9/link?ticket=1"}))
    })
    .await;
    let app_token = Token::new("xapp-1-other").unwrap();
    let url = server.client().open_connection(&app_token).await.unwrap();
    assert_eq!(url.as_str(), "ws://127.0.0.1:9/link?ticket=1");
    assert_eq!(
        server.calls()[0].header("authorization"),
        "Bearer xapp-1-other"
    );
}

#[tokio::test]
async fn the_time_of_slack_is_known_after_an_answer_with_a_date() {
    let server = Server::start(|_, _| {
        let body = r#"{"ok": true, "url": "u", "team": "T", "team_id": "T1", "user_id": "U1"}"#;
        answer(200, &[("date", "Thu, 01 Jan 2026 00:00:00 GMT")], body)
    })
    .await;
    let client = server.client();
    assert_eq!(client.server_time(), None);
    client.auth_test().await.unwrap();
    let since = client.server_time().unwrap().as_secs() - 1_767_225_600;
    assert!((0..600).contains(&since), "{since}");
}
