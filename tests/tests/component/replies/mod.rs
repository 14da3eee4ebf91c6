//! The export `responder`: answers to mentions, judgments, and answers of one's own accord.

mod failing;
mod platform;
mod shown;

use myao_plugin::llm::{Agent, Purpose};
use myao_plugin::ts::TsKey;
use myao_plugin::{Answer, CallError, Engine, Judgment, Message, Reply, Scope, Target};
use myao_testkit::{Asked, Calls, ScriptedLlm, Strike};

use crate::component::host::{Host, NOW, now, thread_id, thread_ts};

const ANSWER: &str = "It comes on March 3, as Alice said.";
const JUDGMENT: &str =
    r#"{"should_respond": true, "reason": "nobody answered", "confidence": 0.8}"#;

/// Storage and platform where everything is stored: six calls, without threads five.
const CALLS: [&str; 9] = [
    "storage.list-channels",
    "storage.list-memories",
    "storage.list-messages",
    "storage.list-messages",
    "storage.list-marked",
    "storage.list-memories",
    "recall.find-candidates",
    "llm.complete",
    "chat.post",
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

/// The reply that was posted.
async fn mention(host: &Host, target: &Target) -> Result<Reply, CallError> {
    let answer = host.plugin().reply_to_mention(target, now()).await;
    answer.map(posted)
}

fn posted(answer: Answer) -> Reply {
    match answer {
        Answer::Posted(reply) => reply,
        Answer::Already(_) => panic!("it was answered before"),
    }
}

#[tokio::test]
async fn a_mention_is_answered_once_with_a_constant_number_of_calls() {
    let host = answering().await;
    let reply = mention(&host, &question()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.engine), (ANSWER, Engine::Llm));
    assert_eq!(host.take_calls(), CALLS);
    let [post] = host.chat.posts().try_into().unwrap();
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

    for unasked in [false, true] {
        let plugin = host.plugin();
        let again = match unasked {
            false => plugin.reply_to_mention(&question(), now()).await,
            true => plugin.reply_unasked(&question(), now()).await,
        };
        assert_eq!(again.unwrap(), Answer::Already(reply.posted.clone()));
    }
    assert_eq!(host.chat.posts().len(), 1);
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
    let [post] = host.chat.posts().try_into().unwrap();
    assert_eq!(post.thread_ts, Some(thread_ts().to_string()));
    let names: Vec<&str> = post
        .may_notify
        .iter()
        .map(|user| user.name.as_str())
        .collect();
    assert_eq!(names, ["alice", "dave", "bob"]);
    assert_eq!(host.llm.requests()[0].purpose.scope_id, thread_id());
    // All of the thread, and no more of the top level.
    let calls = [&CALLS[..3], &CALLS[4..]].concat();
    assert_eq!(host.take_calls(), calls);
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
    assert_eq!(posted(reply).text, ANSWER);
    assert_eq!(unasked.take_calls(), CALLS);
    assert_eq!(unasked.chat.posts(), mentioned.chat.posts());
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
    assert_eq!(host.take_calls(), CALLS[..8]);
    let [request] = host.llm.requests().try_into().unwrap();
    assert_eq!(request.purpose.agent, Agent::Judgment);
    assert!(request.answer_schema.unwrap().contains("should_respond"));
    assert_eq!(
        request.max_tokens,
        host.plugin()
            .settings()
            .number("agents.judgment.params.max_tokens")
    );
}

#[tokio::test]
async fn without_a_model_a_mention_is_answered_with_quotes_and_a_judgment_reads_nothing() {
    let host = answering()
        .await
        .with(|settings| settings.set("engines.response", "extractive"));
    let reply = mention(&host, &question()).await.unwrap();
    assert_eq!(reply.engine, Engine::Extractive);
    assert!(reply.text.contains("March 3"), "{}", reply.text);
    let calls = host.take_calls();
    assert!(!calls.contains(&"llm.complete"));
    assert!(calls.contains(&"chat.permalink") && calls.last() == Some(&"chat.post"));
    let judgment = host.plugin().judge(&question(), now()).await.unwrap();
    assert!(!judgment.should_respond);
    assert_eq!(host.take_calls(), [""; 0]);
}

#[tokio::test]
async fn an_answer_notifies_no_bot() {
    let host = answering().await;
    let asked = host
        .storage
        .reply("C1", thread_ts(), NOW, "bob", "@myao Who has the keys?");
    let dave_is_a_bot = Strike::altering(|messages: &mut Vec<Message>| {
        for message in messages {
            message.user.is_bot = message.user.name == "dave";
        }
    });
    host.faults
        .after(Calls::of("storage.list-messages"), dave_is_a_bot);
    let target = Target {
        message_ts: asked.to_string(),
        ..target(Some(thread_ts()), NOW)
    };
    mention(&host, &target).await.unwrap();
    let [post] = host.chat.posts().try_into().unwrap();
    let names: Vec<&str> = post
        .may_notify
        .iter()
        .map(|user| user.name.as_str())
        .collect();
    assert_eq!(names, ["alice", "bob"], "dave is a bot");
}
