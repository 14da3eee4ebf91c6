//! The conversation in the prompt; what the store lacks is fetched.

use super::*;
use crate::bindings::storage::StorageError;

/// The texts in a section, in order.
fn texts<'p>(prompt: &'p str, heading: &str) -> Vec<&'p str> {
    section(prompt, heading)
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("**"))
        .collect()
}

fn thread_heading(thread: i64) -> String {
    format!("### 返信対象スレッド: {}", ts(thread))
}

// README, regression 5
#[test]
fn regression_5_the_parent_stands_first_also_where_a_bot_wrote_it_and_the_store_lacks_it() {
    let host = host();
    host.reply("C1", -600, -500, "いつから？");
    host.reply("C1", -600, -10, "@みゃお これ何？");
    let mut parent = by("B1", "alerts", message(-600, "ディスクが一杯です"));
    parent.user.is_bot = true;
    for known in [
        parent,
        in_thread(-600, message(-500, "いつから？ (as it was)")),
        in_thread(-600, message(-400, "昨日から")),
    ] {
        host.chat.knows("C1", known);
    }
    mention(&host, &target(Some(-600), -10)).unwrap();
    assert_eq!(
        texts(&prompt(&host), &thread_heading(-600)),
        [
            "ディスクが一杯です",
            "いつから？",
            "昨日から",
            "@みゃお これ何？"
        ],
        "the store's text wins, and what it lacks is there"
    );
}

// README, regression 6; issue 4: "A mention in a thread of a busy channel (1,000 messages since) …"
#[test]
fn regression_6_the_whole_thread_is_in_the_prompt_though_1000_messages_came_since() {
    let host = host();
    host.say("C1", -3 * DAY, "thread 0");
    for number in 1..60 {
        host.reply(
            "C1",
            -3 * DAY,
            -3 * DAY + number,
            &format!("thread {number}"),
        );
    }
    host.say_many("C1", -2 * DAY, 1000);
    host.reply("C1", -3 * DAY, -10, "@みゃお まとめて");
    mention(&host, &target(Some(-3 * DAY), -10)).unwrap();
    let prompt = prompt(&host);
    let mut expected: Vec<String> = (0..60).map(|number| format!("thread {number}")).collect();
    expected.push("@みゃお まとめて".to_owned());
    assert_eq!(texts(&prompt, &thread_heading(-3 * DAY)), expected);
    assert_eq!(texts(&prompt, "### トップレベル").len(), 50);
    assert!(host.chat.take_calls() == ["post"], "nothing was missing");
}

#[test]
fn a_mention_at_the_top_level_stays_though_more_messages_came_since_than_are_shown() {
    let host = host();
    host.say("C1", -HOUR, "@みゃお 公開は？");
    host.say_many("C1", -HOUR + 1, 200);
    mention(&host, &target(None, -HOUR)).unwrap();
    let prompt = prompt(&host);
    let shown = texts(&prompt, "### 返信対象: トップレベル");
    assert_eq!((shown.len(), shown[0]), (51, "@みゃお 公開は？"));
    assert!(
        prompt.contains("あなたは 2024-03-01 18:00:00 の発言で"),
        "{prompt}"
    );
}

#[test]
fn a_top_level_target_stands_once_and_other_threads_before_it() {
    let host = host();
    host.say("C1", -60, "thread a");
    host.reply("C1", -60, -50, "thread b");
    host.say("C1", -40, "top");
    host.say("C1", -10, "@みゃお ?");
    mention(&host, &target(None, -10)).unwrap();
    let prompt = prompt(&host);
    assert!(!prompt.contains("### トップレベル\n"));
    let thread = format!("### スレッド: {}", ts(-60));
    assert_eq!(texts(&prompt, &thread), ["thread a", "thread b"]);
    assert_eq!(
        texts(&prompt, "### 返信対象: トップレベル"),
        ["top", "@みゃお ?"]
    );
    assert_eq!(prompt.matches("@みゃお ?").count(), 1);
}

#[test]
fn a_mention_that_has_become_a_thread_stands_at_the_top_level_too() {
    let host = host();
    host.say("C1", -60, "before");
    host.say("C1", -50, "@みゃお ?");
    host.reply("C1", -50, -40, "me too");
    host.say("C1", -30, "after");
    mention(&host, &target(None, -50)).unwrap();
    let shown = prompt(&host);
    let shown = texts(&shown, "### 返信対象: トップレベル");
    assert_eq!(shown, ["before", "@みゃお ?", "after"]);
}

#[test]
fn messages_after_now_are_not_there_wherever_they_come_from() {
    let host = host();
    host.reply("C1", -60, -10, "@みゃお ?");
    host.reply("C1", -60, 10, "later, stored");
    host.chat.knows("C1", message(-60, "first"));
    host.chat
        .knows("C1", in_thread(-60, message(20, "later, fetched")));
    mention(&host, &target(Some(-60), -10)).unwrap();
    let prompt = prompt(&host);
    assert_eq!(texts(&prompt, &thread_heading(-60)), ["first", "@みゃお ?"]);
    assert!(!prompt.contains("later"));
}

