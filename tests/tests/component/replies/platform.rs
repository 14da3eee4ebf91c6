//! What the chat platform is asked for and told, and what it fails at.

use myao_plugin::chat::User;
use myao_plugin::ts::TsKey;
use myao_plugin::{Answer, Error, Message, Target};
use myao_testkit::{Calls, ScriptedLlm, Strike};

use super::{CALLS, answering, mention, question};
use crate::component::host::{Host, NOW, START, chat_errors, now, refused};

#[tokio::test]
async fn each_error_of_the_platform_at_the_post_is_handed_on() {
    for error in chat_errors() {
        for unasked in [false, true] {
            let host = answering().await;
            host.faults.before(Calls::of("chat.post"), error.clone());
            let plugin = host.plugin();
            let failed = match unasked {
                false => plugin.reply_to_mention(&question(), now()).await,
                true => plugin.reply_unasked(&question(), now()).await,
            };
            assert_eq!(refused(failed), Error::Chat(error.clone()));
            assert_eq!(host.take_calls(), CALLS, "posting is not tried again");
            assert!(host.chat.posts().is_empty());
        }
    }
}

#[tokio::test]
async fn a_post_whose_answer_was_lost_is_not_posted_again() {
    let host = answering().await;
    let lost = Strike::unavailable("the connection broke");
    host.faults.after(Calls::of("chat.post").nth(0), lost);
    let failed = mention(&host, &question()).await;
    assert!(matches!(refused(failed), Error::Chat(_)));
    let again = host.plugin().reply_to_mention(&question(), now()).await;
    assert!(matches!(again.unwrap(), Answer::Already(_)));
    assert_eq!(host.chat.posts().len(), 1);
}

/// An answer that follows from what is said in C3.
const FULL: &str = "Almost: the tank is at 90 percent.";

/// A message of C3 that is all the store has of it, in a thread whose first message it lacks, by somebody nameless.
async fn with_gaps() -> (Host, Target) {
    let host = answering().await.with_llm(ScriptedLlm::answering(FULL));
    let first = TsKey::first_of(START);
    let asked = host
        .storage
        .reply("C3", first, NOW, "bob", "@myao Is it full?");
    let known = |ts: TsKey, text: &str, thread: Option<TsKey>| Message {
        ts: ts.to_string(),
        user: User {
            id: "U7".to_owned(),
            name: "erin".to_owned(),
            is_bot: false,
        },
        text: text.to_owned(),
        timestamp: myao_tests::store::utc(ts.unix_seconds()),
        thread_ts: thread.map(|thread| thread.to_string()),
        edited_at: None,
        is_for_bot: false,
    };
    let other = TsKey::first_of(START + 5);
    for message in [
        known(first, "The tank is at 90 percent.", Some(first)),
        known(other, "Lunch?", None),
    ] {
        host.chat.add_message("C3", message).unwrap();
    }
    host.chat.add_user(User {
        id: "U-bob".to_owned(),
        name: "Robert".to_owned(),
        is_bot: false,
    });
    let nameless = Strike::altering(|messages: &mut Vec<Message>| {
        for message in messages {
            message.user.name.clear();
        }
    });
    host.faults
        .after(Calls::of("storage.list-messages"), nameless);
    let target = Target {
        channel_id: "C3".to_owned(),
        thread_ts: Some(first.to_string()),
        message_ts: asked.to_string(),
    };
    (host, target)
}

#[tokio::test]
async fn the_platform_is_asked_for_what_the_store_lacks_and_for_nothing_else() {
    let (host, target) = with_gaps().await;
    mention(&host, &target).await.unwrap();
    let calls = host.take_calls();
    let of_chat: Vec<&str> = calls
        .into_iter()
        .filter(|call| call.starts_with("chat"))
        .collect();
    assert_eq!(
        of_chat,
        ["chat.thread", "chat.history", "chat.get-user", "chat.post"]
    );
    let [prompt] = host.llm.prompts().try_into().unwrap();
    for shown in ["The tank is at 90 percent.", "Lunch?", "Robert"] {
        assert!(prompt.contains(shown), "not shown: {shown}");
    }
}

#[tokio::test]
async fn without_what_the_platform_would_tell_the_answer_is_made_from_what_there_is() {
    for import in ["chat.thread", "chat.history", "chat.get-user"] {
        for error in chat_errors() {
            let (host, target) = with_gaps().await;
            host.faults.before(Calls::of(import), error);
            mention(&host, &target).await.unwrap();
            assert_eq!(host.chat.posts().len(), 1, "{import}");
        }
    }
    for error in chat_errors() {
        let host = answering()
            .await
            .with(|settings| settings.set("engines.response", "extractive"));
        host.faults.before(Calls::of("chat.permalink"), error);
        assert!(
            mention(&host, &question())
                .await
                .unwrap()
                .text
                .contains("March 3")
        );
    }
}

#[tokio::test]
async fn ids_of_the_platform_that_are_none_are_left_out() {
    let (host, target) = with_gaps().await;
    for import in ["chat.thread", "chat.history"] {
        let spoil =
            Strike::altering(|messages: &mut Vec<Message>| messages[0].ts = "noon".to_owned());
        host.faults.after(Calls::of(import), spoil);
    }
    mention(&host, &target).await.unwrap();
    assert!(!host.llm.prompts()[0].contains("The tank is at 90 percent."));
}

#[tokio::test]
async fn what_the_platform_tells_of_later_is_not_shown() {
    let (host, target) = with_gaps().await;
    let later = Message {
        ts: TsKey::first_of(NOW + 1).to_string(),
        user: User {
            id: "U7".to_owned(),
            name: "erin".to_owned(),
            is_bot: false,
        },
        text: "It overflows.".to_owned(),
        timestamp: myao_tests::store::utc(NOW + 1),
        thread_ts: target.thread_ts.clone(),
        edited_at: None,
        is_for_bot: false,
    };
    host.chat.add_message("C3", later).unwrap();
    mention(&host, &target).await.unwrap();
    let [prompt] = host.llm.prompts().try_into().unwrap();
    let shown = ["The tank is at 90 percent.", "It overflows."].map(|said| prompt.contains(said));
    assert_eq!(shown, [true, false], "{prompt}");
}
