//! What can be seen in a place. Another way of looking (a search, a page) is another [`Observer`].

use std::sync::Arc;

use myao_bot::embedding::embed_missing;
use myao_bot::people::Person;
use myao_bot::views::{Asked, Views};
use myao_page::{Site, shown_to};
use myao_plugin::embedder::{Embedder as _, Meaning};
use myao_plugin::state::Workspace;
use myao_plugin::state::items::ItemFilter;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::recall::RecallQuery;
use myao_plugin::storage::{
    ChannelFilter, Due, DueQuery, ItemQuery, Keep, Memory, MemoryQuery, MessageQuery, StorageError,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{BuildRequest, KeptSpan, MemoryPlugin, MessageRef, Place, Scope, SearchRequest};
use myao_slack::blocks::{
    Language, answer_message, history_message, home_view, memory_message, sources_message,
    thread_message,
};
use myao_slack::command::SourcesOf;
use myao_testkit::WordEmbedder;
use myao_tests::store::utc;

/// The time after which nothing was said.
const END: &str = "9999999999.000000";

/// Somebody who looks from a place.
pub(crate) struct Seat<'r> {
    pub(crate) place: Place,
    pub(crate) workspace: &'r Arc<dyn Workspace>,
    pub(crate) plugin: &'r MemoryPlugin,
    pub(crate) views: &'r Views,
    pub(crate) site: &'r Arc<Site>,
    /// Channels that hold secrets.
    pub(crate) secret: &'r [String],
    /// Every thread, by channel and first message.
    pub(crate) threads: &'r [(String, String)],
    /// The ids of memories go from 1 to this.
    pub(crate) memories: u64,
    /// Whether there are recordings.
    pub(crate) records: bool,
    pub(crate) now: i64,
}

/// A way of looking.
#[async_trait::async_trait]
pub(crate) trait Observer: Sync {
    /// All that is seen, each with what it is.
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)>;
}

/// All ways of looking.
pub(crate) const OBSERVERS: [&dyn Observer; 8] = [
    &Stored, &Searched, &Answered, &Viewed, &Built, &Shown, &Paged, &Refused,
];

fn seen(what: &str, found: &impl std::fmt::Debug) -> (String, String) {
    (what.to_owned(), format!("{found:#?}"))
}

impl Seat<'_> {
    fn own(&self) -> Option<&String> {
        match &self.place {
            Place::Channel(id) => Some(id),
            _ => None,
        }
    }
}

fn items_of(channel_id: Option<String>) -> ItemQuery {
    ItemQuery {
        channel_id,
        since: None,
        until: END.to_owned(),
        closed: true,
    }
}

fn all_messages(channel_id: &str) -> MessageQuery {
    MessageQuery {
        channel_id: channel_id.to_owned(),
        since: None,
        until: END.to_owned(),
        limit: 1000,
        keep: Keep::Newest,
        whole_thread: None,
        thread_limit: 0,
        only_new: false,
    }
}

/// What is due has the names of channels, which nobody shows.
fn without_names(due: Result<Due, StorageError>) -> Result<Due, StorageError> {
    let mut due = due?;
    let backlogs = due.channels.iter_mut().chain(&mut due.threads);
    backlogs.for_each(|backlog| backlog.channel.name.clear());
    Ok(due)
}

/// The records of memories, and all of the messages that their lines cite.
fn parts_of(memories: &[Memory]) -> Vec<KeptSpan> {
    let cited = memories.iter().flat_map(|memory| &memory.citations);
    let cited = cited.flat_map(|line| &line.messages);
    let records = memories.iter().flat_map(|memory| &memory.records);
    cited
        .map(|message| whole(message.clone()))
        .chain(records.cloned())
        .collect()
}

fn whole(message: MessageRef) -> KeptSpan {
    KeptSpan {
        message,
        start: 0,
        length: u32::MAX,
    }
}

/// What a call into the component reads from the store.
struct Stored;

