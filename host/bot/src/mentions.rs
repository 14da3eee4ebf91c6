//! Answers mentions. They never wait for generation: the response agent has limits of its own.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use myao_plugin::chat::{Chat as _, PostRequest};
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::leases::{Leased, Leases, Piece};
use myao_plugin::state::replies::{ReplyKind, WaitingReply};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_plugin::{CallError, Error, Target};
use myao_slack::blocks::Language;
use tokio::sync::Notify;
use tokio::task::{self, JoinSet};

use super::attempts::{
    as_of, can_never_succeed, is_hopeless, is_too_dear, may_be_the_answers_fault, wait_after,
};
use super::budget::Budget;
use super::clock::Clock;
use super::current::Current;
use super::metrics::{Metrics, seconds};
use super::sign::{self, Sign};
use super::stop::Stop;
use super::told::Told;
use super::waiting::Deferrals;
use crate::slack::live::LiveSlack;

/// How many mentions are answered at the same time.
const IN_FLIGHT: usize = 8;
/// How many mentions are looked at, some of which other hosts may be answering.
const SEEN: u32 = 64;
/// How often to look for failed answers that are due for a retry.
const LOOK: Duration = Duration::from_secs(5);
/// The same where several hosts share the work: nobody notifies this one of a mention that another host has stored.
const LOOK_SHARED: Duration = Duration::from_secs(1);
/// How long running answers may take after the bot was asked to stop. An answer that takes longer is given at the next
/// start.
const GRACE: Duration = Duration::from_secs(20);

/// How an attempt ended.
pub(super) enum Answered {
    Posted,
    /// The mention asked to forget something, and was answered.
    Forgotten,
    TooOld,
    /// The mention is over the limit, and its author got a notice.
    Notified,
    /// The mention is over the limit.
    TooMany,
    /// The people of the channel want no answers.
    NotWanted,
}

/// Answers mentions, and continues posts that were interrupted.
#[derive(Clone)]
pub(super) struct Mentions {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) leases: Arc<dyn Leases>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) current: Current,
    pub(super) clock: Clock,
    pub(super) metrics: Arc<Metrics>,
    pub(super) budget: Arc<Budget>,
    /// Channels that were told of a used up budget.
    pub(super) told_of_budget: Deferrals,
    /// Notified of new mentions.
    pub(super) asked: Arc<Notify>,
}

