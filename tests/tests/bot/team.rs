//! The web page of a team: everybody signs in with Slack, and sees what they may see there.

use std::net::SocketAddr;

use myao_fake_slack::{FakeSlack, Fault};
use myao_tests::bot::Bot;
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::page::{Answer, send};
use myao_tests::program::Program;
use myao_tests::team::{Browser, page_keys, signed_in, token};
use serde_json::{Value, json};

use crate::bot::commands::EAGER;
use crate::bot::support::{AKARI, CAMP, EMIKO, connect_as, number, replies_of, settled, workspace};

const BOARD: &str = "C0BOARD";
const GUEST: &str = "U0GUEST";
const HALL: &str = "C0HALL";

/// The bot with its page for the team, and where it is.
pub(crate) fn start(slack: &FakeSlack) -> (Bot, SocketAddr) {
    let (address, keys, more) = page_keys();
    let mut bot = connect_as(slack, Program::of_bot(), &keys, &format!("{more}{EAGER}"));
    bot.caught_up();
    (bot, address)
}

/// Akari and Emiko are members; Akari alone is in the board's private channel, and a guest in one public channel.
pub(crate) fn team() -> FakeSlack {
    let slack = workspace();
    slack.add_guest(GUEST, "Gast");
    slack.add_private_channel(BOARD, "役員会");
    slack.add_channel(HALL, "受付");
    for (channel, user) in [
        (CAMP, AKARI),
        (CAMP, EMIKO),
        (BOARD, AKARI),
        (HALL, GUEST),
        (HALL, EMIKO),
    ] {
        slack.add_member(channel, user);
    }
    slack
}

/// All have a memory.
pub(crate) fn say(slack: &FakeSlack, bot: &mut Bot) {
    for (user, channel, text) in [
        (EMIKO, CAMP, "合宿の会場は箱根に決まりました。"),
        (AKARI, BOARD, "買収の会場は熱海に決まりました。"),
        (GUEST, HALL, "受付の会場は伊東に決まりました。"),
    ] {
        slack.post(user, channel, text, None);
    }
    settled(slack, bot);
    bot.until("memories of all", |program| {
        let query = "SELECT COUNT(DISTINCT scope_id) FROM memories WHERE scope = 1";
        (number(program, query) == 3).then_some(())
    });
}

/// What belongs to which channel.
const WORDS: [(&str, &str); 3] = [(CAMP, "箱根"), (BOARD, "熱海"), (HALL, "伊東")];

/// What somebody sees of all pages, and of their twins.
fn seen(browser: &mut Browser, bot: &Bot) -> String {
    let memories = number(bot.program(), "SELECT MAX(id) FROM memories");
    let mut paths = vec![
        "/workspace".to_owned(),
        "/search?q=会場".to_owned(),
        "/ask?q=会場はどこ".to_owned(),
        "/answers".to_owned(),
        "/upkeep".to_owned(),
        "/me".to_owned(),
    ];
    paths.extend((1..=memories).map(|id| format!("/memory/{id}")));
    for (channel, _) in WORDS {
        paths.push(format!("/channel/{channel}"));
        paths.push(format!("/channel/{channel}?of=long-term"));
        let newest = format!(
            "SELECT MAX(ts_key) FROM messages JOIN channels AS c ON c.key = channel WHERE c.id = '{channel}'"
        );
        let newest = number(bot.program(), &newest);
        let ts = format!("{}%2E{:06}", newest / 1_000_000, newest % 1_000_000);
        paths.push(format!("/message/{channel}/{ts}"));
    }
    let mut seen = String::new();
    for path in paths {
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        for ending in ["", ".json"] {
            let answer = browser.get(&format!("{path}{ending}?{query}"));
            assert!(matches!(answer.status, 200 | 404), "{path}: {answer:?}");
            seen.push_str(&answer.body);
        }
    }
    seen
}

fn sees(seen: &str, expected: [bool; 3]) {
    let found = WORDS.map(|(_, word)| seen.contains(word));
    assert_eq!(found, expected, "{seen}");
}

#[test]
fn everybody_sees_what_they_may_see_in_slack_on_every_page() {
    let slack = team();
    let (mut bot, address) = start(&slack);
    say(&slack, &mut bot);
    let mut akari = signed_in(&slack, address, AKARI);
    let mut emiko = signed_in(&slack, address, EMIKO);
    // A channel with a guest is for those who are in it.
    sees(&seen(&mut akari, &bot), [true, true, false]);
    sees(&seen(&mut emiko, &bot), [true, false, true]);
    // A guest has no page.
    assert_eq!(Browser::new(address).sign_in(&slack, GUEST).status, 403);
    // It ends with the membership.
    slack.leave(AKARI, BOARD);
    settled(&slack, &mut bot);
    sees(&seen(&mut akari, &bot), [true, false, false]);
    bot.stop();
}