#[async_trait::async_trait]
impl Observer for Stored {
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)> {
        let storage = seat.workspace.at(seat.place.clone());
        let own_threads = seat
            .threads
            .iter()
            .filter(|(channel, _)| Some(channel) == seat.own());
        let threads: Vec<&String> = own_threads.map(|(_, thread)| thread).collect();
        let ids = threads
            .iter()
            .map(|ts| format!("{}:{ts}", seat.own().unwrap()));
        let every_memory = MemoryQuery {
            until: None,
            workspace: true,
            channels: ChannelFilter::All,
            history_limit: 1000,
            unmerged: true,
            threads: ids.clone().collect(),
            citations: true,
        };
        let window_start = TsKey::first_of(seat.now - 86_400).to_string();
        let due = DueQuery {
            until: TsKey::first_of(seat.now).to_string(),
            idle_since: window_start.clone(),
            window_start,
            message_threshold: 1,
            always: true,
        };
        let memories = storage.list_memories(every_memory).await;
        let parts = parts_of(memories.as_deref().unwrap_or_default());
        let mut found = vec![
            seen("list-channels", &storage.list_channels().await),
            seen("list-memories", &memories),
            seen("read-spans", &storage.read_spans(parts).await),
            seen("list-due", &without_names(storage.list_due(due).await)),
            seen("list-items", &storage.list_items(items_of(None)).await),
        ];
        let scope_id = "default".to_owned();
        let deferrals = storage.list_deferrals(Scope::Workspace, scope_id).await;
        found.push(seen("list-deferrals", &deferrals));
        if let Some(own) = seat.own() {
            let deferrals = storage.list_deferrals(Scope::Channel, own.clone()).await;
            found.push(seen("list-deferrals", &deferrals));
            found.push(seen(
                "list-messages",
                &storage.list_messages(all_messages(own)).await,
            ));
            let marked = storage.list_marked(own.clone(), END.to_owned(), 1000).await;
            found.push(seen("list-marked", &marked));
            let items = storage.list_items(items_of(Some(own.clone()))).await;
            found.push(seen("list-items", &items));
            for thread in [None]
                .into_iter()
                .chain(threads.iter().map(|ts| Some((*ts).clone())))
            {
                let backlog = storage
                    .get_backlog(own.clone(), thread, END.to_owned())
                    .await;
                let backlog = backlog.map(|mut backlog| {
                    backlog.channel.name.clear();
                    backlog
                });
                found.push(seen("get-backlog", &backlog));
            }
        }
        found
    }
}

/// What a search finds, in which order, and by which counts.
struct Searched;

#[async_trait::async_trait]
impl Observer for Searched {
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)> {
        let storage = seat.workspace.at(seat.place.clone());
        let words = ["salary", "budget", "apple", "euros", "glass"];
        let query = RecallQuery {
            terms: words.map(str::to_owned).to_vec(),
            text: String::new(),
            channels: Vec::new(),
            since: None,
            until: END.to_owned(),
            limit: 20,
            neighbours: 2,
        };
        let candidates = storage.find_candidates(query.clone(), None).await;
        let mut found = vec![seen("find-candidates", &candidates)];
        let embedder = WordEmbedder::new("places", &[]);
        let made = embed_missing(&**seat.workspace, &embedder, &(), &|_| ()).await;
        made.unwrap();
        let meaning = Meaning {
            embedder: embedder.identity().digest().to_owned(),
            vector: embedder.vector("the salary of apple").unwrap(),
        };
        let similar = storage.find_candidates(query, Some(meaning)).await;
        found.push(seen("find-candidates by meaning", &similar));
        if seat.place != Place::Schedule {
            let request = SearchRequest {
                text: "Who knows the salary of apple, is it 1003 euros?".to_owned(),
                since: None,
                until: None,
                limit: 10,
            };
            let place = seat.place.clone();
            let hits = seat.plugin.search(place, &request, utc(seat.now)).await;
            found.push(seen("search", &hits));
        }
        found
    }
}

/// What is answered to questions outside the chat.
struct Answered;

#[async_trait::async_trait]
impl Observer for Answered {
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)> {
        if !matches!(seat.place, Place::Channel(_) | Place::Workspace) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for question in [
            "Who knows the salary of apple?",
            "What did I miss this week?",
            "What is still open?",
        ] {
            let place = seat.place.clone();
            let response = seat.plugin.ask(place, question, utc(seat.now)).await;
            found.push(seen("ask", &response));
        }
        found
    }
}

/// What people read from the store.
struct Viewed;

#[async_trait::async_trait]
impl Observer for Viewed {
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)> {
        let view = seat.workspace.view(seat.place.clone());
        let mut found = vec![
            seen("View::channels", &view.channels().await),
            seen("View::answers", &view.answers(None, 1000).await),
            seen("View::items", &view.items(ItemFilter::default()).await),
        ];
        for superseded in [false, true] {
            let filter = MemoryFilter {
                superseded,
                with_text: true,
                ..MemoryFilter::default()
            };
            found.push(seen("View::memories", &view.memories(filter).await));
        }
        for id in 1..=seat.memories {
            found.push(seen("View::sources", &view.sources(id).await));
            if seat.records {
                found.push(seen("View::recording_of", &view.recording_of(id).await));
            }
        }
        found
    }
}

/// The context that the component builds.
struct Built;

#[async_trait::async_trait]
impl Observer for Built {
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)> {
        let channel_id = match &seat.place {
            Place::Channel(id) => id.clone(),
            Place::Workspace => String::new(),
            _ => return Vec::new(),
        };
        let threads = seat
            .threads
            .iter()
            .filter(|(channel, _)| *channel == channel_id);
        let mut found = Vec::new();
        for target in [None]
            .into_iter()
            .chain(threads.map(|(_, ts)| Some(ts.clone())))
        {
            let request = BuildRequest {
                channel_id: channel_id.clone(),
                target_thread_ts: target,
                since: None,
                message_limit: None,
            };
            let built = seat.plugin.build_context(&request, utc(seat.now)).await;
            found.push(seen("context", &built));
        }
        found
    }
}

/// App Home and `/memory`, as Slack gets them.
struct Shown;

