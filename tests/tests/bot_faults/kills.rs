//! The bot is killed at each step of an answer: one whole answer stands in the channel in the end.

use std::sync::atomic::{AtomicUsize, Ordering};

use myao_fake_slack::{BotPost, FakeSlack, Fault};
use myao_tests::bot::{Bot, said};
use myao_tests::llm_server::{LlmServer, answer, error};
use myao_tests::program::Program;

use super::common::{
    AKARI, CAMP, EMIKO, Gate, asked, config, database, model, number, posts, reply_calls,
    wait_until_idle, workspace,
};

const POST: &str = "chat.postMessage";
const ANSWER: &str = "The lake, as last year.";

/// A question that a model answers with `text`.
struct Asked {
    slack: FakeSlack,
    llm: LlmServer,
    config: String,
    bot: Bot,
    thread: Option<String>,
}

impl Asked {
    /// In a thread, or at the top level. `prepare` lets something go wrong first.
    fn new(text: &str, in_thread: bool, prepare: impl FnOnce(&FakeSlack)) -> Self {
        let slack = workspace();
        let text = text.to_owned();
        let llm = model(move |_| answer(&text));
        let config = config(&slack, &llm);
        let mut bot = Bot::start(Program::default(), &config);
        bot.caught_up();
        prepare(&slack);
        let parent = slack.post(AKARI, CAMP, "Where do we camp?", None);
        let thread = in_thread.then_some(parent);
        slack.mention(EMIKO, CAMP, "what was decided?", thread.as_deref());
        Self {
            slack,
            llm,
            config,
            bot,
            thread,
        }
    }

    /// Waits until Slack holds a post back after this many calls.
    #[track_caller]
    fn held(&mut self, calls: usize) {
        self.bot.until("a post is held", |_| {
            let called = self.slack.requests_of(POST).len() == calls;
            (called && self.slack.faults().held() == 1).then_some(())
        });
    }

    /// Kills the bot and starts it again; what stands in the channel once nothing waits any more.
    #[track_caller]
    fn killed(self) -> Ended {
        let program = self.bot.kill();
        self.slack.faults().release();
        let mut bot = Bot::start(program, &self.config);
        wait_until_idle(&mut bot);
        Ended {
            posts: self.slack.posts(),
            calls: reply_calls(&self.llm).len(),
            thread: self.thread,
            program: bot.stop(),
        }
    }
}

/// What there is in the end.
struct Ended {
    posts: Vec<BotPost>,
    calls: usize,
    thread: Option<String>,
    program: Program,
}

impl Ended {
    /// One answer, in its place, in the database too.
    #[track_caller]
    fn is_one_answer(&self) {
        let texts: Vec<&str> = self.posts.iter().map(|post| post.text.as_str()).collect();
        assert_eq!(texts, [ANSWER]);
        self.stands_where_it_was_asked();
    }

    /// Every post is in the thread, and in the database as it is in Slack.
    #[track_caller]
    fn stands_where_it_was_asked(&self) {
        let kept = said(&self.program, CAMP);
        for post in &self.posts {
            assert_eq!(post.thread_ts, self.thread);
            let of_post = kept.iter().find(|message| message.ts == post.ts);
            let of_post = of_post.unwrap_or_else(|| panic!("{post:?} is not in {kept:#?}"));
            assert_eq!(
                (&of_post.text, of_post.author.as_str()),
                (&post.text, "myao")
            );
        }
        assert_eq!(kept.len(), 2 + self.posts.len(), "{kept:#?}");
    }
}

#[test]
fn killed_while_the_model_thinks_it_asks_again_and_answers_once() {
    let slack = workspace();
    let gate = Gate::default();
    let thinking = gate.clone();
    let llm = model(move |_| {
        thinking.wait();
        answer(ANSWER)
    });
    let config = config(&slack, &llm);
    let mut bot = Bot::start(Program::default(), &config);
    bot.caught_up();
    let thread = slack.post(AKARI, CAMP, "Where do we camp?", None);
    slack.mention(EMIKO, CAMP, "what was decided?", Some(&thread));
    asked(&mut bot, &llm, 1);
    let program = bot.kill();
    gate.open();
    let mut bot = Bot::start(program, &config);
    wait_until_idle(&mut bot);
    let ended = Ended {
        posts: slack.posts(),
        calls: reply_calls(&llm).len(),
        thread: Some(thread),
        program: bot.stop(),
    };
    ended.is_one_answer();
}

/// Slack did not take the post.
#[test]
fn killed_before_a_post_arrives_it_posts_once() {
    for in_thread in [true, false] {
        let mut asked = Asked::new(ANSWER, in_thread, |slack| {
            slack.faults().next(POST, Fault::HoldCall);
        });
        asked.held(1);
        assert_eq!(asked.slack.posts(), []);
        asked.killed().is_one_answer();
    }
}

