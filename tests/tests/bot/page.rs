//! The web page beside the bot.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use myao_tests::bot::Bot;
use myao_tests::page::{Answer, ask, parts};

use crate::bot::commands::EAGER;
use crate::bot::support::{AKARI, CAMP, connect, number, workspace};

/// The file of the link.
fn link_file(bot: &Bot) -> PathBuf {
    let names = ["myao.db.page-link", "myao.page-link"];
    let mut files = names.map(|name| bot.program().path(name)).into_iter();
    files.find(|file| file.exists()).unwrap()
}

fn link(bot: &Bot) -> String {
    let link = std::fs::read_to_string(link_file(bot)).unwrap();
    link.trim_end().to_owned()
}

fn opened(link: &str) -> Answer {
    let (address, path) = parts(link);
    ask(address, "GET", &path, &[&format!("Host: {address}")])
}

/// The body of a page, which a new link opens.
pub(crate) fn read(bot: &Bot, path: &str) -> String {
    let link = link(bot);
    let opened = opened(&link);
    let cookie = opened.header("set-cookie").unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let (address, _) = parts(&link);
    let headers = [format!("Host: {address}"), format!("Cookie: {cookie}")];
    let shown = ask(address, "GET", path, &[&headers[0], &headers[1]]);
    assert_eq!(shown.status, 200, "{shown:?}");
    shown.body
}

#[test]
fn the_bot_serves_the_page_whose_link_is_in_a_file_of_its_owner() {
    let slack = workspace();
    let more = format!("page: {{ listen: '127.0.0.1:0' }}\n{EAGER}");
    let mut bot = connect(&slack, &more);
    bot.caught_up();
    slack.post(AKARI, CAMP, "合宿の会場は箱根に決まりました。", None);
    bot.until("a memory", |program| {
        let query = "SELECT COUNT(*) FROM memories WHERE scope = 1";
        (number(program, query) > 0).then_some(())
    });

    let first = link(&bot);
    let file = link_file(&bot);
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let answer = opened(&first);
    assert_eq!(answer.status, 303, "{answer:?}");
    let cookie = answer.header("set-cookie").unwrap();
    let cookie = cookie.split(';').next().unwrap();

    // Each link works once, and the file has another one then.
    let second = link(&bot);
    assert_ne!(first, second);
    assert_eq!(opened(&first).status, 403);
    assert_eq!(opened(&second).status, 303);

    let (address, _) = parts(&first);
    let host = format!("Host: {address}");
    let shown = ask(
        address,
        "GET",
        "/channel/C0CAMP",
        &[&host, &format!("Cookie: {cookie}")],
    );
    assert!(
        shown.status == 200 && shown.body.contains("箱根"),
        "{shown:?}"
    );
    let closed = ask(address, "GET", "/channel/C0CAMP", &[&host]);
    let told = format!("{}<", file.file_name().unwrap().display());
    assert!(
        closed.status == 401 && closed.body.contains(&told),
        "{closed:?}"
    );

    let log = bot.log();
    assert!(log.contains("the page is at http://127.0.0.1:"), "{log}");
    for link in [&first, &second] {
        let (_, path) = parts(link);
        assert!(!log.contains(path.rsplit('/').next().unwrap()), "{log}");
    }
    let _program = bot.stop();
    assert!(!file.exists());
}
