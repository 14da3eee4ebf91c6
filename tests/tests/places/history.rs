//! Random histories of one workspace.

use fastrand::Rng;

/// How many people there are. The last one is a guest of the workspace at first.
pub(crate) const PEOPLE: usize = 5;
/// The number of a message that is asked while a secret becomes one.
const LATE: u32 = 90;
/// The guest.
pub(crate) const GUEST: usize = PEOPLE - 1;

/// A workspace, and what happens in it.
#[derive(Debug, Clone)]
pub(crate) struct History {
    pub(crate) setup: Setup,
    pub(crate) channels: Vec<ChannelPlan>,
    /// Each with the seconds before it.
    pub(crate) steps: Vec<(i64, Step)>,
}

/// How memories and answers are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) store: Store,
    /// What makes memories.
    pub(crate) model: Model,
    /// The retired memory of the workspace, too.
    pub(crate) legacy: bool,
    /// The workspace is merged after each channel.
    pub(crate) merge_per_channel: bool,
    /// Memories are extracted while the model fails.
    pub(crate) stand_in: bool,
    /// So few messages go into one memory that some are summarised in parts.
    pub(crate) small: bool,
    /// Calls that make memories are recorded.
    pub(crate) records: bool,
    /// At the end, what the command line prints is compared, too.
    pub(crate) prints: bool,
}

/// Where everything is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    Sqlite,
    Postgres,
}

/// What makes memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Model {
    /// A model that tells everything that it is shown, with the names of the channels.
    Naming,
    /// The same, but it never names a channel.
    Nameless,
    /// No model.
    Extractive,
}

/// A channel as it is when the history begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChannelPlan {
    pub(crate) kind: Kind,
    /// Whether what is said in it is what the two workspaces differ in.
    pub(crate) is_secret: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Public,
    Private,
    /// Between two people.
    Direct,
    /// Public, with a guest in it.
    WithGuest,
    /// Public, and shared with another organisation.
    Shared,
    /// The bot has come in, and knows nothing else of it.
    Unknown,
}

/// Something that happens. Channels, people and messages are numbers; a step about something that is not there does
/// nothing, so that a history can be shortened.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Say(Said),
    Edit(u32),
    Delete(u32),
    Rename(usize),
    Change(usize, Change),
    /// A generation run. At one of its calls something changes.
    Generate {
        model_fails: bool,
        midway: Option<Midway>,
    },
    /// Somebody asks the bot.
    Ask {
        said: Said,
        without_model: bool,
        midway: Option<Midway>,
    },
    /// The bot looks for what nobody answered.
    LookAround,
    /// Posts fail from here on, or no longer.
    SlackFails(bool),
    /// Everything that can be seen is looked at.
    Observe,
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
    /// It shares this message.
    pub(crate) shares: Option<u32>,
}

/// A change before the `call`th call of the component.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Midway {
    pub(crate) call: usize,
    pub(crate) channel: usize,
    pub(crate) change: Change,
}

/// What can happen to a channel and its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    MakePrivate,
    MakePublic,
    Joins(usize),
    Leaves(usize),
    BecomesGuest(usize),
    BecomesMember(usize),
    /// Slack says that somebody belongs to another organisation.
    BecomesForeign(usize),
    /// The account of somebody is closed; [`Change::BecomesMember`] opens it again.
    Closes(usize),
    Share,
    Unshare,
    BotLeaves,
    BotComesIn,
    Archive,
    Unarchive,
    /// The bot catches up: it asks Slack who reads the channel, and reads what it missed.
    CatchUp,
}

impl History {
    /// The same over another store.
    pub(crate) fn over(mut self, store: Store) -> Self {
        self.setup.store = store;
        self
    }

    /// The history of a seed.
    pub(crate) fn of(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let setup = Setup {
            store: Store::Sqlite,
            model: *pick(
                &mut rng,
                &[
                    Model::Naming,
                    Model::Naming,
                    Model::Nameless,
                    Model::Nameless,
                    Model::Extractive,
                ],
            ),
            legacy: rng.u8(..5) == 0,
            merge_per_channel: rng.u8(..5) == 0,
            stand_in: rng.u8(..4) == 0,
            small: rng.u8(..6) == 0,
            records: rng.u8(..6) == 0,
            prints: rng.u8(..50) == 0,
        };
        let channels = channels(&mut rng);
        let count = rng.usize(10..=40);
        let mut steps = Steps {
            rng,
            channels: &channels,
            said: Vec::new(),
        };
        let mut steps: Vec<(i64, Step)> = (0..count).map(|_| steps.next()).collect();
        close(&mut steps, &channels);
        Self {
            setup,
            channels,
            steps,
        }
    }
}

fn pick<'t, T>(rng: &mut Rng, among: &'t [T]) -> &'t T {
    &among[rng.usize(..among.len())]
}

/// Two public channels, something secret, and some more.
fn channels(rng: &mut Rng) -> Vec<ChannelPlan> {
    use Kind::{Direct, Private, Public, Shared, Unknown, WithGuest};
    let mut kinds = vec![Public, Public];
    kinds.push(*pick(
        rng,
        &[
            Private, Private, Private, Direct, WithGuest, Shared, Unknown,
        ],
    ));
    let more = [Public, Private, Private, Direct, WithGuest, Shared, Unknown];
    for _ in 0..rng.usize(1..=3) {
        kinds.push(*pick(rng, &more));
    }
    let plan = |(number, kind): (usize, Kind)| {
        let is_secret = match number {
            0 => false,
            // It becomes private in some histories.
            1 => rng.u8(..3) == 0,
            2 => true,
            _ => kind != Public && rng.bool(),
        };
        ChannelPlan { kind, is_secret }
    };
    kinds.into_iter().enumerate().map(plan).collect()
}