impl Mentions {
    /// Works until asked to stop, and then finishes running answers.
    pub(super) async fn run(self, mut stop: Stop) {
        let look = self.leases.shared().map_or(LOOK, |_| LOOK_SHARED);
        let mut tasks = JoinSet::new();
        let mut under_way: HashMap<task::Id, (String, TsKey)> = HashMap::new();
        // Mentions that others were answering at the last look.
        let mut elsewhere: HashSet<(String, TsKey)> = HashSet::new();
        let mut looked_at = Instant::now();
        // A server may be read and not written.
        let (mut told, mut told_of_claims) = (Told::default(), Told::default());
        while !stop.is_requested() {
            if looked_at.elapsed() >= look {
                elsewhere.clear();
                looked_at = Instant::now();
            }
            let is_free = |key: &(String, TsKey)| {
                !elsewhere.contains(key) && !under_way.values().any(|of| of == key)
            };
            let room = IN_FLIGHT.saturating_sub(under_way.len());
            match self.waiting(room, is_free).await {
                Ok(waiting) => {
                    over(&mut told);
                    for reply in waiting {
                        let key = key(&reply);
                        let this = self.clone();
                        let task = tasks.spawn(async move { this.claim_and_answer(&reply).await });
                        under_way.insert(task.id(), key);
                    }
                }
                Err(error) => wait(&mut told, &error),
            }
            tokio::select! {
                () = self.asked.notified() => {}
                Some(ended) = tasks.join_next_with_id() => {
                    let id = match &ended {
                        Ok((id, _)) => *id,
                        Err(error) => error.id(),
                    };
                    let key = under_way.remove(&id);
                    match ended {
                        Ok((_, Ok(is_mine))) => {
                            over(&mut told_of_claims);
                            if !is_mine {
                                elsewhere.extend(key);
                            }
                        }
                        Ok((_, Err(error))) => {
                            wait(&mut told_of_claims, &error);
                            elsewhere.extend(key);
                        }
                        Err(error) => tracing::error!("the task of an answer ended early: {error}"),
                    }
                }
                () = stop.sleep(look) => {}
            }
        }
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, all).await.is_err() {
            let left = tasks.len();
            tracing::warn!("{left} answers were still under way; they are given at the next start");
        }
    }

    /// At most `room` answers that are due and `is_free` accepts.
    async fn waiting(
        &self,
        room: usize,
        is_free: impl Fn(&(String, TsKey)) -> bool,
    ) -> Result<Vec<WaitingReply>, StorageError> {
        if room == 0 {
            return Ok(Vec::new());
        }
        let now = self.clock.seconds();
        let mut waiting = self.workspace.waiting_replies(now, SEEN).await?;
        waiting.retain(|reply| is_free(&key(reply)));
        waiting.truncate(room);
        Ok(waiting)
    }

    /// Claims and answers one mention. Returns false if another host has claimed it.
    async fn claim_and_answer(&self, reply: &WaitingReply) -> Result<bool, StorageError> {
        let piece = Piece::answer(&reply.channel_id, reply.ts);
        let Some(leased) = self.leases.claim(&piece).await? else {
            return Ok(false);
        };
        // Another host may just have answered it, or have begun to.
        let waiting = self.waiting(usize::MAX, |of| *of == key(reply)).await;
        if let Some(reply) = waiting.iter().flatten().next() {
            self.doing(&leased).answer(reply).await;
        }
        leased.release().await;
        waiting.map(|_| true)
    }

    /// The same for a piece of work.
    pub(super) fn doing(&self, piece: &Leased) -> Self {
        Self {
            workspace: piece.workspace().clone(),
            slack: self.slack.doing(piece),
            ..self.clone()
        }
    }

    /// Answers one mention, and stores how that ended.
    async fn answer(&self, reply: &WaitingReply) {
        let began = Instant::now();
        let channel_id = &reply.channel_id;
        let words = Words::of(reply.kind);
        let mut sign = None;
        let tried = self.try_answer(reply, &mut sign).await;
        let is_over = tried
            .as_ref()
            .err()
            .is_none_or(|error| can_never_succeed(error) || is_hopeless(reply.failures, error));
        let kept = match tried {
            Ok(Answered::Posted) => {
                self.metrics.replies.count(match reply.kind {
                    ReplyKind::Mention => "mention",
                    ReplyKind::Unasked => "unasked",
                });
                self.metrics.reply_seconds.observe(seconds(began.elapsed()));
                tracing::info!("{} {channel_id}", words.done);
                self.offer(reply).await;
                Ok(())
            }
            Ok(Answered::Forgotten) => {
                self.metrics.replies.count("forget");
                tracing::info!("answered a request to forget in {channel_id}");
                Ok(())
            }
            Ok(Answered::TooOld) => {
                self.metrics.replies.count("given-up");
                tracing::warn!("a mention in {channel_id} is too old to be answered");
                let was_tried = reply.kind == ReplyKind::Mention && reply.failures > 0;
                if was_tried && self.apologise(reply, None).await {
                    Ok(())
                } else {
                    let reason = "too old to be answered".to_owned();
                    self.workspace
                        .give_up_reply(channel_id, reply.ts, reason)
                        .await
                }
            }
            Ok(answered @ (Answered::Notified | Answered::TooMany)) => {
                self.metrics.replies.count("over-limit");
                let notified = match answered {
                    Answered::Notified => "; its author was notified",
                    _ => "",
                };
                tracing::info!(
                    "a mention in {channel_id} is over the limit and not answered{notified}"
                );
                Ok(())
            }
            Ok(Answered::NotWanted) => {
                tracing::info!("a mention in {channel_id} is not answered, as its people want");
                self.offer(reply).await;
                Ok(())
            }
            Err(error) => self.failed(reply, &error).await,
        };
        match kept {
            // Its message was deleted in the meantime: nothing waits any more.
            Ok(()) | Err(StorageError::Conflict(_)) => {}
            Err(error) => {
                let error = explain_storage(&error);
                tracing::error!(
                    "the outcome of {} {channel_id} is not stored: {error}",
                    words.what
                );
            }
        }
        if is_over && reply.kind == ReplyKind::Mention {
            sign::take_off(sign, &self.slack, reply).await;
        }
    }

    async fn offer(&self, reply: &WaitingReply) {
        if let Err(error) = self.offer_strikes(reply).await {
            let channel_id = &reply.channel_id;
            tracing::warn!("what a correction in {channel_id} may strike is not shown: {error}");
        }
    }

    async fn try_answer(
        &self,
        reply: &WaitingReply,
        sign: &mut Option<Sign>,
    ) -> Result<Answered, CallError> {
        if reply.is_begun {
            let posted = self
                .slack
                .resume(&reply.channel_id, reply.thread_ts, reply.ts)
                .await;
            return match posted {
                Ok(()) => Ok(Answered::Posted),
                Err(error) => Err(CallError::Refused(Error::Chat(error))),
            };
        }
        let now = self.clock.seconds();
        if reply.kind == ReplyKind::Mention
            && let Some(answer) = self.forgets(reply).await?
        {
            return self.answer_request(reply, answer, now).await;
        }
        let age = now - reply.asked_at;
        let is_old = age > i64::from(self.current.settings().response.max_message_age_seconds);
        // The bot was away.
        if is_old && reply.failures == 0 {
            return Ok(Answered::TooOld);
        }
        if reply.kind == ReplyKind::Mention && self.answers_nothing(reply).await? {
            return Ok(Answered::NotWanted);
        }
        if is_old {
            return Ok(Answered::TooOld);
        }
        if reply.kind == ReplyKind::Mention
            && let Some(answered) = self.turn_away(reply, now).await?
        {
            return Ok(answered);
        }
        let as_of = as_of(reply.asked_at, now);
        let target = Target {
            channel_id: reply.channel_id.clone(),
            thread_ts: reply.thread_ts.map(|ts| ts.to_string()),
            message_ts: reply.ts.to_string(),
        };
        let plugin = self.slack.answering(self.current.plugin());
        let as_of = self.clock.local(as_of);
        if reply.kind == ReplyKind::Mention {
            *sign = sign::show(&self.slack, reply, &self.current.settings().pin_emoji);
        }
        let answered = plugin.reply_to_mention(&target, as_of).await;
        self.unless_refused(reply, answered).await
    }

    /// Answers a request to forget, which was obeyed already: only the answer counts against the limits.
    async fn answer_request(
        &self,
        reply: &WaitingReply,
        answer: PostRequest,
        now: i64,
    ) -> Result<Answered, CallError> {
        if let Some(answered) = self.turn_away(reply, now).await? {
            return Ok(answered);
        }
        self.post(answer).await?;
        Ok(Answered::Forgotten)
    }

    pub(super) async fn post(&self, post: PostRequest) -> Result<(), CallError> {
        let posted = self.slack.post(post).await;
        posted
            .map(|_| ())
            .map_err(|error| CallError::Refused(Error::Chat(error)))
    }

    /// Says that there is no answer. Returns false if that is not posted.
    async fn apologise(&self, reply: &WaitingReply, error: Option<&CallError>) -> bool {
        let mention = self.mention(reply).await.ok().flatten();
        let language = mention.and_then(|mention| Language::of(&mention.text));
        let language = language.unwrap_or(self.current.settings().language);
        let text = match (language, error.is_some_and(is_too_dear)) {
            (Language::Japanese, true) => {
                "すみません、一回の回答にかかる量が予算の上限を超えているため、お答えできません。管理者に伝えてください。"
            }
            (Language::English, true) => {
                "Sorry, one answer may cost more than my budget allows. Please tell whoever runs me."
            }
            (Language::Japanese, false) => {
                "すみません、何度か試しましたが、お答えできませんでした。時間をおいてもう一度聞くか、別の言葉で聞いてください。"
            }
            (Language::English, false) => {
                "Sorry, I tried, and I cannot answer this. Please ask again later, or in other words."
            }
        };
        let posted = self.post(post_for(reply, text.to_owned())).await;
        posted.is_ok()
    }

    async fn failed(&self, reply: &WaitingReply, error: &CallError) -> Result<(), StorageError> {
        self.metrics.replies.count("failed");
        let channel_id = &reply.channel_id;
        let words = Words::of(reply.kind);
        if can_never_succeed(error) {
            self.metrics.replies.count("given-up");
            tracing::error!("{} {channel_id} {} {error}", words.what, words.never);
            return self
                .workspace
                .give_up_reply(channel_id, reply.ts, error.to_string())
                .await;
        }
        if reply.kind == ReplyKind::Mention
            && is_hopeless(reply.failures, error)
            && self.apologise(reply, Some(error)).await
        {
            self.metrics.replies.count("given-up");
            tracing::error!("{} {channel_id} {} {error}", words.what, words.never);
            return Ok(());
        }
        let wait = wait_after(reply.failures, error);
        tracing::warn!(
            "{} {channel_id} {} {wait} s: {error}",
            words.what,
            words.not_yet
        );
        if may_be_the_answers_fault(error) {
            let of = (&reply.channel_id, reply.thread_ts);
            self.workspace.forget_reply_answers(of.0, of.1).await?;
        }
        let next = self.clock.seconds() + wait;
        self.workspace
            .fail_reply(channel_id, reply.ts, error.to_string(), next)
            .await
    }
}

