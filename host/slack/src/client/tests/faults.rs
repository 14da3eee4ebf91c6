use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::message;
use crate::{
    client::SlackClient,
    error::ClientError,
    testing::{Server, TOKEN, answer, client, json as answer_json},
    token::Token,
};

/// A server that reads each request, sends these bytes, and closes the connection; with the number of requests.
async fn hanging_up(reply: &'static [u8]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let read = stream.read(&mut [0; 4096]).await.unwrap();
            count.fetch_add(usize::from(read > 0), Ordering::SeqCst);
            stream.write_all(reply).await.unwrap();
        }
    });
    (address, requests)
}

#[tokio::test]
async fn a_post_whose_answer_is_lost_is_not_sent_again() {
    for reply in [
        b"".as_slice(),
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"ok\"",
    ] {
        let (address, requests) = hanging_up(reply).await;
        let error = client(&address).post_message(&message()).await.unwrap_err();
        assert!(error.may_have_arrived(), "{error}");
        assert_eq!(requests.load(Ordering::SeqCst), 1);
        let error = client(&address).user_info("U1").await.unwrap_err();
        assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
        assert_eq!(
            requests.load(Ordering::SeqCst),
            1 + 3,
            "what only reads may be repeated"
        );
    }
    for status in [500, 503, 504] {
        let server = Server::start(move |_, _| answer(status, &[], "oops")).await;
        let error = server.client().post_message(&message()).await.unwrap_err();
        assert_eq!(
            error,
            ClientError::Status {
                method: "chat.postMessage",
                status
            }
        );
        assert!(error.may_have_arrived());
        assert_eq!(server.calls().len(), 1);
        assert!(
            server
                .client()
                .publish_home("U1", &json!({}))
                .await
                .is_err()
        );
        assert_eq!(server.calls().len(), 1 + 3, "a Home tab may be set twice");
    }
}

#[tokio::test]
async fn a_post_that_cannot_have_arrived_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client(&address).post_message(&message()).await.unwrap_err();
    assert!(
        matches!(&error, ClientError::Unreachable { detail, may_have_arrived: false, .. } if detail.contains("refused")),
        "{error}"
    );
}

#[tokio::test]
async fn a_limited_post_is_sent_again_when_its_time_has_come() {
    let server = Server::start(|_, number| match number {
        0 => answer(429, &[("retry-after", "0")], ""),
        1 => answer(
            200,
            &[("retry-after", "0")],
            r#"{"ok": false, "error": "ratelimited"}"#,
        ),
        _ => answer_json(&json!({"ok": true, "ts": "1.0"})),
    })
    .await;
    assert_eq!(
        server.client().post_message(&message()).await.unwrap(),
        "1.0"
    );
    assert_eq!(server.calls().len(), 3);
}

#[tokio::test]
async fn retry_after_holds_back_that_method_and_no_other() {
    let server = Server::start(|call, _| match call.path.as_str() {
        "/api/chat.postMessage" => answer(429, &[("retry-after", "3000")], ""),
        _ => answer_json(&json!({"ok": true, "user": {"id": "U1"}})),
    })
    .await;
    let client = server.client();
    for _ in 0..2 {
        let error = client.post_message(&message()).await.unwrap_err();
        let ClientError::RateLimited {
            retry_after: Some(wait),
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert!(
            wait > Duration::from_secs(2900) && wait <= Duration::from_secs(3000),
            "{wait:?}"
        );
    }
    assert_eq!(server.calls().len(), 1, "the second call asked nobody");
    client.user_info("U1").await.unwrap();
}

#[tokio::test]
async fn a_refusal_names_the_scope_and_hides_the_token() {
    let server = Server::start(|call, _| match call.params["user"].as_str() {
        Some("U1") => answer_json(&json!({"ok": false, "error": "missing_scope", "needed": "users:read", "provided": "chat:write"})),
        // A text that does not look like a code may be anything that people wrote.
        Some("U3") => answer_json(&json!({"ok": false, "error": "you said: hello"})),
        _ => answer_json(&json!({"ok": false, "error": format!("bad_{}", call.header("authorization").replace(' ', "_"))})),
    })
    .await;
    let error = server.client().user_info("U1").await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("lacks `users:read` (it has chat:write)"),
        "{error}"
    );
    let error = server.client().user_info("U2").await.unwrap_err();
    assert_eq!(
        format!("{error}")
            .find("secret")
            .or(format!("{error:?}").find("secret")),
        None,
        "{error}"
    );
    assert!(
        error.to_string().contains("`bad_Bearer_[token]`"),
        "{error}"
    );
    let error = server.client().user_info("U3").await.unwrap_err();
    assert!(error.to_string().contains("`(no code)`"), "{error}");
    assert!(!format!("{:?}", server.client()).contains("secret"));
}

#[tokio::test]
async fn what_is_no_answer_of_slack_is_told_apart() {
    let server = Server::start(|_, number| match number {
        0 => answer(200, &[], "<html>Sign in</html>"),
        1 => answer(200, &[], r#"{"channel": {}}"#),
        2 => answer(404, &[], "<html>"),
        3 => answer(302, &[("location", "http://127.0.0.1:1/")], ""),
        4 => answer(403, &[], r#"{"ok": false, "error": "invalid_auth"}"#),
        _ => answer(200, &[], r#"{"ok": false}"#),
    })
    .await;
    let client = server.client();
    let mut errors = Vec::new();
    for _ in 0..6 {
        errors.push(client.channel_info("C1").await.unwrap_err());
    }
    let method = "conversations.info";
    assert!(
        matches!(&errors[0], ClientError::BadAnswer { detail, .. } if detail.contains("not JSON"))
    );
    assert!(
        matches!(&errors[1], ClientError::BadAnswer { detail, .. } if detail.contains("no `ok`"))
    );
    assert_eq!(
        errors[2],
        ClientError::Status {
            method,
            status: 404
        }
    );
    assert_eq!(
        errors[3],
        ClientError::Status {
            method,
            status: 302
        },
        "redirects are not followed"
    );
    assert!(matches!(&errors[4], ClientError::Refused { code, .. } if code == "invalid_auth"));
    assert!(matches!(&errors[5], ClientError::BadAnswer { .. }));
}

#[test]
fn an_address_that_is_none_is_refused() {
    for bad in ["", "slack.com/api", "ftp://slack.com/", "https://"] {
        let error = SlackClient::new(bad, Token::new(TOKEN).unwrap()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("Slack's own is https://slack.com/api/"),
            "{error}"
        );
    }
}