/// A secret that is public at first becomes one after half of the runs: before a call, in the middle of a run, or while
/// somebody elsewhere is answered.
fn close(steps: &mut Vec<(i64, Step)>, channels: &[ChannelPlan]) {
    let is_open = |plan: &ChannelPlan| plan.is_secret && plan.kind == Kind::Public;
    let Some(channel) = channels.iter().position(is_open) else {
        return;
    };
    let is_run = |step: &Step| matches!(step, Step::Generate { .. });
    let runs: Vec<usize> = (0..steps.len())
        .filter(|at| is_run(&steps[*at].1))
        .collect();
    let at = runs.get(runs.len() / 2).map_or(0, |at| at + 1);
    let closings = [
        Change::MakePrivate,
        Change::MakePrivate,
        Change::Joins(GUEST),
        Change::Share,
    ];
    let change = closings[at % closings.len()];
    let said = Said {
        channel: 0,
        person: 0,
        number: LATE,
        thread: None,
        shares: None,
    };
    let midway = Some(Midway {
        call: steps.len() % 60,
        channel,
        change,
    });
    let step = match steps.len() % 4 {
        0 => Step::Change(channel, change),
        1 => Step::Generate {
            model_fails: false,
            midway,
        },
        with => Step::Ask {
            said,
            without_model: with == 2,
            midway,
        },
    };
    steps.insert(at, (60, step));
}

struct Steps<'h> {
    rng: Rng,
    channels: &'h [ChannelPlan],
    said: Vec<Said>,
}

impl Steps<'_> {
    fn next(&mut self) -> (i64, Step) {
        let longest = *pick(&mut self.rng, &[60, 60, 600, 600, 8000]);
        let wait = self.rng.i64(1..=longest);
        let step = match self.rng.u8(..100) {
            0..44 => Step::Say(self.say()),
            44..47 => Step::Edit(self.message()),
            47..50 => Step::Delete(self.message()),
            50..52 => Step::Rename(self.channel()),
            52..62 => {
                let (channel, change) = self.change();
                Step::Change(channel, change)
            }
            62..78 => Step::Generate {
                model_fails: self.rng.u8(..8) == 0,
                midway: self.midway(60),
            },
            78..88 => Step::Ask {
                said: self.say(),
                without_model: self.rng.u8(..3) == 0,
                midway: self.midway(4),
            },
            88..92 => Step::LookAround,
            92..95 => Step::SlackFails(self.rng.bool()),
            _ => Step::Observe,
        };
        (wait, step)
    }

    fn channel(&mut self) -> usize {
        // Most of it happens in the first three: public, public, secret.
        if self.rng.u8(..3) > 0 {
            self.rng.usize(..3)
        } else {
            self.rng.usize(..self.channels.len())
        }
    }

    fn message(&mut self) -> u32 {
        let count = u32::try_from(self.said.len()).unwrap();
        self.rng.u32(..count.max(1))
    }

    fn say(&mut self) -> Said {
        let channel = self.channel();
        let thread = (self.rng.u8(..3) == 0)
            .then(|| self.said_in(channel))
            .flatten();
        let said = Said {
            channel,
            person: self.rng.usize(..PEOPLE),
            number: u32::try_from(self.said.len()).unwrap(),
            thread,
            shares: (self.rng.u8(..10) == 0).then(|| self.message()),
        };
        self.said.push(said);
        said
    }

    /// A message at the top level of a channel.
    fn said_in(&mut self, channel: usize) -> Option<u32> {
        let said = self.said.iter();
        let said = said.filter(|said| said.channel == channel && said.thread.is_none());
        let numbers: Vec<u32> = said.map(|said| said.number).collect();
        (!numbers.is_empty()).then(|| *pick(&mut self.rng, &numbers))
    }

    fn midway(&mut self, calls: usize) -> Option<Midway> {
        if self.rng.u8(..3) > 0 {
            return None;
        }
        let (channel, change) = self.change();
        Some(Midway {
            call: self.rng.usize(..calls),
            channel,
            change,
        })
    }

    fn change(&mut self) -> (usize, Change) {
        let person = self.rng.usize(..PEOPLE);
        let change = match self.rng.u8(..30) {
            0..6 => Change::MakePrivate,
            6..8 => Change::MakePublic,
            8..10 => Change::Joins(GUEST),
            10..12 => Change::Leaves(GUEST),
            12 => Change::Joins(person),
            13 => Change::Leaves(person),
            14 => Change::BecomesGuest(person),
            15 => Change::BecomesMember(person),
            16..18 => Change::Share,
            18 => Change::Unshare,
            19 => Change::BotLeaves,
            20 => Change::BotComesIn,
            21 => Change::Archive,
            22 => Change::Unarchive,
            23 => Change::BecomesForeign(person),
            24..26 => Change::Closes(person),
            26 => Change::BotLeaves,
            _ => Change::CatchUp,
        };
        (self.channel(), change)
    }
}
