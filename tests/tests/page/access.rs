//! Who may ask, and what every answer tells the browser.

use myao_tests::page::Served;
use myao_tests::program::Program;

use super::{demo, empty};

#[test]
fn the_link_is_alone_on_standard_output_and_has_256_random_bits() {
    let (a, b) = (Served::start(empty(), &[]), Served::start(empty(), &[]));
    let secrets = [&a, &b].map(|served| served.link().strip_prefix("/open/").unwrap().to_owned());
    for secret in &secrets {
        assert_eq!(secret.len(), 64);
        assert!(secret.chars().all(|c| c.is_ascii_hexdigit()), "{secret}");
    }
    assert_ne!(secrets[0], secrets[1]);
    assert!(a.address.ip().is_loopback());
    let (code, out, error) = a.stopped();
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert!(error.contains("Open this link"), "{error}");
    assert!(!error.contains("warning"), "{error}");
    assert!(!error.contains(&secrets[0]), "{error}");
}

#[test]
fn with_json_the_link_is_json() {
    let program = empty();
    let ran = program.shell("timeout --signal=TERM 5 \"$@\"", &["--json", "serve"]);
    let mut ran = ran;
    let output = ran.output().unwrap();
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let link = printed["link"].as_str().unwrap();
    assert!(link.starts_with("http://127.0.0.1:"), "{link}");
}

#[test]
fn another_address_comes_with_a_warning() {
    let served = Served::start(empty(), &["--listen", "0.0.0.0:0"]);
    assert!(served.link_line.starts_with("http://127.0.0.1:"));
    let (code, _, error) = served.stopped();
    assert_eq!(code, Some(0));
    assert!(error.contains("warning: other machines reach"), "{error}");
    assert!(error.contains("one-time link is all"), "{error}");
}

#[test]
fn without_a_database_there_is_no_page() {
    let refused = Program::default().run(&["serve"]);
    refused.is_refused_with(&["there is no database", "import"]);
}

#[test]
fn the_link_works_once_and_its_cookie_goes_to_no_other_site_and_no_script() {
    let served = Served::start(empty(), &[]);
    let host = format!("Host: {}", served.address);
    let link = served.link();
    // A preview does not use it up, and neither does a wrong guess.
    assert_eq!(served.ask("HEAD", &link, &[&host]).status, 403);
    assert_eq!(served.ask("GET", &format!("{link}0"), &[&host]).status, 403);
    let opened = served.ask("GET", &link, &[&host]);
    assert_eq!(
        (opened.status, opened.header("location")),
        (303, Some("/workspace"))
    );
    let cookie = opened.header("set-cookie").unwrap();
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    let again = served.ask("GET", &link, &[&host]);
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
    assert!(again.body.contains("works once"), "{}", again.body);
    assert!(
        again.body.contains("myao --config myao.yaml serve"),
        "{}",
        again.body
    );
    // Whoever has opened it may follow it again.
    let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap());
    let followed = served.ask("GET", &link, &[&host, &cookie]);
    assert_eq!(
        (followed.status, followed.header("set-cookie")),
        (303, None)
    );
    assert_eq!(
        served.ask("GET", "/workspace", &[&host, &cookie]).status,
        200
    );
}

#[test]
fn without_the_cookie_nothing_is_shown_but_what_to_do() {
    let served = demo();
    let host = format!("Host: {}", served.address);
    let name = served.cookie().split('=').next().unwrap();
    let guess = format!("Cookie: {name}={}", "0".repeat(64));
    let paths = [
        "/",
        "/workspace",
        "/workspace.json",
        "/channel/C07GENERAL1",
        "/channel/C07GENERAL1.json",
        "/memory/1",
        "/memory/1.json",
        "/search?q=Beacon",
        "/search.json?q=Beacon",
        "/ask?q=Beacon",
        "/ask.json?q=Beacon",
        "/answers",
        "/answers.json",
        "/nothing",
    ];
    for path in paths {
        for headers in [vec![host.as_str()], vec![&host, &guess]] {
            let answer = served.ask("GET", path, &headers);
            assert_eq!(answer.status, 401, "{path}");
            assert!(!answer.body.contains("Beacon"), "{path}");
            assert!(!answer.body.contains("general"), "{path}");
        }
    }
    let closed = served.ask("GET", "/workspace", &[&host]);
    assert!(
        closed.body.contains("Open this page with a link"),
        "{}",
        closed.body
    );
    assert!(closed.body.contains("serve</code>"), "{}", closed.body);
    let twin = served.ask("GET", "/workspace.json", &[&host]);
    assert_eq!(twin.json()["error"], "not-open");
}

