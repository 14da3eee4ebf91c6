//! A PostgreSQL server that fails under the bot. Each time one line says what is wrong and what to do, what Slack sends meanwhile is
//! refused, and all of it takes effect when the server works again, without a restart of the bot.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::SocketAddr;
use std::process::Child;
use std::time::{Duration, Instant};

use myao_fake_slack::{APP_TOKEN, EventState, FakeSlack};
use myao_test_postgres::PostgresServer;
use myao_tests::bot::{Bot, read_log, refusal};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::peer::{exchange, free_address};
use myao_tests::postgres::ServerDatabase;
use myao_tests::program::Program;

use super::common::{self, AKARI, CAMP, EMIKO, model, says, workspace};
use super::small_disk::SmallDisk;
use crate::bot::support::block_on;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const MEMORY: &str = "memory: {";
/// What is said of what was not stored, over a socket and over HTTP.
const NOT_KEPT: &str = "what Slack sends is not kept";
/// The ids of the messages.
const SAID: &str = "SELECT ts_key FROM messages";
/// The user of the bot where it may not use the connections that are reserved for superusers.
const ROLE: &str = "CREATE ROLE bot LOGIN PASSWORD 'secret'";

/// How events reach the bot.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Http,
    Socket,
}

/// A bot's surroundings.
struct Scene {
    slack: FakeSlack,
    llm: LlmServer,
    events: SocketAddr,
    way: Way,
    url: String,
}

impl Scene {
    fn new(url: String, way: Way) -> Self {
        Self {
            slack: workspace(),
            llm: model(|_| answer("The lake.")),
            events: free_address(),
            way,
            url,
        }
    }

    fn config(&self) -> String {
        let key = match self.url.starts_with("postgres") {
            true => "database_url",
            false => "database_path",
        };
        let memory = format!("memory: {{ {key}: '{}',", self.url);
        let config = common::config(&self.slack, &self.llm).replace(MEMORY, &memory);
        let socket = format!("app_token: {APP_TOKEN}");
        assert!(config.contains(&self.url) && config.contains(&socket));
        match self.way {
            Way::Socket => config,
            Way::Http => {
                let http = format!("signing_secret: '{SECRET}', listen: '{}'", self.events);
                config.replace(&socket, &http)
            }
        }
    }

    fn start(&self) -> Bot {
        let mut bot = Bot::start(Program::default(), &self.config());
        if self.way == Way::Http {
            let address = format!("http://{}/slack/events", self.events);
            block_on(self.slack.send_events_to(&address, SECRET)).unwrap();
        }
        self.slack
            .mention(EMIKO, CAMP, "where do we camp before?", None);
        common::posts(&mut bot, &self.slack, 1);
        bot
    }

    /// Something is said while the server fails: the log has a line with all of `words`, and nothing is acknowledged.
    #[track_caller]
    fn is_refused(&self, bot: &mut Bot, words: &[&str]) {
        self.is_refused_that_says(bot, "by the sea meanwhile", words);
    }

    #[track_caller]
    fn is_refused_that_says(&self, bot: &mut Bot, text: &str, words: &[&str]) {
        self.slack.post(AKARI, CAMP, text, None);
        self.slack.mention(EMIKO, CAMP, text, None);
        let last = self.slack.events().last().unwrap().event_id.clone();
        bot.until("the refusal", |program| {
            let log = read_log(program);
            let of_it = |line: &&str| line.contains(NOT_KEPT);
            let mut lines = log.lines().filter(of_it);
            lines.find(|line| words.iter().all(|word| line.contains(word)))?;
            // Over HTTP Slack hears of it at once.
            let deliveries = self.slack.deliveries();
            let mut of_last = deliveries.iter().filter(|d| d.event_id == last);
            let is_told = of_last.any(|delivery| delivery.status == Some(503));
            (is_told || self.way == Way::Socket).then_some(())
        });
        let events = self.slack.events();
        let event = events.iter().find(|event| event.event_id == last).unwrap();
        assert_eq!(event.state, EventState::Sent);
        ServerDatabase::assert_no_password(&bot.log());
    }

