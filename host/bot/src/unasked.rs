//! Answers if nobody else did and an answer helps: threads and top-level messages that wait for an answer are judged
//! first, and answered if the judgment says so.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use myao_plugin::digest::sha256;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::judgments::{StoredJudgment, Unanswered};
use myao_plugin::state::leases::{Leases, Piece};
use myao_plugin::storage::StorageError;
use myao_plugin::waits::is_under_way;
use myao_plugin::{Answer, Judgment, Target};
use myao_slack::command::Mode;
use myao_slack::events::is_direct_message;

use super::attempts::can_never_succeed;
use super::budget::Budget;
use super::clock::Clock;
use super::current::Current;
use super::metrics::{Metrics, seconds};
use super::stop::Stop;
use super::told::Told;
use super::views::Modes;
use super::waiting::Deferrals;
use crate::settings::{JudgmentSkip, Response};
use crate::slack::live::LiveSlack;

const HOUR_SECONDS: i64 = 3600;

/// Looks for conversations that wait for an answer.
pub(super) struct Unasked {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) leases: Arc<dyn Leases>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) current: Current,
    pub(super) clock: Clock,
    pub(super) metrics: Arc<Metrics>,
    pub(super) budget: Arc<Budget>,
    /// Conversations whose judgment or answer failed.
    pub(super) failed: Deferrals,
    /// Conversations that were judged lately.
    pub(super) judged: Judged,
}

impl Unasked {
    /// Looks every `response.check_interval_seconds`, until asked to stop.
    pub(super) async fn run(self, mut stop: Stop) {
        let mut told = Told::default();
        loop {
            let interval = self.current.settings().response.check_interval_seconds;
            stop.sleep(Duration::from_secs(interval.max(1).into()))
                .await;
            if stop.is_requested() {
                return;
            }
            match self.look(&stop).await {
                Ok(()) => {
                    if let Some(failures) = told.over() {
                        tracing::info!("messages are looked at again; {failures} attempts failed");
                    }
                }
                Err(error) => {
                    if let Some(why) = told.waits(explain_storage(&error), 1) {
                        tracing::error!(
                            "the messages that wait for an answer cannot be read: {why}"
                        );
                    }
                }
            }
        }
    }

    /// Looks once, unless the budget of the day is used up.
    pub(super) async fn look(&self, stop: &Stop) -> Result<(), StorageError> {
        if self.budget.spent().is_some() {
            return Ok(());
        }
        let settings = self.current.settings();
        let now = self.clock.seconds();
        for conversation in self.waiting(&settings.response, now).await? {
            if stop.is_requested() {
                break;
            }
            let key = key(&conversation);
            if self.failed.holds(&key, now) {
                continue;
            }
            if let Err(error) = self.claim(&conversation, &settings.response).await {
                self.metrics.judgments.count("failed");
                let rest = settings.response.judgment_skip.default_skip_seconds;
                tracing::warn!(
                    "{} is looked at again in {rest} s: {error}",
                    conversation.channel_id
                );
                self.failed.add(key, self.clock.seconds(), rest);
            }
        }
        Ok(())
    }

    /// Conversations that have waited long enough, but not too long.
    async fn waiting(&self, config: &Response, now: i64) -> Result<Vec<Unanswered>, StorageError> {
        let shortest = f64::from(config.min_wait_seconds) * (1.0 - config.jitter_ratio).max(0.0);
        let waited_before = now.saturating_sub(to_seconds(shortest));
        let not_before = now.saturating_sub(config.max_message_age_seconds.into());
        let mut waiting = self.workspace.unanswered(waited_before, not_before).await?;
        let modes = Modes::read(&*self.workspace, config.mode.into()).await?;
        waiting.retain(|conversation| {
            let id = &conversation.channel_id;
            // Each direct message is answered as a mention is.
            if modes.of(id) != Mode::Join || is_direct_message(id) {
                return false;
            }
            let since = conversation.message_ts.unix_seconds();
            since + wait_of(config, conversation) <= now
        });
        Ok(waiting)
    }

    /// Considers a conversation, unless its answer is being posted.
    async fn claim(&self, conversation: &Unanswered, config: &Response) -> Result<(), String> {
        let piece = Piece::answer(&conversation.channel_id, conversation.message_ts);
        let claimed = self.leases.claim(&piece).await;
        let Some(leased) = claimed.map_err(|error| explain_storage(&error))? else {
            return Ok(());
        };
        let slack = self.slack.doing(&leased);
        let considered = self.consider(conversation, config, &slack).await;
        leased.release().await;
        considered
    }