/// Slack took the post, and the bot does not know.
#[test]
fn killed_before_it_knows_that_a_post_arrived_it_posts_no_more() {
    for in_thread in [true, false] {
        let mut asked = Asked::new(ANSWER, in_thread, |slack| {
            slack.faults().next(POST, Fault::HoldAnswer);
        });
        asked.held(1);
        assert_eq!(asked.slack.posts().len(), 1);
        asked.killed().is_one_answer();
    }
}

#[test]
fn the_model_is_not_asked_again_for_an_answer_that_is_on_the_disk() {
    let mut asked = Asked::new(ANSWER, true, |slack| {
        slack.faults().next(POST, Fault::HoldCall);
    });
    asked.held(1);
    let ended = asked.killed();
    ended.is_one_answer();
    assert_eq!(ended.calls, 1, "calls of the model");
}

/// Waits until an answer failed.
#[track_caller]
fn failed_once(bot: &mut Bot) {
    bot.until("an answer failed", |program| {
        (number(program, "SELECT COUNT(*) FROM replies WHERE failures = 1") == 1).then_some(())
    });
}

#[test]
fn the_model_is_not_asked_again_for_an_answer_that_the_database_did_not_take() {
    let slack = workspace();
    let llm = model(|_| answer(ANSWER));
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    bot.caught_up();
    let refuses = "ALTER TABLE reply_parts RENAME COLUMN text TO no_text";
    database(bot.program()).execute_batch(refuses).unwrap();
    slack.mention(EMIKO, CAMP, "what was decided?", None);
    failed_once(&mut bot);
    let accepts = "ALTER TABLE reply_parts RENAME COLUMN no_text TO text; UPDATE replies SET next_try_at = 0;";
    database(bot.program()).execute_batch(accepts).unwrap();
    posts(&mut bot, &slack, 1);
    assert_eq!(reply_calls(&llm).len(), 1);
}

#[test]
fn a_model_that_is_away_after_a_search_is_not_asked_for_the_search_again() {
    let slack = workspace();
    let calls = AtomicUsize::new(0);
    let llm = model(move |_| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => answer(r#"{"search": ["camp"]}"#),
        1 => error(503, "{}"),
        _ => answer(ANSWER),
    });
    let mut bot = Bot::start(Program::default(), &config(&slack, &llm));
    bot.caught_up();
    slack.mention(EMIKO, CAMP, "what was decided?", None);
    failed_once(&mut bot);
    let at_once = "UPDATE replies SET next_try_at = 0";
    database(bot.program()).execute_batch(at_once).unwrap();
    let posted = posts(&mut bot, &slack, 1);
    assert_eq!(posted.first().unwrap().text, ANSWER);
    assert_eq!(reply_calls(&llm).len(), 3);
}

#[test]
fn a_lost_answer_of_slack_makes_no_second_post() {
    let mut asked = Asked::new(ANSWER, true, |slack| {
        slack.faults().next(POST, Fault::LoseAnswer);
    });
    posts(&mut asked.bot, &asked.slack, 1);
    wait_until_idle(&mut asked.bot);
    asked.killed().is_one_answer();
}

/// Between the parts of a long answer, whether the second one arrived or not.
#[test]
fn killed_between_two_parts_it_goes_on_with_the_second() {
    let paragraph = |word: &str| format!("{word} ").repeat(500).trim_end().to_owned();
    let (first, second) = (paragraph("shore"), paragraph("woods"));
    for second_goes_wrong in [Fault::HoldCall, Fault::HoldAnswer] {
        let long = format!("{first}\n\n{second}");
        let mut asked = Asked::new(&long, true, |slack| {
            slack.faults().next(POST, Fault::HoldAnswer);
            slack.faults().next(POST, second_goes_wrong.clone());
        });
        asked.held(1);
        asked.slack.faults().release();
        asked.held(2);
        let ended = asked.killed();
        let texts: Vec<&str> = ended.posts.iter().map(|post| post.text.as_str()).collect();
        assert_eq!(texts, [&first, &second], "{second_goes_wrong:?}");
        ended.stands_where_it_was_asked();
    }
}

/// All that is asked at once is answered, whenever the kill comes.
#[test]
fn many_questions_under_way_are_answered_once_each() {
    let slack = workspace();
    let llm = model(|_| answer(ANSWER));
    let config = config(&slack, &llm);
    let mut bot = Bot::start(Program::default(), &config);
    bot.caught_up();
    for number in 0..40 {
        slack.mention(AKARI, CAMP, &format!("question {number}"), None);
    }
    posts(&mut bot, &slack, 10);
    let program = bot.kill();
    let before = slack.posts().len();
    assert!(before < 40, "the kill came after the last answer");
    let mut bot = Bot::start(program, &config);
    wait_until_idle(&mut bot);
    bot.stop();
    let posts = slack.posts();
    let mut answered: Vec<String> = posts
        .iter()
        .map(|post| post.metadata.as_ref().unwrap()["event_payload"]["answers"].to_string())
        .collect();
    answered.sort();
    answered.dedup();
    assert_eq!((posts.len(), answered.len()), (40, 40));
}
