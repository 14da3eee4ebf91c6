//! What is seen of a history as it happens: what is compared, and what is counted.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::view::MemoryFilter;
use myao_plugin::{Place, names};
use myao_tests::store::WORKSPACE;

use super::Run;
use crate::places::history::PEOPLE;
use crate::places::observe::{OBSERVERS, Seat};
use crate::places::world::{channel_id, user_id};
use crate::places::{printed, texts};

/// Something that was seen in a place where no secret may be seen.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// After this step.
    pub(crate) step: usize,
    pub(crate) place: String,
    pub(crate) what: String,
    pub(crate) text: String,
}

/// What a run came across, so that a property over nothing is noticed.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Prompts that were compared, by agent and scope.
    pub(crate) prompts: BTreeMap<String, usize>,
    /// Answers that were compared.
    pub(crate) answers: usize,
    /// In the channels whose talk is secret: prompts, memories and answers that hold it.
    pub(crate) secret_prompts: usize,
    pub(crate) secret_memories: usize,
    pub(crate) secret_answers: usize,
    /// People who may not see a secret, and whose App Home was compared.
    pub(crate) people: usize,
    /// Searches by meaning that were compared.
    pub(crate) similar: usize,
    /// Items that were seen.
    pub(crate) items: usize,
    /// Outputs of commands that were compared.
    pub(crate) printed: usize,
    /// Memories elsewhere that held a secret while it was none, and had to go.
    pub(crate) withdrawn: usize,
    /// Changes in the middle of a run or an answer.
    pub(crate) midway: usize,
    /// Channels whose secret was the operator's alone when their place was compared.
    pub(crate) left: usize,
    /// People of another organisation, and closed accounts, when theirs was.
    pub(crate) strangers: usize,
}

impl Run {
    pub(in crate::places) fn see(&mut self, place: &str, what: &str, text: String) {
        if !self.is_tainted {
            self.seen.push(Seen {
                step: self.step,
                place: place.to_owned(),
                what: what.to_owned(),
                text,
            });
        }
    }

    pub(super) fn see_prompts(&mut self, is_compared: bool) {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        for request in asked {
            let purpose = &request.purpose;
            let place = Place::of(purpose.scope, &purpose.scope_id);
            let scope = names::scope(purpose.scope);
            let what = format!(
                "{:?} of a {scope}, {:?}",
                purpose.agent, purpose.memory_type
            );
            if self.world.holds_secrets(&place) {
                self.counts.secret_prompts +=
                    usize::from(texts::holds_secret(&request.system_prompt));
            } else if is_compared {
                *self.counts.prompts.entry(what.clone()).or_default() += 1;
                self.see(&place.to_string(), &what, request.system_prompt);
            }
        }
    }

    pub(super) fn see_posts(&mut self, is_calm: bool) {
        let posts = std::mem::take(&mut *self.posting.posts.lock().unwrap());
        for (channel, text) in posts {
            let place = Place::Channel(channel);
            if self.world.holds_secrets(&place) {
                self.counts.secret_answers += usize::from(texts::holds_secret(&text));
            } else if is_calm {
                self.counts.answers += 1;
                self.see(&place.to_string(), "answer", text);
            }
        }
    }

