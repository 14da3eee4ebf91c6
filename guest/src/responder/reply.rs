//! Makes the text of a reply, and posts it.

use super::asker::{PromptInput, Said};
use super::confirmation::{Confirmation, confirmation};
use super::further::{self, Searches};
use super::quote;
use super::quoted::{Text, quoting};
use super::situation::{Situation, Wanted};
use super::{Answered, Responder, citing};
use crate::answer::{Accepted, AnswerKind, ReplyExpectation, judge_reply, says_nothing};
use crate::ask::{Judged, Question};
use crate::bindings::chat::{PostOutcome, PostRequest};
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::{Answer, Reply, Target};
use crate::bindings::llm::{Completion, FinishReason};
use crate::bindings::log::Level;
use crate::bindings::types::{Context, Engine, User};
use crate::check::{self, Doubts};
use crate::fit::{NOTHING, count};
use crate::grounding::{Given, may_cite};
use crate::handed::check_question;
use crate::prompt::{conversation_messages, instruction_language, reply_target_messages};
use crate::text::language::{Language, languages_of};

/// Judges the answer as a reply.
#[derive(Clone, Copy)]
struct ReplyQuestion<'q> {
    situation: &'q Situation,
    /// The texts of messages and memories in the prompt.
    texts: &'q [&'q str],
    /// The texts and times that a value of the reply may follow from.
    given: &'q [Given<'q>],
    may_search: bool,
}

/// An answer of the model.
enum Replied {
    Written(Written),
    /// Before it replies, it asks for these searches.
    Asks(Vec<String>),
}

/// A reply, without what does not follow from its prompt.
struct Written {
    answer: citing::Answer,
    truncated: bool,
    /// How many lines had values that do not follow.
    unfounded: u32,
    /// True if it says only that nothing was found, as nothing else was left.
    found_nothing: bool,
}

impl Question for ReplyQuestion<'_> {
    type Answer = Replied;
    const KIND: AnswerKind = AnswerKind::Reply;

    fn judge(&self, prompt: &str, completion: &Completion) -> Judged<Replied> {
        let (text, searches) = match further::read(&completion.text) {
            Ok(read) => read,
            Err(bad) => return Err(bad).into(),
        };
        if self.may_search && !searches.is_empty() {
            return Ok(Replied::Asks(searches)).into();
        }
        let expectation = ReplyExpectation {
            prompt,
            texts: self.texts,
            answered: &self.situation.answered.text,
            name: &self.situation.context.persona.name,
            cut_off: completion.finish_reason == FinishReason::Length,
        };
        match judge_reply(text, &expectation) {
            Ok(accepted) => self.check(&accepted),
            // It asks on and on.
            Err(BadAnswer::Empty) if !searches.is_empty() => Ok(self.found_nothing()).into(),
            Err(bad) => Err(bad).into(),
        }
    }

    /// An answer that says something is better, then one that is whole, and then one of which less was left out.
    fn is_better(first: &Replied, second: &Replied) -> bool {
        let faults = |replied: &Replied| match replied {
            Replied::Written(written) => {
                let Written {
                    truncated,
                    unfounded,
                    found_nothing,
                    ..
                } = written;
                (*found_nothing, *truncated, *unfounded)
            }
            Replied::Asks(_) => (false, false, 0),
        };
        faults(second) <= faults(first)
    }

    fn language(&self) -> Language {
        let target = reply_target_messages(&self.situation.context);
        let languages = languages_of(target.iter().map(|message| message.text.as_str()));
        languages.first().copied().unwrap_or(Language::Japanese)
    }
}

impl ReplyQuestion<'_> {
    /// Leaves out what does not follow from the prompt. If nothing is left, the answer is that nothing was found.
    fn check(&self, accepted: &Accepted) -> Judged<Replied> {
        let context = &self.situation.context;
        let sources = context.notes.iter().map(|notes| notes.sources.len()).sum();
        let mut answer = citing::Answer::read(&accepted.text, sources);
        let doubts = Doubts::about(&answer.text, self.given, context);
        let complaint = doubts.complaint();
        let unfounded = count(&doubts.unfounded);
        let mut cut = doubts.unfounded;
        cut.extend(doubts.strangers);
        cut.sort_by_key(|line| line.range.start);
        answer.cut(&cut);
        let found_nothing = !cut.is_empty() && says_nothing(&answer.text);
        let replied = if found_nothing {
            self.found_nothing()
        } else {
            Replied::Written(Written {
                answer,
                truncated: accepted.truncated,
                unfounded,
                found_nothing,
            })
        };
        Judged {
            answer: Ok(replied),
            complaint,
        }
    }

    fn found_nothing(&self) -> Replied {
        Replied::Written(Written {
            answer: citing::Answer::saying(self.situation.question.language.unknown()),
            truncated: false,
            unfounded: 0,
            found_nothing: true,
        })
    }
}

