//! The export `responder`: answers to mentions, judgments, and answers of one's own accord.

use std::time::Duration;

use myao::bindings::errors::{BadAnswer, Error};
use myao::bindings::exports::myao::memory::responder::{Judgment, Reply, Target};
use myao::bindings::settings::Template;
use myao::bindings::types::{Engine, Message, Scope};
use myao::llm::{Agent, LlmError, Purpose};
use myao::plugin::CallError;
use myao::slack::User;
use myao::storage::StorageError;
use myao::ts::TsKey;
use myao_testkit::{Asked, Calls, Reply as Answer, ScriptedLlm, Strike};

use crate::host::{
    Host, NOW, START, llm_errors, now, refused, slack_errors, storage_errors, thread_id, thread_ts,
};

const ANSWER: &str = "It comes on March 3, as Alice said.";
const JUDGMENT: &str =
    r#"{"should_respond": true, "reason": "nobody answered", "confidence": 0.8}"#;

/// Storage and platform where everything is stored: five calls, without threads four.
const CALLS: [&str; 6] = [
    "storage.list-channels",
    "storage.list-memories",
    "storage.list-messages",
    "storage.list-memories",
    "llm.complete",
    "slack.post",
];

/// A host with memories, in which bob asks something at the top level of C1.
async fn asked(llm: ScriptedLlm) -> Host {
    let host = Host::telling();
    host.generate(NOW).await;
    host.storage
        .say("C1", NOW, "bob", "@myao When does the crane come?");
    host.take_calls();
    host.with_llm(llm)
}

/// The same with a model that says what a reply and a judgment are to be.
async fn answering() -> Host {
    let llm = ScriptedLlm::answering(ANSWER).on(Asked::by(Agent::Judgment), JUDGMENT);
    asked(llm).await
}

fn target(thread: Option<TsKey>, message: i64) -> Target {
    Target {
        channel_id: "C1".to_owned(),
        thread_ts: thread.map(|thread| thread.to_string()),
        message_ts: TsKey::first_of(message).to_string(),
    }
}

/// What bob asked.
fn question() -> Target {
    target(None, NOW)
}

async fn mention(host: &Host, target: &Target) -> Result<Reply, CallError> {
    host.plugin().reply_to_mention(target, now()).await
}

#[tokio::test]
async fn a_mention_is_answered_once_with_a_constant_number_of_calls() {
    let host = answering().await;
    let reply = mention(&host, &question()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.engine), (ANSWER, Engine::Llm));
    assert_eq!(host.take_calls(), CALLS);
    let [post] = host.slack.posts().try_into().unwrap();
    assert_eq!((post.channel_id.as_str(), post.thread_ts), ("C1", None));
    assert_eq!(
        (post.text.as_str(), post.answers),
        (ANSWER, question().message_ts)
    );
    let names: Vec<&str> = post
        .may_notify
        .iter()
        .map(|user| user.name.as_str())
        .collect();
    assert_eq!(names, ["bob"]);
    let [request] = host.llm.requests().try_into().unwrap();
    let purpose = Purpose {
        agent: Agent::Response,
        scope: Scope::Channel,
        scope_id: "C1".to_owned(),
        memory_type: None,
    };
    assert_eq!((request.purpose, request.max_tokens), (purpose, 1000));

    let again = mention(&host, &question()).await.unwrap();
    assert_eq!(again.posted, reply.posted);
    assert_eq!(host.slack.posts().len(), 1);
}

#[tokio::test]
async fn a_mention_in_a_thread_is_answered_there() {
    let host = answering().await;
    let asked = host
        .storage
        .reply("C1", thread_ts(), NOW, "bob", "@myao Who has the keys?");
    let target = target(Some(thread_ts()), asked.unix_seconds());
    let target = Target {
        message_ts: asked.to_string(),
        ..target
    };
    mention(&host, &target).await.unwrap();
    let [post] = host.slack.posts().try_into().unwrap();
    assert_eq!(post.thread_ts, Some(thread_ts().to_string()));
    let names: Vec<&str> = post
        .may_notify
        .iter()
        .map(|user| user.name.as_str())
        .collect();
    assert_eq!(names, ["alice", "dave", "bob"]);
    assert_eq!(host.llm.requests()[0].purpose.scope_id, thread_id());
    assert_eq!(host.take_calls(), CALLS);
}

