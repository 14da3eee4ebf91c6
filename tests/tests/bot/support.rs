//! A workspace, a model and the bot between them.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use chrono::DateTime;
use myao_fake_slack::{APP_TOKEN, BOT_TOKEN, BotPost, FakeSlack};
use myao_tests::bot::{Bot, now};
use myao_tests::llm_server::{API_KEY, Call, LlmServer, Reply, answer};
use myao_tests::peer::exchange;
use myao_tests::program::Program;

pub(crate) const AKARI: &str = "U0AKARI";
pub(crate) const EMIKO: &str = "U0EMIKO";
pub(crate) const CAMP: &str = "C0CAMP";
pub(crate) const AKARI_NAME: &str = "佐藤 灯";
pub(crate) const EMIKO_NAME: &str = "田中 恵美子";
/// What [`model`] answers.
pub(crate) const ANSWER: &str = "箱根で決まりだそうです。";

/// In seconds.
pub(crate) const DAY: i64 = 24 * 3600;

/// A workspace with two people and a channel.
pub(crate) fn workspace() -> FakeSlack {
    let slack = FakeSlack::start_on_own_thread();
    // The bot answers nothing that is half a day old.
    slack.follow_system_clock();
    with_people(slack)
}

/// The same, with a clock that is so many seconds ahead of this machine's.
pub(crate) fn workspace_ahead(seconds: i64) -> FakeSlack {
    let slack = FakeSlack::start_on_own_thread();
    let at_slack = i64::try_from(now()).unwrap() + seconds;
    slack.set_clock(&format!("{at_slack}.000000"));
    let date = DateTime::from_timestamp(at_slack, 0).unwrap();
    slack.faults().date(move || date.to_rfc2822());
    with_people(slack)
}

fn with_people(slack: FakeSlack) -> FakeSlack {
    slack.add_user(AKARI, AKARI_NAME);
    slack.add_user(EMIKO, EMIKO_NAME);
    slack.add_channel(CAMP, "合宿");
    slack
}

/// A model that answers everything with [`ANSWER`].
pub(crate) fn model() -> LlmServer {
    LlmServer::start(|_| answer(ANSWER))
}

/// A configuration that asks a model for replies, but not for memories.
pub(crate) fn replies_of(llm: &LlmServer) -> String {
    let url = llm.base_url();
    format!(
        "agents:\n  response:\n    model_id: openai/test-model\n    \
         client_args: {{ base_url: '{url}', api_key: {API_KEY}, timeout: 60, max_retries: 0 }}\n"
    )
}

/// The bot in a new folder, connected.
pub(crate) fn connect(slack: &FakeSlack, more: &str) -> Bot {
    connect_again(slack, Program::of_bot(), more)
}

/// The bot in the folder of an earlier one, connected.
pub(crate) fn connect_again(slack: &FakeSlack, program: Program, more: &str) -> Bot {
    connect_as(slack, program, "", more)
}

/// The same with more keys of `slack`.
pub(crate) fn connect_as(slack: &FakeSlack, program: Program, keys: &str, more: &str) -> Bot {
    let api_url = slack.api_url();
    let config = format!(
        "slack: {{ bot_token: {BOT_TOKEN}, app_token: {APP_TOKEN}, api_url: '{api_url}', {keys} }}\n{more}"
    );
    let mut bot = Bot::start(program, &config);
    bot.until("a socket", |_| (slack.connections() > 0).then_some(()));
    bot
}

/// A bot on a machine whose clock is wrong, connected.
pub(crate) fn connect_out_of_time(slack: &FakeSlack, more: &str) -> Bot {
    let api_url = slack.api_url();
    let config = format!(
        "slack: {{ bot_token: {BOT_TOKEN}, app_token: {APP_TOKEN}, api_url: '{api_url}' }}\n{more}"
    );
    let mut bot = Bot::launch(Program::of_bot(), &config, &[]);
    let health = bot.health();
    bot.until("the wrong clock", |_| {
        let ready = exchange(health, "GET /ready", &[], "").ok()?;
        let is_told = ready.body.contains("Slack's: let it set its clock");
        (is_told && ready.status == 503 && slack.connections() > 0).then_some(())
    });
    bot
}

