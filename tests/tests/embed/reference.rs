//! What the Rust host makes of the script, over SQLite: what every other host has to print.

use myao_plugin::{Place, Places as _};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use myao::config::Config;
use myao_plugin::LoadedComponent;
use myao_plugin::chat::{Chat, ChatError, PostOutcome, PostRequest};
use myao_plugin::llm::{Agent, Agents, CallObserver, Completion, Llm, LlmError, Request};
use myao_plugin::storage::{ChannelFilter, MemoryQuery, Storage};
use myao_plugin::ts::TsKey;
use myao_plugin::{
    CallError, Context, DoneStep, Entry, MemoryPlugin, MemoryType, Message, Occasion, Scope,
    Settings, Step, ThreadRef, Timestamp, User, WORKSPACE_SCOPE_ID, context_json,
};
use myao_tests::store::{TestStore, WORKSPACE, import};
use myao_tests::{component, component_of, read_project_file};
use serde_json::{Value, json};

use crate::json::plain;
use crate::script::{Answer, Script};

/// The context of the specification's worked prompts.
pub(crate) const CONTEXT: &str = "tests/goldens/context.json";

/// Everything, as JSON that is the same from every host.
pub(crate) async fn output() -> String {
    let printed = plain(json!({"memory": memory().await, "summarizer": summarizer().await}));
    serde_json::to_string_pretty(&printed).unwrap() + "\n"
}

/// The memory component over SQLite.
pub(crate) async fn memory() -> Value {
    let script = Arc::new(Script::read());
    let store = TestStore::empty();
    import(&store.open(), &script.places());
    let config: Config = serde_json::from_value(json!({"timezone": "Asia/Tokyo"})).unwrap();
    let workspace = store.open();
    let workspace = workspace.workspace(WORKSPACE, config.timezone, WORKSPACE_SCOPE_ID);
    let workspace = Arc::new(workspace.unwrap());
    let requests = Arc::default();
    let agents = agents(&script, &requests);
    let platform = Arc::new(Platform {
        script: script.clone(),
        posts: Mutex::default(),
    });
    let plugin = MemoryPlugin::builder()
        .component(component())
        .storage(workspace.clone())
        .llm(agents)
        .chat(platform.clone())
        .settings(script.settings())
        .build()
        .unwrap();
    let mut runs = Vec::new();
    for run in &script.runs {
        import(&store.open(), &script.news(run));
        let now = script.now(run);
        let report = json!({"now": now, "entries": generate(&plugin, now).await});
        let mut channels = Vec::new();
        for id in &run.generate_channels {
            channels.push(plugin.generate_channel(id, now).await.unwrap());
        }
        let mut threads = Vec::new();
        for (id, ts) in &run.generate_threads {
            threads.push(plugin.generate_thread(id, ts, now).await.unwrap());
        }
        runs.push(json!({"report": report, "channels": channels, "threads": threads}));
    }
    let then = script.now(script.runs.last().unwrap());
    let mention = plugin.reply_to_mention(&script.mention(), then).await;
    let judged = plugin.judge(&script.judged(), then).await;
    let asking_place = Place::Channel(script.asked.channel_id.clone());
    let asked = plugin.ask(asking_place, &script.asked.text, then).await;
    let mut deferrals = Vec::new();
    for scope_id in &script.threads {
        let storage = workspace.at(Place::Operator);
        let deferred = storage.list_deferrals(Scope::Thread, scope_id.clone());
        deferrals.push(deferred.await.unwrap());
    }
    let all = MemoryQuery {
        until: None,
        workspace: true,
        channels: ChannelFilter::All,
        history_limit: u32::MAX,
        unmerged: true,
        threads: script.threads.clone(),
        citations: true,
    };
    json!({
        "prompts": prompts(component(), &script).await,
        "runs": runs,
        "memories": workspace.at(Place::Operator).list_memories(all).await.unwrap(),
        "deferrals": deferrals,
        "mention": mention.unwrap(),
        "judged": judged.unwrap(),
        "asked": asked.unwrap(),
        "posts": *platform.posts.lock().unwrap(),
        "requests": *requests.lock().unwrap(),
    })
}

