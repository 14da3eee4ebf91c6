//! Answers that nobody asked for: judged first, and only where nobody else answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use myao_fake_slack::{FakeSlack, Fault};
use myao_tests::bot::{Bot, read_log};
use myao_tests::llm_server::{Call, LlmServer, answer};
use serde_json::json;

use crate::bot::support::{
    AKARI, ANSWER, CAMP, EMIKO, connect, connect_again, number, posts, replies_of, workspace,
};

const TEA: &str = "C0TEA";
const CACHED: &str = "SELECT COUNT(*) FROM judgments";

/// A model that judges, and answers [`ANSWER`] to everything else.
struct Judge {
    llm: LlmServer,
    responds: Arc<AtomicBool>,
}

impl Judge {
    fn new(responds: bool) -> Self {
        let responds = Arc::new(AtomicBool::new(responds));
        let decides = responds.clone();
        let llm = LlmServer::start(move |call| {
            if is_judgment(call) {
                let respond = decides.load(Ordering::SeqCst);
                let judgment =
                    json!({ "should_respond": respond, "reason": "テスト", "confidence": 0.95 });
                answer(&judgment.to_string())
            } else {
                answer(ANSWER)
            }
        });
        Self { llm, responds }
    }

    /// The prompts of judgments that were about the top level of a channel.
    fn judged(&self, channel_name: &str) -> Vec<String> {
        let place = format!("現在は、#{channel_name} チャンネル");
        let calls = self.llm.calls().into_iter().filter(is_judgment);
        let prompts = calls.map(|call| call.prompt().to_owned());
        prompts.filter(|prompt| prompt.contains(&place)).collect()
    }

    fn config(&self) -> String {
        format!(
            "timezone: Asia/Tokyo\n\
             response: {{ mode: join, check_interval_seconds: 1, min_wait_seconds: 1, jitter_ratio: 0 }}\n{}",
            replies_of(&self.llm)
        )
    }
}

fn is_judgment(call: &Call) -> bool {
    !call.body["response_format"].is_null()
}

/// A workspace with one more channel: channels are looked at in the order of their ids, so what is judged there comes
/// after everything that is due elsewhere.
fn two_channels() -> FakeSlack {
    let slack = workspace();
    slack.add_channel(TEA, "お茶");
    slack
}

/// Something new in the other channel, and its judgment.
#[track_caller]
fn look_again(slack: &FakeSlack, judge: &Judge, bot: &mut Bot) {
    let before = judge.judged("お茶").len();
    slack.post(
        AKARI,
        TEA,
        &format!("お茶は何杯ですか？ その{before}"),
        None,
    );
    bot.until("one more look", |_| {
        (judge.judged("お茶").len() > before).then_some(())
    });
}

#[test]
fn a_question_that_nobody_answered_is_judged_and_answered_once() {
    let (slack, judge) = (two_channels(), Judge::new(true));
    let mut bot = connect(&slack, &judge.config());
    slack.post(EMIKO, CAMP, "合宿の会場はどこですか？", None);
    let thread = slack.post(AKARI, TEA, "お茶の話です。", None);
    let posted = posts(&slack, &mut bot, 2);
    // What was found may not be what the answer says: then it is marked.
    let marked = format!("{ANSWER}（出典なし）");
    for post in posted {
        assert!([ANSWER, &marked].contains(&post.text.as_str()), "{post:?}");
        assert_eq!(post.thread_ts, None);
    }
    // A question in a thread is answered there.
    slack.post(EMIKO, TEA, "何時からですか？", Some(&thread));
    posts(&slack, &mut bot, 3);
    look_again(&slack, &judge, &mut bot);
    posts(&slack, &mut bot, 4);
    bot.stop();
    let in_thread = slack
        .posts()
        .into_iter()
        .filter(|post| post.thread_ts == Some(thread.clone()));
    assert_eq!((in_thread.count(), slack.posts().len()), (1, 4));
    let prompts = judge.judged("合宿");
    assert_eq!(prompts.len(), 1, "{prompts:?}");
    assert!(
        prompts[0].contains("合宿の会場はどこですか？"),
        "{}",
        prompts[0]
    );
    let now = prompts[0]
        .lines()
        .find(|line| line.starts_with("現在時刻: 20"));
    assert!(
        now.is_some_and(|line| line.ends_with("(UTC+09:00)")),
        "{}",
        prompts[0]
    );
    let call = judge.llm.calls().into_iter().find(is_judgment).unwrap();
    let schema = call.body["response_format"]["json_schema"]["schema"].clone();
    assert_eq!(
        schema["required"],
        json!(["should_respond", "reason", "confidence"]),
        "{}",
        call.body
    );
}

