//! The doubles and listeners themselves: a test that leans on them must be able to trust them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::sync::Arc;
use std::time::Duration;

use myao::bindings::types::{MemoryType, Scope, User};
use myao::llm::{Agent, Completion, Llm, LlmError, Purpose, Request};
use myao::slack::{Message, PostRequest, Slack, SlackError};
use myao::storage::{Channel, Keep, MessageQuery, Storage, StorageError};
use myao::ts::TsKey;
use myao_testkit::{
    Asked, Calls, Fault, Faults, Gate, Imports, MemorySlack, MemoryStorage, Recorder, Reply,
    ScriptedLlm, Strike, Tap,
};
use tokio::time::Instant;

fn request(scope_id: &str, memory_type: MemoryType) -> Request {
    Request {
        system_prompt: format!("about {scope_id}"),
        max_tokens: 300,
        answer_schema: None,
        purpose: Purpose {
            agent: Agent::Memory,
            scope: Scope::Channel,
            scope_id: scope_id.to_owned(),
            memory_type: Some(memory_type),
        },
    }
}

async fn ask(llm: &dyn Llm, scope_id: &str) -> Result<String, LlmError> {
    let asked = request(scope_id, MemoryType::ShortTerm);
    let answer: Result<Completion, LlmError> = llm.complete(asked, &()).await;
    answer.map(|completion| completion.text)
}

#[tokio::test]
async fn the_first_rule_that_fits_answers_and_each_counts_its_own_questions() {
    let c1 = || Asked::about(Scope::Channel, "C1");
    let llm = ScriptedLlm::new(|n, request| format!("{n}: {}", request.system_prompt))
        .on(c1().nth(1), "second")
        .on(c1().and_with("nothing like it"), "never")
        .on(c1().for_memory(MemoryType::LongTerm), "never")
        .on(Asked::by(Agent::Judgment), "never")
        .on(c1().nth(2), LlmError::TimedOut)
        .on(Asked::call(4), "fifth of all");
    assert_eq!(ask(&llm, "C1").await.unwrap(), "0: about C1");
    assert_eq!(ask(&llm, "C2").await.unwrap(), "1: about C2");
    assert_eq!(ask(&llm, "C1").await.unwrap(), "second");
    assert_eq!(ask(&llm, "C1").await, Err(LlmError::TimedOut));
    assert_eq!(ask(&llm, "C1").await.unwrap(), "fifth of all");
    assert_eq!(ask(&llm, "C1").await.unwrap(), "5: about C1");
    let asked: Vec<String> = llm
        .requests()
        .into_iter()
        .map(|r| r.purpose.scope_id)
        .collect();
    assert_eq!(asked, ["C1", "C2", "C1", "C1", "C1", "C1"]);
    assert_eq!(llm.prompts()[1], "about C2");
}

#[tokio::test(start_paused = true)]
async fn delays_go_by_the_clock_and_no_more_answers_come_at_once_than_may() {
    let second = Duration::from_secs(1);
    let llm = ScriptedLlm::answering(Reply::from("slow").after(second)).with_calls_in_flight(2);
    assert_eq!(llm.calls_in_flight(), 2);
    let begun = Instant::now();
    let (a, b, c) = tokio::join!(ask(&llm, "C1"), ask(&llm, "C1"), ask(&llm, "C1"));
    assert_eq!(
        (a, b, c),
        (Ok("slow".into()), Ok("slow".into()), Ok("slow".into()))
    );
    assert_eq!(begun.elapsed(), 2 * second);
    let never = ScriptedLlm::answering(Reply::never());
    let waited = tokio::time::timeout(1000 * second, ask(&never, "C1")).await;
    assert!(waited.is_err());
}

#[tokio::test]
async fn answers_tell_what_they_cost_and_why_they_ended() {
    let llm = ScriptedLlm::answering(Reply::cut_off("half").with_tokens(7, 3))
        .with_context_window(100)
        .with_count(|text| u32::try_from(text.len()).unwrap());
    let calls = std::sync::Mutex::new(Vec::new());
    let asked = request("C1", MemoryType::ShortTerm);
    llm.complete(asked, &calls).await.unwrap();
    let [record] = calls.into_inner().unwrap().try_into().unwrap();
    assert_eq!(
        (record.input_tokens, record.output_tokens),
        (Some(7), Some(3))
    );
    assert_eq!(record.finish_reason, Some(myao::llm::FinishReason::Length));
    assert_eq!(
        (llm.context_window(), llm.count_tokens("abc")),
        (Some(100), 3)
    );
}