#[test]
fn nobody_comes_in_but_by_their_own_sign_in() {
    let slack = team();
    slack.add_user("U0OTHER", "Other");
    let (mut bot, address) = start(&slack);
    say(&slack, &mut bot);
    let mut nobody = Browser::new(address);
    let closed = nobody.get("/workspace");
    assert_eq!(closed.status, 401, "{closed:?}");
    assert!(
        closed
            .links()
            .contains(&"/sign-in?to=%2Fworkspace".to_owned()),
        "{closed:?}"
    );
    for path in ["/workspace.json", "/me", "/search?q=会場", "/open/0"] {
        let answer = nobody.get(path);
        assert_eq!(answer.status, 401, "{path}: {answer:?}");
    }
    // A link of another page: its code is for the browser that began.
    let mut attacker = Browser::new(address);
    let back = attacker.allowed(&slack, "U0OTHER");
    let mut victim = Browser::new(address);
    assert_eq!(victim.get(&back).status, 403);
    victim.get("/sign-in");
    assert_eq!(victim.get(&back).status, 403);
    assert_eq!(victim.get("/workspace").status, 401);
    // A code works once, and a session has a secret that was not there before.
    let before = attacker.cookies.clone();
    assert_eq!(attacker.get(&back).status, 200);
    assert!(
        attacker
            .cookies
            .iter()
            .all(|cookie| !before.contains(cookie))
    );
    assert_eq!(attacker.get("/workspace").status, 200);
    let mut again = Browser::new(address);
    again.cookies = before;
    assert_eq!(again.get(&back).status, 403);
    // No number of sign-ins ends one that was begun before.
    let mut slow = Browser::new(address);
    let back = slow.allowed(&slack, EMIKO);
    for _ in 0..10_001 {
        assert_eq!(nobody.get("/sign-in").status, 303);
    }
    assert_eq!(slow.get(&back).status, 200);
    // No session is taken that this program did not begin.
    let mut fixed = Browser::new(address);
    fixed.cookies.push(("myao".to_owned(), "0".repeat(64)));
    assert_eq!(fixed.get("/workspace").status, 401);
    // Another workspace's people, and bots, have no business here.
    slack.set_claim("https://slack.com/team_id", json!("T0OTHER"));
    assert_eq!(Browser::new(address).sign_in(&slack, EMIKO).status, 403);
    bot.stop();
}

/// A link in Slack, to a question: the browser sends no cookie of a session with what another site asks for.
#[test]
fn a_link_from_slack_leads_on_to_its_page_with_and_without_a_sign_in_before() {
    let slack = team();
    let (mut bot, address) = start(&slack);
    say(&slack, &mut bot);
    let link = "/ask?q=%E4%BC%9A%E5%A0%B4%E3%81%AF%E3%81%A9%E3%81%93%3F";
    let from_slack = ["Sec-Fetch-Site: cross-site"];
    let mut akari = Browser::new(address);
    let refused = akari.get_with(link, &from_slack);
    assert_eq!(refused.status, 403);
    assert!(refused.links().contains(&link.to_owned()), "{refused:?}");
    assert!(refused.body.contains(">会場はどこ?</a>"), "{refused:?}");
    let closed = akari.get(link);
    assert_eq!(closed.status, 401);
    let links = closed.links();
    let sign_in = links
        .iter()
        .find(|link| link.starts_with("/sign-in"))
        .unwrap();
    let back = akari.allowed_by(sign_in, &slack, AKARI);
    let come = akari.get_with(&back, &from_slack);
    assert_eq!((come.status, come.header("refresh")), (200, None));
    assert!(come.links().contains(&link.to_owned()), "{come:?}");
    let answer = akari.get(link);
    assert!(
        answer.status == 200 && answer.body.contains(WORDS[0].1),
        "{answer:?}"
    );
    // Another page needs no click.
    let back = akari.allowed_by("/sign-in?to=%2Fme", &slack, AKARI);
    let come = akari.get_with(&back, &from_slack);
    assert_eq!(come.header("refresh"), Some("0; url=/me"));
    // A long address makes no cookie that browsers refuse.
    let long = format!("/sign-in?to=%2Fask%3Fq%3D{}", "a".repeat(3_000));
    let back = akari.allowed_by(&long, &slack, AKARI);
    let come = akari.get_with(&back, &from_slack);
    assert_eq!(come.header("refresh"), Some("0; url=/workspace"));
    bot.stop();
}

