//! The bot over PostgreSQL.

use std::os::unix::fs::PermissionsExt as _;

use myao_tests::postgres::ServerDatabase;
use myao_tests::program::Program;

use crate::bot::support::{
    AKARI, ANSWER, CAMP, EMIKO, connect_again, model, posts, replies_of, workspace,
};

/// Memories are made at once.
const EAGER: &str = "memory:\n  long_term_update_interval_seconds: 1\n  short_term_history: { message_threshold: 1 }\n";

#[test]
fn the_bot_keeps_what_is_said_answers_once_and_remembers() {
    let (slack, llm) = (workspace(), model());
    let database = ServerDatabase::default();
    let page = "page: { listen: '127.0.0.1:0' }\n";
    let config = database.config("", &format!("{}{page}{EAGER}", replies_of(&llm)));
    let mut bot = connect_again(&slack, database.program("", ""), &config);
    slack.post(AKARI, CAMP, "合宿の会場は箱根に決まりました。", None);
    slack.mention(EMIKO, CAMP, "会場はどこですか？", None);
    assert_eq!(posts(&slack, &mut bot, 1)[0].text, ANSWER);
    let count = |sql: &str| database.run(sql).parse::<i64>().unwrap();
    let waiting = "SELECT count(*) FROM events WHERE state = 0";
    bot.until("every event in effect", |_| {
        (slack.is_settled() && count(waiting) == 0).then_some(())
    });
    bot.until("a memory", |_| {
        (count("SELECT count(*) FROM memories WHERE scope = 1") > 0).then_some(())
    });
    let link = bot.program().path("myao.page-link");
    let mode = std::fs::metadata(link).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    ServerDatabase::assert_no_password(&bot.log());

    // After a restart it knows what it has answered.
    let program = bot.stop();
    let mut again = connect_again(&slack, program, &config);
    slack.mention(AKARI, CAMP, "予算はいくらですか？", None);
    assert_eq!(posts(&slack, &mut again, 2).len(), 2);
    again.stop();
    assert_eq!(slack.posts().len(), 2);
    let said = "SELECT count(*) FROM messages WHERE text LIKE '%箱根に決まりました%'";
    assert_eq!(count(said), 1);
}

/// As packaging/kubernetes/myao.yaml has it.
#[test]
fn bot_works_with_tables_that_another_role_has_made() {
    let (slack, llm) = (workspace(), model());
    let database = ServerDatabase::default();
    let name = database.run("SELECT current_database()");
    let [owner, user] = ["owner", "user"].map(|role| format!("{role}_of_{name}"));
    let _ = database.run(&format!(
        "CREATE ROLE {owner} LOGIN PASSWORD 'secret'; CREATE ROLE {user} LOGIN PASSWORD 'secret'; \
         ALTER DATABASE {name} OWNER TO {owner}; ALTER SCHEMA public OWNER TO {owner}; \
         GRANT USAGE ON SCHEMA public TO {user}; ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public \
         GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {user}"
    ));
    let (_, place) = database
        .url()
        .split_once('@')
        .map(|(user, place)| (user.to_owned(), place.to_owned()))
        .unwrap();
    let memory =
        |role: &str| format!("memory: {{ database_url: 'postgres://{role}:secret@{place}' }}\n");
    let prepared = Program::with_config(&memory(&owner)).run(&["database", "prepare"]);
    assert!(prepared.output().contains(" is prepared."));
    let config = format!("{}{}", replies_of(&llm), memory(&user));
    let mut bot = connect_again(&slack, Program::default(), &config);
    slack.mention(EMIKO, CAMP, "会場はどこですか？", None);
    assert_eq!(posts(&slack, &mut bot, 1)[0].text, ANSWER);
    bot.stop();
    let _ = database.run(&format!(
        "REASSIGN OWNED BY {owner} TO postgres; DROP OWNED BY {owner}; DROP OWNED BY {user}; DROP ROLE {owner}, {user}"
    ));
}
