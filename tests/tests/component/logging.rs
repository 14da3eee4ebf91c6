//! The import `log`: what was done and what went wrong, and never what people said.

use myao_plugin::llm::LlmError;
use myao_plugin::{LogLevel, Target};
use myao_testkit::{Calls, LogLines, ScriptedLlm, Strike};

use crate::component::host::{Host, NOW, now, thread_id};

/// Everything that people said and the model answered.
fn said(host: &Host) -> Vec<String> {
    let mut said: Vec<String> = host
        .storage
        .drafts()
        .into_iter()
        .map(|d| d.content)
        .collect();
    said.extend(["crane", "euros", "keys", "backup", "yes it does"].map(str::to_owned));
    said
}

#[tokio::test]
async fn each_memory_that_is_saved_is_a_line_without_its_text() {
    let log = LogLines::capture();
    let host = Host::telling();
    host.generate(NOW).await;
    let lines = log.lines();
    assert_eq!(lines.len(), 6);
    assert!(lines.iter().all(|(level, _)| *level == LogLevel::Info));
    assert!(lines[0].1.contains(&thread_id()) && lines[0].1.contains("version 1"));
    let said = said(&host);
    for (_, line) in lines {
        assert!(said.iter().all(|text| !line.contains(text)), "{line}");
    }
}

#[tokio::test]
async fn what_cannot_be_deferred_and_what_the_platform_does_not_tell_are_warnings() {
    let log = LogLines::capture();
    let host = Host::answering(LlmError::Refused("no".to_owned()));
    host.faults
        .before(Calls::of("storage.defer"), Strike::unavailable("full"));
    host.plugin().generate_channel("C2", now()).await.unwrap();
    let lines = log.lines();
    let [(LogLevel::Warn, line)] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert!(line.contains("C2") && line.contains("full"), "{line}");
}

#[tokio::test]
async fn an_answer_is_a_line_without_its_text_and_gaps_are_warnings() {
    let log = LogLines::capture();
    let host = Host::with_conversation(ScriptedLlm::answering("yes it does"));
    host.faults
        .before(Calls::of("chat.history"), Strike::unavailable("away"));
    let asked = host
        .storage
        .say("C3", NOW, "erin", "@myao does the backup run?");
    let target = Target {
        channel_id: "C3".to_owned(),
        thread_ts: None,
        message_ts: asked.to_string(),
    };
    host.plugin()
        .reply_to_mention(&target, now())
        .await
        .unwrap();
    let lines = log.lines();
    let [(LogLevel::Warn, warning), (LogLevel::Info, done)] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert!(
        warning.contains("C3") && warning.contains("away"),
        "{warning}"
    );
    assert!(done.contains(&target.message_ts), "{done}");
    for line in log.texts() {
        assert!(
            said(&host).iter().all(|text| !line.contains(text)),
            "{line}"
        );
    }
}
