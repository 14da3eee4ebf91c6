//! What a component can find out of the machine that it runs on. `tests/faulty-component` looks for it.

use std::sync::Arc;
use std::time::SystemTime;

use myao_plugin::llm::NoLlm;
use myao_plugin::{CallError, Limits};

use crate::runs::sandbox::{ending, faulty, told_to};

#[tokio::test]
async fn clocks_stand_still_and_chance_is_the_same_in_every_call() {
    let first = faulty(Arc::new(NoLlm), Limits::default());
    let told = told_to(&first, "tell time and chance").await.unwrap();
    // The time since 1970, the time that its work took.
    assert!(told.starts_with("Ok(0ns) 0ns "), "{told}");
    // No clock says the same twice: a nanosecond has gone by.
    let then = SystemTime::now();
    while SystemTime::now() == then {}
    for plugin in [&first, &faulty(Arc::new(NoLlm), Limits::default())] {
        let again = told_to(plugin, "tell time and chance").await.unwrap();
        assert_eq!(again, told);
    }
}

#[tokio::test]
async fn a_timer_would_tell_the_time_so_there_is_none() {
    let error = ending("sleep", Limits::default()).await;
    assert!(matches!(error, CallError::Trapped { .. }), "{error:?}");
    assert!(
        error.to_string().contains("a component has no clock"),
        "{error}"
    );
}

#[tokio::test]
async fn there_is_no_environment_file_or_network() {
    let plugin = faulty(Arc::new(NoLlm), Limits::default());
    let told = told_to(&plugin, "tell of the machine").await.unwrap();
    assert_eq!(told, "environment 0, arguments 0, files 0, sockets 0");
}

#[tokio::test]
async fn wasi_does_not_fill_the_hosts_memory() {
    for what in ["take much randomness", "hold streams without end"] {
        let error = ending(what, Limits::default()).await;
        assert!(matches!(error, CallError::Trapped { .. }), "{error:?}");
    }
}
