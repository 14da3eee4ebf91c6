//! What people change on the page, and that nobody else can.

use myao_tests::export::{post, program_with, ts};
use myao_tests::page::{Answer, Served};
use serde_json::Value;

use super::has;

const MESSAGE: &str = "/message/CGENERAL/";

/// Two messages and the memory of them.
fn served() -> Served {
    let program = program_with(
        "",
        &[
            post("general", 0, "ann", "The door code 471188 was decided."),
            post("general", 1, "bob", "The party is on 4 March 2026."),
        ],
    );
    let made = program.run(&["generate", "--now", "2026-03-02T09:00:00Z"]);
    made.succeeded();
    Served::opened(program)
}

/// Where the message with this number is.
fn message(minute: i64) -> String {
    format!("{MESSAGE}{}", ts(minute).replace('.', "%2E"))
}

/// The secret in a page's forms.
fn token(page: &Answer) -> String {
    let (_, rest) = page.body.split_once("name=\"token\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// Sends a form with its token.
fn send(served: &Served, path: &str, fields: &str) -> Answer {
    let token = token(&served.page(path));
    let body = format!("token={token}&{fields}");
    served.post(path, &[], &body)
}

#[test]
fn a_message_is_forgotten_with_a_receipt_after_saying_what_goes() {
    let served = served();
    let channel = served.page("/channel/CGENERAL");
    has(&channel, "471188");
    let found = served.page("/search?q=door");
    let path = message(0);
    assert!(found.links().contains(&path), "{:?}", found.links());
    let page = served.page(&path);
    has(&page, "If you forget it, this goes:");
    has(&page, "lines of memories");
    let would_go = served.page(&path.replace("%2E", "."));
    has(&would_go, "471188");
    let receipt = send(&served, &path, "do=forget");
    assert_eq!(receipt.status, 200, "{receipt:?}");
    has(&receipt, "Forgotten");
    has(&receipt, "none is left");
    assert_eq!(served.get(&path).status, 404);
    for gone in ["/channel/CGENERAL", "/search?q=door", "/workspace"] {
        assert!(!served.page(gone).body.contains("471188"), "{gone}");
    }
    has(&served.page("/search?q=party"), "4 March");
}

#[test]
fn a_message_is_pinned_until_the_pin_is_taken_off() {
    let served = served();
    let path = message(1);
    let marks = || served.page("/channel/CGENERAL.json").json()["marks"].clone();
    assert_eq!(marks().as_array().unwrap().len(), 0);
    let pinned = send(&served, &path, "do=pin");
    assert_eq!(
        (pinned.status, pinned.header("location")),
        (303, Some(path.as_str()))
    );
    assert_eq!(marks()[0]["kind"], "pinned");
    has(&served.page(&path), "Take your pin off");
    assert_eq!(send(&served, &path, "do=unpin").status, 303);
    assert_eq!(marks().as_array().unwrap().len(), 0);
    // What was changed by a click stands in the log.
    let (_, _, log) = served.stopped();
    for change in ["unpin of CGENERAL:", " pin of CGENERAL:"] {
        assert!(log.contains(change), "{log}");
    }
}

#[test]
fn a_correction_strikes_what_is_ticked_on_the_next_page() {
    let served = served();
    let fields = "do=correct&text=The+party+is+on+5+March+2026.";
    let list = send(&served, "/channel/CGENERAL", fields);
    let (_, picked) = list.body.split_once("name=\"struck-").unwrap();
    let (struck, rest) = picked.split_once('"').unwrap();
    assert!(rest.starts_with(" checked"), "{}", list.body);
    let (_, correction) = list
        .body
        .split_once("name=\"correction\" value=\"")
        .unwrap();
    let (correction, _) = correction.split_once('"').unwrap();
    let page = served.page("/channel/CGENERAL");
    has(&page, "The party is on 5 March 2026.");
    assert!(!page.body.contains("<s>"), "{}", page.body);
    let fields = format!("do=strike&correction={correction}&struck-{struck}=on");
    let done = send(&served, "/channel/CGENERAL", &fields);
    assert_eq!(done.header("location"), Some("/channel/CGENERAL"));
    let page = served.page("/channel/CGENERAL");
    assert!(page.body.contains("<s>"), "{}", page.body);
}

#[test]
fn what_no_form_of_the_page_sends_changes_nothing() {
    let served = served();
    let (forget, channel) = (message(0), "/channel/CGENERAL".to_owned());
    let token = token(&served.page(&forget));
    let right = format!("token={token}&do=forget");
    let wrong = format!("token={}&do=forget", "0".repeat(token.len()));
    let elsewhere = "Sec-Fetch-Site: cross-site";
    for (path, headers, body, status) in [
        (&forget, vec![], "do=forget", 403),
        (&forget, vec![], &wrong, 403),
        (&forget, vec![elsewhere], &right, 403),
        (&forget, vec!["Host: evil.example:1"], &right, 421),
        (&forget, vec!["Cookie: a=b"], &right, 401),
        (
            &forget,
            vec![],
            &format!("token={token}&do=everything"),
            400,
        ),
        (
            &channel,
            vec![],
            &format!("token={token}&do=correct&text=+"),
            400,
        ),
        (&channel, vec![], &right, 400),
        (&format!("{forget}.json"), vec![], &right, 405),
        (&"/workspace".to_owned(), vec![], &right, 405),
        (&message(77), vec![], &format!("token={token}&do=pin"), 404),
    ] {
        let answer = served.post(path, &headers, body);
        assert_eq!(answer.status, status, "{path} {headers:?} {body}");
        assert!(answer.header("content-security-policy").is_some());
    }
    let long = format!("token={token}&do=correct&text={}", "a".repeat(20_000));
    assert_eq!(served.post(&channel, &[], &long).status, 400);
    has(&served.page("/channel/CGENERAL"), "471188");
    let marks = served.page("/channel/CGENERAL.json").json()["marks"].clone();
    assert_eq!(marks.as_array().unwrap().len(), 0);
}

#[test]
fn an_item_changes_by_its_form_and_back() {
    let program = program_with(
        "",
        &[
            post("general", 0, "ann", "todo: order labels"),
            post("general", 1, "bob", "decision: we take the <blue> crane"),
        ],
    );
    let served = Served::opened(program);
    let path = "/channel/CGENERAL";
    let page = served.page(path);
    has(&page, "order labels");
    has(&page, "we take the <blue> crane");
    assert!(!page.body.contains("<blue>"), "{}", page.body);
    let item = || served.page("/channel/CGENERAL.json").json()["items"][0].clone();
    let name = format!("CGENERAL%3A{}%2Ftask%2F6", ts(0));
    let change = |fields: &str| {
        let sent = send(&served, path, &format!("item={name}&{fields}"));
        (sent.status, sent.header("location").map(str::to_owned))
    };
    let done = (303, Some(path.to_owned()));
    assert_eq!(change("do=item&state=open&owner=bob&due=2026-03-06"), done);
    assert_eq!(item()["owner"], "bob");
    assert_eq!(
        (item()["due"].clone(), item()["state"].clone()),
        ("2026-03-06".into(), "open".into())
    );
    assert_eq!(change("do=item&state=done&owner=bob&due=2026-03-06"), done);
    let closed = served.page("/channel/CGENERAL.json").json()["items"][1].clone();
    assert_eq!(
        (closed["text"].clone(), closed["state"].clone()),
        ("order labels".into(), "done".into())
    );
    assert_eq!(change("do=undo-item"), done);
    assert_eq!(item()["state"], "open");
    // What was not sent as it stands changes nothing.
    assert_eq!(change("do=item&state=done&owner=bob&due=soon").0, 400);
    assert_eq!(
        served
            .post(path, &[], &format!("token=no&item={name}&do=undo-item"))
            .status,
        403
    );
    assert_eq!(item()["due"], "2026-03-06");
    // A search is the page of a subject: what its messages made stands above them.
    let found =
        |words: &str| served.page(&format!("/search.json?q={words}")).json()["items"].clone();
    assert_eq!(found("crane")[0]["kind"], "decision");
    assert_eq!(found("labels")[0]["kind"], "task");
    assert_eq!(found("elephant"), Value::Array(Vec::new()));
    has(&served.page("/search?q=labels"), "order labelsTask");
}
