//! The bot's own inbox, worker and catching up, without the loops around them.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use myao_fake_slack::{APP_ID, APP_TOKEN, BOT_ID, BOT_TOKEN, BOT_USER, Event, FakeSlack, TEAM_ID};
use myao_plugin::state::Workspace;
use myao_plugin::{LoadedComponent, MemoryPlugin};
use myao_slack::client::SlackClient;
use myao_slack::delivery::{Delivery, DeliveryKind, Inbox as _};
use myao_slack::events::BotIdentity;
use myao_slack::installation::Installation;
use myao_slack::token::Token;
use tokio::sync::Notify;

use super::super::CatchUp;
use super::super::owed::Reading;
use crate::budget::{Budget, Ceiling, Pricing, Terms, TokenPrice};
use crate::clock::Clock;
use crate::commands::Commands;
use crate::current::Current;
use crate::gaps::Gaps;
use crate::home::Home;
use crate::inbox::DurableInbox;
use crate::metrics::Metrics;
use crate::off_record::OffRecord;
use crate::settings::BotSettings;
use crate::shortcuts::Shortcuts;
use crate::slack::live::LiveSlack;
use crate::views::Views;
use crate::waiting::Deferrals;
use crate::worker::Worker;

/// A process of the bot.
pub(super) struct Bot {
    pub(super) ears: Arc<Ears>,
    catch_up: CatchUp,
    clock: Clock,
    gaps: Gaps,
    reading: Reading,
    is_known: bool,
}

/// The part that takes events.
pub(super) struct Ears {
    worker: Worker,
    inbox: DurableInbox,
}

struct Free;

impl Pricing for Free {
    fn of(&self, _: &str, _: &str, _: &str) -> TokenPrice {
        TokenPrice {
            input: 0,
            cached: 0,
            output: 0,
        }
    }
}

/// The component is only asked for its settings.
fn plugin() -> MemoryPlugin {
    static COMPONENT: OnceLock<LoadedComponent> = OnceLock::new();
    let component = COMPONENT.get_or_init(|| {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
        let path = target.join("component/myao_bot.wasm");
        LoadedComponent::from_file(&path, Some(&target.join("component-cache")))
            .unwrap_or_else(|error| panic!("{error}; run `make component` first"))
    });
    let builder = MemoryPlugin::builder().component(component.clone());
    builder.build().unwrap()
}

impl Bot {
    /// A process of the bot, which is not connected yet.
    pub(super) async fn start(
        slack: &FakeSlack,
        workspace: Arc<dyn Workspace>,
        machine: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        let bot = BotIdentity {
            user_id: BOT_USER.to_owned(),
            bot_id: Some(BOT_ID.to_owned()),
            team_id: TEAM_ID.to_owned(),
        };
        let installation = Installation {
            team_id: TEAM_ID.to_owned(),
            enterprise_id: None,
            app_id: Some(APP_ID.to_owned()),
        };
        let token = Token::new(BOT_TOKEN).unwrap();
        let client = SlackClient::with_clock(&slack.api_url(), token, machine).unwrap();
        // A bot begins with this call, and waits for its answer.
        client.auth_test().await.unwrap();
        let clock = Clock::at_slack(chrono_tz::UTC, client.clone());
        let live = LiveSlack::new(client, workspace.clone(), bot.clone(), clock.clone());
        let live = Arc::new(live);
        let current = Current::fixed(BotSettings::default(), plugin());
        let views = Views::new(
            workspace.clone(),
            live.clone(),
            current.clone(),
            clock.clone(),
        );
        let free = Ceiling {
            tokens: None,
            money: None,
        };
        let terms = Terms {
            day: free,
            run: free,
            prices: Arc::new(Free),
        };
        let budget = Arc::new(Budget::new(workspace.clone(), clock.clone(), terms));
        let (arrived, asked) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (gaps, metrics) = (Gaps::default(), Arc::new(Metrics::default()));
        let off_record = OffRecord {
            workspace: workspace.clone(),
            slack: live.clone(),
            clock: clock.clone(),
        };
        let home = Home::new(views.clone(), live.clone(), current.clone(), budget);
        let shortcuts = Shortcuts {
            views: views.clone(),
            slack: live.clone(),
            current: current.clone(),
            workspace: workspace.clone(),
            clock: clock.clone(),
            off_record: off_record.clone(),
            home: home.clone(),
        };
        let (inbox, keeping) = DurableInbox::new(
            workspace.clone(),
            Commands::new(views, current.clone(), off_record),
            shortcuts,
            metrics.clone(),
            clock.clone(),
            installation,
            (arrived.clone(), gaps.clone()),
        );
        tokio::spawn(keeping);
        let worker = Worker {
            workspace: workspace.clone(),
            slack: live.clone(),
            bot: bot.clone(),
            current: current.clone(),
            home,
            clock: clock.clone(),
            metrics,
            arrived,
            asked: asked.clone(),
        };
        let catch_up = CatchUp {
            workspace,
            slack: live,
            bot,
            current,
            clock: clock.clone(),
            asked,
            audiences: Deferrals::default(),
            gaps: gaps.clone(),
        };
        Self {
            ears: Arc::new(Ears { worker, inbox }),
            catch_up,
            clock,
            gaps,
            reading: Reading::default(),
            is_known: false,
        }
    }

    /// A connection was made, after none.
    pub(super) async fn connected(&mut self) {
        let client = self.catch_up.slack.client();
        let app_token = Token::new(APP_TOKEN).unwrap();
        client.open_connection(&app_token).await.unwrap();
        self.gaps.connected(self.clock.seconds());
        self.is_known = false;
    }

    /// Does as `CatchUp::run` between two of its notes, until nothing is under way.
    pub(super) async fn reads(&mut self) {
        loop {
            let read = self.catch_up.read_owed(&mut self.reading).await;
            if read.is_err() {
                self.is_known = false;
                self.reading = Reading::default();
                return;
            }
            let stepped = self
                .catch_up
                .step(&mut self.is_known, &mut self.reading)
                .await;
            if stepped.is_err() || !self.reading.is_under_way() {
                return;
            }
        }
    }

    /// Compares some pages with Slack. Returns true if nothing is due any more.
    pub(super) async fn sweeps(&self, pages: usize) -> bool {
        for _ in 0..pages {
            match self.catch_up.sweep_next().await {
                Ok(true) => {}
                Ok(false) => return true,
                Err(_) => return false,
            }
        }
        false
    }
}

impl Ears {
    /// Returns true if it is kept.
    pub(super) async fn takes(&self, event: &Event) -> bool {
        let kind = match event.event_type.as_str() {
            "app_rate_limited" => DeliveryKind::RateLimited,
            _ => DeliveryKind::Events,
        };
        let time = |field: &str| event.payload[field].as_i64();
        let delivery = Delivery {
            id: event.event_id.clone(),
            kind,
            time: time("event_time").or_else(|| time("minute_rate_limited")),
            addressee: serde_json::from_value(event.payload.clone()).unwrap(),
            payload: event.payload.to_string(),
        };
        self.inbox.accept(delivery).await.is_ok()
    }

    /// Applies the events that wait. Returns true if none is left.
    pub(super) async fn applies(&self) -> bool {
        loop {
            match self.worker.apply_waiting().await {
                Ok(0) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }
}