    /// Slack sends all of it three times again, in vain, and then never again.
    #[track_caller]
    fn is_given_up(&self, bot: &mut Bot) {
        for _ in 0..4 {
            let deliveries = self.slack.deliveries();
            let refused = deliveries.iter().filter(|sent| sent.acknowledged.is_none());
            let refused = refused.count();
            let health = bot.health();
            bot.until("all is refused", |_| {
                let metrics = exchange(health, "GET /metrics", &[], "").unwrap().body;
                let line = "myao_deliveries_total{kind=\"not-kept\"} ";
                let mut counts = metrics.lines().filter_map(|of| of.strip_prefix(line));
                let count: usize = counts.next()?.parse().unwrap();
                (count >= refused).then_some(())
            });
            self.slack.retry_unacknowledged();
        }
        assert!(self.slack.is_settled());
        assert_eq!(self.slack.events().last().unwrap().state, EventState::Lost);
    }

    /// Whoever sends events goes elsewhere.
    #[track_caller]
    fn is_not_ready(bot: &mut Bot) {
        let health = bot.health();
        bot.until("not ready", |_| {
            let told = exchange(health, "GET /ready", &[], "").ok()?;
            (told.status == 503 && told.body.contains("takes no writes")).then_some(())
        });
    }

    /// The server works again: all that was said is read, and what was asked is answered once. `run` asks the database.
    #[track_caller]
    fn goes_on(&self, mut bot: Bot, run: impl Fn(&str) -> String) {
        common::posts(&mut bot, &self.slack, 2);
        bot.until("everything in effect", |_| {
            (run(include_str!("waiting.sql")) == "0").then_some(())
        });
        bot.ready();
        bot.stop();
        assert_eq!(self.slack.posts().len(), 2);
        let said: BTreeSet<String> = run(SAID).lines().map(str::to_owned).collect();
        for (ts, message) in &self.slack.world().channels[CAMP].messages {
            assert!(
                said.contains(&ts.to_string().replace('.', "")),
                "{message:?} is lost"
            );
        }
    }
}

/// A server of a test's own, whose committed transactions survive a crash, as an operator's do.
fn own_server(more: &[&str]) -> PostgresServer {
    let mut settings = vec!["synchronous_commit=on".to_owned()];
    settings.extend(more.iter().map(|&setting| setting.to_owned()));
    PostgresServer::start(|_| settings)
}

fn a_server_comes_back(way: Way) {
    let server = own_server(&[]);
    let database = server.create(None);
    let scene = Scene::new(server.url(&database), way);
    let mut bot = scene.start();
    server.stop();
    scene.is_refused(
        &mut bot,
        &["cannot be reached", "check that PostgreSQL runs there"],
    );
    bot.until("the worker to say it, too", |program| {
        read_log(program).contains("events wait: ").then_some(())
    });
    Scene::is_not_ready(&mut bot);
    scene.is_given_up(&mut bot);
    server.start_again();
    says(&mut bot, "events wait no longer");
    let lost = "what Slack sends is kept again; ";
    says(&mut bot, lost);
    let log = bot.log();
    let of = |words: &[&str]| {
        let has_all = |line: &&str| words.iter().all(|words| line.contains(words));
        log.lines().filter(has_all).count()
    };
    // One that stops says so first, to who is quick.
    let not_kept = of(&[NOT_KEPT, "cannot be reached"]);
    assert_eq!(
        (not_kept, of(&[lost]), of(&["was refused"])),
        (1, 1, 0),
        "{log}"
    );
    scene.goes_on(bot, |sql| server.run(&database, sql).unwrap());
}

#[test]
fn server_that_is_away_gets_everything_when_it_is_back() {
    a_server_comes_back(Way::Http);
}

#[test]
fn server_that_is_away_gets_everything_when_it_is_back_over_a_socket() {
    a_server_comes_back(Way::Socket);
}

#[test]
fn bot_that_starts_before_its_server_waits_for_it() {
    let server = own_server(&[]);
    let database = server.create(None);
    let scene = Scene::new(server.url(&database), Way::Socket);
    server.stop();
    let mut bot = Bot::launch(Program::default(), &scene.config(), &[]);
    says(&mut bot, "; the bot tries again in ");
    let log = bot.log();
    assert!(log.contains("check that PostgreSQL runs there"), "{log}");
    ServerDatabase::assert_no_password(&log);
    server.start_again();
    says(&mut bot, "caught up");
    bot.stop();
}

/// Takes every connection that the server has for others than superusers.
fn take_all_connections(server: &PostgresServer, database: &str, free: usize) -> Vec<Child> {
    let mut clients = Vec::new();
    let of = |user: &str| {
        let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE usename = '{user}'");
        server
            .run("postgres", &sql)
            .unwrap()
            .parse::<usize>()
            .unwrap()
    };
    let begun = Instant::now();
    while of("other") < free {
        assert!(begun.elapsed() < Duration::from_secs(60));
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bot'";
        server.run("postgres", end).unwrap();
        // One that comes too late ends by itself.
        clients.extend((of("other")..free).map(|_| server.client("other", database)));
    }
    clients
}

