//! What these tests share: configurations, a workspace with two people, questions to the database.

use std::sync::{Arc, Condvar, Mutex};

use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, BotPost, FakeSlack};
use myao_tests::bot::{Bot, now, read_log};
use myao_tests::llm_server::{API_KEY, Call, LlmServer, Reply};
use myao_tests::program::Program;
use rusqlite::Connection;

/// The channel of most tests.
pub(crate) const CAMP: &str = "C0CAMP0001";
/// Two people.
pub(crate) const AKARI: &str = "U0AKARI001";
/// The other one.
pub(crate) const EMIKO: &str = "U0EMIKO001";

/// A Slack with a channel and two people, at the machine's time.
pub(crate) fn workspace() -> FakeSlack {
    let slack = FakeSlack::start_on_own_thread();
    slack.set_clock(&format!("{}.000000", now()));
    slack.follow_system_clock();
    slack.add_user(AKARI, "akari");
    slack.add_user(EMIKO, "emiko");
    slack.add_channel(CAMP, "camp");
    slack
}

/// A model that answers replies as `script` says, and hangs where it is to write memories.
pub(crate) fn model(script: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> LlmServer {
    LlmServer::start(move |call| match call.body["model"].as_str() {
        Some(model) if model.starts_with("replies") => script(call),
        _ => Reply::Hang,
    })
}

/// A configuration over that Slack and that model. An emoji that pins is no sign that an answer is written: the events of such
/// signs would come at any time, and events are counted.
pub(crate) fn config(slack: &FakeSlack, llm: &LlmServer) -> String {
    let api_url = slack.api_url();
    let base_url = llm.base_url();
    let agent = |name: &str, model: &str| {
        format!(
            "  {name}:\n    model_id: openai/{model}\n    client_args: {{ base_url: '{base_url}', \
             api_key: {API_KEY}, timeout: 300, max_retries: 0 }}\n"
        )
    };
    format!(
        "slack: {{ bot_token: {BOT_TOKEN}, app_token: {APP_TOKEN}, api_url: '{api_url}', pin_emoji: eyes }}\n\
         agents:\n{}{}\
         memory: {{ long_term_update_interval_seconds: 86400 }}\n\
         response: {{ check_interval_seconds: 86400, mention_limits: {{ per_person: 0, per_channel: 0 }} }}\n",
        agent("memory", "memories"),
        agent("response", "replies"),
    )
}

/// The database of a program.
pub(crate) fn database(program: &Program) -> Connection {
    Connection::open(program.path("myao.db")).unwrap()
}

/// The one number that a query gives.
pub(crate) fn number(program: &Program, sql: &str) -> i64 {
    program.number(sql)
}

/// Every row of a query, as text.
pub(crate) fn rows(program: &Program, sql: &str, parameter: i64) -> Vec<String> {
    let connection = database(program);
    let mut statement = connection.prepare(sql).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let row = |row: &rusqlite::Row<'_>| {
        let cell = |(column, name): (usize, &String)| {
            Ok(format!(
                "{name}={:?}",
                row.get::<_, rusqlite::types::Value>(column)?
            ))
        };
        let cells: rusqlite::Result<Vec<String>> = names.iter().enumerate().map(cell).collect();
        Ok(cells?.join(" "))
    };
    let rows = statement.query_map([parameter], row).unwrap();
    rows.map(Result::unwrap).collect()
}

/// What the bot has posted, once there is so much.
#[track_caller]
pub(crate) fn posts(bot: &mut Bot, slack: &FakeSlack, count: usize) -> Vec<BotPost> {
    bot.until(&format!("{count} posts"), |_| {
        let posts = slack.posts();
        (posts.len() >= count).then_some(posts)
    })
}

/// Waits until every event took effect and every mention is answered or given up.
#[track_caller]
pub(crate) fn wait_until_idle(bot: &mut Bot) {
    bot.until("nothing waits", |program| {
        let waiting = number(program, include_str!("waiting.sql"));
        (waiting == 0).then_some(())
    });
}

/// Holds back who comes to it until it is opened, and nobody after that.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub(crate) fn wait(&self) {
        let (is_open, opened) = &*self.0;
        let waiting = opened.wait_while(is_open.lock().unwrap(), |is_open| !*is_open);
        drop(waiting.unwrap());
    }

    pub(crate) fn open(&self) {
        let (is_open, opened) = &*self.0;
        *is_open.lock().unwrap() = true;
        opened.notify_all();
    }
}

/// The calls that asked for a reply.
pub(crate) fn reply_calls(llm: &LlmServer) -> Vec<Call> {
    let mut calls = llm.calls();
    calls.retain(|call| call.body["model"].as_str().unwrap().starts_with("replies"));
    calls
}

/// Waits until a reply was asked for so often.
#[track_caller]
pub(crate) fn asked(bot: &mut Bot, llm: &LlmServer, count: usize) -> Vec<Call> {
    bot.until(&format!("{count} calls of the model"), |_| {
        let calls = reply_calls(llm);
        (calls.len() >= count).then_some(calls)
    })
}

/// Waits until the log of the bot says so.
#[track_caller]
pub(crate) fn says(bot: &mut Bot, words: &str) {
    bot.until(words, |program| {
        read_log(program).contains(words).then_some(())
    });
}
