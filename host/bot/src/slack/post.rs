//! Posts each answer once, even if the bot dies while it posts.
//!
//! A post is stored before it is sent. Each part is marked before it is sent and again after it. Every post carries
//! the id of the message that it answers as metadata (<https://docs.slack.dev/messaging/message-metadata>). A part that
//! was marked before but not after may already be in the channel: the bot looks for it there before it sends it again.

use myao_plugin::chat::{ChatError, PostOutcome, PostRequest};
use myao_plugin::state::outbox::{NewPost, Part, PartState, PostState};
use myao_plugin::state::replies::ReplyKind;
use myao_plugin::ts::TsKey;
use myao_plugin::{MessageRef, OtherReason, erasure};
use myao_slack::blocks::Language;
use myao_slack::client::{Metadata, PostMessage};
use myao_slack::error::ClientError;
use myao_slack::markdown::to_mrkdwn;
use myao_slack::mentions::Person;
use myao_slack::split::{MAX_POST_CHARS, split};
use serde_json::{Value, json};

use super::live::{LiveSlack, from_client, from_storage};

/// The maximum number of posts of an answer. Only a model that ignores its limit writes more.
const MAX_POSTS: usize = 5;
/// The maximum length of a link in bytes.
const MAX_ADDRESS: usize = 1000;
/// The type of the metadata that posts carry.
const METADATA: &str = "myao_reply";
/// The emoji on a message that is being answered.
pub(crate) const SIGN: &str = "eyes";

/// Where a post goes.
struct Place {
    channel_id: String,
    thread_ts: Option<TsKey>,
    /// The message that it answers.
    answers: TsKey,
}

/// The end of an answer that is too long to be read; `page` answers the same question.
fn left_out(language: Option<Language>, page: Option<&str>) -> String {
    match (language, page) {
        (Some(Language::Japanese), Some(page)) => {
            format!(
                "_（長すぎるので、続きは省きました。<{page}|ページで聞く>か、範囲をしぼって聞いてください。）_"
            )
        }
        (Some(Language::Japanese), None) => {
            "_（長すぎるので、続きは省きました。範囲をしぼって聞いてください。）_".to_owned()
        }
        (_, Some(page)) => format!(
            "_(The rest is left out: it is too long. <{page}|Ask on the page>, or ask for less at once.)_"
        ),
        (_, None) => "_(The rest is left out: it is too long. Ask for less at once.)_".to_owned(),
    }
}

impl LiveSlack {
    pub(super) async fn post_once(&self, request: PostRequest) -> Result<PostOutcome, ChatError> {
        let place = Place::of(&request)?;
        let people: Vec<Person> = request
            .may_notify
            .into_iter()
            .map(|user| Person {
                id: user.id,
                name: user.name,
            })
            .collect();
        let mut sources = erasure::cited(&request.citations);
        let mut parts = split(&to_mrkdwn(&request.text, &people), MAX_POST_CHARS);
        if parts.len() > MAX_POSTS {
            parts.truncate(MAX_POSTS);
            let page = self.page_for(&place).await?;
            let note = left_out(Language::of(&request.text), page.as_deref());
            let room = MAX_POST_CHARS.saturating_sub(note.chars().count());
            let last = parts.pop().unwrap_or_default();
            let last = split(&last, room).into_iter().next().unwrap_or_default();
            parts.push(format!("{last}\n\n{note}"));
            // The link names what was asked.
            sources.extend(page.map(|_| MessageRef {
                channel_id: place.channel_id.clone(),
                ts: place.answers.to_string(),
            }));
        }
        if parts.is_empty() {
            return Err(ChatError::Invalid("there is nothing to post".to_owned()));
        }
        let post = NewPost {
            channel_id: place.channel_id.clone(),
            answers: place.answers,
            thread_ts: place.thread_ts,
            // A mention already has its row, which does not change.
            kind: ReplyKind::Unasked,
            parts,
            sources,
        };
        let state = self
            .workspace
            .begin_post(post, self.clock.seconds())
            .await
            .map_err(from_storage)?;
        let parts = match state {
            PostState::AlreadyPosted(posted) => return Ok(PostOutcome::Already(ids(&posted))),
            PostState::NotWanted(_) => {
                let detail = format!("{} is no longer to be answered", place.answers);
                return Err(ChatError::NotFound(detail));
            }
            PostState::Post(parts) => parts,
        };
        let posted = self.post_parts(&place, parts).await?;
        Ok(PostOutcome::Posted(posted))
    }

