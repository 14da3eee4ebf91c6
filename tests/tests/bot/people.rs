//! How old what is known about people may be.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::Utc;
use myao_bot::clock::Clock;
use myao_bot::people::{People, PersonError};
use myao_bot::settings::BotSettings;
use myao_bot::slack::live::LiveSlack;
use myao_fake_slack::{BOT_TOKEN, BOT_USER, FakeSlack, TEAM_ID};
use myao_plugin::Place;
use myao_plugin::state::Workspace;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::client::SlackClient;
use myao_slack::events::BotIdentity;
use myao_slack::token::Token;
use myao_tests::store::TestStore;

use crate::bot::support::{AKARI, CAMP, EMIKO};

const BOARD: &str = "C0BOARD";

/// A store that heard of two channels a while ago, and a clock that the test moves.
struct World {
    slack: FakeSlack,
    workspace: Arc<dyn Workspace>,
    _store: TestStore,
    people: People,
    now: Arc<AtomicI64>,
}

const DAY: i64 = 24 * 3600;
const START: i64 = 1_700_000_000;

impl World {
    async fn new() -> Self {
        let slack = FakeSlack::start().await;
        slack.add_user(AKARI, "Akari");
        slack.add_channel(CAMP, "camp");
        slack.add_private_channel(BOARD, "board");
        let (store, workspace) = TestStore::empty().into_workspace();
        let workspace: Arc<dyn Workspace> = Arc::new(workspace);
        let at = TsKey::first_of(START - 1000);
        let channel = |id: &str, is_private| {
            let id = id.to_owned();
            vec![
                Effect::ChannelName {
                    id: id.clone(),
                    name: id.to_lowercase(),
                    is_private: Some(is_private),
                    at,
                },
                Effect::ChannelPresence {
                    id: id.clone(),
                    present: true,
                    at,
                },
                Effect::ChannelShared {
                    id: id.clone(),
                    is_shared: Some(false),
                    at,
                },
                Effect::ChannelMembers {
                    id,
                    members: Some(vec![BOT_USER.to_owned()]),
                    at,
                },
            ]
        };
        let bot = Effect::Guest {
            user_id: BOT_USER.to_owned(),
            is_guest: false,
            at,
        };
        let effects = [channel(CAMP, false), channel(BOARD, true), vec![bot]].concat();
        workspace.apply_effects(effects, START).await.unwrap();
        let now = Arc::new(AtomicI64::new(START));
        let clock = {
            let now = now.clone();
            Clock::new(Utc, move || {
                std::time::Duration::from_secs(now.load(Ordering::SeqCst).unsigned_abs())
            })
        };
        let client = SlackClient::new(&slack.api_url(), Token::new(BOT_TOKEN).unwrap()).unwrap();
        let identity = BotIdentity {
            user_id: BOT_USER.to_owned(),
            bot_id: None,
            team_id: TEAM_ID.to_owned(),
        };
        let live = LiveSlack::new(client, workspace.clone(), identity, clock.clone());
        let people = People::new(workspace.clone(), Arc::new(live), clock, TEAM_ID.to_owned());
        let world = Self {
            slack,
            workspace,
            _store: store,
            people,
            now,
        };
        world.connected(START).await;
        world
    }

    async fn connected(&self, through: i64) {
        self.workspace.set_connected_through(through).await.unwrap();
    }

    fn at(&self, seconds: i64) {
        self.now.store(START + seconds, Ordering::SeqCst);
    }

    /// The channels that Akari sees.
    async fn channels(&self) -> Vec<String> {
        let view = self.workspace.view(Place::Person(AKARI.to_owned()));
        let channels = view.channels().await.unwrap();
        channels.into_iter().map(|channel| channel.id).collect()
    }
}

#[tokio::test]
async fn what_somebody_may_see_is_read_again_before_it_is_fifteen_minutes_old() {
    let world = World::new().await;
    world.slack.add_member(BOARD, AKARI);
    let person = world.people.person(AKARI).await.unwrap();
    assert_eq!((person.name.as_str(), person.is_admin), ("Akari", false));
    assert_eq!(world.channels().await, [BOARD, CAMP]);
    // No event tells it: it is found when Slack is asked again.
    world.slack.remove_member(BOARD, AKARI);
    let asked = || world.slack.requests_of("users.conversations").len();
    for seconds in [1, 839] {
        world.at(seconds);
        world.connected(START + seconds).await;
        world.people.person(AKARI).await.unwrap();
        assert_eq!(asked(), 1);
    }
    world.at(841);
    world.connected(START + 841).await;
    world.people.person(AKARI).await.unwrap();
    assert_eq!(asked(), 2);
    assert_eq!(world.channels().await, [CAMP]);
}

