//! A workspace as it happened: events are stored, and each question is asked when it is its turn.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::asked::{Asked, Asker};
use crate::data::{Event, Question, Talk, What};
use crate::program::{Calls, Parts, Program, Setup};
use crate::state::State;

/// The result of replaying a workspace.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    pub(crate) asked: Vec<Asked>,
    pub(crate) messages: usize,
    /// Calls of models by layer.
    pub(crate) usage: BTreeMap<String, Calls>,
    /// How often the model failed to make a memory.
    pub(crate) failed: usize,
    pub(crate) importing: Duration,
    pub(crate) remembering: Duration,
}

/// Goes through the events and questions of a workspace.
pub(crate) fn replay(setup: &Setup, parts: Parts, talk: &Talk) -> Result<Replayed> {
    let Some(first) = talk.events.first() else {
        return Ok(Replayed::default());
    };
    let program = Program::new(setup, first.at)?;
    let mut workspace = Workspace {
        asker: Asker::new(&program, parts),
        program: &program,
        state: State::default(),
        has_news: false,
        replayed: Replayed::default(),
    };
    let mut questions = talk.questions.iter().peekable();
    for event in &talk.events {
        while let Some(question) = questions.next_if(|question| question.at < event.at) {
            workspace.ask(question)?;
        }
        workspace.happen(event)?;
    }
    for question in questions {
        workspace.ask(question)?;
    }
    let mut replayed = workspace.replayed;
    replayed.usage = program.usage()?;
    Ok(replayed)
}

struct Workspace<'p> {
    asker: Asker<'p>,
    program: &'p Program,
    state: State,
    /// True if something has happened that is not stored yet.
    has_news: bool,
    replayed: Replayed,
}

impl Workspace<'_> {
    /// Applies an event. What takes something back is applied to a database that has stored and remembered it.
    fn happen(&mut self, event: &Event) -> Result<()> {
        let takes_back = match &event.what {
            What::Edit { .. } | What::Delete { .. } => true,
            What::Channel(channel) => self.state.channels.contains_key(&channel.id),
            What::Message(_) => {
                self.replayed.messages += 1;
                false
            }
            What::Person(_) => false,
        };
        if takes_back {
            self.store(event.at - TimeDelta::seconds(1))?;
        }
        if let What::Delete { message } = &event.what {
            let message = self.state.message(message);
            let message = message.context("a message is deleted that was never sent")?;
            self.program.forget(&message.said.channel, &message.ts())?;
        }
        self.state.apply(event)?;
        self.has_news = true;
        Ok(())
    }

    /// Stores what has happened, and makes the memories that are due by then.
    fn store(&mut self, until: DateTime<FixedOffset>) -> Result<()> {
        let begin = Instant::now();
        if self.has_news {
            self.program.import(&self.state)?;
            self.has_news = false;
        }
        let stored = Instant::now();
        self.replayed.failed += self.program.remember(until)?;
        self.replayed.importing += stored - begin;
        self.replayed.remembering += stored.elapsed();
        Ok(())
    }

    fn ask(&mut self, question: &Question) -> Result<()> {
        self.store(question.at)?;
        let asked = self.asker.ask(question, &self.state);
        let asked = asked.with_context(|| format!("question {}", question.id))?;
        self.replayed.asked.push(asked);
        Ok(())
    }
}
