//! A minute of a bot, which tests let end anywhere.

use std::sync::Arc;

use myao_fake_slack::{EventState, FakeSlack};
use myao_tests::bot::Bot;
use myao_tests::disk::assert_sound;
use myao_tests::kills::paid_twice;
use myao_tests::llm_server::{Call, LlmServer, answer};
use myao_tests::program::Program;
use myao_tests::telling;

use super::common::{AKARI, CAMP, EMIKO, config, number, rows, workspace};
use super::storm::{every_mention_is_answered_once, is_what_slack_shows};

/// What is asked in a minute.
pub(crate) const MENTIONS: usize = 3;

/// People talk, ask and change what they said, and memories are made.
pub(crate) struct Minute {
    pub(crate) slack: FakeSlack,
    config: String,
}

impl Minute {
    /// `asked` sees each call of the model before it is answered.
    pub(crate) fn new(asked: Arc<dyn Fn(&Call) + Send + Sync>) -> Self {
        let slack = workspace();
        slack.keep_while_away(true);
        let llm = LlmServer::start(move |call| {
            asked(call);
            match call.body["model"].as_str() {
                Some(model) if model.starts_with("replies") => answer("The lake, as last year."),
                _ => answer(&telling::answer(call.prompt())),
            }
        });
        let config = config(&slack, &llm).replace(
            "long_term_update_interval_seconds: 86400 }",
            "long_term_update_interval_seconds: 1, short_term_history: { message_threshold: 3 } }",
        );
        Self { slack, config }
    }

    pub(crate) fn play(&self) {
        let wrong = self.slack.post(EMIKO, CAMP, "At the see.", None);
        // In threads of their own: mentions side by side at the top level are asked with one prompt.
        for mention in 0..MENTIONS {
            let text = format!("Where do we camp in year {mention}?");
            let thread = self.slack.post(AKARI, CAMP, &text, None);
            self.slack
                .mention(EMIKO, CAMP, "what was decided?", Some(&thread));
        }
        self.slack.edit(CAMP, &wrong, "At the sea.");
    }

    /// All is answered, and all is remembered.
    pub(crate) fn is_over(&self, program: &Program) -> bool {
        self.slack.posts().len() >= MENTIONS
            && self.slack.is_settled()
            && number(program, include_str!("waiting.sql")) == 0
            && number(program, include_str!("not_remembered.sql")) == 0
    }

    /// Starts the bot, and waits for nothing.
    pub(crate) fn launch(&self, program: Program) -> Bot {
        Bot::launch(program, &self.config, &[])
    }

    /// Runs the bot until all is over.
    pub(crate) fn run(&self, program: Program) -> Program {
        let mut bot = Bot::start(program, &self.config);
        bot.until("all is answered and remembered", |program| {
            self.is_over(program).then_some(())
        });
        bot.stop()
    }

    /// Every event that the bot acknowledged is in the database.
    #[track_caller]
    pub(crate) fn assert_keeps_what_it_acknowledged(
        &self,
        program: &Program,
        what: &dyn std::fmt::Display,
    ) {
        let events = self.slack.events();
        let mut acknowledged = events
            .iter()
            .filter(|event| event.state == EventState::Acknowledged)
            .peekable();
        if acknowledged.peek().is_none() {
            return;
        }
        let kept = rows(program, "SELECT event_id FROM events WHERE ?1 = 0", 0);
        for event in acknowledged {
            let is_kept = kept.iter().any(|row| row.contains(&event.event_id));
            assert!(is_kept, "{what}: {event:?} is not in {kept:#?}");
        }
    }

    /// What is in Slack is in the database, each mention has one answer, and no answer of the model that was stored was paid
    /// twice.
    #[track_caller]
    pub(crate) fn assert_whole(&self, program: &Program, what: &dyn std::fmt::Display) {
        assert_sound(&program.path("myao.db"), what);
        every_mention_is_answered_once(&self.slack);
        is_what_slack_shows(program, &self.slack.world());
        assert_eq!(paid_twice(program), Vec::<String>::new(), "{what}");
    }
}