#[test]
fn somebody_of_whom_slack_is_slow_to_tell_holds_up_no_other() {
    let slack = team();
    let (mut bot, address) = start(&slack);
    say(&slack, &mut bot);
    let mut akari = Browser::new(address);
    let back = akari.allowed(&slack, AKARI);
    slack.faults().next("users.info", Fault::HoldCall);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || akari.get(&back).status);
        bot.until("a call that waits", |_| {
            (slack.faults().held() == 1).then_some(())
        });
        assert_eq!(Browser::new(address).sign_in(&slack, EMIKO).status, 200);
        slack.faults().release();
        assert_eq!(waiting.join().unwrap(), 200);
    });
    bot.stop();
}

#[test]
fn whoever_leaves_or_cannot_be_asked_for_sees_nothing() {
    let slack = team();
    let (mut bot, address) = start(&slack);
    say(&slack, &mut bot);
    // What Slack does not say is no.
    slack
        .faults()
        .next("users.conversations", Fault::Error("access_denied"));
    let mut emiko = Browser::new(address);
    let answer = emiko.sign_in(&slack, EMIKO);
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(emiko.get("/workspace").status, 401);
    let mut emiko = signed_in(&slack, address, EMIKO);
    // Signing out ends the session, not only its cookie.
    let me = emiko.get("/me");
    assert!(me.body.contains("恵美子"), "{me:?}");
    let stolen = emiko.cookies.clone();
    let form = format!("token={}&do=sign-out", token(&me));
    assert_eq!(emiko.post("/me", &form).status, 303);
    let mut thief = Browser::new(address);
    thief.cookies = stolen;
    assert_eq!(thief.get("/workspace").status, 401);
    // A closed account.
    slack.close_account(AKARI);
    assert_eq!(Browser::new(address).sign_in(&slack, AKARI).status, 403);
    bot.stop();
}

#[test]
fn people_have_their_own_messages_forgotten_and_nobody_elses() {
    let slack = team();
    let (mut bot, address) = start(&slack);
    say(&slack, &mut bot);
    let newest = number(
        bot.program(),
        &format!(
            "SELECT MAX(ts_key) FROM messages JOIN channels AS c ON c.key = channel WHERE c.id = '{CAMP}'"
        ),
    );
    let path = format!(
        "/message/{CAMP}/{}%2E{:06}",
        newest / 1_000_000,
        newest % 1_000_000
    );
    let mut akari = signed_in(&slack, address, AKARI);
    let shown = akari.get(&path);
    assert!(
        shown.status == 200 && !shown.body.contains("value=\"forget\""),
        "{shown:?}"
    );
    assert!(!shown.body.contains("value=\"pin\""), "{shown:?}");
    let own = token(&akari.get("/me"));
    for what in ["forget", "pin"] {
        let refused = akari.post(&path, &format!("token={own}&do={what}"));
        assert_eq!(refused.status, 400, "{what}: {refused:?}");
    }
    let mut emiko = signed_in(&slack, address, EMIKO);
    let shown = emiko.get(&path);
    // Another's form, and one without a secret, are refused.
    for token in [own.as_str(), ""] {
        let refused = emiko.post(&path, &format!("token={token}&do=forget"));
        assert_eq!(refused.status, 403, "{refused:?}");
    }
    let receipt = emiko.post(&path, &format!("token={}&do=forget", token(&shown)));
    assert_eq!(receipt.status, 200, "{receipt:?}");
    // Neither page tells how much the store has of it elsewhere.
    assert!(!shown.body.contains("<table") && !receipt.body.contains("<table"));
    assert_eq!(emiko.get(&path).status, 404);
    bot.stop();
}