    /// Looks at everything from every place where no secret may be seen.
    pub(super) async fn observe(&mut self) {
        let memories = self.memory_count().await;
        let channels = self.world.channel_ids().into_iter().enumerate();
        let (secret, others): (Vec<_>, Vec<_>) =
            channels.partition(|(channel, _)| self.world.shows_secrets(*channel));
        let ids = |channels: Vec<(usize, String)>| channels.into_iter().map(|(_, id)| id);
        let (secret, others): (Vec<String>, Vec<String>) =
            (ids(secret).collect(), ids(others).collect());
        self.count_secret_memories(&secret).await;
        if !self.world.is_calm() || self.is_tainted {
            return;
        }
        let (left, strangers) = self.world.closed();
        self.counts.left += left;
        self.counts.strangers += strangers;
        let roots = self.sent.values().filter_map(|sent| sent.said.thread);
        let roots: BTreeSet<u32> = roots.collect();
        let threads = roots.iter().filter_map(|root| self.sent.get(root));
        let threads = threads.map(|sent| (channel_id(sent.said.channel), sent.ts.clone()));
        let threads: Vec<(String, String)> = threads.collect();
        let people = (0..PEOPLE).filter(|person| !self.world.hears_secrets(*person));
        let people: Vec<Place> = people
            .map(|person| Place::Person(user_id(person)))
            .collect();
        self.counts.people += people.len();
        let places = others.into_iter().map(Place::Channel).chain(people);
        let mut found = Vec::new();
        for place in places.chain([Place::Workspace, Place::Schedule]) {
            let seat = Seat {
                place,
                workspace: &self.workspace,
                plugin: &self.plugins[0],
                views: &self.views,
                site: &self.site,
                secret: &secret,
                threads: &threads,
                memories,
                records: self.records,
                now: self.now(),
            };
            for observer in OBSERVERS {
                let seen = observer.look(&seat).await.into_iter();
                found.extend(seen.map(|(what, text)| (seat.place.to_string(), what, text)));
            }
        }
        for (place, what, text) in found {
            self.counts.similar += usize::from(text.contains("similarity: Some"));
            self.counts.items += usize::from(text.contains("StoredItem {"));
            self.see(&place, &what, text);
        }
    }

    /// Looks at what the command line prints with `--in CHANNEL`.
    pub(super) async fn read_print(&mut self) {
        let Some(file) = &self.kept.file else {
            return;
        };
        if !self.world.is_calm() || self.is_tainted {
            return;
        }
        let config = format!(
            "workspace: {WORKSPACE}\nmemory:\n  database_path: {}\n",
            file.path().display()
        );
        let channels = self.world.channel_ids();
        let places = channels.iter().filter(|id| {
            let place = Place::Channel((*id).clone());
            !self.world.holds_secrets(&place)
        });
        let found: Vec<(String, String, String)> = places
            .flat_map(|id| printed::look(&config, id, &channels))
            .collect();
        self.counts.printed += found.len();
        for (place, what, text) in found {
            self.counts.similar += usize::from(text.contains("similarity: Some"));
            self.counts.items += usize::from(text.contains("StoredItem {"));
            self.see(&place, &what, text);
        }
    }

    /// The memories that somebody sees from a place.
    async fn texts_at(&self, place: Place) -> Vec<(Place, String)> {
        let filter = MemoryFilter {
            with_text: true,
            ..MemoryFilter::default()
        };
        let found = self.workspace.view(place).memories(filter).await.unwrap();
        let memories = found.into_iter().map(|stored| stored.memory);
        memories
            .map(|memory| (Place::of(memory.scope, &memory.scope_id), memory.content))
            .collect()
    }

    async fn memory_count(&self) -> u64 {
        let view = self.workspace.view(Place::Operator);
        let mut most = 0;
        for superseded in [false, true] {
            let filter = MemoryFilter {
                superseded,
                ..MemoryFilter::default()
            };
            let found = view.memories(filter).await.unwrap();
            most = found
                .iter()
                .map(|stored| stored.memory.id)
                .fold(most, u64::max);
        }
        most
    }

    async fn count_secret_memories(&mut self, secret: &[String]) {
        for channel in secret {
            let texts = self.texts_at(Place::Channel(channel.clone())).await;
            let held = texts.iter().filter(|(_, text)| texts::holds_secret(text));
            self.counts.secret_memories += held.count();
        }
    }

    /// The memories elsewhere that hold a secret which has just become one again.
    pub(super) async fn count_withdrawn(&mut self, is_calm: bool) {
        if !is_calm {
            return;
        }
        let filter = MemoryFilter {
            with_text: true,
            superseded: true,
            ..MemoryFilter::default()
        };
        let found = self
            .workspace
            .view(Place::Operator)
            .memories(filter)
            .await
            .unwrap();
        let elsewhere = found.iter().filter(|stored| {
            let memory = &stored.memory;
            texts::holds_secret(&memory.content)
                && !self
                    .world
                    .holds_secrets(&Place::of(memory.scope, &memory.scope_id))
        });
        self.counts.withdrawn += elsewhere.count();
    }

    pub(in crate::places) fn see_error(&mut self, what: &str, error: &str) {
        let line = format!("{what}: {error}");
        self.see("everywhere", "error", line);
    }
}