#[tokio::test]
async fn while_no_events_arrive_nobody_sees_anything() {
    let world = World::new().await;
    world.people.person(AKARI).await.unwrap();
    world.at(241);
    let refused = world.people.person(AKARI).await.unwrap_err();
    assert!(matches!(refused, PersonError::NotKnown(_)), "{refused}");
    world.connected(START + 241).await;
    world.people.person(AKARI).await.unwrap();
}

#[tokio::test]
async fn a_channel_that_became_private_is_found_to_be_without_an_event() {
    let world = World::new().await;
    world.people.person(AKARI).await.unwrap();
    assert_eq!(world.channels().await, [CAMP]);
    world.slack.convert_unheard(CAMP);
    world.at(241);
    world.connected(START + 241).await;
    world.people.person(AKARI).await.unwrap();
    assert_eq!(world.channels().await, [""; 0]);
}

#[tokio::test]
async fn a_channel_that_the_bot_left_and_that_became_private_is_found_to_be() {
    let world = World::new().await;
    let left = Effect::ChannelPresence {
        id: CAMP.to_owned(),
        present: false,
        at: TsKey::first_of(START),
    };
    world
        .workspace
        .apply_effects(vec![left], START)
        .await
        .unwrap();
    world.slack.remove_member(CAMP, BOT_USER);
    let is_private = async || {
        let known = world.workspace.known_channel(CAMP).await.unwrap();
        known.unwrap().is_private
    };
    world.people.person(AKARI).await.unwrap();
    assert!(!is_private().await);
    // Slack lists it no more.
    world.slack.convert_unheard(CAMP);
    world.at(241);
    world.connected(START + 241).await;
    world.people.person(AKARI).await.unwrap();
    assert!(is_private().await);
}

#[tokio::test]
async fn which_channels_are_public_is_never_older_than_that_though_somebody_was_read_later() {
    let world = World::new().await;
    world.slack.add_user(EMIKO, "Emiko");
    world.people.person(AKARI).await.unwrap();
    for (seconds, listed) in [(200, 1), (300, 2)] {
        world.at(seconds);
        world.connected(START + seconds).await;
        world.people.person(EMIKO).await.unwrap();
        let asked = world.slack.requests_of("conversations.list").len();
        assert_eq!(asked, listed, "{seconds}");
    }
}

#[tokio::test]
async fn the_tokens_of_a_closed_account_go() {
    let world = World::new().await;
    let tokens = &world.workspace;
    tokens
        .add_agent_token(AKARI, "laptop", [1; 32], START)
        .await
        .unwrap();
    world.people.person(AKARI).await.unwrap();
    assert_eq!(tokens.agent_tokens(AKARI).await.unwrap().len(), 1);
    world.slack.close_account(AKARI);
    world.at(841);
    world.connected(START + 841).await;
    let refused = world.people.person(AKARI).await.unwrap_err();
    assert!(matches!(refused, PersonError::Stranger), "{refused}");
    assert_eq!(tokens.agent_tokens(AKARI).await.unwrap(), []);
    // It is not asked for again and again.
    let asked = world.slack.requests_of("users.info").len();
    world.people.person(AKARI).await.unwrap_err();
    assert_eq!(world.slack.requests_of("users.info").len(), asked);
}

#[tokio::test]
async fn closed_accounts_bots_and_unknown_people_are_strangers() {
    let world = World::new().await;
    world.slack.add_bot("U0ROBOT", "robot");
    world.slack.add_user("U0GONE", "gone");
    world.slack.close_account("U0GONE");
    for id in ["U0ROBOT", "U0GONE", "U0NOBODY"] {
        let refused = world.people.person(id).await.unwrap_err();
        assert!(matches!(refused, PersonError::Stranger), "{id}: {refused}");
    }
}

#[tokio::test]
async fn questions_are_counted_for_each_person() {
    let world = World::new().await;
    let limits = "{\"per_person\": 2, \"window_seconds\": 60}";
    let mut settings = BotSettings::default();
    settings.response.mention_limits = serde_json::from_str(limits).unwrap();
    settings.answers_per_person_per_day = 4;
    let ask = |id: &str| world.people.count_question(id, &settings);
    assert_eq!((ask("U1"), ask("U1")), (Ok(()), Ok(())));
    world.at(20);
    assert_eq!((ask("U1"), ask("U2")), (Err(40), Ok(())));
    world.at(60);
    assert_eq!((ask("U1"), ask("U1")), (Ok(()), Ok(())));
    // The day is over for the first of the four.
    world.at(3600);
    assert_eq!((ask("U1"), ask("U2")), (Err(DAY - 3600), Ok(())));
    world.at(DAY);
    assert_eq!(ask("U1"), Ok(()));
}
