//! Questions about what was decided, is open or was done.

use super::asking::{ask, cited, put, quoting_host};
use super::*;
use crate::bindings::exports::myao::memory::responder::Question;
use crate::bindings::types::{Item, ItemKind, ItemState, User};
use crate::testing::{ended, item};

fn owned(mut item: Item, name: &str, due: Option<&str>) -> Item {
    item.owner = Some(User {
        id: String::new(),
        name: name.to_owned(),
        is_bot: false,
    });
    item.due = due.map(str::to_owned);
    item
}

/// A workspace whose ledger has seven items, of 20 to 2 days ago.
fn noted_host() -> TestHost {
    let host = quoting_host();
    host.say("C1", -3 * DAY, "We switch to Heron.");
    host.say("C1", -2 * DAY, "The contract is sent.");
    let mut random = item(ItemKind::Decision, -4 * DAY, "合宿は箱根");
    random.title.span.message.channel_id = "C2".to_owned();
    let crane = item(ItemKind::Decision, -20 * DAY, "Crane does the monitoring");
    let contract = item(ItemKind::Task, -8 * DAY, "send the contract");
    let labels = item(ItemKind::Task, -7 * DAY, "order new labels");
    host.storage.items.replace(Some(vec![
        ended(crane, ItemState::Superseded, -3 * DAY),
        ended(contract, ItemState::Done, -2 * DAY),
        owned(labels, "Bob", Some("2024-02-29")),
        item(ItemKind::Question, -6 * DAY, "which printer is in Osaka?"),
        item(ItemKind::Fact, -4 * DAY - 60, "合宿の日程は3月5日"),
        random,
        owned(
            item(ItemKind::Task, -DAY, "見積もりを送る"),
            "健人",
            Some("2024-03-08"),
        ),
    ]));
    host
}

#[test]
fn decisions_that_stand_are_told() {
    let host = noted_host();
    for question in ["What did we decide?", "decisions", "List of decisions"] {
        let response = ask(&host, None, question);
        let expected = "What was decided:\n\
            - 2024-02-26 #general alice: 合宿の日程は3月5日 (fact) [1]\n\
            - 2024-02-26 #random alice: 合宿は箱根 [2]";
        assert_eq!(response.text, expected, "{question}");
        let line = &response.citations[1];
        let text = response.text.chars().skip(line.start as usize);
        let text: String = text.take(line.length as usize).collect();
        assert_eq!(text, "- 2024-02-26 #random alice: 合宿は箱根 [2]");
    }
    let there = ask(&host, None, "#random 何が決まりましたか");
    assert_eq!(
        there.text,
        "#random の決まったことです。\n- 2024-02-26 alice: 合宿は箱根 [1]"
    );
    let then = ask(
        &host,
        None,
        "Which decisions were made in #general since 27 February?",
    );
    assert!(
        then.found_nothing && then.text.contains("`decision:`"),
        "{}",
        then.text
    );
}

#[test]
fn open_items_are_told_with_their_owners_and_late_ones_as_late() {
    let host = noted_host();
    let open = ask(&host, None, "#general what is still open");
    assert_eq!(
        open.text,
        "What is still open in #general:\n\
         - 2024-02-23 alice: order new labels (task, Bob, due 2024-02-29, late) [1]\n\
         - 2024-02-24 alice: which printer is in Osaka? (question) [2]\n\
         - 2024-02-29 alice: 見積もりを送る (task, 健人, due 2024-03-08) [3]"
    );
    for (question, found) in [
        ("what is still open for bob", &["order new labels"][..]),
        ("健人 について未解決のこと", &["見積もりを送る"]),
        (
            "open questions about the printer",
            &["which printer is in Osaka?"],
        ),
        (
            "未解決のこと 2024年2月24日から2024年2月28日まで",
            &["which printer is in Osaka?"],
        ),
    ] {
        assert_eq!(cited(&ask(&host, None, question)), found, "{question}");
    }
}

#[test]
fn what_ended_in_a_time_is_told_whenever_it_was_noted() {
    let host = noted_host();
    let done = |since| {
        let since = Some(at(since));
        let text = "#general 終わったこと".to_owned();
        put(
            &host,
            &Question {
                text,
                channel_id: None,
                since,
            },
        )
    };
    assert_eq!(
        cited(&done(-3 * DAY)),
        ["send the contract", "The contract is sent."]
    );
    assert!(done(-DAY).found_nothing);
}

#[test]
fn a_time_has_its_items_and_the_main_sentences_of_other_messages() {
    let host = noted_host();
    host.say(
        "C1",
        -2 * DAY + 60,
        "The budget of Harbour is 20,000 euros.",
    );
    let response = ask(&host, None, "What was said in #general since 2024-02-27?");
    assert_eq!(
        response.text,
        "What was said in #general since 2024-02-27:\n\
         - 2024-02-10 alice: Crane does the monitoring (decision, replaced) [1] [2]\n\
         - 2024-02-22 alice: send the contract (task, done) [3] [4]\n\
         - 2024-02-28 alice: The budget of Harbour is 20,000 euros. [5]\n\
         - 2024-02-29 alice: 見積もりを送る (task, 健人, due 2024-03-08) [6]"
    );
}

#[test]
fn messages_that_a_correction_strikes_are_not_told() {
    let host = quoting_host();
    host.say("C1", -9 * DAY, "We launch in eu-west-1 on 4 March.");
    host.say("C1", -8 * DAY, "The budget is 5000 euros.");
    host.storage.strike("C1", &ts(-2 * DAY), &ts(-9 * DAY));
    let response = ask(&host, None, "#general since 2024-02-01");
    assert_eq!(cited(&response), ["The budget is 5000 euros."]);
}

#[test]
fn a_subject_without_items_is_searched_for() {
    let host = noted_host();
    host.say("C1", -9 * DAY, "We decided to sell the printer.");
    let response = ask(&host, None, "What was decided about the printer?");
    assert!(response.text.starts_with("Closest"), "{}", response.text);
    assert_eq!(cited(&response), ["We decided to sell the printer."]);
}

#[test]
fn a_reply_lists_items_and_a_model_is_asked_only_where_there_are_none() {
    let mut host = noted_host();
    host.settings.reply_engine = Engine::Llm;
    host.llm
        .answer_by(|_, _| Ok(completion("Nothing is open.", FinishReason::Stop)));
    host.say("C1", -1, "@みゃお what is still open for Bob?");
    let listed = mention(&host, &target(None, -1)).unwrap().text;
    assert!(listed.contains("order new labels (task, Bob"), "{listed}");
    assert_eq!(host.llm.prompts().len(), 0);
    host.storage.items.replace(Some(Vec::new()));
    host.say("C1", 0, "@みゃお what is still open?");
    mention(&host, &target(None, 0)).unwrap();
    assert_eq!(host.llm.prompts().len(), 1);
}