    /// Where the page answers what a post answers; `None` without a page for people.
    async fn page_for(&self, place: &Place) -> Result<Option<String>, ChatError> {
        let Some(page) = &self.page else {
            return Ok(None);
        };
        let asked = self.stored(&place.channel_id, place.answers).await;
        let asked = asked.map_err(from_storage)?;
        Ok(asked.map(|asked| {
            let address = page(&asked.text);
            // Proxies take no longer ones.
            if address.len() <= MAX_ADDRESS {
                address
            } else {
                page("")
            }
        }))
    }

    /// Says something to one person alone, in a channel or a thread of it.
    pub(crate) async fn whisper(
        &self,
        (channel_id, thread_ts): (&str, Option<TsKey>),
        user_id: &str,
        text: &str,
        blocks: Option<&Value>,
    ) -> Result<(), ChatError> {
        let thread = thread_ts.map(|ts| ts.to_string());
        let said = self
            .client
            .post_ephemeral(channel_id, thread.as_deref(), user_id, text, blocks);
        said.await.map_err(from_client)
    }

    /// Shows on a message that it is being answered, or no more.
    pub(crate) async fn sign(
        &self,
        channel_id: &str,
        ts: TsKey,
        is_shown: bool,
    ) -> Result<(), ChatError> {
        let ts = ts.to_string();
        let signed = self.client.react(channel_id, &ts, SIGN, is_shown);
        signed.await.map_err(from_client)
    }

    /// Continues an answer that was stored but not completely posted.
    ///
    /// # Errors
    /// As for `Slack::post`.
    pub async fn resume(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        answers: TsKey,
    ) -> Result<(), ChatError> {
        let parts = self.workspace.begun_post(channel_id, answers).await;
        let parts = parts.map_err(from_storage)?;
        if parts.is_empty() {
            // It was finished meanwhile.
            return Ok(());
        }
        let place = Place {
            channel_id: channel_id.to_owned(),
            thread_ts,
            answers,
        };
        self.post_parts(&place, parts).await.map(drop)
    }

    /// Shows a text in the place of a post of the bot.
    ///
    /// # Errors
    /// As Slack answers.
    pub(crate) async fn replace_post(
        &self,
        channel_id: &str,
        ts: TsKey,
        text: &str,
    ) -> Result<(), ChatError> {
        let ts = ts.to_string();
        match self.client.update_message(channel_id, &ts, text).await {
            // Nobody sees it any more.
            Err(ClientError::Refused { code, .. }) if code == "message_not_found" => Ok(()),
            updated => updated.map_err(from_client),
        }
    }

    async fn post_parts(&self, place: &Place, parts: Vec<Part>) -> Result<Vec<String>, ChatError> {
        let mut posted = Vec::with_capacity(parts.len());
        for part in parts {
            posted.push(self.post_part(place, &part, &posted).await?);
        }
        let finished = self
            .workspace
            .finish_post(&place.channel_id, place.answers)
            .await;
        finished.map_err(from_storage)?;
        Ok(ids(&posted))
    }

    /// Returns the post of a part; `earlier` are the posts of the parts before it.
    async fn post_part(
        &self,
        place: &Place,
        part: &Part,
        earlier: &[TsKey],
    ) -> Result<TsKey, ChatError> {
        let found = match part.state {
            PartState::Sent(ts) => return Ok(ts),
            PartState::MaybeSent => self.find_part(place, part, earlier).await?,
            PartState::NotSent => None,
        };
        let ts = match found {
            Some(ts) => ts,
            None if part.is_withdrawn() => {
                let (channel_id, answers) = (&place.channel_id, place.answers);
                let marked = self
                    .workspace
                    .mark_not_sent(channel_id, answers, part.number)
                    .await;
                marked.map_err(from_storage)?;
                let detail =
                    "what the answer was made from may not be shown here any more; it is made anew";
                return Err(ChatError::Unavailable(detail.to_owned()));
            }
            None => self.send(place, part).await?,
        };
        let (channel_id, answers) = (&place.channel_id, place.answers);
        let marked = self
            .workspace
            .mark_sent(channel_id, answers, part.number, ts)
            .await;
        marked.map_err(from_storage)?;
        if !part.is_withdrawn() {
            let message = self.own_message(place, &part.text, ts);
            let now = self.clock.seconds();
            self.keep(&place.channel_id, &[message], now).await?;
        }
        Ok(ts)
    }

