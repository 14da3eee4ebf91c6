//! Random histories in which people take back what they said.

use fastrand::Rng;

/// How many channels there are.
pub(crate) const CHANNELS: usize = 3;
/// How many people there are.
pub(crate) const PEOPLE: usize = 4;
const DAY: i64 = 24 * 3600;

/// What happens in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct History {
    pub(crate) setup: Setup,
    /// Each with the seconds before it, at least 1.
    pub(crate) steps: Vec<(i64, Step)>,
}

/// How memories are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) model: Model,
    /// Calls that make memories are recorded.
    pub(crate) records: bool,
    /// So few messages go into one memory that some are summarised in parts.
    pub(crate) small: bool,
    /// Some messages correct what was said before: that is not remembered any more.
    pub(crate) corrects: bool,
    /// How far the host's clock is ahead when it hears of something, in seconds.
    pub(crate) clock_ahead: i64,
}

/// What makes memories and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Model {
    /// A model that tells everything that it is shown, a line for each fact.
    Telling,
    /// The same, with two facts in each line.
    Joining,
    /// No model.
    Extractive,
}

/// Something that happens. A step about a message that was not said does nothing, so that a history can be shortened.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    Say(Said),
    /// Somebody asks the bot.
    Ask(Said),
    Edit(u32),
    Delete(u32),
    /// The same, and the bot gets no event.
    EditUnheard(u32),
    DeleteUnheard(u32),
    /// A message is pinned, or its pin is taken off.
    Pin(u32, bool),
    Forget(Meant),
    /// What was said before this message has been kept long enough, and with `true` the memories made before it.
    Expire(u32, bool),
    /// A public channel becomes private, and a private one public.
    Convert(usize),
    /// An export is imported, with everything as it was first said. What is deleted is in it.
    Import,
    /// What Slack has of a channel is read. What the bot was told to forget is in it.
    CatchUp(usize),
    /// The stored messages of a channel are compared with those that Slack has.
    Sweep(usize),
    /// A generation run. Before one of its calls a message is deleted.
    Generate(Option<(usize, u32)>),
}

/// A message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said {
    pub(crate) channel: usize,
    pub(crate) person: usize,
    /// Its number in the history.
    pub(crate) number: u32,
    /// It is a reply to this message.
    pub(crate) thread: Option<u32>,
    /// It says the same as this message.
    pub(crate) repeats: Option<u32>,
    /// It marks what it says.
    pub(crate) mark: Option<Mark>,
    /// Whether the bot gets its event.
    pub(crate) is_heard: bool,
}

/// What a message does that begins with a mention and a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Remember,
    Correction,
}

/// What the bot is told to forget.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meant {
    Message(u32),
    Person(usize),
    Channel(usize),
    /// Everything before this message.
    Before(u32),
}

impl History {
    /// The history of a seed.
    pub(crate) fn of(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let models = [Model::Telling, Model::Joining, Model::Extractive];
        let setup = Setup {
            model: models[rng.usize(..models.len())],
            records: rng.u8(..4) == 0,
            small: rng.u8(..4) == 0,
            corrects: rng.u8(..4) == 0,
            clock_ahead: [0, 0, -DAY, DAY][rng.usize(..4)],
        };
        let count = rng.usize(15..=45);
        let mut steps = Steps {
            rng,
            said: Vec::new(),
            corrects: setup.corrects,
        };
        let steps = (0..count).map(|_| steps.next()).collect();
        Self { setup, steps }
    }

    /// The same without deletions in the middle of a run, so that its end depends on nothing but its steps.
    pub(crate) fn without_races(mut self) -> Self {
        for (_, step) in &mut self.steps {
            if let Step::Generate(midway) = step {
                *midway = None;
            }
        }
        self
    }
}

struct Steps {
    rng: Rng,
    said: Vec<Said>,
    corrects: bool,
}

impl Steps {
    fn next(&mut self) -> (i64, Step) {
        // A day at most in all: what is older than that when a channel gets its first memory is left to a backfill.
        let longest = [60, 60, 600, 600, 3600];
        let longest = longest[self.rng.usize(..longest.len())];
        let step = match self.rng.u8(..100) {
            0..44 => Step::Say(self.say()),
            44..48 => Step::Pin(self.message(), self.rng.u8(..3) > 0),
            48..55 => Step::Ask(self.say()),
            55..60 => Step::Edit(self.message()),
            60 => Step::EditUnheard(self.message()),
            61..67 => Step::Delete(self.message()),
            67..69 => Step::DeleteUnheard(self.message()),
            69..74 => Step::Forget(self.meant()),
            74..77 => Step::Convert(self.rng.usize(..CHANNELS)),
            77..80 => Step::Import,
            80..82 => Step::CatchUp(self.rng.usize(..CHANNELS)),
            82 => Step::Sweep(self.rng.usize(..CHANNELS)),
            83..85 => Step::Expire(self.message(), self.rng.bool()),
            _ => {
                let is_disturbed = self.rng.u8(..3) == 0;
                let midway = (self.rng.usize(..60), self.message());
                Step::Generate(is_disturbed.then_some(midway))
            }
        };
        (self.rng.i64(1..=longest), step)
    }

    fn message(&mut self) -> u32 {
        let count = u32::try_from(self.said.len()).unwrap();
        self.rng.u32(..count.max(1))
    }

    fn meant(&mut self) -> Meant {
        match self.rng.u8(..10) {
            0..5 => Meant::Message(self.message()),
            5..7 => Meant::Person(self.rng.usize(..PEOPLE)),
            7 => Meant::Channel(self.rng.usize(..CHANNELS)),
            _ => Meant::Before(self.message()),
        }
    }

    fn say(&mut self) -> Said {
        let channel = self.rng.usize(..CHANNELS);
        let thread = (self.rng.u8(..3) == 0)
            .then(|| self.top_level_message(channel))
            .flatten();
        let said = Said {
            channel,
            person: self.rng.usize(..PEOPLE),
            number: u32::try_from(self.said.len()).unwrap(),
            thread,
            repeats: (self.rng.u8(..10) == 0).then(|| self.message()),
            mark: (self.rng.u8(..8) == 0).then(|| self.mark()),
            is_heard: self.rng.u8(..8) > 0,
        };
        self.said.push(said);
        said
    }

    fn mark(&mut self) -> Mark {
        match self.corrects && self.rng.bool() {
            true => Mark::Correction,
            false => Mark::Remember,
        }
    }

    fn top_level_message(&mut self, channel: usize) -> Option<u32> {
        let said = self.said.iter();
        let said = said.filter(|said| said.channel == channel && said.thread.is_none());
        let numbers: Vec<u32> = said.map(|said| said.number).collect();
        (!numbers.is_empty()).then(|| numbers[self.rng.usize(..numbers.len())])
    }
}
