#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::cell::{Cell, RefCell};

use futures::future::join_all;

use super::*;

const READ: Method = Method::read("conversations.history");
const POST: Method = Method::write("chat.postMessage");

/// A 429 with these seconds.
fn limit(seconds: Option<u64>) -> ClientError {
    ClientError::RateLimited {
        method: "m",
        retry_after: seconds.map(Duration::from_secs),
    }
}

fn unreachable(may_have_arrived: bool) -> ClientError {
    ClientError::Unreachable {
        method: "m",
        detail: "down".to_owned(),
        may_have_arrived,
    }
}

fn status(status: u16) -> ClientError {
    ClientError::Status {
        method: "m",
        status,
    }
}

/// When the attempts of a call began, in milliseconds, and its result. Each attempt gets the next error; after the last it
/// succeeds.
async fn tries(
    method: Method,
    gate: &Gate,
    errors: &[ClientError],
) -> (Vec<u128>, Result<(), ClientError>) {
    let start = Instant::now();
    let begun = RefCell::new(Vec::new());
    let result = run(method, gate, WAITS, || async {
        let number = begun.borrow().len();
        begun.borrow_mut().push(start.elapsed().as_millis());
        errors.get(number).cloned().map_or(Ok(()), Err)
    })
    .await;
    (begun.into_inner(), result)
}

#[tokio::test(start_paused = true)]
async fn a_limited_call_comes_back_when_slack_said() {
    for method in [READ, POST] {
        let (begun, result) =
            tries(method, &Gate::default(), &[limit(Some(7)), limit(Some(60))]).await;
        assert_eq!((begun, result), (vec![0, 7_000, 67_000], Ok(())));
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_without_a_time_is_waited_for_with_growing_waits() {
    let errors = [limit(None), limit(None), limit(None)];
    let (begun, result) = tries(READ, &Gate::default(), &errors).await;
    assert_eq!(result, Ok(()));
    assert!((375..=500).contains(&begun[1]), "{begun:?}");
    assert!((1500..=2000).contains(&(begun[3] - begun[2])), "{begun:?}");
}

#[tokio::test(start_paused = true)]
async fn limits_end_a_call_at_last() {
    let (begun, result) = tries(READ, &Gate::default(), &vec![limit(Some(2)); 9]).await;
    assert_eq!(begun, [0, 2_000, 4_000, 6_000, 8_000]);
    assert_eq!(
        result.unwrap_err().to_string(),
        "conversations.history: Slack allows no more calls for now; try again in 2 s"
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_bound_is_refused_at_once_and_says_how_long() {
    let start = Instant::now();
    let gate = Gate::default();
    let (_, result) = tries(READ, &gate, &[limit(Some(181))]).await;
    let expected = |seconds| {
        Err(ClientError::RateLimited {
            method: READ.name(),
            retry_after: Some(Duration::from_secs(seconds)),
        })
    };
    assert_eq!((start.elapsed(), result), (Duration::ZERO, expected(181)));
    tokio::time::advance(Duration::from_secs(100)).await;
    let (begun, result) = tries(READ, &gate, &[]).await;
    assert_eq!(
        (begun, result),
        (vec![81_000], Ok(())),
        "the next call knows of it"
    );
    let (_, result) = tries(
        READ,
        &Gate::default(),
        &[limit(Some(100)), limit(Some(100))],
    )
    .await;
    assert_eq!(result, expected(100), "the bound is for all waits together");
}

#[tokio::test(start_paused = true)]
async fn no_limit_lasts_longer_than_an_hour_whatever_slack_says() {
    for seconds in [3601, 99_999_999, u64::MAX] {
        let gates = Gates::default();
        let gate = gates.of(POST);
        let (_, result) = tries(POST, &gate, &[limit(Some(seconds))]).await;
        let hour = Duration::from_secs(3600);
        let expected = ClientError::RateLimited {
            method: POST.name(),
            retry_after: Some(hour),
        };
        assert_eq!(result, Err(expected), "{seconds}");
        assert_eq!(gates.waits(), [("chat.postMessage", hour)]);
        tokio::time::advance(hour).await;
        assert_eq!(gates.waits(), []);
        let (begun, result) = tries(POST, &gate, &[]).await;
        assert_eq!((begun, result), (vec![0], Ok(())));
    }
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_limited_method_wait_together_and_then_go_one_by_one() {
    let gate = Gate::default();
    let start = Instant::now();
    let (under_way, most) = (Cell::new(0), Cell::new(0));
    let calls = (0..5).map(|number: u64| {
        let mut tries = 0;
        let (gate, under_way, most) = (&gate, &under_way, &most);
        async move {
            sleep(Duration::from_millis(number)).await;
            run(READ, gate, WAITS, || {
                tries += 1;
                // The first call is limited before the others begin.
                let is_limited = number == 0 && tries == 1;
                async move {
                    under_way.set(under_way.get() + 1);
                    most.set(most.get().max(under_way.get()));
                    if !is_limited {
                        sleep(Duration::from_millis(100)).await;
                    }
                    under_way.set(under_way.get() - 1);
                    if is_limited {
                        Err(limit(Some(30)))
                    } else {
                        Ok(start.elapsed().as_millis())
                    }
                }
            })
            .await
            .unwrap()
        }
    });
    assert_eq!(
        join_all(calls).await,
        [30_100, 30_200, 30_300, 30_400, 30_500]
    );
    assert_eq!(most.get(), 1);
    let (begun, _) = tries(READ, &gate, &[]).await;
    assert_eq!(begun, [0], "a success ends it");
    assert!(gate.limited_until().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_success_from_before_the_limit_does_not_end_it() {
    let gate = Gate::default();
    let slow = run(READ, &gate, WAITS, || async {
        sleep(Duration::from_secs(1)).await;
        Ok(())
    });
    let errors = [limit(Some(20))];
    let (slow, (begun, _)) = tokio::join!(slow, tries(READ, &gate, &errors));
    slow.unwrap();
    assert_eq!(begun, [0, 20_000]);
    gate.limit(Duration::from_secs(5));
    gate.succeeded();
    assert_eq!(gate.remaining(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn what_may_be_repeated_is_tried_three_times() {
    let refused = ClientError::Refused {
        method: "m",
        code: "internal_error".to_owned(),
        needed: None,
        provided: None,
    };
    for error in [
        unreachable(true),
        unreachable(false),
        status(503),
        refused,
        ClientError::TimedOut { method: "m" },
    ] {
        let (begun, result) = tries(READ, &Gate::default(), &vec![error.clone(); 9]).await;
        assert_eq!(result, Err(error));
        assert_eq!(begun.len(), 3);
        assert!(
            (375..=500).contains(&begun[1]) && (750..=1000).contains(&(begun[2] - begun[1])),
            "{begun:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_post_is_sent_again_only_if_it_cannot_have_arrived() {
    for error in [
        unreachable(true),
        status(500),
        ClientError::TimedOut { method: "m" },
    ] {
        let (begun, result) = tries(POST, &Gate::default(), std::slice::from_ref(&error)).await;
        assert_eq!((begun, result), (vec![0], Err(error)));
    }
    let (begun, result) = tries(POST, &Gate::default(), &[unreachable(false)]).await;
    assert_eq!((begun.len(), result), (2, Ok(())));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_not_tried_again() {
    let refused = ClientError::Refused {
        method: "m",
        code: "channel_not_found".to_owned(),
        needed: None,
        provided: None,
    };
    for error in [refused, status(404)] {
        let (begun, result) = tries(READ, &Gate::default(), std::slice::from_ref(&error)).await;
        assert_eq!((begun, result), (vec![0], Err(error)));
    }
}
