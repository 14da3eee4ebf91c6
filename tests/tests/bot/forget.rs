//! `@myao forget`: who asks has a message forgotten.

use myao_fake_slack::{FakeSlack, Fault};
use myao_tests::bot::Bot;
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::Program;

use crate::bot::support::{
    AKARI, CAMP, EMIKO, connect, connect_again, model, number, posts, prompts, replies_of, settled,
    workspace,
};

const CODE: &str = "玄関の暗証番号は K4711 です。";

fn texts(program: &Program) -> Vec<String> {
    program.texts("SELECT text FROM messages WHERE deleted_at IS NULL ORDER BY ts_key")
}

fn link(channel: &str, ts: &str) -> String {
    let digits = ts.replace('.', "");
    format!("<https://team.slack.com/archives/{channel}/p{digits}>")
}

/// Mentions the bot, and returns what it says.
#[track_caller]
fn ask(slack: &FakeSlack, bot: &mut Bot, user: &str, text: &str, thread: Option<&str>) -> String {
    let before = slack.posts().len();
    slack.mention(user, CAMP, text, thread);
    let posts = posts(slack, bot, before + 1);
    let post = posts.last().unwrap();
    assert_eq!(post.thread_ts.as_deref(), thread);
    post.text.clone()
}

#[test]
fn the_author_has_a_message_forgotten_in_its_thread_and_it_does_not_come_back() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let code = slack.post(AKARI, CAMP, CODE, None);
    slack.post(EMIKO, CAMP, "集合は9時です。", Some(&code));
    let said = ask(&slack, &mut bot, AKARI, "忘れて", Some(&code));
    assert!(said.starts_with("忘れました"), "{said}");
    settled(&slack, &mut bot);
    assert_eq!(llm.calls().len(), 0);
    // Neither an edit nor a new start brings it back, and no prompt shows it.
    slack.edit(CAMP, &code, &format!("{CODE} (裏口)"));
    settled(&slack, &mut bot);
    bot.caught_up();
    let program = bot.stop();
    assert!(!texts(&program).concat().contains("K4711"));
    let mut bot = connect_again(&slack, program, &replies_of(&llm));
    bot.caught_up();
    ask(&slack, &mut bot, EMIKO, "暗証番号は?", Some(&code));
    let program = bot.stop();
    assert!(!texts(&program).concat().contains("K4711"));
    assert!(texts(&program).concat().contains("集合は9時です。"));
    let prompts = prompts(&llm);
    assert_eq!(prompts.len(), 1);
    assert!(!prompts[0].contains("K4711") && prompts[0].contains("集合は9時です。"));
}

#[test]
fn others_are_refused_and_an_admin_is_not() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let code = slack.post(AKARI, CAMP, CODE, None);
    let request = format!("forget {}", link(CAMP, &code));
    let refused = ask(&slack, &mut bot, EMIKO, &request, None);
    assert!(refused.starts_with("I can only forget"), "{refused}");
    // What is not there is answered alike.
    let nothing = format!("forget {}", link(CAMP, "1709287200.000100"));
    assert_eq!(ask(&slack, &mut bot, EMIKO, &nothing, None), refused);
    let remembered = "SELECT COUNT(*) FROM messages WHERE text LIKE '%K4711%'";
    bot.until("the message", |program| {
        (number(program, remembered) == 1).then_some(())
    });
    slack.set_admin(EMIKO);
    let done = ask(&slack, &mut bot, EMIKO, &request, None);
    assert!(done.starts_with("Forgotten:"), "{done}");
    let program = bot.stop();
    assert_eq!(number(&program, remembered), 0);
    assert_eq!(llm.calls().len(), 0);
}

#[test]
fn an_admin_of_another_workspace_and_a_guest_are_refused() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let code = slack.post(AKARI, CAMP, CODE, None);
    let request = format!("forget {}", link(CAMP, &code));
    slack.set_admin(EMIKO);
    slack.set_guest(EMIKO, true);
    let refused = ask(&slack, &mut bot, EMIKO, &request, None);
    assert!(refused.starts_with("I can only forget"), "{refused}");
    slack.set_guest(EMIKO, false);
    slack.make_foreign(EMIKO);
    assert_eq!(ask(&slack, &mut bot, EMIKO, &request, None), refused);
    let program = bot.stop();
    let remembered =
        "SELECT COUNT(*) FROM messages WHERE text LIKE '%K4711%' AND text NOT LIKE '%forget%'";
    assert_eq!(number(&program, remembered), 1);
}

