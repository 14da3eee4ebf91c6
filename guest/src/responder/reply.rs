//! Makes the text of a reply, and posts it.

use super::asker::PromptInput;
use super::confirmation::{Confirmation, confirmation};
use super::target::Situation;
use super::{Responder, quote};
use crate::answer::{Accepted, AnswerKind, Language, ReplyExpectation, judge_reply, languages_of};
use crate::ask::{Judged, Question};
use crate::bindings::chat::{PostOutcome, PostRequest};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::{Answer, Reply, Target};
use crate::bindings::llm::{Completion, FinishReason};
use crate::bindings::log::Level;
use crate::bindings::types::{Citation, Context, Engine, LeftOut, User};
use crate::fit::NOTHING;
use crate::prompt::{conversation_messages, reply_target_messages};

/// Judges the answer as a reply.
#[derive(Clone, Copy)]
struct ReplyQuestion<'q> {
    situation: &'q Situation,
    /// The texts of messages and memories in the prompt.
    texts: &'q [&'q str],
}

impl Question for ReplyQuestion<'_> {
    type Answer = Accepted;
    const KIND: AnswerKind = AnswerKind::Reply;

    fn judge(&self, prompt: &str, completion: &Completion) -> Judged<Accepted> {
        let expectation = ReplyExpectation {
            prompt,
            texts: self.texts,
            answered: &self.situation.answered.text,
            name: &self.situation.context.persona.name,
            cut_off: completion.finish_reason == FinishReason::Length,
        };
        judge_reply(&completion.text, &expectation).into()
    }

    fn language(&self) -> Language {
        let target = reply_target_messages(&self.situation.context);
        let languages = languages_of(target.iter().map(|message| message.text.as_str()));
        languages.first().copied().unwrap_or(Language::Japanese)
    }
}

impl Responder<'_> {
    pub(super) fn answer(&self, target: &Target, occasion: Occasion) -> Result<Answer, Error> {
        let settings = &self.ports.settings;
        let situation = self.situation(target, &settings.response_persona)?;
        if occasion == Occasion::Mention
            && let Some(confirmation) = confirmation(&situation, &settings.persona.name)
        {
            return self.confirm(target, &situation, confirmation);
        }
        let (engine, (accepted, left_out)) = match settings.reply_engine {
            Engine::Extractive => (Engine::Extractive, (self.quote(&situation), NOTHING)),
            Engine::Llm | Engine::Imported => {
                (Engine::Llm, self.ask_for_reply(&situation, occasion)?)
            }
        };
        let Accepted {
            text, truncated, ..
        } = accepted;
        let citations = situation.citations(&text, engine);
        let reply = Reply {
            text,
            engine,
            truncated,
            left_out,
            posted: Vec::new(),
            citations,
            records: Vec::new(),
        };
        self.post_reply(target, &situation, reply)
    }

    /// Answers a mark with what it changed, without a model.
    fn confirm(
        &self,
        target: &Target,
        situation: &Situation,
        Confirmation { text, citations }: Confirmation,
    ) -> Result<Answer, Error> {
        let reply = Reply {
            text,
            engine: Engine::Extractive,
            truncated: false,
            left_out: NOTHING,
            posted: Vec::new(),
            citations,
            records: Vec::new(),
        };
        self.post_reply(target, situation, reply)
    }

    fn post_reply(
        &self,
        target: &Target,
        situation: &Situation,
        reply: Reply,
    ) -> Result<Answer, Error> {
        let outcome = self.post(target, situation, (&reply.text, &reply.citations))?;
        Ok(match outcome {
            PostOutcome::Posted(posted) => Answer::Posted(Reply { posted, ..reply }),
            PostOutcome::Already(earlier) => Answer::Already(earlier),
        })
    }

    fn ask_for_reply(
        &self,
        situation: &Situation,
        occasion: Occasion,
    ) -> Result<(Accepted, LeftOut), Error> {
        let context = &situation.context;
        let input = PromptInput {
            context,
            occasion: Some(occasion),
            answered: Some(&situation.answered),
        };
        let texts: Vec<&str> = texts_of(context).collect();
        let question = ReplyQuestion {
            situation,
            texts: &texts,
        };
        self.asker.ask(input, None, question)
    }

    fn quote(&self, situation: &Situation) -> Accepted {
        let permalink = |ts: &str| {
            let channel_id = &situation.context.conversation_history.channel_id;
            self.chat.permalink(channel_id, ts).ok()
        };
        Accepted {
            text: quote::answer(situation, &permalink),
            truncated: false,
            unfounded: 0,
        }
    }

    fn post(
        &self,
        target: &Target,
        situation: &Situation,
        (text, citations): (&str, &[Citation]),
    ) -> Result<PostOutcome, Error> {
        let request = PostRequest {
            channel_id: target.channel_id.clone(),
            thread_ts: target.thread_ts.clone(),
            text: text.to_owned(),
            answers: target.message_ts.clone(),
            may_notify: may_notify(situation),
            citations: citations.to_vec(),
        };
        let outcome = self.chat.post(&request).map_err(Error::Chat)?;
        let Target {
            channel_id,
            message_ts,
            ..
        } = target;
        let line = match &outcome {
            PostOutcome::Posted(posted) => format!(
                "answered {message_ts} of {channel_id} with {} post(s)",
                posted.len()
            ),
            PostOutcome::Already(_) => {
                format!("{message_ts} of {channel_id} was answered before: nothing was posted")
            }
        };
        self.ports.log.write(Level::Info, &line);
        Ok(outcome)
    }
}

/// The people of the target thread; at the top level, the author of the answered message.
fn may_notify(situation: &Situation) -> Vec<User> {
    let in_thread = situation.context.target_thread_ts.is_some();
    let of_thread = reply_target_messages(&situation.context)
        .iter()
        .filter(|_| in_thread);
    let mut people: Vec<User> = Vec::new();
    for message in of_thread.chain([&situation.answered]) {
        let user = &message.user;
        if !user.is_bot && people.iter().all(|known| known.id != user.id) {
            people.push(user.clone());
        }
    }
    people
}

/// Every message and memory in a prompt.
fn texts_of(context: &Context) -> impl Iterator<Item = &str> {
    let messages = conversation_messages(context).map(|message| message.text.as_str());
    let channels = context.channel_memories.iter().flat_map(|memory| {
        let history = memory.short_term_memory_history.iter();
        let parts = memory.long_term_memory.iter().chain(history);
        parts.chain(&memory.short_term_memory)
    });
    let workspace = context.workspace_long_term_memory.iter();
    let workspace = workspace.chain(&context.workspace_short_term_memory);
    messages.chain(workspace.chain(channels).map(String::as_str))
}
