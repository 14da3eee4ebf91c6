//! Where an attack may stand, and the prompts that show it.

use myao_memory::bindings::exports::myao::memory::reply_prompt::Occasion;
use myao_memory::bindings::types::{
    ChannelMemory, Context, ConversationHistory, MemoryType, Message, Persona, Scope, Thread,
    Timestamp, User,
};
use myao_memory::prompt::Renderer;

/// Where people or models write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    EveryMessage,
    FirstMessage,
    LastMessage,
    HeadOfTargetThread,
    LastOfTargetThread,
    OtherThread,
    WorkspaceLongTerm,
    WorkspaceShortTerm,
    ChannelLongTerm,
    ShortTermVersion,
    ExistingMemory,
    PartialSummary,
    Author,
    CurrentChannel,
    OtherChannel,
}

/// The places of texts.
pub(crate) const TEXT_PLACES: &[Place] = &[
    Place::EveryMessage,
    Place::FirstMessage,
    Place::LastMessage,
    Place::HeadOfTargetThread,
    Place::LastOfTargetThread,
    Place::OtherThread,
    Place::WorkspaceLongTerm,
    Place::WorkspaceShortTerm,
    Place::ChannelLongTerm,
    Place::ShortTermVersion,
    Place::ExistingMemory,
    Place::PartialSummary,
];
/// The places of names.
pub(crate) const NAME_PLACES: &[Place] =
    &[Place::Author, Place::CurrentChannel, Place::OtherChannel];

const TARGET: &str = "1709280000.000001";
const OTHER: &str = "1709280000.000002";

/// The prompts that there are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Memory(Scope, MemoryType),
    Chunks(Scope),
    /// With or without a target thread.
    Reply(Option<Occasion>, bool),
}

const KINDS: &[Kind] = &[
    Kind::Memory(Scope::Thread, MemoryType::ShortTerm),
    Kind::Memory(Scope::Channel, MemoryType::ShortTerm),
    Kind::Memory(Scope::Channel, MemoryType::LongTerm),
    Kind::Memory(Scope::Workspace, MemoryType::ShortTerm),
    Kind::Memory(Scope::Workspace, MemoryType::LongTerm),
    Kind::Chunks(Scope::Thread),
    Kind::Chunks(Scope::Channel),
    Kind::Chunks(Scope::Workspace),
    Kind::Reply(Some(Occasion::Mention), true),
    Kind::Reply(Some(Occasion::Mention), false),
    Kind::Reply(Some(Occasion::Unasked), true),
    Kind::Reply(Some(Occasion::Unasked), false),
    Kind::Reply(None, true),
    Kind::Reply(None, false),
];

/// The prompts that show this place, with a placeholder there; at least one.
pub(crate) fn prompts(renderer: &Renderer, place: Place, placeholder: &str) -> Vec<(Kind, String)> {
    let prompts = KINDS
        .iter()
        .map(|kind| (*kind, prompt(renderer, *kind, place, placeholder)));
    let shown: Vec<_> = prompts
        .filter(|(_, prompt)| prompt.contains(placeholder))
        .collect();
    assert!(!shown.is_empty(), "{place:?} is shown nowhere");
    shown
}

/// The prompt of a conversation with this text in this place.
pub(crate) fn prompt(renderer: &Renderer, kind: Kind, place: Place, text: &str) -> String {
    let context = context(place, text);
    let prompt = match kind {
        Kind::Memory(scope, memory_type) => {
            let existing = text_at(place, Place::ExistingMemory, text);
            renderer.render(&context, scope, memory_type, Some(&existing), true)
        }
        Kind::Chunks(scope) => {
            let summary = text_at(place, Place::PartialSummary, text);
            let summaries = ["- one".to_owned(), summary, "- three".to_owned()];
            renderer.render_merge(&context, scope, &summaries)
        }
        Kind::Reply(occasion, in_thread) => {
            let target_thread_ts = context.target_thread_ts.clone().filter(|_| in_thread);
            let context = Context {
                target_thread_ts,
                ..context
            };
            let answered = context.conversation_history.top_level_messages.last();
            renderer.render_reply(&context, occasion, at(999), answered, true)
        }
    };
    prompt.unwrap()
}

/// The text where it is the place's turn, else something plain.
fn text_at(place: Place, turn: Place, text: &str) -> String {
    if place == turn {
        text.to_owned()
    } else {
        format!("- 予算は300万円\n- {turn:?}")
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp {
        unix_seconds: 1_709_254_800 + second,
        utc_offset_seconds: 32_400,
    }
}

/// The conversation with this text in this place.
pub(crate) fn context(place: Place, text: &str) -> Context {
    let at_place = |turn| text_at(place, turn, text);
    let said = |turn| {
        let is_here = place == turn || place == Place::EveryMessage;
        if is_here {
            text.to_owned()
        } else {
            "おはよう\n#1234 を見ました".to_owned()
        }
    };
    let author = if place == Place::Author {
        text
    } else {
        "alice"
    };
    let message = |second: i64, name: &str, turn| Message {
        ts: format!("{}.000001", 1_709_254_800 + second),
        user: User {
            id: "U1".to_owned(),
            name: name.to_owned(),
            is_bot: false,
        },
        text: said(turn),
        timestamp: at(second),
        thread_ts: None,
        edited_at: None,
    };
    let thread = |thread_ts: &str, messages| Thread {
        thread_ts: thread_ts.to_owned(),
        messages,
    };
    let channel_name = |turn, name: &str| {
        if place == turn {
            text.to_owned()
        } else {
            name.to_owned()
        }
    };
    let channel = |id: &str, channel_name: String| ChannelMemory {
        channel_id: id.to_owned(),
        channel_name,
        long_term_memory: Some(at_place(Place::ChannelLongTerm)),
        short_term_memory: None,
        short_term_memory_history: vec!["- 一つ目".to_owned(), at_place(Place::ShortTermVersion)],
    };
    let current = channel_name(Place::CurrentChannel, "general");
    Context {
        persona: Persona {
            name: "みゃお".to_owned(),
            system_prompt: "あなたは「みゃお」です。".to_owned(),
        },
        workspace_long_term_memory: Some(at_place(Place::WorkspaceLongTerm)),
        workspace_short_term_memory: Some(at_place(Place::WorkspaceShortTerm)),
        target_thread_ts: Some(TARGET.to_owned()),
        channel_memories: vec![
            channel("C1", current.clone()),
            channel("C2", channel_name(Place::OtherChannel, "project-a")),
        ],
        conversation_history: ConversationHistory {
            channel_id: "C1".to_owned(),
            channel_name: current,
            top_level_messages: vec![
                message(1, author, Place::FirstMessage),
                message(2, "bob", Place::LastMessage),
            ],
            threads: vec![
                thread(
                    TARGET,
                    vec![
                        message(3, "carol", Place::HeadOfTargetThread),
                        message(4, author, Place::LastOfTargetThread),
                    ],
                ),
                thread(OTHER, vec![message(5, "dave", Place::OtherThread)]),
            ],
        },
        thread_memories: Vec::new(),
    }
}