    async fn consider(
        &self,
        conversation: &Unanswered,
        config: &Response,
        slack: &Arc<LiveSlack>,
    ) -> Result<(), String> {
        let skip = &config.judgment_skip;
        let explained = |error: StorageError| explain_storage(&error);
        let now = self.clock.now();
        if skip.enabled {
            let judged = self
                .workspace
                .judgment(&conversation.channel_id, conversation.thread_ts)
                .await;
            let judged = judged.map_err(explained)?;
            // A new message is judged anew.
            if judged.is_some_and(|judged| {
                judged.message_ts == conversation.message_ts
                    && is_under_way(judged.until, now.unix_seconds, longest_skip(skip))
            }) {
                return Ok(());
            }
        }
        if !self
            .judged
            .admits(&key(conversation), now.unix_seconds, config)
        {
            return Ok(());
        }
        let target = Target {
            channel_id: conversation.channel_id.clone(),
            thread_ts: conversation.thread_ts.map(|ts| ts.to_string()),
            message_ts: conversation.message_ts.to_string(),
        };
        let plugin = slack.answering(self.current.plugin());
        let mut judgment = plugin
            .judge(&target, now)
            .await
            .map_err(|error| error.to_string())?;
        if judgment.should_respond {
            self.metrics.judgments.count("respond");
            let began = Instant::now();
            match plugin.reply_unasked(&target, self.clock.now()).await {
                Ok(Answer::Posted(_)) => {
                    self.metrics.replies.count("unasked");
                    self.metrics.reply_seconds.observe(seconds(began.elapsed()));
                    tracing::info!(
                        "answered unasked in {} (confidence {:.2})",
                        conversation.channel_id,
                        judgment.confidence
                    );
                }
                // It has nothing to say of this message.
                Ok(Answer::Already(posts)) if posts.is_empty() => judgment.should_respond = false,
                Ok(Answer::Already(_)) => {}
                Err(error) => {
                    if can_never_succeed(&error) {
                        self.give_up(conversation, &error.to_string()).await;
                    }
                    return Err(error.to_string());
                }
            }
        } else {
            self.metrics.judgments.count("stay-silent");
        }
        // Stored only now: a judgment whose answer was not posted must not count.
        let (channel_id, thread_ts) = (&conversation.channel_id, conversation.thread_ts);
        let judgment = stored(conversation, &judgment, skip, now.unix_seconds);
        let kept = self
            .workspace
            .keep_judgment(channel_id, thread_ts, judgment, now.unix_seconds);
        kept.await.map_err(explained)
    }
}

impl Unasked {
    /// Gives up an answer that Slack rejects, if it was already stored: it must not be posted much later.
    async fn give_up(&self, conversation: &Unanswered, error: &str) {
        let (channel_id, ts) = (&conversation.channel_id, conversation.message_ts);
        let given_up = self
            .workspace
            .give_up_reply(channel_id, ts, error.to_owned())
            .await;
        match given_up {
            // Nothing was stored.
            Ok(()) | Err(StorageError::Conflict(_)) => {}
            Err(error) => tracing::error!(
                "an answer that failed waits on: {}",
                explain_storage(&error)
            ),
        }
    }
}

/// The judgments of the last hours: when, and of which message. They are forgotten at a restart.
#[derive(Default)]
pub(super) struct Judged(Mutex<Vec<(i64, String)>>);

impl Judged {
    /// Counts a judgment of the message with this key, if it is within the limits.
    fn admits(&self, key: &str, now: i64, config: &Response) -> bool {
        let limits = config.judgment_limits;
        let kept = now.saturating_sub(HOUR_SECONDS.max(config.max_message_age_seconds.into()));
        let mut judged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A time ahead is one before the clock was set back.
        judged.retain(|(at, _)| (kept..=now).contains(at));
        let of_message = judged.iter().filter(|(_, of)| of == key).count();
        let of_hour = judged.iter().filter(|(at, _)| *at > now - HOUR_SECONDS);
        let within = |count: usize, limit: u32| {
            limit == 0 || u32::try_from(count).is_ok_and(|count| count < limit)
        };
        let admitted =
            within(of_message, limits.per_message) && within(of_hour.count(), limits.per_hour);
        if admitted {
            judged.push((now, key.to_owned()));
        }
        admitted
    }
}

/// The key of a message, unique in all channels.
fn key(conversation: &Unanswered) -> String {
    format!("{}:{}", conversation.channel_id, conversation.message_ts)
}

