//! The ledger in Slack: a model reports what was agreed, people see it and have the last word, and it goes with its message.

use myao_fake_slack::{FakeSlack, SlashAnswer};
use myao_tests::bot::Bot;
use myao_tests::llm_server::{Call, LlmServer, Reply, answer};
use serde_json::Value;

use crate::bot::commands::{EAGER, remembered, words};
use crate::bot::support::{
    AKARI, AKARI_NAME, CAMP, EMIKO, EMIKO_NAME, block_on, connect, number, settled, workspace,
};

const TASK: &str = "請書は私が8月12日までに送ります。";
const DECISION: &str = "会場は箱根にします。";
const DONE: &str = "請書、送りました。";

/// A model that reports these messages, each once it is shown.
fn reporting(call: &Call) -> Reply {
    let prompt = call.prompt();
    let says = |text: &str| prompt.contains(&format!("\n{text}"));
    if !prompt.contains("\"quote\"") {
        return answer("- 合宿の宿と、請書のこと。");
    }
    let text = match (says(DONE), says(DECISION)) {
        (true, _) => "- 請書が送られ、話は済んだ。",
        (false, true) => "- 宿を箱根に決めた。",
        (false, false) => "- 灯さんが請書を送る予定。",
    };
    let mut reports = Vec::new();
    if says(TASK) {
        let task = format!(r#"{{"kind": "task", "quote": "請書は私が", "owner": "{AKARI_NAME}"}}"#);
        reports.push(task);
    }
    if says(DECISION) {
        reports.push(r#"{"kind": "decision", "quote": "箱根にします"}"#.to_owned());
    }
    let item = prompt.lines().find(|line| line.contains(". task: 請書は"));
    if let Some(item) = item.filter(|_| says(DONE)) {
        let number = item.split('.').next().unwrap_or_default();
        reports.push(format!(
            r#"{{"item": {number}, "state": "done", "quote": "送りました"}}"#
        ));
    }
    answer(&format!("{text}\n\n```json\n[{}]\n```", reports.join(", ")))
}

fn started(slack: &FakeSlack) -> (LlmServer, Bot) {
    let llm = LlmServer::start(reporting);
    let mut bot = connect(slack, &format!("{EAGER}{}", llm.config()));
    bot.caught_up();
    (llm, bot)
}

fn shown(slack: &FakeSlack, user: &str, text: &str) -> Value {
    let answer: SlashAnswer = block_on(slack.slash_command(user, CAMP, "/memory", text));
    answer.payload.expect("an answer")
}

fn option(message: &Value, word: &str) -> String {
    let blocks = message["blocks"].as_array().unwrap().iter();
    let options = blocks.flat_map(|block| {
        block["accessory"]["options"]
            .as_array()
            .into_iter()
            .flatten()
    });
    let mut values = options.filter_map(|option| option["value"].as_str());
    values
        .find(|value| value.starts_with(word))
        .unwrap()
        .to_owned()
}

#[test]
fn people_see_what_was_agreed_and_have_the_last_word() {
    let slack = workspace();
    let (_llm, mut bot) = started(&slack);
    slack.join(EMIKO, CAMP);
    slack.post(AKARI, CAMP, TASK, None);
    remembered(&mut bot, CAMP, 1);
    slack.post(EMIKO, CAMP, DECISION, None);
    remembered(&mut bot, CAMP, 2);
    let decided = words(&shown(&slack, EMIKO, "決定"));
    assert!(
        decided.contains("箱根にします") && !decided.contains("請書"),
        "{decided}"
    );
    let open = shown(&slack, EMIKO, "未解決");
    let said = words(&open);
    assert!(
        said.contains("請書は私が") && said.contains(AKARI_NAME),
        "{said}"
    );
    for (about, is_shown) in [
        (format!("open @{AKARI_NAME}"), true),
        (format!("未解決 @{AKARI_NAME} #合宿"), true),
        (format!("open @{EMIKO_NAME}"), false),
    ] {
        let said = words(&shown(&slack, EMIKO, &about));
        assert_eq!(said.contains("請書は私が"), is_shown, "{about}: {said}");
    }
    // The task of the person who looks, at home.
    slack.open_home(AKARI);
    let home = bot.until("the task at home", |_| {
        slack
            .home(AKARI)
            .map(|home| words(&home))
            .filter(|home| home.contains("請書は私が"))
    });
    assert!(home.contains("作業"), "{home}");
    block_on(slack.pick_in(EMIKO, CAMP, &open["blocks"], &option(&open, "dropped")));
    settled(&slack, &mut bot);
    bot.until("the item is dropped", |_| {
        (!words(&shown(&slack, EMIKO, "未解決")).contains("請書は私が")).then_some(())
    });
    // The owner and the day, in a window.
    let menu = shown(&slack, EMIKO, "decisions");
    block_on(slack.pick_in(EMIKO, CAMP, &menu["blocks"], &option(&menu, "details")));
    bot.until("a window", |_| (slack.modals().len() == 1).then_some(()));
    let chosen = [
        ("owner", Value::from(vec![EMIKO])),
        ("due", "2026-08-20".into()),
    ];
    block_on(slack.save(EMIKO, &chosen));
    bot.until("an owner and a day", |_| {
        let decided = words(&shown(&slack, EMIKO, "decisions"));
        (decided.contains(EMIKO_NAME) && decided.contains("2026-08-20")).then_some(())
    });
    // A model does not change it any more.
    slack.post(AKARI, CAMP, DONE, None);
    remembered(&mut bot, CAMP, 3);
    let items = bot.program().run(&["--json", "items", "--all"]).output();
    assert!(items.contains("\"dropped\""), "{items}");
    let undone = option(&open, "undo");
    block_on(slack.pick_in(EMIKO, CAMP, &open["blocks"], &undone));
    bot.until("the item is open again", |program| {
        let items = program.run(&["--json", "items"]).output();
        items.contains("請書は私が").then_some(())
    });
}

#[test]
fn nothing_is_left_of_an_item_whose_message_was_deleted() {
    let slack = workspace();
    let (_llm, mut bot) = started(&slack);
    let task = slack.post(AKARI, CAMP, TASK, None);
    remembered(&mut bot, CAMP, 1);
    let done = slack.post(AKARI, CAMP, DONE, None);
    remembered(&mut bot, CAMP, 2);
    let state = |bot: &Bot| bot.program().run(&["--json", "items", "--all"]).output();
    assert!(state(&bot).contains("\"done\""), "{}", state(&bot));
    slack.delete(CAMP, &done);
    settled(&slack, &mut bot);
    assert!(state(&bot).contains("\"unknown\""), "{}", state(&bot));
    slack.delete(CAMP, &task);
    settled(&slack, &mut bot);
    assert_eq!(state(&bot), "");
    let program = bot.stop();
    let left = "SELECT (SELECT COUNT(*) FROM items) + (SELECT COUNT(*) FROM item_changes)";
    assert_eq!(number(&program, left), 0);
}

#[test]
fn somebody_who_may_not_see_an_item_changes_none() {
    let slack = workspace();
    let (_llm, mut bot) = started(&slack);
    slack.post(AKARI, CAMP, TASK, None);
    remembered(&mut bot, CAMP, 1);
    let open = shown(&slack, AKARI, "open");
    slack.add_guest("U0GUEST", "客");
    block_on(slack.pick_in("U0GUEST", CAMP, &open["blocks"], &option(&open, "done")));
    settled(&slack, &mut bot);
    let program = bot.stop();
    assert_eq!(
        number(
            &program,
            "SELECT COUNT(*) FROM item_changes WHERE user_id <> ''"
        ),
        0
    );
    assert_eq!(number(&program, "SELECT COUNT(*) FROM items"), 1);
}