#[tokio::test]
async fn an_unasked_reply_is_posted_the_same_way_and_told_why() {
    let (mentioned, unasked) = (answering().await, answering().await);
    mention(&mentioned, &question()).await.unwrap();
    let reply = unasked
        .plugin()
        .reply_unasked(&question(), now())
        .await
        .unwrap();
    assert_eq!(reply.text, ANSWER);
    assert_eq!(unasked.take_calls(), CALLS);
    assert_eq!(unasked.slack.posts(), mentioned.slack.posts());
    assert_ne!(unasked.llm.prompts(), mentioned.llm.prompts());
}

#[tokio::test]
async fn a_judgment_asks_its_own_agent_with_a_schema_and_posts_nothing() {
    let host = answering().await;
    let judgment = host.plugin().judge(&question(), now()).await.unwrap();
    let expected = Judgment {
        should_respond: true,
        reason: "nobody answered".to_owned(),
        confidence: 0.8,
    };
    assert_eq!(judgment, expected);
    assert_eq!(host.take_calls(), CALLS[..5]);
    let [request] = host.llm.requests().try_into().unwrap();
    assert_eq!(request.purpose.agent, Agent::Judgment);
    assert!(request.answer_schema.unwrap().contains("should_respond"));
    assert_eq!(request.max_tokens, host.settings.judgment_max_tokens);
}

#[tokio::test]
async fn without_a_model_a_mention_is_answered_with_quotes_and_a_judgment_reads_nothing() {
    let host = answering()
        .await
        .with(|settings| settings.reply_engine = Engine::Extractive);
    let reply = mention(&host, &question()).await.unwrap();
    assert_eq!(reply.engine, Engine::Extractive);
    assert!(reply.text.contains("March 3"), "{}", reply.text);
    let calls = host.take_calls();
    assert!(!calls.contains(&"llm.complete"));
    assert!(calls.contains(&"slack.permalink") && calls.last() == Some(&"slack.post"));
    let judgment = host.plugin().judge(&question(), now()).await.unwrap();
    assert!(!judgment.should_respond);
    assert_eq!(host.take_calls(), [""; 0]);
}

#[tokio::test]
async fn each_error_of_the_store_at_each_call_is_handed_on_and_nobody_is_asked_or_answered() {
    for at in 0..4 {
        for error in storage_errors() {
            let host = answering().await;
            host.faults
                .before(Calls::of("storage").nth(at), error.clone());
            let failed = mention(&host, &question()).await;
            assert_eq!(refused(failed), Error::Storage(error.clone()), "call {at}");
            assert_eq!(host.take_calls(), CALLS[..=at]);

            let host = answering().await;
            host.faults
                .before(Calls::of("storage").nth(at), error.clone());
            let failed = host.plugin().judge(&question(), now()).await;
            assert_eq!(refused(failed), Error::Storage(error), "call {at}");
            assert_eq!(host.take_calls(), CALLS[..=at]);
        }
    }
}

#[tokio::test]
async fn each_error_of_the_model_is_handed_on_and_nothing_is_posted() {
    for error in llm_errors() {
        let host = asked(ScriptedLlm::answering(error.clone())).await;
        let failed = mention(&host, &question()).await;
        assert_eq!(refused(failed), Error::Llm(error.clone()));
        assert_eq!(host.take_calls(), CALLS[..5]);
        let failed = host.plugin().judge(&question(), now()).await;
        assert_eq!(refused(failed), Error::Llm(error));
        assert_eq!(host.take_calls(), CALLS[..5]);
    }
}

#[tokio::test]
async fn each_error_of_the_platform_at_the_post_is_handed_on() {
    for error in slack_errors() {
        for unasked in [false, true] {
            let host = answering().await;
            host.faults.before(Calls::of("slack.post"), error.clone());
            let plugin = host.plugin();
            let failed = match unasked {
                false => plugin.reply_to_mention(&question(), now()).await,
                true => plugin.reply_unasked(&question(), now()).await,
            };
            assert_eq!(refused(failed), Error::Slack(error.clone()));
            assert_eq!(host.take_calls(), CALLS, "posting is not tried again");
            assert!(host.slack.posts().is_empty());
        }
    }
}

#[tokio::test]
async fn a_post_whose_answer_was_lost_is_not_posted_again() {
    let host = answering().await;
    let lost = Strike::unavailable("the connection broke");
    host.faults.after(Calls::of("slack.post").nth(0), lost);
    let failed = mention(&host, &question()).await;
    assert!(matches!(refused(failed), Error::Slack(_)));
    mention(&host, &question()).await.unwrap();
    assert_eq!(host.slack.posts().len(), 1);
}