/// How long others get to answer first, in seconds: it varies, but is always the same for the same message.
fn wait_of(config: &Response, conversation: &Unanswered) -> i64 {
    let drawn = drawn(&key(conversation));
    let factor = 1.0 + config.jitter_ratio * (2.0 * drawn - 1.0);
    to_seconds(f64::from(config.min_wait_seconds) * factor.max(0.0))
}

/// A number from 0 to 1 that looks random but depends only on the text, so it is the same after a restart.
fn drawn(text: &str) -> f64 {
    let digest = sha256(text);
    let bytes = digest.first_chunk::<4>().copied().unwrap_or_default();
    f64::from(u32::from_be_bytes(bytes)) / f64::from(u32::MAX)
}

#[allow(clippy::cast_possible_truncation, reason = "some hours at most")]
fn to_seconds(seconds: f64) -> i64 {
    seconds.round() as i64
}

fn stored(
    conversation: &Unanswered,
    judgment: &Judgment,
    skip: &JudgmentSkip,
    now: i64,
) -> StoredJudgment {
    StoredJudgment {
        message_ts: conversation.message_ts,
        should_respond: judgment.should_respond,
        confidence: judgment.confidence,
        until: now + i64::from(skip_seconds(skip, judgment.confidence)),
    }
}

/// How long a judgment with this confidence holds: set by the highest threshold that it reaches.
fn skip_seconds(skip: &JudgmentSkip, confidence: f64) -> u32 {
    let reached = skip
        .thresholds
        .iter()
        .filter(|threshold| confidence >= threshold.min_confidence);
    let highest = reached.max_by(|a, b| a.min_confidence.total_cmp(&b.min_confidence));
    highest.map_or(skip.default_skip_seconds, |threshold| {
        threshold.skip_seconds
    })
}

/// The longest time that a judgment can hold. One that holds longer was stored while the clock was ahead, or under
/// another configuration: it is ignored.
fn longest_skip(skip: &JudgmentSkip) -> i64 {
    let thresholds = skip
        .thresholds
        .iter()
        .map(|threshold| threshold.skip_seconds);
    let longest = thresholds.chain([skip.default_skip_seconds]).max();
    i64::from(longest.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use myao_plugin::state::judgments::Unanswered;
    use myao_plugin::ts::TsKey;

    use super::{Judged, drawn, longest_skip, skip_seconds, wait_of};
    use crate::settings::{JudgmentLimits, JudgmentSkip, Response};

    #[test]
    fn a_message_and_an_hour_have_only_so_many_judgments() {
        let config = Response {
            judgment_limits: JudgmentLimits {
                per_message: 2,
                per_hour: 3,
            },
            ..Response::default()
        };
        let judged = Judged::default();
        let admits = |key, now| judged.admits(key, now, &config);
        let first: Vec<bool> = (0..3).map(|number| admits("a", 1000 + number)).collect();
        assert_eq!(first, [true, true, false]);
        assert!(admits("b", 1003) && !admits("c", 1004), "three in an hour");
        assert!(
            admits("c", 4700) && !admits("a", 4701),
            "a was judged twice"
        );
        assert!(admits("a", 500), "the clock was set back");
    }

    #[test]
    fn judgments_hold_by_their_confidence() {
        let skip = JudgmentSkip::default();
        let held: Vec<u32> = [1.0, 0.9, 0.89, 0.7, 0.69, 0.0]
            .iter()
            .map(|confidence| skip_seconds(&skip, *confidence))
            .collect();
        assert_eq!(held, [43_200, 43_200, 3600, 3600, 600, 600]);
        assert_eq!(longest_skip(&skip), 43_200);
    }

    #[test]
    fn each_message_waits_a_time_of_its_own_within_the_jitter() {
        let config = Response::default();
        let waits: Vec<i64> = (0..200)
            .map(|second| {
                let conversation = Unanswered {
                    channel_id: "C1".to_owned(),
                    thread_ts: None,
                    message_ts: TsKey::first_of(1_700_000_000 + second),
                    user_id: "U1".to_owned(),
                };
                assert_eq!(
                    wait_of(&config, &conversation),
                    wait_of(&config, &conversation)
                );
                wait_of(&config, &conversation)
            })
            .collect();
        assert!(
            waits.iter().all(|wait| (210..=390).contains(wait)),
            "{waits:?}"
        );
        let (shortest, longest) = (waits.iter().min(), waits.iter().max());
        assert!(shortest < Some(&230) && longest > Some(&370), "{waits:?}");
    }

    #[test]
    fn drawn_numbers_are_spread_from_0_to_1() {
        let mean = (0..1000)
            .map(|number| drawn(&number.to_string()))
            .sum::<f64>()
            / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
    }
}