/// A store with one channel, a model and a platform, behind a listener.
fn tapped(tap: Arc<dyn Tap>) -> (Arc<MemoryStorage>, Imports) {
    let storage = Arc::new(MemoryStorage::new());
    storage.say("C1", 100, "alice", "Hello.");
    let imports = Imports::new(storage.clone(), Arc::new(ScriptedLlm::answering("- yes")));
    (
        storage,
        imports
            .with_slack(Arc::new(MemorySlack::default()))
            .tapped(tap),
    )
}

fn all_of(channel_id: &str) -> MessageQuery {
    MessageQuery {
        channel_id: channel_id.to_owned(),
        since: None,
        until: "9999.0".to_owned(),
        limit: 100,
        keep: Keep::Newest,
        whole_thread: None,
    }
}

async fn texts(storage: &dyn Storage) -> Vec<String> {
    let messages = storage.list_messages(all_of("C1")).await.unwrap();
    messages.into_iter().map(|message| message.text).collect()
}

#[tokio::test]
async fn the_recorder_keeps_every_call_with_arguments_and_result_in_order() {
    let recorder = Arc::new(Recorder::default());
    let (_, imports) = tapped(recorder.clone());
    texts(&*imports.storage).await;
    drop(imports.storage.list_messages(all_of("C9")).await);
    ask(&*imports.llm, "C1").await.unwrap();
    assert_eq!(imports.llm.context_window(), None);
    assert!(imports.llm.count_tokens("a text") > 0);
    let address = imports
        .slack
        .permalink("C1".to_owned(), "1.0".to_owned())
        .await;

    let calls = recorder.calls();
    let numbered: Vec<_> = calls
        .iter()
        .map(|made| (made.call.number, made.call.import))
        .collect();
    assert_eq!(
        numbered,
        [
            (0, "storage.list-messages"),
            (1, "storage.list-messages"),
            (2, "llm.complete"),
            (3, "llm.context-window"),
            (4, "llm.count-tokens"),
            (5, "slack.permalink"),
        ]
    );
    assert_eq!(calls[0].call.arguments(), Some(all_of("C1")));
    let listed: Vec<Message> = calls[0].answer.ok().unwrap();
    assert_eq!(
        (listed[0].text.as_str(), calls[0].answer.rows),
        ("Hello.", 1)
    );
    let error: StorageError = calls[1].answer.error().unwrap();
    assert!(matches!(error, StorageError::NotFound(_)) && calls[1].answer.is_error());
    let asked: Request = calls[2].call.arguments().unwrap();
    assert_eq!(asked.purpose.scope_id, "C1");
    assert_eq!(
        calls[5].call.arguments(),
        Some(("C1".to_owned(), "1.0".to_owned()))
    );
    assert_eq!(calls[5].answer.ok(), address.ok());
    assert!(!calls[3].call.can_fail() && !calls[4].call.can_fail() && calls[5].call.can_fail());
    assert_eq!(recorder.calls_of("storage").len(), 2);
    assert_eq!(recorder.calls_of("stor").len(), 0);
    assert_eq!(recorder.tally()["storage.list-messages"], 2);
    assert_eq!(recorder.take().len(), 6);
    assert!(recorder.calls().is_empty());
}

#[tokio::test]
async fn of_two_listeners_the_later_sees_what_the_earlier_made_of_a_call() {
    let (faults, recorder) = (Arc::new(Faults::default()), Arc::new(Recorder::default()));
    let (_, imports) = tapped(faults.clone());
    let imports = imports.tapped(recorder.clone());
    faults.before(Calls::all(), Strike::unavailable("gone"));
    drop(imports.storage.list_channels().await);
    let error: StorageError = recorder.calls()[0].answer.error().unwrap();
    assert_eq!(error, StorageError::Unavailable("gone".to_owned()));
}