/// What `/memory decisions`, `open` and `since` ask, and what is no time.
const QUESTIONS: [&str; 4] = [
    "what was decided",
    "what is still open",
    "since yesterday",
    "since the salary",
];

/// How many threads somebody asks for.
const MAX_THREADS: usize = 3;

#[async_trait::async_trait]
impl Observer for Shown {
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)> {
        let (views, language) = (seat.views, Language::English);
        if let Place::Person(id) = &seat.place {
            let home = views.home(id).await.unwrap();
            let mut found = vec![("App Home".to_owned(), home_view(&home, language))];
            let here = [None].into_iter().chain(seat.secret.first().map(Some));
            for (channel, question) in here.flat_map(|channel| QUESTIONS.map(|of| (channel, of))) {
                let channel = channel.map(String::as_str);
                let answer = views.answer(id.clone(), channel, question).await.unwrap();
                let answer = answer_message(answer.as_ref(), language);
                found.push((format!("/memory {question}"), answer));
            }
            for (channel, first) in seat.threads.iter().take(MAX_THREADS) {
                let key = TsKey::parse(first).unwrap();
                let thread = views.thread(id.clone(), channel, key).await.unwrap();
                let thread = thread_message(thread.as_ref(), language);
                found.push((format!("/memory thread {channel} {first}"), thread));
            }
            let found = found.into_iter();
            return found
                .map(|(what, shown)| (what, shown.to_string()))
                .collect();
        }
        let Some(own) = seat.own() else {
            return Vec::new();
        };
        let asked = || Asked {
            id: own.clone(),
            name: "here".to_owned(),
        };
        let memory = memory_message(&views.memory(asked()).await.unwrap(), language);
        let history = history_message(&views.history(asked(), 100).await.unwrap(), language);
        let sources = async |of| {
            let found = views.sources(asked(), of).await.unwrap();
            sources_message(&found, language)
        };
        let answers = [
            ("/memory", memory),
            ("/memory history", history),
            ("/memory sources", sources(SourcesOf::Newest).await),
            ("/memory sources so far", sources(SourcesOf::LongTerm).await),
        ];
        answers
            .into_iter()
            .map(|(what, shown)| (what.to_owned(), shown.to_string()))
            .collect()
    }
}

/// The web page and its twins, as a person sees them who signed in.
struct Paged;

#[async_trait::async_trait]
impl Observer for Paged {
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)> {
        let Place::Person(id) = &seat.place else {
            return Vec::new();
        };
        let person = Person {
            id: id.clone(),
            name: id.clone(),
            is_admin: true,
            closed_at: None,
        };
        let mut addresses = vec![
            "/workspace".to_owned(),
            "/search?q=salary".to_owned(),
            "/ask?q=Who+knows+the+salary%3F".to_owned(),
            "/answers".to_owned(),
            "/upkeep".to_owned(),
        ];
        addresses.extend((1..=seat.memories).map(|id| format!("/memory/{id}")));
        let channels = seat.workspace.all_channels().await.unwrap();
        for channel in channels {
            addresses.push(format!("/channel/{}", channel.id));
            addresses.push(format!("/channel/{}?of=long-term", channel.id));
        }
        for (channel, first) in seat.threads.iter().take(MAX_THREADS) {
            addresses.push(format!("/message/{channel}/{first}"));
        }
        let mut found = Vec::new();
        for address in addresses {
            let shown = shown_to(seat.site, &person, &address).await;
            found.push(seen(&address, &shown));
        }
        found
    }
}

/// What is asked of channels whose talk is secret.
struct Refused;

#[async_trait::async_trait]
impl Observer for Refused {
    async fn look(&self, seat: &Seat<'_>) -> Vec<(String, String)> {
        let storage = seat.workspace.at(seat.place.clone());
        let mut found = Vec::new();
        for channel in seat.secret {
            found.push(seen(
                "others' messages",
                &storage.list_messages(all_messages(channel)).await,
            ));
            let marked = storage
                .list_marked(channel.clone(), END.to_owned(), 1000)
                .await;
            found.push(seen("others' marks", &marked));
            let threads = seat.threads.iter().filter(|(of, _)| of == channel);
            let firsts = threads.map(|(_, ts)| {
                whole(MessageRef {
                    channel_id: channel.clone(),
                    ts: ts.clone(),
                })
            });
            let words = storage.read_spans(firsts.collect()).await;
            found.push(seen("parts of others' messages", &words));
            let backlog = storage
                .get_backlog(channel.clone(), None, END.to_owned())
                .await;
            found.push(seen("others' backlog", &backlog));
            let deferrals = storage
                .list_deferrals(Scope::Channel, channel.clone())
                .await;
            found.push(seen("others' deferrals", &deferrals));
            let query = MemoryQuery {
                until: None,
                workspace: false,
                channels: ChannelFilter::One(channel.clone()),
                history_limit: 1000,
                unmerged: true,
                threads: Vec::new(),
                citations: true,
            };
            found.push(seen(
                "others' memories",
                &storage.list_memories(query).await,
            ));
        }
        found
    }
}