    async fn send(&self, place: &Place, part: &Part) -> Result<TsKey, ChatError> {
        let (channel_id, answers) = (&place.channel_id, place.answers);
        let marked = self
            .workspace
            .mark_sending(channel_id, answers, part.number)
            .await;
        marked.map_err(from_storage)?;
        let post = PostMessage {
            channel: place.channel_id.clone(),
            thread_ts: place.thread_ts.map(|ts| ts.to_string()),
            text: part.text.clone(),
            metadata: Some(Metadata {
                event_type: METADATA.to_owned(),
                event_payload: json!({ "answers": place.answers.to_string(), "part": part.number }),
            }),
        };
        // This process may have slept since the mark was written. What is not posted here, the other host posts.
        if self.piece.as_ref().is_some_and(|piece| !piece.is_held()) {
            return Err(ChatError::Unavailable(
                "another host has taken over".to_owned(),
            ));
        }
        match self.client.post_message(&post).await {
            Ok(ts) => TsKey::parse(&ts).map_err(|error| {
                ChatError::Other(OtherReason::new("invalid-ts", error.to_string()))
            }),
            Err(error) => {
                if !error.may_have_arrived() {
                    let marked = self
                        .workspace
                        .mark_not_sent(channel_id, answers, part.number)
                        .await;
                    marked.map_err(from_storage)?;
                }
                Err(from_client(error))
            }
        }
    }

    /// Finds the post of a part that may have been sent before.
    async fn find_part(
        &self,
        place: &Place,
        part: &Part,
        earlier: &[TsKey],
    ) -> Result<Option<TsKey>, ChatError> {
        let oldest = place.answers.to_string();
        let messages = match place.thread_ts {
            Some(thread) => {
                let thread = thread.to_string();
                self.thread_since(&place.channel_id, &thread, Some(&oldest))
                    .await
            }
            None => self.history_since(&place.channel_id, &oldest).await,
        };
        let stretch = messages.map_err(from_client)?;
        let found = stretch.messages.iter().find_map(|message| {
            let ts = TsKey::parse(message.get("ts")?.as_str()?).ok()?;
            let is_new = ts > place.answers && !earlier.contains(&ts);
            (is_new && self.is_own(message) && is_part(message, place, part)).then_some(ts)
        });
        if found.is_none() && !stretch.is_whole {
            let detail = "Slack's answer was cut: whether the post is in the channel is not known";
            return Err(ChatError::Unavailable(detail.to_owned()));
        }
        Ok(found)
    }

    fn is_own(&self, message: &Value) -> bool {
        let is = |key: &str, id: Option<&str>| {
            id.is_some_and(|id| message.get(key).and_then(Value::as_str) == Some(id))
        };
        is("user", Some(&self.bot.user_id)) || is("bot_id", self.bot.bot_id.as_deref())
    }

    /// The post as Slack returns it, for the store: Slack may not send the bot an event for its own posts.
    fn own_message(&self, place: &Place, text: &str, ts: TsKey) -> Value {
        json!({
            "type": "message",
            "user": self.bot.user_id,
            "bot_id": self.bot.bot_id,
            "text": text,
            "ts": ts.to_string(),
            "thread_ts": place.thread_ts.map(|ts| ts.to_string()),
        })
    }
}

impl Place {
    fn of(request: &PostRequest) -> Result<Self, ChatError> {
        let key =
            |ts: &str| TsKey::parse(ts).map_err(|error| ChatError::Invalid(error.to_string()));
        Ok(Self {
            channel_id: request.channel_id.clone(),
            thread_ts: request.thread_ts.as_deref().map(key).transpose()?,
            answers: key(&request.answers)?,
        })
    }
}

/// Compares the metadata; a server that keeps no metadata returns the text as it was sent.
fn is_part(message: &Value, place: &Place, part: &Part) -> bool {
    let metadata = message.get("metadata");
    match metadata.and_then(|metadata| Some((metadata, metadata.get("event_payload")?))) {
        Some((metadata, payload)) => {
            let field = |name: &str| payload.get(name);
            metadata.get("event_type").and_then(Value::as_str) == Some(METADATA)
                && field("answers").and_then(Value::as_str) == Some(&*place.answers.to_string())
                && field("part").and_then(Value::as_u64) == Some(u64::from(part.number))
        }
        None => message.get("text").and_then(Value::as_str) == Some(&*part.text),
    }
}

fn ids(posted: &[TsKey]) -> Vec<String> {
    posted.iter().map(TsKey::to_string).collect()
}
