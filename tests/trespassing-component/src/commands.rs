//! The commands: a verb and its arguments, separated by blanks. `-` is none, `''` the empty text.

use core::fmt::Debug;

use crate::drafts::{deferral, draft, scope, size, span};
use crate::myao::memory::chat::{self, PostRequest};
use crate::myao::memory::llm::{self, Agent, Purpose, Request};
use crate::myao::memory::log::{self, Level};
use crate::myao::memory::recall::{self, RecallQuery};
use crate::myao::memory::settings;
use crate::myao::memory::storage::{
    self, ChannelFilter, DueQuery, ItemQuery, Keep, MemoryQuery, MessageQuery,
};

/// Later than everything in the tests.
const UNTIL: &str = "999999999999.999999";

/// Does what the setting says, and returns what each line got, one line for each.
pub(crate) fn obey() -> String {
    let told = told();
    told.lines().map(one).collect::<Vec<String>>().join("\n")
}

/// The channel of `take CHANNEL`: each time that it is asked, this is the next step.
pub(crate) fn channel_to_take() -> Option<String> {
    told().strip_prefix("take ").map(str::to_owned)
}

/// Everything that has a term.
fn found(term: &str) -> RecallQuery {
    RecallQuery {
        terms: vec![term.to_owned()],
        text: String::new(),
        channels: Vec::new(),
        since: None,
        until: UNTIL.to_owned(),
        limit: u32::MAX,
        neighbours: u32::MAX,
    }
}

fn told() -> String {
    let mut settings = settings::get().into_iter();
    let told = settings.find(|(key, _)| key == "persona.system_prompt");
    told.map_or_else(String::new, |(_, commands)| commands)
}

fn one(line: &str) -> String {
    let mut words = line
        .split(' ')
        .map(|word| if word == "''" { "" } else { word });
    let verb = words.next().unwrap_or_default();
    let arguments: Vec<&str> = words.collect();
    let argument = |n: usize| arguments.get(n).copied().unwrap_or_default();
    let (first, second, third) = (argument(0), argument(1), argument(2));
    match verb {
        "channels" => shown(storage::list_channels()),
        "messages" => shown(storage::list_messages(&messages(first, option(second)))),
        "marked" => shown(storage::list_marked(first, UNTIL, 10)),
        "items" => shown(storage::list_items(&items(option(first)))),
        "strikes" => shown(storage::list_strikes()),
        "memories" => shown(storage::list_memories(&memories(&arguments))),
        "find" => shown(recall::find_candidates(&found(first))),
        "words" => shown(storage::read_spans(&[span(first, second)])),
        "due" => shown(storage::list_due(&everything_due())),
        "backlog" => shown(storage::get_backlog(first, option(second), UNTIL)),
        "deferrals" => shown(storage::list_deferrals(scope(first), second)),
        "defer" => shown(storage::defer(
            scope(first),
            second,
            &deferral("why".to_owned()),
        )),
        "save" => shown(storage::save_memory(&draft(
            &arguments,
            "a memory".to_owned(),
        ))),
        "post" => shown(chat::post(&post(first, option(second), third))),
        "thread" => shown(chat::thread(first, second, 100)),
        "history" => shown(chat::history(first, UNTIL, 100)),
        "permalink" => shown(chat::permalink(first, second)),
        "user" => shown(chat::get_user(first)),
        "ask" => shown(llm::complete(&request(first, second))),
        "ask-both" => {
            let requests = [request(first, second), request(third, argument(3))];
            format!("{:?}", llm::complete_all(&requests))
        }
        "log" => {
            log::write(Level::Info, &arguments.join(" "));
            String::new()
        }
        "save-without-end" => loop {
            let _ = storage::save_memory(&draft(&arguments, "m".repeat(size(third))));
        },
        "defer-without-end" => loop {
            let _ = storage::defer(scope(first), second, &deferral("m".repeat(size(third))));
        },
        _ => format!("`{verb}` is no command"),
    }
}

fn option(word: &str) -> Option<&str> {
    (word != "-").then_some(word)
}

fn shown<T: Debug, E: Debug>(result: Result<T, E>) -> String
where
    Result<T, E>: Debug,
{
    format!("{result:?}").replace('\n', " ")
}

fn messages(channel_id: &str, whole_thread: Option<&str>) -> MessageQuery {
    MessageQuery {
        channel_id: channel_id.to_owned(),
        since: None,
        until: UNTIL.to_owned(),
        limit: 100,
        keep: Keep::Newest,
        whole_thread: whole_thread.map(str::to_owned),
        thread_limit: 100,
        only_new: false,
    }
}

fn items(channel_id: Option<&str>) -> ItemQuery {
    ItemQuery {
        channel_id: channel_id.map(str::to_owned),
        since: None,
        until: UNTIL.to_owned(),
        closed: true,
    }
}

/// `workspace`, `all`, or a channel's id; then threads.
fn memories(arguments: &[&str]) -> MemoryQuery {
    let (which, threads) = arguments.split_first().unwrap_or((&"-", &[]));
    MemoryQuery {
        until: None,
        workspace: *which == "workspace",
        channels: match *which {
            "workspace" | "-" => ChannelFilter::None,
            "all" => ChannelFilter::All,
            id => ChannelFilter::One(id.to_owned()),
        },
        history_limit: 100,
        unmerged: true,
        threads: threads.iter().map(|thread| (*thread).to_owned()).collect(),
        citations: false,
    }
}

fn everything_due() -> DueQuery {
    DueQuery {
        until: UNTIL.to_owned(),
        window_start: "0.000000".to_owned(),
        idle_since: UNTIL.to_owned(),
        message_threshold: 0,
        always: true,
    }
}

fn post(channel_id: &str, thread_ts: Option<&str>, answers: &str) -> PostRequest {
    PostRequest {
        channel_id: channel_id.to_owned(),
        thread_ts: thread_ts.map(str::to_owned),
        text: "an answer".to_owned(),
        answers: answers.to_owned(),
        may_notify: Vec::new(),
        citations: Vec::new(),
    }
}

fn request(scope_name: &str, scope_id: &str) -> Request {
    Request {
        system_prompt: "?".to_owned(),
        max_tokens: 1,
        answer_schema: None,
        purpose: Purpose {
            agent: Agent::Memory,
            scope: scope(scope_name),
            scope_id: scope_id.to_owned(),
            memory_type: None,
        },
    }
}
