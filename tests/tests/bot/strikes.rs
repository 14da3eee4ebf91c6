//! A correction strikes what its author picks from a list that nobody else sees.

use myao_fake_slack::{BOT_USER, FakeSlack};
use myao_tests::bot::{Bot, read_log};
use myao_tests::program::Program;
use serde_json::{Value, json};

use crate::bot::commands::{EAGER, ask, remembered, words};
use crate::bot::digests::{bot_of, yesterday};
use crate::bot::support::{
    AKARI, CAMP, EMIKO, block_on, connect, connect_again, number, posts, settled, workspace,
};

/// The list that the author of a correction gets.
struct Offered {
    user: String,
    blocks: Value,
}

impl Offered {
    /// The messages that are offered, or those that are ticked.
    fn values(&self, field: &str) -> Vec<&str> {
        let blocks = self.blocks.as_array().unwrap().iter();
        let boxes = blocks.flat_map(|block| block["accessory"][field].as_array());
        let options = boxes.flatten();
        options
            .map(|option| option["value"].as_str().unwrap())
            .collect()
    }
}

/// What the bot has said to one person alone, once it has so often.
fn whispers(slack: &FakeSlack, bot: &mut Bot, count: usize) -> Vec<Value> {
    bot.until(&format!("{count} whispers"), |_| {
        let said = slack.requests_of("chat.postEphemeral");
        let said: Vec<Value> = said
            .into_iter()
            .map(|request| request.params.into())
            .collect();
        (said.len() >= count).then_some(said)
    })
}

/// Corrects something, and returns the correction's id and the list, which is the whisper of this number.
fn correct(slack: &FakeSlack, bot: &mut Bot, text: &str, whisper: usize) -> (String, Offered) {
    let posted = slack.posts().len();
    let correction = slack.mention(EMIKO, CAMP, text, None);
    posts(slack, bot, posted + 1);
    let said = whispers(slack, bot, whisper).remove(whisper - 1);
    let blocks = match &said["blocks"] {
        Value::String(json) => serde_json::from_str(json).unwrap(),
        blocks => blocks.clone(),
    };
    let user = said["user"].as_str().unwrap().to_owned();
    (correction, Offered { user, blocks })
}

/// The author of a correction strikes what is ticked. The answer is the whisper of this number.
fn strike(slack: &FakeSlack, bot: &mut Bot, offered: &Offered, whisper: usize) {
    let ticked = offered.values("initial_options");
    block_on(slack.press(EMIKO, CAMP, &offered.blocks, &ticked));
    let said = whispers(slack, bot, whisper).remove(whisper - 1);
    let told = format!("{} 件", ticked.len());
    assert!(said["text"].as_str().unwrap().contains(&told), "{said}");
}

fn picked(program: &Program) -> i64 {
    number(program, "SELECT COUNT(*) FROM strikes")
}

fn is_struck(shown: &str, text: &str) -> bool {
    let mut lines = shown.lines().filter(|line| line.contains(text)).peekable();
    lines.peek().is_some() && lines.all(|line| line.contains('~'))
}

