//! The listeners: what the recorder records, and how faults change a call.

use myao_plugin::{Place, Places as _};
use std::sync::Arc;
use std::time::Duration;

use myao_plugin::chat::{ChatError, Message};
use myao_plugin::llm::{LlmError, Request};
use myao_plugin::storage::{Channel, StorageError};
use myao_plugin::{MemoryType, Scope};
use myao_testkit::{
    Calls, Fault, Faults, Gate, Imports, MemoryChat, MemoryStorage, Recorder, ScriptedLlm, Strike,
    Tap,
};
use tokio::time::Instant;

use super::{all_of, ask, texts};

/// A store with one channel, a model and a platform, behind a listener.
fn tapped(tap: Arc<dyn Tap>) -> (Arc<MemoryStorage>, Imports) {
    let storage = Arc::new(MemoryStorage::new());
    storage.say("C1", 100, "alice", "Hello.");
    let imports = Imports::new(storage.clone(), Arc::new(ScriptedLlm::answering("- yes")));
    (
        storage,
        imports
            .with_chat(Arc::new(MemoryChat::default()))
            .tapped(tap),
    )
}

#[tokio::test]
async fn the_recorder_keeps_every_call_with_arguments_and_result_in_order() {
    let recorder = Arc::new(Recorder::default());
    let (_, imports) = tapped(recorder.clone());
    texts(&*imports.storage).await;
    drop(
        imports
            .storage
            .at(Place::Operator)
            .list_messages(all_of("C9"))
            .await,
    );
    ask(&*imports.llm, "C1").await.unwrap();
    assert_eq!(imports.llm.context_window(), None);
    assert!(imports.llm.count_tokens("a text") > 0);
    let address = imports
        .chat
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
            (5, "chat.permalink"),
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
    drop(imports.storage.at(Place::Operator).list_channels().await);
    let error: StorageError = recorder.calls()[0].answer.error().unwrap();
    assert_eq!(error, StorageError::Unavailable("gone".to_owned()));
}

#[tokio::test]
async fn a_call_struck_before_is_not_done_and_one_struck_after_is() {
    let faults = Arc::new(Faults::default());
    let (_, imports) = tapped(faults.clone());
    let deferral = || myao_plugin::storage::Deferral {
        memory_type: MemoryType::ShortTerm,
        until: myao_plugin::Timestamp {
            unix_seconds: 7,
            utc_offset_seconds: 0,
        },
        failures: 1,
        reason: "no".to_owned(),
    };
    let storage = &imports.storage;
    let full = StorageError::Unavailable("full".to_owned());
    for (done, deferred) in [(false, 0), (true, 1)] {
        match done {
            false => faults.before(Calls::of("storage.defer"), full.clone()),
            true => faults.after(Calls::of("storage.defer"), full.clone()),
        }
        let failed = storage
            .at(Place::Operator)
            .defer(Scope::Channel, "C1".to_owned(), deferral())
            .await;
        assert_eq!(failed, Err(full.clone()));
        faults.lift();
        let listed = storage
            .at(Place::Operator)
            .list_deferrals(Scope::Channel, "C1".to_owned())
            .await;
        assert_eq!(listed.unwrap().len(), deferred);
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
                0 => imports
                    .storage
                    .at(Place::Operator)
                    .list_channels()
                    .await
                    .is_err(),
                1 => imports
                    .storage
                    .at(Place::Operator)
                    .list_messages(all_of("C1"))
                    .await
                    .is_err(),
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
    let chat = || imports.chat.get_user("U1".to_owned());
    faults.before(Calls::all(), Strike::unavailable("gone"));
    let gone = "gone".to_owned();
    assert_eq!(
        imports.storage.at(Place::Operator).list_channels().await,
        Err(StorageError::Unavailable(gone.clone()))
    );
    assert_eq!(
        ask(&*imports.llm, "C1").await,
        Err(LlmError::Unavailable(gone.clone()))
    );
    assert_eq!(chat().await, Err(ChatError::Unavailable(gone)));
    faults.lift();
    faults.before(Calls::all(), Fault::Llm(LlmError::TimedOut));
    assert_eq!(ask(&*imports.llm, "C1").await, Err(LlmError::TimedOut));
    assert!(matches!(chat().await, Err(ChatError::Other(_))));
}

#[tokio::test(start_paused = true)]
async fn calls_are_held_up_for_a_while_for_ever_or_until_the_gate_is_open() {
    let faults = Arc::new(Faults::default());
    let (_, imports) = tapped(faults.clone());
    let storage = imports.storage;
    let minute = Duration::from_secs(60);
    faults.before(Calls::all(), Strike::Delay(minute));
    let begun = Instant::now();
    storage.at(Place::Operator).list_channels().await.unwrap();
    assert_eq!(begun.elapsed(), minute);
    faults.lift();
    faults.after(Calls::all(), Strike::Stall);
    assert!(
        tokio::time::timeout(minute, storage.at(Place::Operator).list_channels())
            .await
            .is_err()
    );
    faults.lift();
    let gate = Gate::default();
    faults.before(Calls::all(), Strike::Wait(gate.clone()));
    let waiting = tokio::spawn(async move { storage.at(Place::Operator).list_channels().await });
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
    assert_eq!(
        imports
            .storage
            .at(Place::Operator)
            .list_channels()
            .await
            .unwrap()
            .len(),
        2
    );
    faults.lift();
    faults.before(Calls::of("storage.list-channels"), double());
    assert!(
        imports
            .storage
            .at(Place::Operator)
            .list_channels()
            .await
            .is_err(),
        "before a call there is no result"
    );
    faults.lift();
    faults.after(Calls::all(), Fault::Instead(serde_json::json!("no list")));
    let other = imports.storage.at(Place::Operator).list_channels().await;
    assert!(matches!(other, Err(StorageError::Other(_))), "{other:?}");
}
