//! The export `context-builder`.

use myao_plugin::storage::{Channel, ChannelFilter, MemoryQuery, MessageQuery, StorageError};
use myao_plugin::{BuildRequest, Error, Message};
use myao_testkit::{Calls, Strike};

use crate::component::host::{
    HOUR, Host, NOW, START, now, refused, storage_errors, thread_id, thread_ts,
};

fn request(channel_id: &str, thread: bool) -> BuildRequest {
    BuildRequest {
        channel_id: channel_id.to_owned(),
        target_thread_ts: thread.then(|| thread_ts().to_string()),
        since: None,
        message_limit: None,
    }
}

const FOUR: [&str; 4] = [
    "storage.list-channels",
    "storage.list-memories",
    "storage.list-messages",
    "storage.list-memories",
];

#[tokio::test]
async fn a_context_is_built_from_four_storage_calls_and_nothing_else() {
    let host = Host::telling();
    host.generate(NOW).await;
    host.take_calls();
    let build = request("C1", true);
    let context = host.plugin().build_context(&build, now()).await.unwrap();
    let calls = host.recorder.take();
    let imports: Vec<&str> = calls.iter().map(|made| made.call.import).collect();
    assert_eq!(imports, FOUR);

    let messages: MessageQuery = calls[2].call.arguments().unwrap();
    assert_eq!(messages.until, format!("{NOW}.999999"));
    assert_eq!(
        messages.limit,
        host.plugin()
            .settings()
            .number("response.channel_messages_limit")
    );
    assert_eq!(messages.whole_thread, Some(thread_ts().to_string()));
    let of_threads: MemoryQuery = calls[3].call.arguments().unwrap();
    assert_eq!(of_threads.threads, [thread_id()]);
    assert_eq!(of_threads.channels, ChannelFilter::None);

    let history = &context.conversation_history;
    assert_eq!(history.channel_name, "harbour");
    assert_eq!(history.top_level_messages.len(), 2);
    let of_thread = history.threads[0].messages.iter();
    let of_thread: Vec<&str> = of_thread.map(|message| message.text.as_str()).collect();
    assert_eq!(
        of_thread,
        ["Who picks up the keys?", "I do, at nine o'clock."]
    );
    assert_eq!(
        context.thread_memories[0].thread_ts,
        thread_ts().to_string()
    );
    let names: Vec<&str> = context
        .channel_memories
        .iter()
        .map(|memory| memory.channel_name.as_str())
        .collect();
    assert_eq!(names, ["harbour", "servers"]);
    assert!(context.workspace_long_term_memory.is_some());
    assert_eq!(context.target_thread_ts, Some(thread_ts().to_string()));
}

#[tokio::test]
async fn a_context_costs_the_same_calls_however_many_channels_there_are() {
    let host = Host::telling();
    for n in 3..200 {
        host.storage.say(&format!("C{n}"), START, "alice", "Hello.");
    }
    host.generate(NOW).await;
    host.take_calls();
    let build = request("C1", true);
    host.plugin().build_context(&build, now()).await.unwrap();
    assert_eq!(host.take_calls(), FOUR);
}

#[tokio::test]
async fn a_channel_without_threads_and_the_workspace_cost_less() {
    let host = Host::telling();
    let plugin = host.plugin();
    plugin
        .build_context(&request("C2", false), now())
        .await
        .unwrap();
    assert_eq!(host.take_calls(), FOUR[..3]);
    let context = plugin
        .build_context(&request("", false), now())
        .await
        .unwrap();
    assert_eq!(host.take_calls(), FOUR[..2]);
    assert_eq!(context.conversation_history.top_level_messages.len(), 0);
    assert_eq!(context.channel_memories.len(), 2);
}

#[tokio::test]
async fn since_and_limit_go_to_the_store() {
    let host = Host::telling();
    let bounded = BuildRequest {
        since: Some(myao_tests::store::utc(START + 60)),
        message_limit: Some(7),
        ..request("C1", false)
    };
    let context = host.plugin().build_context(&bounded, now()).await.unwrap();
    let query: MessageQuery = host.recorder.calls()[2].call.arguments().unwrap();
    assert_eq!(query.since, Some(format!("{}.000000", START + 60)));
    assert_eq!((query.limit, query.whole_thread), (7, None));
    assert_eq!(context.conversation_history.top_level_messages.len(), 1);
}