#[test]
fn an_agent_sees_what_its_person_sees_until_the_token_is_taken_back() {
    let slack = team();
    let (mut bot, address) = start(&slack);
    say(&slack, &mut bot);
    let mut akari = signed_in(&slack, address, AKARI);
    let mut emiko = signed_in(&slack, address, EMIKO);
    let [of_akari, of_emiko] = [&mut akari, &mut emiko].map(Browser::agent_token);
    let search = json!({ "name": "search", "arguments": { "words": "会場" } });
    let [seen_by_akari, seen_by_emiko] =
        [&of_akari, &of_emiko].map(|token| called(address, token, &search).to_string());
    sees(&seen_by_akari, [true, true, false]);
    sees(&seen_by_emiko, [true, false, true]);
    for (name, arguments) in [
        ("channels", json!({})),
        ("decisions", json!({})),
        ("ask", json!({ "question": "会場はどこ?" })),
        ("channel_memory", json!({ "channel": "役員会" })),
    ] {
        let call = json!({ "name": name, "arguments": arguments });
        let told = called(address, &of_emiko, &call).to_string();
        assert!(!told.contains("熱海"), "{name}: {told}");
        assert!(!told.contains(BOARD), "{name}: {told}");
    }
    // The token is listed without its secret, and works until it is taken back.
    let me = akari.get("/me.json");
    assert_eq!(me.json()["tokens"][0]["name"], "laptop");
    assert!(!me.body.contains(&of_akari[5..]), "{me:?}");
    let id = me.json()["tokens"][0]["id"].to_string();
    let form = format!("token={}&do=withdraw&id={id}", token(&emiko.get("/me")));
    assert_eq!(emiko.post("/me", &form).status, 303);
    assert_eq!(mcp(address, Some(&of_akari), &list()).status, 200);
    let form = format!("token={}&do=withdraw&id={id}", token(&akari.get("/me")));
    assert_eq!(akari.post("/me", &form).status, 303);
    let refused = mcp(address, Some(&of_akari), &list());
    assert_eq!(refused.status, 401, "{refused:?}");
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    assert_eq!(mcp(address, None, &list()).status, 401);
    bot.stop();
}

#[test]
fn where_no_model_answers_the_page_says_what_to_do_and_counts_the_questions_of_a_day() {
    let slack = team();
    let llm = LlmServer::start(|_| answer(""));
    let (address, keys, more) = page_keys();
    let budget = "budget: { answers_per_person_per_day: 2 }\n";
    let more = format!("{more}{}{budget}", replies_of(&llm));
    let mut bot = connect_as(&slack, Program::of_bot(), &keys, &more);
    bot.caught_up();
    let mut akari = signed_in(&slack, address, AKARI);
    let mut asked = || akari.get("/ask?q=Where+is+it%3F");
    let first = asked();
    assert_eq!(first.status, 503, "{first:?}");
    assert!(first.body.contains("There is no answer now"), "{first:?}");
    assert!(first.body.contains("href=\"/search\""), "{first:?}");
    assert_eq!((asked().status, asked().status), (503, 429));
    bot.stop();
}

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} })
}

/// The result of a call of a tool.
fn called(address: SocketAddr, token: &str, call: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
    let answer = mcp(address, Some(token), &request);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

fn mcp(address: SocketAddr, token: Option<&str>, request: &Value) -> Answer {
    let body = request.to_string();
    let mut headers = vec![
        format!("Host: {address}"),
        format!("Content-Length: {}", body.len()),
        "Content-Type: application/json".to_owned(),
        "Accept: application/json, text/event-stream".to_owned(),
        "MCP-Protocol-Version: 2025-06-18".to_owned(),
    ];
    headers.extend(token.map(|token| format!("Authorization: Bearer {token}")));
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    send(address, "POST", "/mcp", &headers, &body)
}

#[test]
fn a_page_for_a_team_needs_the_app_and_an_encrypted_address() {
    let slack = workspace();
    let api_url = slack.api_url();
    const HERE: &str = "listen: '127.0.0.1:0', public_url: 'http://localhost:8040'";
    for (keys, page, expected) in [
        ("", HERE, "slack.client_id is not set"),
        ("client_id: '1.2',", HERE, "slack.client_secret is not set"),
        (
            "",
            "public_url: 'http://localhost:8040'",
            "page.listen is not set",
        ),
        ("", "public_url: 'http://memory.example.org'", "https://"),
        (
            "",
            "public_url: 'memory.example.org'",
            "https://memory.example.org",
        ),
    ] {
        let config = format!(
            "slack: {{ bot_token: {}, app_token: {}, {keys} api_url: '{api_url}' }}\n\
             page: {{ {page} }}\n",
            myao_fake_slack::BOT_TOKEN,
            myao_fake_slack::APP_TOKEN,
        );
        Program::with_config(&config)
            .run(&["run"])
            .is_refused_with(&[expected]);
    }
}