/// What the bot has posted, once there are so many.
#[track_caller]
pub(crate) fn posts(slack: &FakeSlack, bot: &mut Bot, count: usize) -> Vec<BotPost> {
    bot.until(&format!("{count} posts"), |_| {
        let posts = slack.posts();
        (posts.len() >= count).then_some(posts)
    })
}

/// Waits until everything that was sent so far is acknowledged and has taken effect.
#[track_caller]
pub(crate) fn settled(slack: &FakeSlack, bot: &mut Bot) {
    let waiting = "SELECT COUNT(*) FROM events WHERE state = 0";
    bot.until("every event in effect", |program| {
        // In this order: what is acknowledged is stored.
        (slack.is_settled() && number(program, waiting) == 0).then_some(())
    });
}

/// What a query of the database counts.
pub(crate) fn number(program: &Program, query: &str) -> i64 {
    program.number(query)
}

/// One message in a prompt.
#[derive(Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) time: String,
    pub(crate) author: String,
    pub(crate) text: String,
}

/// The messages under a heading of a prompt, up to the next heading or rule.
#[track_caller]
pub(crate) fn shown_under(prompt: &str, heading: &str) -> Vec<Shown> {
    let line = format!("\n{heading}\n");
    let (_, section) = prompt
        .split_once(&line)
        .unwrap_or_else(|| panic!("no {heading} in {prompt}"));
    let mut shown: Vec<Shown> = Vec::new();
    for line in section.lines() {
        if line.starts_with("### ") || line.starts_with("---") {
            break;
        }
        let head = line
            .strip_prefix("**")
            .and_then(|line| line.split_once("** "));
        match (head, shown.last_mut()) {
            (Some((time, author)), _) => shown.push(Shown {
                time: time.to_owned(),
                author: author.trim_end_matches(':').to_owned(),
                text: String::new(),
            }),
            (None, Some(message)) => message.text += line,
            (None, None) => assert_eq!(line, "", "{prompt}"),
        }
    }
    shown
}

/// The prompts of replies in a thread, each of a call that has nothing but the one system message.
#[track_caller]
pub(crate) fn prompts_in_thread(llm: &LlmServer, thread: &str) -> Vec<String> {
    let heading = format!("### 返信対象スレッド: {thread}");
    prompts(llm)
        .into_iter()
        .filter(|prompt| prompt.contains(&heading))
        .collect()
}

/// All prompts, each of a call that has nothing but the one system message.
#[track_caller]
pub(crate) fn prompts(llm: &LlmServer) -> Vec<String> {
    llm.calls().iter().map(only_system_message).collect()
}

#[track_caller]
fn only_system_message(call: &Call) -> String {
    let messages = call.body["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["system"], "{:?}", call.body);
    call.prompt().to_owned()
}

/// Holds a model's answers back until it is opened.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let open = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.0.1.wait_while(open, |open| !*open));
    }
}

/// A model whose answers wait behind a gate.
pub(crate) fn held_model() -> (LlmServer, Gate) {
    let gate = Gate::default();
    let behind = gate.clone();
    let llm = LlmServer::start(move |_: &Call| -> Reply {
        behind.pass();
        answer(ANSWER)
    });
    (llm, gate)
}

/// Waits until the model was asked so often.
#[track_caller]
pub(crate) fn asked(llm: &LlmServer, bot: &mut Bot, count: usize) {
    bot.until(&format!("{count} calls of the model"), |_| {
        (llm.calls().len() >= count).then_some(())
    });
}

/// Waits for the fake Slack where it answers a future.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}