#[tokio::test]
async fn each_error_of_the_store_at_each_call_is_handed_on_and_ends_the_call() {
    for at in 0..FOUR.len() {
        for error in storage_errors() {
            let host = Host::telling();
            host.faults
                .before(Calls::of("storage").nth(at), error.clone());
            let build = request("C1", true);
            let failed = host.plugin().build_context(&build, now()).await;
            assert_eq!(refused(failed), Error::Storage(error), "call {at}");
            assert_eq!(host.take_calls(), FOUR[..=at]);
        }
    }
}

#[tokio::test]
async fn an_unknown_channel_is_not_found_before_its_messages_are_read() {
    let host = Host::telling();
    let failed = host
        .plugin()
        .build_context(&request("C9", false), now())
        .await;
    let Error::Storage(StorageError::NotFound(what)) = refused(failed) else {
        panic!("another error")
    };
    assert!(what.contains("C9"), "{what}");
    assert_eq!(host.take_calls(), FOUR[..2]);
}

#[tokio::test]
async fn an_id_of_the_store_that_is_none_is_named() {
    let host = Host::telling();
    let spoil = Strike::altering(|messages: &mut Vec<Message>| messages[0].ts = "noon".to_owned());
    host.faults.after(Calls::of("storage.list-messages"), spoil);
    let failed = host
        .plugin()
        .build_context(&request("C1", false), now())
        .await;
    assert_eq!(refused(failed), Error::InvalidTs("noon".to_owned()));
}

#[tokio::test]
async fn the_order_in_which_the_store_lists_messages_changes_nothing() {
    let host = Host::telling();
    let build = request("C1", true);
    let before = host.plugin().build_context(&build, now()).await.unwrap();
    let reverse = Strike::altering(|messages: &mut Vec<Message>| messages.reverse());
    host.faults
        .after(Calls::of("storage.list-messages"), reverse);
    let after = host.plugin().build_context(&build, now()).await.unwrap();
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_channel_that_went_between_two_calls_is_not_found() {
    let host = Host::telling();
    let forget = Strike::altering(|channels: &mut Vec<Channel>| channels.retain(|c| c.id != "C1"));
    host.faults
        .after(Calls::of("storage.list-channels"), forget);
    let failed = host
        .plugin()
        .build_context(&request("C1", false), now())
        .await;
    assert!(matches!(
        refused(failed),
        Error::Storage(StorageError::NotFound(_))
    ));
}

#[tokio::test]
async fn the_retired_memory_is_shown_only_with_the_setting() {
    let host =
        Host::telling().with(|settings| settings.set("memory.legacy_workspace_short_term", true));
    host.generate(NOW).await;
    let build = request("C1", false);
    let context = host.plugin().build_context(&build, now()).await.unwrap();
    assert!(context.workspace_short_term_memory.is_some());
    let host = host.with(|settings| settings.set("memory.legacy_workspace_short_term", false));
    let context = host.plugin().build_context(&build, now()).await.unwrap();
    assert_eq!(context.workspace_short_term_memory, None);
    assert!(context.workspace_long_term_memory.is_some());
}

#[tokio::test]
async fn as_many_versions_are_shown_as_the_settings_say_the_newest_last() {
    let host = Host::telling()
        .with(|settings| settings.set("memory.short_term_history.max_history_count", 2));
    for n in 0..4 {
        let at = NOW + n * 3 * HOUR;
        host.storage.say(
            "C2",
            at - 3 * HOUR,
            "carol",
            &format!("Backup {n} is done."),
        );
        host.generate(at).await;
    }
    let of_c2 = host
        .remembered()
        .into_iter()
        .filter(|memory| memory.0 == "C2");
    let newest: Vec<String> = of_c2
        .filter(|(_, version, _)| *version > 2)
        .map(|(.., text)| text)
        .collect();
    let build = request("C2", false);
    let later = myao_tests::store::utc(NOW + 9 * HOUR);
    let context = host.plugin().build_context(&build, later).await.unwrap();
    let shown = &context.channel_memories[1].short_term_memory_history;
    assert_eq!((shown, newest.len()), (&newest, 2));
}
