//! What the component refuses before it does anything: settings out of their range, and times that cannot be meant.

use myao_plugin::{
    BuildRequest, CONTRACT_VERSION, Error, MemoryPlugin, MemoryType, Occasion, Outcome, Scope,
    SettingFault, Target, Timestamp, UpdateState,
};

use crate::component::host::{Host, NOW, now, refused};

fn target() -> Target {
    Target {
        channel_id: "C1".to_owned(),
        thread_ts: None,
        message_ts: format!("{NOW}.000000"),
    }
}

/// The error of each export that takes a time.
async fn errors(plugin: &MemoryPlugin, context_of: &MemoryPlugin, time: Timestamp) -> Vec<Error> {
    let request = BuildRequest {
        channel_id: "C1".to_owned(),
        target_thread_ts: None,
        since: None,
        message_limit: None,
    };
    let since = BuildRequest {
        since: Some(time),
        ..request.clone()
    };
    let state = UpdateState {
        latest_message_ts: None,
        has_memory: false,
        new_message_count: 0,
    };
    let context = context_of.build_context(&request, now()).await.unwrap();
    let reply = plugin.render_reply(&context, Occasion::Mention, time);
    let mut errors = vec![
        refused(plugin.build_context(&request, time).await),
        refused(plugin.build_context(&since, now()).await),
        refused(plugin.should_update(&state, time).await),
        refused(plugin.next_steps(&[], time).await),
        refused(plugin.generate(time).await),
        refused(reply.await),
        refused(plugin.render_judgment(&context, time).await),
        refused(plugin.reply_to_mention(&target(), time).await),
        refused(plugin.judge(&target(), time).await),
        refused(plugin.reply_unasked(&target(), time).await),
    ];
    let thread = format!("{NOW}.000000");
    let entries = [
        plugin.generate_channel("C1", time).await.unwrap(),
        plugin.generate_thread("C1", &thread, time).await.unwrap(),
        plugin.generate_workspace(time).await.unwrap(),
    ];
    let ids: Vec<&str> = entries
        .iter()
        .map(|entry| entry.scope_id.as_str())
        .collect();
    assert_eq!(ids, ["C1", &format!("C1:{thread}"), "default"]);
    errors.extend(entries.into_iter().map(|entry| match entry.outcome {
        Outcome::Failed(error) => error,
        other => panic!("{other:?}"),
    }));
    errors
}

#[tokio::test]
async fn a_time_in_milliseconds_is_refused_by_every_export() {
    let host = Host::telling();
    for (unix_seconds, utc_offset_seconds) in [(NOW * 1000, 0), (-1, 0), (NOW, 86_400)] {
        let time = Timestamp {
            unix_seconds,
            utc_offset_seconds,
        };
        for error in errors(&host.plugin(), &host.other_plugin(), time).await {
            assert_eq!(error, Error::InvalidTime(time));
        }
    }
    assert_eq!(host.take_calls(), [""; 0]);
}

#[tokio::test]
async fn settings_out_of_their_range_are_refused_by_every_export() {
    let good = Host::telling();
    let context_of = good.other_plugin();
    let host = Host::telling().with(|settings| {
        settings.set("memory.short_term_window_hours", 0);
        settings.set("memory.generation_message_limit", u32::MAX);
    });
    let plugin = host.plugin();
    let fault = |key: &str, value: u32, range: &str| SettingFault {
        key: key.to_owned(),
        detail: format!("`{value}` is not {range}"),
        range: Some(range.to_owned()),
    };
    let faults = vec![
        fault(
            "memory.generation_message_limit",
            u32::MAX,
            "a whole number from 1 to 1000000",
        ),
        fault(
            "memory.short_term_window_hours",
            0,
            "a whole number from 1 to 87600",
        ),
    ];
    for error in errors(&plugin, &context_of, now()).await {
        assert_eq!(error, Error::InvalidSettings(faults.clone()));
    }
    let context = context_of
        .build_context(
            &BuildRequest {
                channel_id: "C1".to_owned(),
                target_thread_ts: None,
                since: None,
                message_limit: None,
            },
            now(),
        )
        .await
        .unwrap();
    let (scope, memory_type) = (Scope::Channel, MemoryType::ShortTerm);
    let summary = plugin.summarize(&context, scope, memory_type, None).await;
    assert_eq!(refused(summary), Error::InvalidSettings(faults.clone()));
    let prompt = plugin
        .render_prompt(&context, scope, memory_type, None)
        .await;
    assert_eq!(refused(prompt), Error::InvalidSettings(faults.clone()));
    assert_eq!(host.take_calls(), [""; 0]);
    let pairs = host.settings.pairs();
    assert_eq!(plugin.component().check(&pairs).unwrap(), faults);
}

#[tokio::test]
async fn a_component_says_what_it_is() {
    let plugin = Host::telling().plugin();
    let about = plugin.component().about();
    assert_eq!(
        (about.name.as_str(), about.contract.as_str()),
        ("myao", CONTRACT_VERSION)
    );
    assert_eq!(about.version, env!("CARGO_PKG_VERSION"));
    let settings = plugin.settings();
    assert_eq!(settings.number("memory.short_term_window_hours"), 24);
    assert_eq!(settings.text("engines.response"), "llm");
}