/// The steps of a run, one after the other.
async fn generate(plugin: &MemoryPlugin, now: Timestamp) -> Vec<Entry> {
    let (mut done, mut entries) = (Vec::new(), Vec::new());
    loop {
        let steps = plugin.next_steps(&done, now).await.unwrap().steps;
        if steps.is_empty() {
            return entries;
        }
        for step in steps {
            let entry = match &step {
                Step::Thread(ThreadRef {
                    channel_id,
                    thread_ts,
                }) => plugin.generate_thread(channel_id, thread_ts, now).await,
                Step::Channel(channel_id) => plugin.generate_channel(channel_id, now).await,
                Step::Workspace => plugin.generate_workspace(now).await,
            };
            let entry = entry.unwrap();
            let made = !entry.made.is_empty();
            done.push(DoneStep { step, made });
            entries.push(entry);
        }
    }
}

/// The smallest component.
pub(crate) async fn summarizer() -> Value {
    let script = Script::read();
    let requests = Requests::default();
    let model = Scripted {
        answers: script.answers_of_the_summarizer.clone(),
        context_window: None,
        requests: requests.clone(),
    };
    let plugin = bare(smallest(), Arc::new(model), script.settings());
    let context = context();
    let mut results = Vec::new();
    for scope in [Scope::Channel, Scope::Workspace, Scope::Thread] {
        let summary = plugin.summarize(&context, scope, MemoryType::ShortTerm, None);
        results.push(match summary.await {
            Ok(summary) => json!({ "ok": summary }),
            Err(CallError::Refused(error)) => json!({ "err": error }),
            Err(error) => panic!("{error}"),
        });
    }
    json!({
        "prompts": prompts(smallest(), &script).await,
        "summary": results[0]["ok"],
        "refused": results[1],
        "failed": results[2],
        "requests": *requests.lock().unwrap(),
    })
}

/// Every prompt of the context, by its name.
async fn prompts(component: LoadedComponent, script: &Script) -> BTreeMap<&'static str, String> {
    let context = context();
    let of_channel = context.channel_memories[0].long_term_memory.as_deref();
    let of_workspace = context.workspace_long_term_memory.as_deref();
    let (long, short) = (MemoryType::LongTerm, MemoryType::ShortTerm);
    let worked = [
        ("channel-long-term", Scope::Channel, long, of_channel, false),
        ("channel-short-term", Scope::Channel, short, None, false),
        ("thread-short-term", Scope::Thread, short, None, true),
        (
            "workspace-long-term",
            Scope::Workspace,
            long,
            of_workspace,
            false,
        ),
        ("workspace-short-term", Scope::Workspace, short, None, true),
    ];
    let silent = || -> Arc<dyn Llm> { Arc::new(Scripted::default()) };
    let mut prompts = BTreeMap::new();
    for (name, scope, memory_type, existing, legacy_workspace_short_term) in worked {
        let settings = script.settings().with(|settings| {
            settings.set(
                "memory.legacy_workspace_short_term",
                legacy_workspace_short_term,
            );
        });
        let prompt = bare(component.clone(), silent(), settings)
            .render_prompt(&context, scope, memory_type, existing)
            .await;
        prompts.insert(name, prompt.unwrap());
    }
    let replies = bare(component, silent(), script.settings());
    let now = script.now(&script.runs[0]);
    let reply = replies
        .render_reply(&context, Occasion::Mention, now)
        .await
        .unwrap();
    let judgment = replies.render_judgment(&context, now).await.unwrap();
    prompts.extend([("reply", reply), ("judgment", judgment)]);
    prompts
}

/// A component without a workspace.
fn bare(component: LoadedComponent, model: Arc<dyn Llm>, settings: Settings) -> MemoryPlugin {
    let plugin = MemoryPlugin::builder().component(component);
    plugin.llm(model).settings(settings).build().unwrap()
}

/// The smallest component, compiled once.
fn smallest() -> LoadedComponent {
    static COMPONENT: OnceLock<LoadedComponent> = OnceLock::new();
    let load = || component_of("myao_summarizer");
    COMPONENT.get_or_init(load).clone()
}

fn context() -> Context {
    context_json::parse(&read_project_file(CONTEXT)).unwrap()
}

/// What the models were asked, in order.
type Requests = Arc<Mutex<Vec<Request>>>;

fn agents(script: &Script, requests: &Requests) -> Agents {
    let model = |agent: &str| -> Arc<dyn Llm> {
        Arc::new(Scripted {
            answers: script.answers.clone(),
            context_window: script.context_windows[agent],
            requests: requests.clone(),
        })
    };
    Agents {
        memory: model("memory"),
        response: model("response"),
        judgment: model("judgment"),
    }
}

