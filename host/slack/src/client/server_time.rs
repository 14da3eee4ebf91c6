//! Slack's clock, which every response shows.

use std::sync::{Mutex, PoisonError};

use chrono::DateTime;
use reqwest::Response;
use reqwest::header::DATE;
use tokio::time::Instant;

/// The time of the newest response, and when it came.
#[derive(Default)]
pub(super) struct ServerTime(Mutex<Option<(i64, Instant)>>);

impl ServerTime {
    pub(super) fn note(&self, response: &Response) {
        let date = response.headers().get(DATE);
        let date = date.and_then(|date| DateTime::parse_from_rfc2822(date.to_str().ok()?).ok());
        if let Some(date) = date {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((date.timestamp(), Instant::now()));
        }
    }

    pub(super) fn now(&self) -> Option<i64> {
        let noted = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.map(|(date, at)| {
            let elapsed = i64::try_from(at.elapsed().as_secs()).unwrap_or(i64::MAX);
            date.saturating_add(elapsed)
        })
    }
}