#[tokio::test]
async fn a_call_struck_before_is_not_done_and_one_struck_after_is() {
    let faults = Arc::new(Faults::default());
    let (_, imports) = tapped(faults.clone());
    let deferral = || myao::storage::Deferral {
        memory_type: MemoryType::ShortTerm,
        until: myao::bindings::types::Timestamp {
            unix_seconds: 7,
            utc_offset_seconds: 0,
        },
        failures: 1,
        reason: "no".to_owned(),
    };
    let storage = &imports.storage;
    let full = StorageError::Unavailable("full".to_owned());
    for (done, rests) in [(false, 0), (true, 1)] {
        match done {
            false => faults.before(Calls::of("storage.defer"), full.clone()),
            true => faults.after(Calls::of("storage.defer"), full.clone()),
        }
        let failed = storage
            .defer(Scope::Channel, "C1".to_owned(), deferral())
            .await;
        assert_eq!(failed, Err(full.clone()));
        faults.lift();
        let resting = storage
            .list_deferrals(Scope::Channel, "C1".to_owned())
            .await;
        assert_eq!(resting.unwrap().len(), rests);
    }
}

#[tokio::test]
async fn calls_are_picked_by_import_text_and_number() {
    let strikes = async |calls: Calls| {
        let faults = Arc::new(Faults::default());
        let (_, imports) = tapped(faults.clone());
        faults.before(calls, Strike::unavailable("struck"));
        let mut struck = String::new();
        for n in 0..6 {
            let failed = match n % 3 {
                0 => imports.storage.list_channels().await.is_err(),
                1 => imports.storage.list_messages(all_of("C1")).await.is_err(),
                _ => ask(&*imports.llm, "C2").await.is_err(),
            };
            struck.push(if failed { 'x' } else { '-' });
        }
        struck
    };
    assert_eq!(strikes(Calls::all()).await, "xxxxxx");
    assert_eq!(strikes(Calls::all().nth(3)).await, "---x--");
    assert_eq!(strikes(Calls::all().from_nth(3)).await, "---xxx");
    assert_eq!(strikes(Calls::of("storage")).await, "xx-xx-");
    assert_eq!(strikes(Calls::of("llm.complete").nth(1)).await, "-----x");
    assert_eq!(strikes(Calls::all().mentioning("C1")).await, "-x--x-");
    assert_eq!(
        strikes(Calls::that(|call| call.number == 2)).await,
        "--x---"
    );
}

#[tokio::test]
async fn a_fault_is_the_error_of_the_import_it_strikes() {
    let faults = Arc::new(Faults::default());
    let (_, imports) = tapped(faults.clone());
    let slack = || imports.slack.get_user("U1".to_owned());
    faults.before(Calls::all(), Strike::unavailable("gone"));
    let gone = "gone".to_owned();
    assert_eq!(
        imports.storage.list_channels().await,
        Err(StorageError::Unavailable(gone.clone()))
    );
    assert_eq!(
        ask(&*imports.llm, "C1").await,
        Err(LlmError::Unavailable(gone.clone()))
    );
    assert_eq!(slack().await, Err(SlackError::Unavailable(gone)));
    faults.lift();
    faults.before(Calls::all(), Fault::Llm(LlmError::TimedOut));
    assert_eq!(ask(&*imports.llm, "C1").await, Err(LlmError::TimedOut));
    assert!(matches!(slack().await, Err(SlackError::Other(_))));
}

#[tokio::test(start_paused = true)]
async fn calls_are_held_up_for_a_while_for_ever_or_until_the_gate_is_open() {
    let faults = Arc::new(Faults::default());
    let (_, imports) = tapped(faults.clone());
    let storage = imports.storage;
    let minute = Duration::from_secs(60);
    faults.before(Calls::all(), Strike::Delay(minute));
    let begun = Instant::now();
    storage.list_channels().await.unwrap();
    assert_eq!(begun.elapsed(), minute);
    faults.lift();
    faults.after(Calls::all(), Strike::Stall);
    assert!(
        tokio::time::timeout(minute, storage.list_channels())
            .await
            .is_err()
    );
    faults.lift();
    let gate = Gate::default();
    faults.before(Calls::all(), Strike::Wait(gate.clone()));
    let waiting = tokio::spawn(async move { storage.list_channels().await });
    gate.reached().await;
    assert!(!waiting.is_finished());
    gate.open();
    assert!(waiting.await.unwrap().is_ok());
}

#[tokio::test]
async fn somebody_else_goes_first_where_a_test_lets_them() {
    let faults = Arc::new(Faults::default());
    let (behind, imports) = tapped(faults.clone());
    let say = Strike::letting(move || {
        let behind = behind.clone();
        async move {
            behind.say("C1", 101, "bob", "First!");
        }
    });
    faults.before(Calls::all().nth(0), say);
    assert_eq!(texts(&*imports.storage).await, ["Hello.", "First!"]);
}