#[test]
fn server_without_a_free_connection_is_waited_for() {
    let server = own_server(&["max_connections=20", "superuser_reserved_connections=3"]);
    let database = server.create(None);
    for sql in [
        ROLE,
        "CREATE ROLE other LOGIN",
        &format!("ALTER DATABASE {database} OWNER TO bot"),
    ] {
        server.run("postgres", sql).unwrap();
    }
    server
        .run(&database, "ALTER SCHEMA public OWNER TO bot")
        .unwrap();
    let url = format!(
        "postgres://bot:secret@127.0.0.1:{}/{database}",
        server.port()
    );
    let scene = Scene::new(url, Way::Http);
    let mut bot = scene.start();
    let clients = take_all_connections(&server, &database, 17);
    scene.is_refused(
        &mut bot,
        &["no connection left", "raise its max_connections"],
    );
    scene.is_given_up(&mut bot);
    for mut client in clients {
        client.kill().unwrap();
        client.wait().unwrap();
    }
    scene.goes_on(bot, |sql| server.run(&database, sql).unwrap());
}

#[test]
fn full_disk_of_the_server_is_waited_for() {
    let Some(disk) = SmallDisk::new() else {
        // Past what collects the output of tests.
        let text = "NOT TESTED: a full disk of PostgreSQL, as this user may mount no file system\n";
        std::io::stderr().write_all(text.as_bytes()).unwrap();
        return;
    };
    let server = own_server(&[]);
    let folder = disk.path().join("tables");
    std::fs::create_dir(&folder).unwrap();
    server.give(disk.path());
    server.give(&folder);
    let tablespace = format!("CREATE TABLESPACE small LOCATION '{}'", folder.display());
    server.run("postgres", &tablespace).unwrap();
    let database = server.create(None);
    let moved = format!("ALTER DATABASE {database} SET TABLESPACE small");
    server.run("postgres", &moved).unwrap();
    let scene = Scene::new(server.url(&database), Way::Http);
    let mut bot = scene.start();
    disk.fill();
    let full = ["the disk of", "is full", "free some space there"];
    scene.is_refused_that_says(&mut bot, &long(), &full);
    Scene::is_not_ready(&mut bot);
    scene.is_given_up(&mut bot);
    disk.make_room();
    scene.goes_on(bot, |sql| server.run(&database, sql).unwrap());
    drop(server);
}

/// The tables may have room for short messages. A question can be so long.
fn long() -> String {
    let words = (0..430_u32).map(|n| format!("{:x}", n.wrapping_mul(2_654_435_761)));
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn full_disk_of_sqlite_is_waited_for() {
    let Some(disk) = SmallDisk::new() else {
        let text = "NOT TESTED: a full disk, as this user may mount no file system\n";
        std::io::stderr().write_all(text.as_bytes()).unwrap();
        return;
    };
    for way in [Way::Socket, Way::Http] {
        let path = disk.path().join(format!("{}.db", way == Way::Http));
        let scene = Scene::new(path.display().to_string(), way);
        let mut bot = scene.start();
        disk.fill();
        scene.is_refused_that_says(&mut bot, &long(), &["full"]);
        Scene::is_not_ready(&mut bot);
        scene.is_given_up(&mut bot);
        disk.make_room();
        scene.goes_on(bot, |sql| {
            let database = rusqlite::Connection::open(&path).unwrap();
            let mut rows = database.prepare(sql).unwrap();
            let numbers = rows.query_map([], |row| row.get::<_, i64>(0)).unwrap();
            let numbers = numbers.map(|number| number.unwrap().to_string());
            numbers.collect::<Vec<_>>().join("\n")
        });
    }
}

/// Ends the connections that the bot has, so that it makes new ones.
fn end_connections(database: &ServerDatabase) {
    let _ = database.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
}

#[test]
fn server_that_only_reads_for_a_while_is_waited_for() {
    let database = ServerDatabase::default();
    let scene = Scene::new(database.url(), Way::Http);
    let mut bot = scene.start();
    let name = database.run("SELECT current_database()");
    let set = |value: &str| {
        let _ = database.run(&format!(
            "BEGIN READ WRITE; ALTER DATABASE {name} SET default_transaction_read_only = {value}; COMMIT"
        ));
        end_connections(&database);
    };
    set("on");
    scene.is_refused(&mut bot, &["is read-only", "name the primary server"]);
    Scene::is_not_ready(&mut bot);
    scene.is_given_up(&mut bot);
    let metrics = exchange(bot.health(), "GET /metrics", &[], "")
        .unwrap()
        .body;
    let count = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().parse::<u64>().unwrap()
    };
    assert!(count("myao_database_errors_total ") > 0);
    assert_eq!(count("myao_database_connections{kind=\"most\"} "), 16);
    let told = bot.program().run(&["--json", "doctor"]);
    assert_eq!(told.code, Some(1));
    for words in ["takes no writes: ", "none can be stored: "] {
        assert!(
            told.stdout.contains(words),
            "no `{words}` in {}",
            told.stdout
        );
    }
    set("off");
    scene.goes_on(bot, |sql| database.run(sql));
}

