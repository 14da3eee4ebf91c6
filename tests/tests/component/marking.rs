//! The export `marks`.

use myao_plugin::{Error, ReplacedLine};
use myao_testkit::Calls;

use crate::component::host::{HOUR, Host, NOW, now, refused, storage_errors};

/// When the correction was written.
const CORRECTED: i64 = NOW - HOUR;

/// A workspace with memories of two channels, and a correction in C1.
async fn corrected() -> Host {
    let host = Host::answering("- The crane comes on March 3.\n- Dave picks up the keys.");
    host.generate(CORRECTED - 60).await;
    let text = format!(
        "@{} correction: The crane comes on March 4",
        host.plugin().settings().text("persona.name")
    );
    host.storage.say("C1", CORRECTED, "bob", &text);
    host.take_calls();
    host
}

#[tokio::test]
async fn marks_of_a_channel_cost_two_storage_calls_and_one_without_a_correction() {
    let host = corrected().await;
    let marks = host.plugin().read_marks("C1", now()).await.unwrap();
    assert_eq!(
        host.take_calls(),
        ["storage.list-marked", "storage.list-memories"]
    );
    let [correction] = marks.corrections.as_slice() else {
        panic!("{marks:?}");
    };
    assert_eq!(correction.said.text, "The crane comes on March 4");
    assert_eq!(correction.said.user.name, "bob");
    let replaced = |line: &ReplacedLine| -> String {
        let mut memories = host.storage.memories().into_iter();
        let memory = memories.find(|memory| memory.id == line.memory);
        let letters = memory.unwrap().content;
        let letters = letters.chars().skip(line.start as usize);
        letters.take(line.length as usize).collect()
    };
    let replaced: Vec<String> = correction.replaces.iter().map(replaced).collect();
    assert!(!replaced.is_empty());
    assert!(
        replaced
            .iter()
            .all(|line| line.contains("March 3") && !line.starts_with('-')),
        "{replaced:?}"
    );
    let marks = host.plugin().read_marks("C2", now()).await.unwrap();
    assert_eq!((marks.pinned.len(), marks.corrections.len()), (0, 0));
    assert_eq!(host.take_calls(), ["storage.list-marked"]);
}

#[tokio::test]
async fn each_error_of_the_store_is_handed_on() {
    for at in 0..2 {
        for error in storage_errors() {
            let host = corrected().await;
            host.faults
                .before(Calls::of("storage").nth(at), error.clone());
            let failed = host.plugin().read_marks("C1", now()).await;
            assert_eq!(refused(failed), Error::Storage(error), "call {at}");
        }
    }
}
