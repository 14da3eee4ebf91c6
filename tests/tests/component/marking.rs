//! The export `marks`.

use myao_plugin::{Error, Strikable};
use myao_testkit::Calls;

use crate::component::host::{HOUR, Host, NOW, now, refused, storage_errors};

/// When the correction was written.
const CORRECTED: i64 = NOW - HOUR;

/// A workspace with memories of two channels, and a correction in C1 with its id.
async fn corrected() -> (Host, String) {
    let host = Host::answering("- The crane comes on March 3.\n- Dave picks up the keys.");
    host.generate(CORRECTED - 60).await;
    let text = format!(
        "@{} correction: The crane comes on March 4",
        host.plugin().settings().text("persona.name")
    );
    let correction = host.storage.say("C1", CORRECTED, "bob", &text);
    host.take_calls();
    (host, correction.to_string())
}

#[tokio::test]
async fn marks_of_a_channel_cost_two_storage_calls_and_one_without_a_correction() {
    let (host, _) = corrected().await;
    let marks = host.plugin().read_marks("C1", now()).await.unwrap();
    // The store of the tests keeps no strikes: no memory is read.
    assert_eq!(
        host.take_calls(),
        ["storage.list-marked", "storage.list-strikes"]
    );
    let [correction] = marks.corrections.as_slice() else {
        panic!("{marks:?}");
    };
    assert_eq!(correction.said.text, "The crane comes on March 4");
    assert_eq!(correction.said.user.name, "bob");
    assert_eq!(correction.replaces, []);
    let marks = host.plugin().read_marks("C2", now()).await.unwrap();
    assert_eq!((marks.pinned.len(), marks.corrections.len()), (0, 0));
    assert_eq!(host.take_calls(), ["storage.list-marked"]);
}

#[tokio::test]
async fn what_a_correction_may_strike_is_listed_for_its_author() {
    let (host, correction) = corrected().await;
    let plugin = host.plugin();
    let strikable = plugin.list_strikable("C1", &correction, now()).await;
    let strikable = strikable.unwrap();
    assert_eq!(
        host.take_calls(),
        [
            "storage.list-marked",
            "storage.list-strikes",
            "storage.list-memories",
            "storage.read-spans",
            "recall.find-candidates",
        ]
    );
    let is_meant = |of: &Strikable| of.is_likely && of.said.text.contains("March 3");
    assert!(strikable.iter().any(is_meant), "{strikable:?}");
}

#[tokio::test]
async fn each_error_of_the_store_is_handed_on() {
    for at in 0..4 {
        for error in storage_errors() {
            let (host, correction) = corrected().await;
            host.faults
                .before(Calls::of("storage").nth(at), error.clone());
            let plugin = host.plugin();
            let failed = plugin.list_strikable("C1", &correction, now()).await;
            assert_eq!(refused(failed), Error::Storage(error), "call {at}");
        }
    }
}