#[test]
fn a_channel_of_which_only_the_target_is_stored_is_read_from_the_platform() {
    let host = host();
    host.say("C1", -10, "@みゃお ?");
    host.chat.knows("C1", message(-100, "earlier"));
    host.chat.knows("C1", message(-10, "@みゃお ? (as it was)"));
    mention(&host, &target(None, -10)).unwrap();
    let shown = prompt(&host);
    let shown = texts(&shown, "### 返信対象: トップレベル");
    assert_eq!(shown, ["earlier", "@みゃお ?"]);
    assert_eq!(host.chat.take_calls(), ["history", "post"]);
}

#[test]
fn a_channel_of_which_more_is_stored_is_not_asked_for() {
    let host = host();
    host.say("C1", -60, "a");
    host.say("C1", -10, "@みゃお ?");
    mention(&host, &target(None, -10)).unwrap();
    assert_eq!(host.chat.take_calls(), ["post"]);
}

#[test]
fn a_platform_that_cannot_be_asked_is_warned_of_and_the_answer_is_made_from_what_there_is() {
    let host = host();
    let nameless = by("U9", "", in_thread(-60, message(-10, "@みゃお ?")));
    host.storage.add_message("C1", nameless);
    host.chat.blind.set(true);
    let reply = mention(&host, &target(Some(-60), -10)).unwrap();
    assert_eq!(reply.text, ANSWER);
    let calls = host.chat.take_calls();
    assert_eq!(calls, ["thread", "history", "get-user", "post"]);
    assert_eq!(
        host.log.0.borrow()[..3],
        [
            format!(
                "cannot read the thread C1:{} from the chat: thread was to fail",
                ts(-60)
            ),
            "cannot read the history of C1 from the chat: history was to fail".to_owned(),
            "cannot read the name of U9 from the chat: get-user was to fail".to_owned(),
        ]
    );
}

#[test]
fn ids_from_the_platform_that_are_none_are_left_out() {
    let host = host();
    host.say("C1", -10, "@みゃお ?");
    let broken = Message {
        ts: "never".to_owned(),
        ..message(-20, "broken")
    };
    let astray = Message {
        thread_ts: Some("nowhere".to_owned()),
        ..message(-30, "astray")
    };
    host.chat
        .messages
        .borrow_mut()
        .insert("C1".to_owned(), vec![broken, message(-40, "whole"), astray]);
    mention(&host, &target(None, -10)).unwrap();
    let prompt = prompt(&host);
    assert!(prompt.contains("whole"), "{prompt}");
    assert!(!prompt.contains("broken") && !prompt.contains("astray"));
    assert_eq!(host.log.0.borrow().len(), 3, "two warnings");
}

#[test]
fn somebody_without_a_name_is_asked_for_and_named_everywhere() {
    let host = host();
    for (seconds, text) in [(-20, "first"), (-10, "@みゃお ?")] {
        let nameless = by("U9", " ", message(seconds, text));
        host.storage.add_message("C1", nameless);
    }
    let dave = by("U9", "dave", message(0, "")).user;
    host.chat
        .users
        .borrow_mut()
        .insert("U9".to_owned(), dave.clone());
    mention(&host, &target(None, -10)).unwrap();
    assert_eq!(prompt(&host).matches(" dave:\n").count(), 2);
    assert_eq!(host.chat.posts()[0].may_notify, [dave]);
}

#[test]
fn a_message_that_was_deleted_is_not_answered() {
    let host = host();
    host.say("C1", -60, "a");
    host.say("C1", -10, "@みゃお ?");
    host.storage.delete_message("C1", &ts(-10));
    let error = mention(&host, &target(None, -10)).unwrap_err();
    assert!(
        matches!(&error, Error::Storage(StorageError::NotFound(text)) if text.contains(&ts(-10)) && text.contains("C1")),
        "{error:?}"
    );
    assert_eq!((host.llm.calls(), host.chat.posts().len()), (0, 0));
}

#[test]
fn ids_that_are_none_and_unknown_channels_are_errors_that_name_them() {
    let host = host();
    host.say("C1", -10, "@みゃお ?");
    let mut odd = target(None, -10);
    odd.message_ts = "yesterday".to_owned();
    assert_eq!(
        mention(&host, &odd),
        Err(Error::InvalidTs("yesterday".to_owned()))
    );
    let mut odd = target(None, -10);
    odd.channel_id = "C404".to_owned();
    let error = mention(&host, &odd).unwrap_err();
    assert!(
        matches!(&error, Error::Storage(StorageError::NotFound(text)) if text.contains("C404"))
    );
}

#[test]
fn each_agent_has_its_own_persona() {
    let host = host_that_says(r#"{"should_respond": true, "reason": "", "confidence": 1}"#);
    host.say("C1", -10, "?");
    let ports = host.ports();
    Responder::new(&ports, &host.chat, at(0))
        .judge(&target(None, -10))
        .unwrap();
    let _ = mention(&host, &target(None, -10)).unwrap();
    let prompts = host.llm.prompts();
    assert!(prompts[0].starts_with("あなたは「みゃお」です。\n\n返事をするか決めます。\n"));
    assert!(prompts[1].starts_with("あなたは「みゃお」です。\n\n返事をします。\n"));
}
