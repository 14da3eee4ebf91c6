//! The slash command `/memory`. Only the person who typed it sees the answer.

use myao_plugin::ItemKind;
use myao_secrets::{MAX_QUESTION_CHARS, excess};
use myao_slack::blocks::{
    Language, MemoryView, ModeOutcome, answer_message, direct_message, help_message,
    history_message, items_message, memory_message, mode_message, off_record_message,
    search_message, since_message, sources_message, thread_hint, thread_message,
};
use myao_slack::command::{Command, parse_command};
use myao_slack::permalink::parse_thread;
use serde::Deserialize;
use serde_json::{Value, json};

use super::current::Current;
use super::items::AskedItems;
use super::limits::too_long;
use super::off_record::OffRecord;
use super::views::{Asked, Views};

/// The kinds of items that `/memory decisions` shows.
const DECIDED: [ItemKind; 2] = [ItemKind::Decision, ItemKind::Fact];
/// Those of `/memory open`.
const OPEN: [ItemKind; 2] = [ItemKind::Task, ItemKind::Question];

/// Answers commands.
pub(super) struct Commands {
    views: Views,
    current: Current,
    off_record: OffRecord,
}

/// The payload of a slash command (<https://docs.slack.dev/interactivity/implementing-slash-commands>).
#[derive(Deserialize)]
struct Payload {
    channel_id: String,
    #[serde(default)]
    channel_name: String,
    user_id: String,
    #[serde(default)]
    text: String,
}

impl Payload {
    /// Returns true if it comes from a direct message, of people or with the bot.
    fn is_direct(&self) -> bool {
        self.channel_id.starts_with('D') || self.channel_name.starts_with("mpdm-")
    }
}

impl Commands {
    pub(super) fn new(views: Views, current: Current, off_record: OffRecord) -> Self {
        Self {
            views,
            current,
            off_record,
        }
    }

    /// Returns the answer to a command's payload.
    pub(super) async fn answer(&self, payload: &str) -> Value {
        match self.message(payload).await {
            Ok(message) => message,
            Err(error) => {
                tracing::error!("a command is not answered: {error}");
                let text = "This did not work; the bot's log says why. / うまくいきませんでした。理由はボットのログにあります。";
                json!({ "response_type": "ephemeral", "text": text })
            }
        }
    }

    async fn message(&self, payload: &str) -> Result<Value, String> {
        let payload: Payload = serde_json::from_str(payload)
            // serde's own message would quote the payload.
            .map_err(|_| "it is not of the shape that Slack documents".to_owned())?;
        let language = self.current.settings().language;
        if excess(&payload.text, MAX_QUESTION_CHARS).is_some() {
            return Ok(json!({ "response_type": "ephemeral", "text": too_long(language) }));
        }
        let (command, is_direct) = (parse_command(&payload.text), payload.is_direct());
        let bot = self.off_record.slack.bot_user_id();
        let with_bot = self.views.direct_message(&payload.channel_id, bot).await?;
        // Slack gives all direct messages the same name.
        let is_elsewhere = is_direct && with_bot.is_none();
        let channel = Asked {
            id: payload.channel_id,
            name: with_bot.unwrap_or(payload.channel_name),
        };
        let is_stranger = self.views.is_stranger_in(&channel.id, &payload.user_id);
        let is_stranger = is_stranger.await?;
        let own = channel.id.clone();
        let here = (!is_direct).then_some(own.as_str());
        Ok(match command {
            Command::Show | Command::History { .. } | Command::Sources { .. } if is_elsewhere => {
                direct_message(language)
            }
            Command::Show | Command::History { .. } | Command::Sources { .. } if is_stranger => {
                let nothing = MemoryView {
                    channel: channel.name,
                    ..MemoryView::default()
                };
                memory_message(&nothing, language)
            }
            Command::Show => memory_message(&self.views.memory(channel).await?, language),
            Command::History { count } => {
                history_message(&self.views.history(channel, count).await?, language)
            }
            Command::Sources { of } => {
                sources_message(&self.views.sources(channel, of).await?, language)
            }
            Command::Search { words } => {
                search_message(&self.views.search(payload.user_id, words).await?, language)
            }
            Command::Since { when } if when.is_empty() => since_message(language),
            Command::Since { when } => self.quoted(payload.user_id, here, &when).await?,
            Command::Decisions { about } => {
                if let Some(items) = self.items(&payload.user_id, here, &about, &DECIDED).await? {
                    return Ok(items);
                }
                let question = format!("{} {about}", decided(language));
                self.quoted(payload.user_id, here, &question).await?
            }
            Command::Open { about } => {
                if let Some(items) = self.items(&payload.user_id, here, &about, &OPEN).await? {
                    return Ok(items);
                }
                let question = still_open_about(&about, language);
                self.quoted(payload.user_id, here, &question).await?
            }
            Command::Thread { link } => match parse_thread(&link) {
                Some((channel_id, message)) => {
                    let thread = self.views.thread(payload.user_id, &channel_id, message);
                    thread_message(thread.await?.as_ref(), language)
                }
                None => thread_hint(language),
            },
            Command::OffRecord { is_off } => {
                let outcome = self.off_record.switch(&payload.user_id, is_off);
                off_record_message(outcome.await?, language)
            }
            Command::Mode { wanted } => {
                let by_default = self.current.settings().response.mode.into();
                let outcome = match here {
                    Some(here) => {
                        let asker = (payload.user_id.as_str(), here);
                        self.off_record.mode(asker, wanted, by_default).await?
                    }
                    None => ModeOutcome::NoChannel,
                };
                mode_message(outcome, language)
            }
            Command::Help { unknown } => help_message(unknown.as_deref(), language),
        })
    }

    /// The items of these kinds; `None` if messages are quoted instead.
    async fn items(
        &self,
        user_id: &str,
        here: Option<&str>,
        about: &str,
        kinds: &[ItemKind],
    ) -> Result<Option<Value>, String> {
        let asked = AskedItems {
            user_id,
            here,
            about,
            kinds,
        };
        let items = self.views.items(asked).await?;
        let language = self.current.settings().language;
        Ok(items.map(|items| items_message(&items, language)))
    }

    /// Quotes of messages about a question from here, or from where this person may see it.
    async fn quoted(
        &self,
        user_id: String,
        here: Option<&str>,
        question: &str,
    ) -> Result<Value, String> {
        let answer = self.views.answer(user_id, here, question).await?;
        let language = self.current.settings().language;
        Ok(answer_message(answer.as_ref(), language))
    }
}

/// Asks what is still open.
pub(super) fn still_open(language: Language) -> &'static str {
    match language {
        Language::Japanese => "未解決のこと",
        Language::English => "what is still open",
    }
}

/// Asks what is still open about something, or in a time.
fn still_open_about(about: &str, language: Language) -> String {
    let asks = still_open(language);
    match language {
        _ if about.is_empty() => asks.to_owned(),
        Language::Japanese => format!("{about} について{asks}"),
        Language::English => format!("{asks} about {about}"),
    }
}

/// Asks what was done.
pub(super) fn done(language: Language) -> &'static str {
    match language {
        Language::Japanese => "終わったこと",
        Language::English => "what was done",
    }
}

/// Asks what was decided.
pub(super) fn decided(language: Language) -> &'static str {
    match language {
        Language::Japanese => "決まったこと",
        Language::English => "what was decided",
    }
}