#[test]
fn a_request_that_names_no_message_is_asked_which() {
    let (slack, llm) = (workspace(), model());
    let mut bot = connect(&slack, &replies_of(&llm));
    let said = ask(&slack, &mut bot, AKARI, "忘れてください", None);
    assert!(said.starts_with("どの発言ですか"), "{said}");
    let said = ask(&slack, &mut bot, AKARI, "please forget that", None);
    assert!(said.starts_with("Which message?"), "{said}");
    // Whoever talks about forgetting gets an answer as ever.
    ask(&slack, &mut bot, AKARI, "傘を忘れてきたのは誰?", None);
    bot.stop();
    assert_eq!(llm.calls().len(), 1);
}

#[test]
fn requests_over_the_limit_of_mentions_are_obeyed_and_not_answered() {
    let (slack, llm) = (workspace(), model());
    let config = format!(
        "{}response: {{ mention_limits: {{ per_person: 1 }} }}\n",
        replies_of(&llm)
    );
    let mut bot = connect(&slack, &config);
    let codes: Vec<String> = (0..4)
        .map(|_| slack.post(AKARI, CAMP, CODE, None))
        .collect();
    for code in &codes {
        slack.mention(AKARI, CAMP, "forget", Some(code));
    }
    bot.until("every request decided", |program| {
        let decided = number(program, "SELECT COUNT(*) FROM replies WHERE state <> 0");
        (decided == 4).then_some(())
    });
    let program = bot.stop();
    let said: Vec<String> = slack.posts().into_iter().map(|post| post.text).collect();
    let count = |begin: &str| said.iter().filter(|text| text.starts_with(begin)).count();
    assert_eq!(
        (said.len(), count("Forgotten:"), count("I have answered 1")),
        (2, 1, 1),
        "{said:?}"
    );
    assert!(!texts(&program).concat().contains("K4711"));
    assert_eq!(llm.calls().len(), 0);
}

/// What Slack shows of a message.
fn shown(slack: &FakeSlack, ts: &str) -> Option<String> {
    let world = slack.world();
    let mut messages = world.channels[CAMP].messages.values();
    let message = messages.find(|message| message.ts.to_string() == ts)?;
    Some(message.text.clone())
}

#[test]
fn an_answer_is_taken_back_in_slack_when_what_it_was_made_from_is_deleted() {
    let slack = workspace();
    let llm = LlmServer::start(|_| answer("玄関の暗証番号は K4711 です。"));
    let mut bot = connect(&slack, &replies_of(&llm));
    let code = slack.post(AKARI, CAMP, CODE, None);
    slack.post(EMIKO, CAMP, "集合は9時です。", None);
    ask(&slack, &mut bot, EMIKO, "番号を教えて", None);
    let told = slack.posts().pop().unwrap();
    assert!(told.text.contains("K4711"));
    settled(&slack, &mut bot);
    slack.delete(CAMP, &code);
    bot.until("the note", |_| {
        let text = shown(&slack, &told.ts)?;
        text.contains("取り下げました").then_some(())
    });
    settled(&slack, &mut bot);
    let program = bot.stop();
    assert!(!texts(&program).concat().contains("K4711"));
    let retracted = "SELECT COUNT(*) FROM reply_parts WHERE retracted = 1";
    assert_eq!(number(&program, retracted), 0);
}

#[test]
fn an_answer_that_slack_does_not_let_be_changed_is_parked_and_others_are_taken_back() {
    let slack = workspace();
    let llm = LlmServer::start(|_| answer("玄関の暗証番号は K4711 です。"));
    let mut bot = connect(&slack, &replies_of(&llm));
    let code = slack.post(AKARI, CAMP, CODE, None);
    let told = ["番号を教えて", "もう一度、番号を教えて"].map(|question| {
        ask(&slack, &mut bot, EMIKO, question, None);
        slack.posts().pop().unwrap().ts
    });
    settled(&slack, &mut bot);
    let refused = Fault::Error("is_inactive");
    slack.faults().next("chat.update", refused);
    slack.delete(CAMP, &code);
    let taken_back = |ts: &str| {
        let text = shown(&slack, ts)?;
        text.contains("取り下げました").then_some(())
    };
    bot.until("the note in place of the other", |_| taken_back(&told[1]));
    assert_eq!(taken_back(&told[0]), None);
    let parked = bot.program().run(&["parked"]).stdout;
    let which = format!("the retracted post {} in {CAMP}", told[0]);
    assert!(
        parked.contains(&which) && parked.contains("is_inactive"),
        "{parked}"
    );
    let examined = bot.program().run(&["doctor"]).stdout;
    let words: Vec<&str> = examined.split_whitespace().collect();
    assert!(words.join(" ").contains(&which), "{examined}");
    bot.program().run(&["parked", "--retry"]).succeeded();
    bot.until("the note", |_| taken_back(&told[0]));
    let program = bot.stop();
    assert!(!texts(&program).concat().contains("K4711"));
    let parked = program.run(&["--json", "parked"]).json();
    assert_eq!(parked["parked"], serde_json::json!([]));
}