/// A message of C3 that is all the store has of it, in a thread whose first message it lacks, by somebody nameless.
async fn with_gaps() -> (Host, Target) {
    let host = answering().await;
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
    };
    let other = TsKey::first_of(START + 5);
    for message in [
        known(first, "The tank is at 90 percent.", Some(first)),
        known(other, "Lunch?", None),
    ] {
        host.slack.add_message("C3", message).unwrap();
    }
    host.slack.add_user(User {
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
    let of_slack: Vec<&str> = calls
        .into_iter()
        .filter(|call| call.starts_with("slack"))
        .collect();
    assert_eq!(
        of_slack,
        [
            "slack.thread",
            "slack.history",
            "slack.get-user",
            "slack.post"
        ]
    );
    let [prompt] = host.llm.prompts().try_into().unwrap();
    for shown in ["The tank is at 90 percent.", "Lunch?", "Robert"] {
        assert!(prompt.contains(shown), "{shown}");
    }
}

#[tokio::test]
async fn without_what_the_platform_would_tell_the_answer_is_made_from_what_there_is() {
    for import in ["slack.thread", "slack.history", "slack.get-user"] {
        for error in slack_errors() {
            let (host, target) = with_gaps().await;
            host.faults.before(Calls::of(import), error);
            assert_eq!(mention(&host, &target).await.unwrap().text, ANSWER);
            assert_eq!(host.slack.posts().len(), 1, "{import}");
        }
    }
    for error in slack_errors() {
        let host = answering()
            .await
            .with(|settings| settings.reply_engine = Engine::Extractive);
        host.faults.before(Calls::of("slack.permalink"), error);
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
    let spoil = Strike::altering(|messages: &mut Vec<Message>| messages[0].ts = "noon".to_owned());
    host.faults.after(Calls::of("slack.thread"), spoil);
    assert_eq!(mention(&host, &target).await.unwrap().text, ANSWER);
    assert!(!host.llm.prompts()[0].contains("The tank is at 90 percent."));
}

#[tokio::test]
async fn what_was_deleted_is_not_answered() {
    let host = answering().await;
    host.storage.delete("C1", TsKey::first_of(NOW), NOW);
    let gone = mention(&host, &question()).await;
    let Error::Storage(StorageError::NotFound(what)) = refused(gone) else {
        panic!("another error")
    };
    assert!(what.contains(&question().message_ts), "{what}");
    assert!(host.llm.requests().is_empty() && host.slack.posts().is_empty());
}

#[tokio::test]
async fn ids_that_are_none_and_unknown_channels_are_named() {
    let host = answering().await;
    let noon = Target {
        message_ts: "noon".to_owned(),
        ..question()
    };
    assert_eq!(
        refused(mention(&host, &noon).await),
        Error::InvalidTs("noon".to_owned())
    );
    let unknown = Target {
        channel_id: "C9".to_owned(),
        ..question()
    };
    assert!(matches!(
        refused(mention(&host, &unknown).await),
        Error::Storage(StorageError::NotFound(what)) if what.contains("C9")
    ));
    assert!(host.llm.requests().is_empty());
}

#[tokio::test]
async fn a_bad_answer_is_asked_for_once_more_and_then_an_error() {
    let echo = "@myao When does the crane come?";
    let refusal = "I'm sorry, but I can't help with that.";
    for (bad, expected) in [
        (" ", BadAnswer::Empty),
        (refusal, BadAnswer::Refusal),
        (echo, BadAnswer::PromptRepeated),
    ] {
        let host = asked(ScriptedLlm::answering(ANSWER).on(Asked::call(0), bad)).await;
        assert_eq!(mention(&host, &question()).await.unwrap().text, ANSWER);
        let [first, second] = host.llm.prompts().try_into().unwrap();
        assert!(
            second
                .strip_prefix(&first)
                .is_some_and(|feedback| feedback.len() > 20)
        );

        let host = asked(ScriptedLlm::answering(bad)).await;
        let failed = mention(&host, &question()).await;
        assert_eq!(refused(failed), Error::BadAnswer(expected));
        assert_eq!(host.llm.requests().len(), 2);
        assert!(host.slack.posts().is_empty());
    }
}

#[tokio::test]
async fn an_answer_that_is_no_judgment_is_asked_for_once_more_and_then_an_error() {
    let host = asked(ScriptedLlm::answering(JUDGMENT).on(Asked::call(0), "Yes, please.")).await;
    assert!(
        host.plugin()
            .judge(&question(), now())
            .await
            .unwrap()
            .should_respond
    );
    assert_eq!(host.llm.requests().len(), 2);
    let host = asked(ScriptedLlm::answering("Yes, please.")).await;
    let failed = host.plugin().judge(&question(), now()).await;
    assert!(matches!(
        refused(failed),
        Error::BadAnswer(BadAnswer::Malformed(_))
    ));
}

#[tokio::test]
async fn an_answer_that_was_cut_off_or_held_back_is_treated_so() {
    let cut = Answer::cut_off("It comes on March 3. It costs");
    let host = asked(ScriptedLlm::answering(cut)).await;
    let reply = mention(&host, &question()).await.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.truncated),
        ("It comes on March 3.", true)
    );
    let host = asked(ScriptedLlm::answering(Answer::filtered())).await;
    let failed = mention(&host, &question()).await;
    assert!(matches!(refused(failed), Error::Llm(LlmError::Refused(_))));
    assert!(host.slack.posts().is_empty());
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_cut_and_at_last_given_up() {
    let too_long = LlmError::ContextTooLong(None);
    let host = asked(ScriptedLlm::answering(ANSWER).on(Asked::call(0), too_long.clone())).await;
    let reply = mention(&host, &question()).await.unwrap();
    assert_eq!(reply.text, ANSWER);
    let prompts = host.llm.prompts();
    assert!(prompts[1].len() < prompts[0].len());
    let left_out = reply.left_out;
    assert!(
        left_out.other_channels + left_out.workspace + left_out.messages + left_out.channel > 0
    );

    let host = asked(ScriptedLlm::answering(too_long)).await;
    assert!(matches!(
        refused(mention(&host, &question()).await),
        Error::PromptTooLong(_)
    ));
    assert!(host.llm.requests().len() < 20 && host.slack.posts().is_empty());

    let tiny = ScriptedLlm::answering(ANSWER).with_context_window(100);
    let host = asked(tiny).await;
    let failed = host.plugin().judge(&question(), now()).await;
    assert!(matches!(refused(failed), Error::PromptTooLong(_)));
    assert!(host.llm.requests().is_empty());
}

#[tokio::test]
async fn a_template_that_is_wrong_is_named_and_nobody_is_asked() {
    for name in ["reply_prompt.j2", "judgment_prompt.j2"] {
        let host = answering().await.with(|settings| {
            settings.templates = vec![Template {
                name: name.to_owned(),
                source: "{{ nothing.of.that_name }}".to_owned(),
            }];
        });
        let plugin = host.plugin();
        let failed = match name {
            "reply_prompt.j2" => refused(plugin.reply_to_mention(&question(), now()).await),
            _ => refused(plugin.judge(&question(), now()).await),
        };
        assert!(
            matches!(&failed, Error::Template(fault) if fault.name == name),
            "{failed:?}"
        );
        assert!(host.llm.requests().is_empty());
    }
}

#[tokio::test]
async fn what_private_channels_remember_is_told_only_within_them() {
    let host = Host::telling();
    host.storage.add_private_channel("C3", "secret");
    host.storage
        .say("C3", START, "erin", "We buy the shipyard.");
    host.generate(NOW).await;
    host.storage.say("C1", NOW, "bob", "@myao What is new?");
    let secret = host.storage.memories();
    let secret = secret
        .iter()
        .find(|memory| memory.scope_id == "C3")
        .unwrap();
    let host = host.with_llm(ScriptedLlm::answering(ANSWER));
    mention(&host, &question()).await.unwrap();
    assert!(!host.llm.prompts()[0].contains(&secret.content));
    let asked = host.storage.say("C3", NOW, "erin", "@myao What is new?");
    let within = Target {
        channel_id: "C3".to_owned(),
        message_ts: asked.to_string(),
        ..question()
    };
    mention(&host, &within).await.unwrap();
    assert!(host.llm.prompts()[1].contains(&secret.content));
}

/// The clock stands still but for the deadline.
#[tokio::test(start_paused = true)]
async fn a_call_that_never_ends_is_given_up_at_the_deadline_wherever_it_is() {
    for at in 0..CALLS.len() {
        let host = answering().await;
        host.faults.before(Calls::all().nth(at), Strike::Stall);
        let plugin = host.plugin_until(Duration::from_secs(20));
        let stalled = plugin.reply_to_mention(&question(), now()).await;
        assert!(
            matches!(stalled, Err(CallError::TimedOut { .. })),
            "call {at}"
        );
        assert!(host.slack.posts().is_empty());
        // The next call works.
        assert_eq!(mention(&host, &question()).await.unwrap().text, ANSWER);
    }
}