#[test]
fn a_sure_no_is_not_asked_again_unless_a_new_message_comes() {
    let (slack, judge) = (two_channels(), Judge::new(false));
    let mut bot = connect(&slack, &judge.config());
    slack.post(EMIKO, CAMP, "合宿の会場はどこですか？", None);
    bot.until("a judgment", |program| {
        (number(program, CACHED) == 1).then_some(())
    });
    for _ in 0..2 {
        look_again(&slack, &judge, &mut bot);
    }
    assert_eq!(judge.judged("合宿").len(), 1);
    // Nor by the next start.
    let mut bot = connect_again(&slack, bot.stop(), &judge.config());
    look_again(&slack, &judge, &mut bot);
    assert_eq!(judge.judged("合宿").len(), 1);
    slack.post(AKARI, CAMP, "誰か知りませんか？", None);
    bot.until("a judgment of the new message", |_| {
        (judge.judged("合宿").len() == 2).then_some(())
    });
    bot.stop();
    assert!(slack.posts().is_empty());
}

#[test]
fn an_answer_that_was_not_posted_leaves_no_judgment() {
    let (slack, judge) = (workspace(), Judge::new(true));
    let mut bot = connect(&slack, &judge.config());
    slack
        .faults()
        .next("chat.postMessage", Fault::Error("restricted_action"));
    slack.post(EMIKO, CAMP, "合宿の会場はどこですか？", None);
    bot.until("the failure", |_| {
        (!slack.requests_of("chat.postMessage").is_empty()).then_some(())
    });
    let program = bot.stop();
    assert_eq!(number(&program, CACHED), 0);
    // What Slack refused for good is not posted later; a new question is judged and answered.
    let mut bot = connect_again(&slack, program, &judge.config());
    slack.post(EMIKO, CAMP, "どなたか分かりますか？", None);
    posts(&slack, &mut bot, 1);
    bot.stop();
    assert_eq!(slack.posts().len(), 1);
}

#[test]
fn an_answer_that_was_cut_off_is_posted_by_the_next_start_and_not_called_a_mention() {
    let (slack, judge) = (workspace(), Judge::new(true));
    let mut bot = connect(&slack, &judge.config());
    slack.faults().next("chat.postMessage", Fault::HoldCall);
    slack.post(EMIKO, CAMP, "合宿の会場はどこですか？", None);
    bot.until("a post is held", |_| {
        (slack.faults().held() == 1).then_some(())
    });
    let program = bot.kill();
    slack.faults().release();
    let mut bot = connect_again(&slack, program, &judge.config());
    let log = bot.until("what was done", |program| {
        let log = read_log(program);
        log.contains("posted an unasked answer in C0CAMP")
            .then_some(log)
    });
    assert!(!log.contains("a mention"), "{log}");
    bot.stop();
    assert_eq!(slack.posts().len(), 1);
}

#[test]
fn answered_conversations_and_programs_are_not_judged() {
    let (slack, judge) = (two_channels(), Judge::new(false));
    let mut bot = connect(&slack, &judge.config());
    slack.mention(EMIKO, CAMP, "会場は？", None);
    posts(&slack, &mut bot, 1);
    let thread = slack.post_as_integration("deploy", CAMP, "配置しますか？", None);
    slack.mention(AKARI, CAMP, "何を？", Some(&thread));
    posts(&slack, &mut bot, 2);
    slack.post_as_integration("deploy", CAMP, "配置しました。次は？", None);
    bot.messages(CAMP, 6);
    for _ in 0..3 {
        look_again(&slack, &judge, &mut bot);
    }
    assert_eq!(judge.judged("合宿"), Vec::<String>::new());
    judge.responds.store(true, Ordering::SeqCst);
    slack.post(EMIKO, CAMP, "ところで予算は？", None);
    posts(&slack, &mut bot, 3);
    bot.stop();
    assert_eq!(judge.judged("合宿").len(), 1);
}