fn wait(told: &mut Told, error: &StorageError) {
    if let Some(why) = told.waits(explain_storage(error), 1) {
        tracing::error!("mentions wait: {why}");
    }
}

fn over(told: &mut Told) {
    if let Some(failures) = told.over() {
        tracing::info!("mentions wait no longer; {failures} attempts failed");
    }
}

fn key(reply: &WaitingReply) -> (String, TsKey) {
    (reply.channel_id.clone(), reply.ts)
}

/// An answer of the bot's own words, which notifies nobody.
pub(super) fn post_for(reply: &WaitingReply, text: String) -> PostRequest {
    PostRequest {
        channel_id: reply.channel_id.clone(),
        thread_ts: reply.thread_ts.map(|ts| ts.to_string()),
        text,
        answers: reply.ts.to_string(),
        may_notify: Vec::new(),
        citations: Vec::new(),
    }
}

/// The log's texts for an answer. An unasked answer was already stored by [`super::unasked`]: it only has to be posted.
struct Words {
    done: &'static str,
    what: &'static str,
    not_yet: &'static str,
    never: &'static str,
}

impl Words {
    fn of(kind: ReplyKind) -> Self {
        match kind {
            ReplyKind::Mention => Self {
                done: "answered a mention in",
                what: "a mention in",
                not_yet: "is not answered yet, tried again in",
                never: "cannot be answered:",
            },
            ReplyKind::Unasked => Self {
                done: "posted an unasked answer in",
                what: "an unasked answer in",
                not_yet: "is not posted yet, tried again in",
                never: "cannot be posted:",
            },
        }
    }
}