/// A model that answers each purpose with one text after the other, the last one again and again.
#[derive(Default)]
struct Scripted {
    answers: BTreeMap<String, Vec<Answer>>,
    context_window: Option<u32>,
    requests: Requests,
}

#[async_trait::async_trait]
impl Llm for Scripted {
    async fn complete(
        &self,
        request: Request,
        _: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let mut requests = self.requests.lock().unwrap();
        let before = requests
            .iter()
            .filter(|earlier| earlier.purpose == request.purpose)
            .count();
        let purpose = purpose(&request);
        requests.push(request);
        let answers = &self.answers[&purpose];
        let answer = &answers[before.min(answers.len() - 1)];
        match answer.error() {
            Some(error) => Err(error),
            None => Ok(Completion {
                text: answer.text.clone(),
                finish_reason: answer.finish_reason(),
                model: "scripted".to_owned(),
                input_tokens: answer.input_tokens,
                output_tokens: answer.output_tokens,
            }),
        }
    }

    fn count_tokens(&self, text: &str) -> u32 {
        u32::try_from(text.chars().count()).unwrap()
    }

    fn context_window(&self) -> Option<u32> {
        self.context_window
    }
}

/// As the script names it.
fn purpose(request: &Request) -> String {
    let agent = match request.purpose.agent {
        Agent::Memory => "memory",
        Agent::Response => "response",
        Agent::Judgment => "judgment",
    };
    let memory_type = match request.purpose.memory_type {
        None => "",
        Some(MemoryType::LongTerm) => " long-term",
        Some(MemoryType::ShortTerm) => " short-term",
    };
    format!("{agent} {}{memory_type}", request.purpose.scope_id)
}

/// A chat platform that knows some messages, and keeps what is posted.
struct Platform {
    script: Arc<Script>,
    posts: Mutex<Vec<PostRequest>>,
}

#[async_trait::async_trait]
impl Chat for Platform {
    async fn post(&self, request: PostRequest) -> Result<PostOutcome, ChatError> {
        let (seconds, sequence) = request.answers.split_once('.').unwrap();
        let next = seconds.parse::<i64>().unwrap() + 1;
        let posted = format!("{next}.{sequence}");
        self.posts.lock().unwrap().push(request);
        Ok(PostOutcome::Posted(vec![posted]))
    }

    async fn thread(&self, _: String, _: String, _: u32) -> Result<Vec<Message>, ChatError> {
        Err(ChatError::NotFound("no test asks for a thread".to_owned()))
    }

    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let until = TsKey::parse(&until).unwrap();
        let known = self.script.known_to_the_platform.iter();
        let shown = known.filter(|message| {
            message.channel_id == channel_id && TsKey::parse(&message.ts).unwrap() <= until
        });
        let shown: Vec<Message> = shown.map(|message| self.script.show(message)).collect();
        assert!(shown.len() <= limit as usize);
        Ok(shown)
    }

    async fn permalink(&self, _: String, _: String) -> Result<String, ChatError> {
        Err(ChatError::NotFound("no test asks for a link".to_owned()))
    }

    async fn get_user(&self, _: String) -> Result<User, ChatError> {
        Err(ChatError::NotFound("everybody has a name".to_owned()))
    }
}

#[tokio::test]
async fn the_script_shows_every_way_a_run_can_end() {
    let text = plain(memory().await["runs"].clone()).to_string();
    let ends = [
        r#""outcome":"done""#,
        r#"{"skipped":"no-new-messages"}"#,
        r#"{"skipped":"not-due"}"#,
        r#"{"skipped":"outside-window"}"#,
        r#"{"deferred":{"failures":1,"#,
        r#"{"failed":{"bad-answer":"empty"}}"#,
        r#"{"failed":{"llm":{"rate-limited":30}}}"#,
        r#"{"failed":{"llm":{"unavailable":"#,
        r#"{"failed":{"llm":"timed-out"}}"#,
        r#""refused":1"#,
        r#""chunks":2"#,
        r#""truncated":true"#,
        r#""version":2"#,
    ];
    for end in ends {
        assert!(text.contains(end), "{end} is nowhere in {text}");
    }
}

#[tokio::test]
async fn the_prompts_of_the_script_are_the_goldens() {
    for component in [component(), component_of("myao_memory"), smallest()] {
        for (name, prompt) in prompts(component, &Script::read()).await {
            if !["reply", "judgment"].contains(&name) {
                let golden = read_project_file(&format!("tests/goldens/{name}.txt"));
                assert_eq!(prompt, golden, "{name}");
            }
        }
    }
}