#[test]
fn a_name_that_somebody_else_can_direct_here_is_refused() {
    let served = demo();
    let cookie = format!("Cookie: {}", served.cookie());
    let port = served.address.port();
    for (host, status) in [
        (format!("Host: 127.0.0.1:{port}"), 200),
        (format!("Host: localhost:{port}"), 200),
        (format!("Host: evil.example:{port}"), 421),
        (format!("Host: 127.0.0.1.evil.example:{port}"), 421),
        ("Host: 127.0.0.1".to_owned(), 421),
        ("X-Forwarded-Host: 127.0.0.1".to_owned(), 421),
    ] {
        for path in [
            "/workspace",
            "/workspace.json",
            "/style.css",
            &served.link(),
        ] {
            let answer = served.ask("GET", path, &[&host, &cookie]);
            let expected = if status == 200 && path.starts_with("/open") {
                303
            } else {
                status
            };
            assert_eq!(answer.status, expected, "{host} {path}");
        }
    }
}

#[test]
fn what_another_site_asks_for_is_refused_though_the_browser_sends_the_cookie() {
    let served = demo();
    let host = format!("Host: {}", served.address);
    let cookie = format!("Cookie: {}", served.cookie());
    for (site, status) in [
        ("same-origin", 200),
        ("none", 200),
        ("same-site", 403),
        ("cross-site", 403),
    ] {
        let site = format!("Sec-Fetch-Site: {site}");
        for path in ["/workspace", "/ask.json?q=x"] {
            let answer = served.ask("GET", path, &[&host, &cookie, &site]);
            assert_eq!(answer.status, status, "{site} {path}");
        }
    }
}

#[test]
fn pages_are_only_read() {
    let served = demo();
    let host = format!("Host: {}", served.address);
    let cookie = format!("Cookie: {}", served.cookie());
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let answer = served.ask(method, "/workspace", &[&host, &cookie, "Content-Length: 0"]);
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some("GET, HEAD")),
            "{method}"
        );
    }
    let head = served.ask("HEAD", "/workspace", &[&host, &cookie]);
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[test]
fn every_answer_forbids_scripts_frames_and_copies() {
    let served = demo();
    let host = format!("Host: {}", served.address);
    let cookie = format!("Cookie: {}", served.cookie());
    let answers = [
        served.ask("GET", "/workspace", &[&host, &cookie]),
        served.ask("GET", "/workspace.json", &[&host, &cookie]),
        served.ask("GET", "/", &[&host, &cookie]),
        served.ask("GET", "/style.css", &[&host]),
        served.ask("GET", "/workspace", &[&host]),
        served.ask("GET", "/nothing", &[&host, &cookie]),
        served.ask("GET", "/open/x", &[&host]),
        served.ask("GET", "/workspace", &["Host: evil.example"]),
        served.ask("POST", "/workspace", &[&host, &cookie]),
    ];
    let policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'";
    for answer in answers {
        for (name, value) in [
            ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-embedder-policy", "require-corp"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}: {answer:?}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert!(answer.header("content-type").is_some(), "{answer:?}");
    }
}

#[test]
fn the_page_speaks_the_browsers_language() {
    let served = demo();
    let host = format!("Host: {}", served.address);
    let cookie = format!("Cookie: {}", served.cookie());
    for (accepted, tag, heading) in [
        ("ja,en;q=0.8", "ja", "<h1>ワークスペース</h1>"),
        ("en-GB", "en", "<h1>Workspace</h1>"),
        ("de", "en", "<h1>Workspace</h1>"),
    ] {
        let accepted = format!("Accept-Language: {accepted}");
        let answer = served.ask("GET", "/workspace", &[&host, &cookie, &accepted]);
        assert!(
            answer.body.contains(&format!("<html lang=\"{tag}\">")),
            "{accepted}"
        );
        assert!(answer.body.contains(heading), "{accepted}");
        assert_eq!(answer.header("content-language"), Some(tag));
    }
}