#[test]
fn bot_over_a_replica_waits_until_it_is_the_primary() {
    let server = own_server(&[]);
    let database = server.create(None);
    let mut scene = Scene::new(server.url(&database), Way::Http);
    drop(scene.start().stop());
    let replica = server.replica();
    scene.url = replica.url(&database);
    let mut bot = Bot::launch(Program::default(), &scene.config(), &[]);
    says(&mut bot, "; the bot tries again in ");
    let log = bot.log();
    assert!(
        log.contains("is read-only, as a replica is: name the primary server"),
        "{log}"
    );
    server.stop();
    replica.run("postgres", "SELECT pg_promote()").unwrap();
    says(&mut bot, "caught up");
    bot.stop();
}

#[test]
fn password_that_is_changed_is_waited_for_and_refused_at_the_start() {
    let database = ServerDatabase::default();
    let name = database.run("SELECT current_database()");
    let role = format!("bot_of_{name}");
    let set = |password: &str| database.run(&format!("ALTER ROLE {role} PASSWORD '{password}'"));
    let _ = database.run(&format!(
        "CREATE ROLE {role} LOGIN PASSWORD 'secret'; ALTER DATABASE {name} OWNER TO {role}; ALTER SCHEMA public OWNER TO {role}"
    ));
    let (_, place) = database
        .url()
        .split_once('@')
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let scene = Scene::new(format!("postgres://{role}:secret@{place}"), Way::Http);
    let mut bot = scene.start();
    let _ = set("another");
    end_connections(&database);
    let words = ["refuses the user's password", "memory.database_url"];
    scene.is_refused(&mut bot, &words);
    let other = Scene {
        events: free_address(),
        ..Scene::new(scene.url.clone(), Way::Http)
    };
    let (code, log) = refusal(&Program::default(), &other.config());
    assert_eq!(code, Some(1), "{log}");
    one_line(&log, &words);
    scene.is_given_up(&mut bot);
    let _ = set("secret");
    scene.goes_on(bot, |sql| database.run(sql));
    let _ = database.run(&format!(
        "REASSIGN OWNED BY {role} TO postgres; DROP ROLE {role}"
    ));
}

#[test]
fn schema_of_a_newer_program_is_refused_at_the_start() {
    let database = ServerDatabase::default();
    let scene = Scene::new(database.url(), Way::Socket);
    let program = Program::default();
    let bot = Bot::start(program, &scene.config());
    let program = bot.stop();
    let newer = "INSERT INTO myao_schema (version, oldest_reader) VALUES (99, 99)";
    let _ = database.run(newer);
    let refused = Program::default();
    let (code, log) = refusal(&refused, &scene.config());
    assert_eq!(code, Some(1), "{log}");
    one_line(&log, &["newer myao", "schema 99", "update myao"]);
    let _ = database.run("DELETE FROM myao_schema WHERE version = 99");
    Bot::start(program, &scene.config()).stop();
}

/// The last thing that is said is one line, with all of `words` and no password.
#[track_caller]
fn one_line(log: &str, words: &[&str]) {
    let lines: Vec<&str> = log
        .lines()
        .filter(|line| line.starts_with("myao: "))
        .collect();
    let [line] = lines.as_slice() else {
        panic!("not one line: {log}");
    };
    for word in words {
        assert!(line.contains(word), "no `{word}` in {line}");
    }
    assert!(
        !log.contains("secret@") && !log.contains("panicked"),
        "{log}"
    );
    ServerDatabase::assert_no_password(log);
}
