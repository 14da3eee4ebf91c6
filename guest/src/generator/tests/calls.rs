//! What a run and a context cost in storage calls.

use super::*;
use crate::bindings::exports::myao::memory::context_builder::BuildRequest;
use crate::bindings::types::Scope;
use crate::testing::{HOUR, TestHost, ts};
use MemoryType::{LongTerm, ShortTerm};

#[test]
fn a_context_of_a_thousand_channels_costs_four_calls() {
    let host = TestHost::new();
    for number in 0..1000 {
        let channel_id = format!("C{number}");
        host.storage.add_channel(&channel_id, &channel_id);
        host.remember(Scope::Channel, &channel_id, LongTerm, "past");
        for version in 1..=5 {
            host.remember(
                Scope::Channel,
                &channel_id,
                ShortTerm,
                &format!("version {version}"),
            );
        }
    }
    for thread in 0..100 {
        host.say_many("C7", -2000 + thread * 10, 1);
        for reply in 1..10 {
            host.reply(
                "C7",
                -2000 + thread * 10,
                -2000 + thread * 10 + reply,
                "reply",
            );
        }
    }
    host.storage.take_calls();
    let request = BuildRequest {
        channel_id: "C7".to_owned(),
        target_thread_ts: Some(ts(-2000)),
        since: None,
        message_limit: Some(1000),
    };
    let context = host.requested(request).unwrap();
    assert_eq!(
        host.storage.take_calls(),
        [
            "list-channels",
            "list-memories",
            "list-messages",
            "list-memories"
        ]
    );
    assert_eq!(context.channel_memories.len(), 1000);
    assert!(
        context
            .channel_memories
            .iter()
            .all(|memory| memory.short_term_memory_history.len() == 5)
    );
    let threads = &context.conversation_history.threads;
    assert_eq!(
        threads
            .iter()
            .map(|thread| thread.messages.len())
            .sum::<usize>(),
        1000
    );
}

#[test]
fn a_context_of_the_workspace_costs_two_calls() {
    let host = TestHost::new();
    host.say("C1", -1, "a");
    host.context("");
    assert_eq!(
        host.storage.take_calls(),
        ["list-channels", "list-memories"]
    );
}

#[test]
fn a_channel_costs_the_same_calls_however_many_there_are() {
    let steps = [
        "get-backlog",
        "list-memories",
        "list-memories",
        "list-deferrals",
        "list-marked",
        "list-messages",
        "list-items",
        "save-memory",
        "save-memory",
    ];
    for count in [1, 50] {
        let host = TestHost::new();
        for number in 0..count {
            host.say(&format!("C{number}"), -1, "a");
        }
        host.generate(0);
        let calls = host.storage.take_calls();
        let (due, rest) = calls.split_first().unwrap();
        assert_eq!(*due, "list-due");
        let (channels, workspace) = rest.split_at(count * steps.len());
        assert!(
            channels.chunks(steps.len()).all(|calls| calls == steps),
            "{channels:?}"
        );
        let of_workspace = [
            "list-due",
            "list-channels",
            "list-memories",
            "list-memories",
            "list-deferrals",
            "save-memory",
            "list-due",
        ];
        assert_eq!(workspace, of_workspace);
    }
}

#[test]
fn a_thread_costs_nine_calls() {
    let host = TestHost::new();
    for thread in 0..3 {
        host.say("C1", -60 + thread * 10, "a");
        host.reply("C1", -60 + thread * 10, -55 + thread * 10, "a1");
    }
    host.generate(0);
    let calls = host.storage.take_calls();
    let thread = [
        "get-backlog",
        "list-channels",
        "list-memories",
        "list-messages",
        "list-memories",
        "list-marked",
        "list-memories",
        "list-deferrals",
        "save-memory",
    ];
    assert_eq!(calls[1..=3 * thread.len()], [thread; 3].concat());
}

#[test]
fn a_run_in_which_nothing_is_due_costs_one_call() {
    let host = TestHost::new();
    for number in 0..20 {
        host.say(&format!("C{number}"), -1, "a");
    }
    host.generate(0);
    host.storage.take_calls();
    let entries = host.generate(HOUR);
    assert_eq!(host.storage.take_calls(), ["list-due"]);
    assert_eq!(entries, []);
}

#[test]
fn a_step_for_what_is_not_due_costs_one_call() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.generate(0);
    host.storage.take_calls();
    host.generate_channel("C1", HOUR);
    host.generate_thread("C1", -60, HOUR);
    assert_eq!(host.storage.take_calls(), ["get-backlog", "get-backlog"]);
}

#[test]
fn a_run_that_makes_only_a_threads_memory_leaves_the_workspace_alone() {
    let host = TestHost::new();
    host.say("C1", -60, "a");
    host.reply("C1", -60, -50, "a1");
    host.generate(0);
    host.reply("C1", -60, 10, "a2");
    host.storage.take_calls();
    host.generate(11);
    let calls = host.storage.take_calls();
    assert_eq!(calls.last(), Some(&"list-due"), "no step follows");
    let saves = calls.iter().filter(|call| **call == "save-memory");
    assert_eq!(saves.count(), 1);
}