#[test]
fn a_correction_strikes_what_its_author_ticks_and_nothing_before() {
    let slack = workspace();
    // Corrections and their answers make no version: what is shown is the text from before.
    let every = EAGER.replace("message_threshold: 1", "message_threshold: 9");
    let mut bot = connect(&slack, &every);
    for text in [
        "The release notes of GA are due on 3 December.",
        "合宿の日程は3月4日に決まりました。",
        "バスは8時に出ます。",
        "宿は海辺の旅館に決まりました。",
        "幹事は田中さんに決まりました。",
        "会費は5千円に決まりました。",
        "部屋は二つに決まりました。",
        "夕食は18時に始まります。",
        "朝食は7時に始まります。",
    ] {
        slack.post(AKARI, CAMP, text, None);
    }
    remembered(&mut bot, CAMP, 1);
    let before = ask(&slack, CAMP, "");
    assert!(
        before.contains("3月4日") && before.contains("3 December"),
        "{before}"
    );
    let (_, offered) = correct(&slack, &mut bot, "correction: GA is on 10 December", 1);
    assert_eq!(offered.user, EMIKO);
    assert!(words(&offered.blocks).contains("due on 3 December"));
    let (correction, offered) = correct(&slack, &mut bot, "訂正: 合宿の日程は3月5日", 2);
    assert_eq!(offered.values("initial_options").len(), 1);
    // Both stand at once, and strike nothing.
    let shown = ask(&slack, CAMP, "");
    for said in ["訂正: ", "GA is on 10 December", "3月5日"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(!shown.contains('~'), "{shown}");
    // Another cannot press the button.
    let ticked = offered.values("initial_options");
    block_on(slack.press(AKARI, CAMP, &offered.blocks, &ticked));
    bot.until("a refusal", |program| {
        let log = read_log(program);
        log.contains("only the author of a correction")
            .then_some(())
    });
    assert!(!ask(&slack, CAMP, "").contains('~'));
    strike(&slack, &mut bot, &offered, 3);
    for text in ["", "履歴", "出典"] {
        let shown = ask(&slack, CAMP, text);
        assert!(is_struck(&shown, "3月4日"), "{shown}");
        assert!(!is_struck(&shown, "3 December"), "{shown}");
    }
    slack.open_home(AKARI);
    let home = words(&bot.until("a home", |_| slack.home(AKARI)));
    let mut lines = home.lines();
    assert!(lines.any(|line| is_struck(line, "3月4日")), "{home}");
    // The strikes go with the correction.
    slack.delete(CAMP, &correction);
    settled(&slack, &mut bot);
    let after = ask(&slack, CAMP, "");
    assert!(after.contains("3月4日") && !after.contains('~'), "{after}");
    assert_eq!(picked(&bot.stop()), 0);
}

#[test]
fn what_was_struck_stays_so_in_a_memory_that_is_made_later() {
    let slack = workspace();
    let every = EAGER.replace("message_threshold: 1", "message_threshold: 6");
    let mut bot = connect(&slack, &every);
    let decided = slack.post(AKARI, CAMP, "decision: we launch in eu-west-1", None);
    let (correction, offered) = correct(&slack, &mut bot, "correction: we launch in us-east-1", 1);
    assert_eq!(offered.values("initial_options"), [&*decided]);
    let decisions = ask(&slack, CAMP, "decisions");
    assert!(decisions.contains("eu-west-1"), "{decisions}");
    strike(&slack, &mut bot, &offered, 2);
    for text in [
        "We decided to use Crane for monitoring.",
        "We decided to pay 5000 euros for the launch.",
        "We decided to meet at 10:30.",
    ] {
        slack.post(AKARI, CAMP, text, None);
    }
    remembered(&mut bot, CAMP, 1);
    let shown = ask(&slack, CAMP, "");
    assert!(shown.contains("us-east-1"), "{shown}");
    assert!(is_struck(&shown, "eu-west-1"), "{shown}");
    assert!(!is_struck(&shown, "5000 euros"), "{shown}");
    let decisions = ask(&slack, CAMP, "decisions");
    assert!(decisions.contains("us-east-1"), "{decisions}");
    assert!(!decisions.contains("eu-west-1"), "{decisions}");
    slack.delete(CAMP, &correction);
    settled(&slack, &mut bot);
    let decisions = ask(&slack, CAMP, "decisions");
    assert!(
        decisions.contains("eu-west-1") && !decisions.contains("us-east-1"),
        "{decisions}"
    );
    bot.stop();
}

#[test]
fn a_digest_tells_no_decision_that_is_struck() {
    let slack = workspace();
    let decided = "decision: we launch in eu-west-1";
    let decided = yesterday(&slack, AKARI, CAMP, 0, decided);
    yesterday(&slack, AKARI, CAMP, 60, "decision: we use Crane");
    // A digest tells what was known at its time, and nobody gets a list for a correction of long ago.
    let correction = format!("<@{BOT_USER}> correction: we launch in us-east-1");
    let correction = yesterday(&slack, EMIKO, CAMP, 120, &correction);
    let option = json!({ "value": decided });
    let boxes = json!({
        "type": "checkboxes", "action_id": "struck", "options": [option], "initial_options": [option]
    });
    let value = format!("{CAMP}:{correction}");
    let button = json!({ "type": "button", "action_id": "strike", "value": value });
    let offered = Offered {
        user: EMIKO.to_owned(),
        blocks: json!([{ "block_id": "1", "accessory": boxes }, { "elements": [button] }]),
    };
    let mut bot = connect(&slack, "");
    bot.caught_up();
    strike(&slack, &mut bot, &offered, 1);
    let program = bot.stop();
    slack.add_channel("C0QUIET", "雑談");
    let mut bot = bot_of(&slack, program);
    let digest = posts(&slack, &mut bot, 1).remove(0).text;
    for told in ["Crane", "us-east-1"] {
        assert!(digest.contains(told), "{told}: {digest}");
    }
    assert!(!digest.contains("eu-west-1"), "{digest}");
    bot.stop();
}

#[test]
fn what_is_forgotten_is_struck_no_more_and_strikes_nothing() {
    let slack = workspace();
    let mut bot = connect(&slack, "");
    let decided = "We decided to launch in eu-west-1.";
    let decided = slack.post(AKARI, CAMP, decided, None);
    let (_, offered) = correct(&slack, &mut bot, "correction: we launch in us-east-1", 1);
    strike(&slack, &mut bot, &offered, 2);
    let program = bot.stop();
    assert_eq!(picked(&program), 1);
    let message = format!("{CAMP}:{decided}");
    program.run(&["forget", "--message", &message]).succeeded();
    assert_eq!(picked(&program), 0);
    connect_again(&slack, program, "").stop();
}