#[tokio::test]
async fn a_result_is_altered_where_there_is_one() {
    let faults = Arc::new(Faults::default());
    let (_, imports) = tapped(faults.clone());
    let double = || {
        Strike::altering(|channels: &mut Vec<Channel>| {
            let again = channels.clone();
            channels.extend(again);
        })
    };
    faults.after(Calls::of("storage.list-channels"), double());
    assert_eq!(imports.storage.list_channels().await.unwrap().len(), 2);
    faults.lift();
    faults.before(Calls::of("storage.list-channels"), double());
    assert!(
        imports.storage.list_channels().await.is_err(),
        "before a call there is no result"
    );
    faults.lift();
    faults.after(Calls::all(), Fault::Instead(serde_json::json!("no list")));
    let other = imports.storage.list_channels().await;
    assert!(matches!(other, Err(StorageError::Other(_))), "{other:?}");
}

fn known(ts: &str, thread: Option<&str>) -> Message {
    Message {
        ts: ts.to_owned(),
        user: User {
            id: "U1".to_owned(),
            name: "alice".to_owned(),
            is_bot: false,
        },
        text: format!("text of {ts}"),
        timestamp: myao::bindings::types::Timestamp {
            unix_seconds: TsKey::parse(ts).unwrap().unix_seconds(),
            utc_offset_seconds: 0,
        },
        thread_ts: thread.map(str::to_owned),
        edited_at: None,
    }
}

#[tokio::test]
async fn the_platform_tells_threads_and_the_newest_of_a_history() {
    let slack = MemorySlack::default();
    for message in [
        known("999.000001", None),
        known("1000.000001", Some("1000.000001")),
        known("1000.000002", Some("1000.000001")),
        known("1001.000000", None),
        known("1002.000000", None),
    ] {
        slack.add_message("C1", message).unwrap();
    }
    slack.add_message("C2", known("1000.5", None)).unwrap();
    assert!(
        slack
            .add_message(
                "C1",
                Message {
                    ts: "noon".to_owned(),
                    ..known("1.0", None)
                }
            )
            .is_err()
    );
    let ids = |messages: Vec<Message>| -> Vec<String> {
        messages.into_iter().map(|message| message.ts).collect()
    };
    let thread = slack.thread("C1".to_owned(), "1000.1".to_owned()).await;
    assert!(matches!(thread, Err(SlackError::NotFound(_))));
    let thread = slack
        .thread("C1".to_owned(), "1000.000001".to_owned())
        .await;
    assert_eq!(ids(thread.unwrap()), ["1000.000001", "1000.000002"]);
    let history = slack
        .history("C1".to_owned(), "1001.999999".to_owned(), 2)
        .await;
    assert_eq!(
        ids(history.unwrap()),
        ["1000.000001", "1001.000000"],
        "no reply, nothing later"
    );
    assert!(matches!(
        slack.get_user("U9".to_owned()).await,
        Err(SlackError::NotFound(_))
    ));
}

#[tokio::test]
async fn posts_of_different_answers_have_different_ids() {
    let slack = MemorySlack::default();
    let post = |answers: &str| PostRequest {
        channel_id: "C1".to_owned(),
        thread_ts: None,
        text: "Yes.".to_owned(),
        answers: answers.to_owned(),
        may_notify: Vec::new(),
    };
    let first = slack.post(post("1.0")).await.unwrap();
    let second = slack.post(post("2.0")).await.unwrap();
    assert_ne!(first, second);
    assert_eq!(
        slack.post(post("1.000000")).await.unwrap(),
        first,
        "one id, written otherwise"
    );
    assert_eq!(slack.posts().len(), 2);
}

#[tokio::test]
async fn messages_of_one_second_have_ids_in_the_order_in_which_they_were_said() {
    let storage = MemoryStorage::new();
    let first = storage.say("C1", 100, "alice", "one");
    storage.delete("C1", first, 101);
    let second = storage.say("C1", 100, "bob", "two");
    assert!(second > first, "an id is never given twice");
    storage.edit("C1", second, 102, "two, edited").unwrap();
    assert_eq!(texts(&storage).await, ["two, edited"]);
    assert!(storage.edit("C1", first, 103, "back").is_err());
    assert!(storage.edit("C9", second, 103, "where?").is_err());
}