impl Responder<'_> {
    /// Makes a reply to a message, and posts it.
    pub(super) fn reply(&self, target: &Target, occasion: Occasion) -> Result<Answer, Error> {
        let mut situation = self.situation(target, Wanted::reply(&self.ports.settings))?;
        let bot = &self.ports.settings.bot_name;
        let marked = confirmation(&situation, bot).filter(|_| occasion == Occasion::Mention);
        let answered = match marked {
            Some(confirmation) => confirmed(confirmation),
            None => {
                if occasion == Occasion::Mention {
                    check_question(&situation.answered.text)?;
                }
                let mut answered = self.answer(&mut situation, occasion)?;
                // Nobody asked for that.
                if occasion == Occasion::Unasked && answered.says_nothing {
                    return Ok(Answer::Already(Vec::new()));
                }
                self.link(&mut answered, situation.question.language);
                answered
            }
        };
        Ok(match self.post(target, &situation, &answered)? {
            PostOutcome::Posted(posted) => Answer::Posted(Reply {
                text: answered.text,
                engine: answered.engine,
                truncated: answered.truncated,
                left_out: answered.left_out,
                posted,
                citations: answered.citations,
                records: Vec::new(),
            }),
            PostOutcome::Already(earlier) => Answer::Already(earlier),
        })
    }

    /// Makes an answer.
    pub(super) fn answer(
        &self,
        situation: &mut Situation,
        occasion: Occasion,
    ) -> Result<Answered, Error> {
        if let Some(listed) = self.overview(&situation.question.text, None)? {
            return Ok(listed);
        }
        match self.ports.settings.reply_engine {
            Engine::Extractive => Ok(quoted(situation)),
            Engine::Llm | Engine::Imported => self.written(situation, occasion),
        }
    }

    /// The answer of a model, which may search before.
    fn written(&self, situation: &mut Situation, occasion: Occasion) -> Result<Answered, Error> {
        let mut searches = Searches::default();
        let (written, left_out, shown) = loop {
            let said = self.ask_for_reply(situation, occasion, &searches)?;
            match said.answer {
                Replied::Written(written) => break (written, said.left_out, said.sources),
                Replied::Asks(asked) => self.search_further(situation, &mut searches, asked)?,
            }
        };
        let situation = &*situation;
        let notes = situation.context.notes.as_ref();
        let given = notes.map_or(&[][..], |notes| &notes.sources);
        // The last ones may be left out so that the prompt fits.
        let given = given.get(..shown).unwrap_or_default();
        let Written {
            mut answer,
            truncated,
            found_nothing,
            ..
        } = written;
        answer.keep(given, |line, source| may_cite(line, &check::of(source)));
        let sources = answer.renumber(given);
        let citations = situation.citations(&answer.text, Engine::Llm);
        let is_traced = citations.iter().any(|line| !line.messages.is_empty());
        let has_no_source = sources.is_empty() && !given.is_empty() && !is_traced;
        if has_no_source && !found_nothing {
            answer.text = situation.question.language.without_source(&answer.text);
        }
        let answered = Answered {
            text: String::new(),
            engine: Engine::Llm,
            truncated,
            left_out,
            citations: Vec::new(),
            sources,
            found_nothing: found_nothing || given.is_empty(),
            says_nothing: found_nothing || has_no_source,
            unlinked: (answer, citations),
        };
        Ok(answered.shown(&|number, _| format!("[{number}]")))
    }

    /// Puts a link in the place of each number; without an address, who wrote it and when.
    fn link(&self, answered: &mut Answered, language: Language) {
        let is_quoted = answered.engine == Engine::Extractive;
        let linked = answered.clone().shown(&|number, source| {
            let address = source.messages.first().and_then(|at| {
                let address = self.chat.permalink(&at.channel_id, &at.ts);
                address.ok()
            });
            match address {
                Some(address) => format!("[[{number}]]({address})"),
                // A quote says it already.
                None if is_quoted => String::new(),
                None => language.reference(source),
            }
        });
        *answered = linked;
    }

    fn ask_for_reply(
        &self,
        situation: &Situation,
        occasion: Occasion,
        searches: &Searches,
    ) -> Result<Said<Replied>, Error> {
        let context = &situation.context;
        let settings = &self.ports.settings;
        let language = instruction_language(settings.prompt_language, context);
        let is_question = situation.question.has_words();
        let told = is_question.then(|| searches.told(language));
        let input = PromptInput {
            context,
            occasion: Some(occasion),
            answered: Some(&situation.answered),
            after: told.as_deref().unwrap_or_default(),
        };
        let texts: Vec<&str> = texts_of(context).collect();
        let given = situation.given();
        let question = ReplyQuestion {
            situation,
            texts: &texts,
            given: &given,
            may_search: is_question && searches.may_go_on(),
        };
        self.asker.ask(input, None, question)
    }

    fn post(
        &self,
        target: &Target,
        situation: &Situation,
        answered: &Answered,
    ) -> Result<PostOutcome, Error> {
        let request = PostRequest {
            channel_id: target.channel_id.clone(),
            thread_ts: target.thread_ts.clone(),
            text: answered.text.clone(),
            answers: target.message_ts.clone(),
            may_notify: may_notify(situation),
            citations: answered.citations.clone(),
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

/// The answer to a mark: what it changed, in fixed words.
fn confirmed(Confirmation { text, citations }: Confirmation) -> Answered {
    Answered {
        text,
        engine: Engine::Extractive,
        truncated: false,
        left_out: NOTHING,
        citations,
        sources: Vec::new(),
        found_nothing: false,
        says_nothing: false,
        unlinked: (citing::Answer::new(), Vec::new()),
    }
}

/// The answer without a model.
fn quoted(situation: &Situation) -> Answered {
    let quoted = quote::answer(situation);
    let text = Text {
        citations: situation.citations(&quoted.answer.text, Engine::Extractive),
        answer: quoted.answer,
        sources: quoted.sources,
    };
    quoting(text, quoted.found_nothing)
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
    let notes = context.notes.iter();
    let sources = notes.flat_map(|notes| &notes.sources);
    let sources = sources.map(|source| source.text.as_str());
    let workspace = context.workspace_long_term_memory.iter();
    let workspace = workspace.chain(&context.workspace_short_term_memory);
    let memories = workspace.chain(channels).map(String::as_str);
    messages.chain(memories).chain(sources)
}
