//! The places for attacks, and the prompts that show them.

use myao_memory::bindings::exports::myao::memory::reply_prompt::Occasion;
use myao_memory::bindings::types::{
    ChannelMemory, Context, ConversationHistory, Item, ItemKind, ItemState, KeptSpan, KeptText,
    MemoryType, Message, MessageRef, Notes, Persona, Scope, Source, Thread, ThreadMemory,
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
    ThreadMemory,
    Record,
    Pinned,
    Correction,
    Found,
    Item,
    Author,
    AuthorOfMark,
    AuthorOfFound,
    OwnerOfItem,
    CurrentChannel,
    OtherChannel,
    ChannelOfFound,
}

impl Place {
    fn is_message(self) -> bool {
        use Place::{
            EveryMessage, FirstMessage, HeadOfTargetThread, LastMessage, LastOfTargetThread,
            OtherThread,
        };
        let of_messages = [
            EveryMessage,
            FirstMessage,
            LastMessage,
            HeadOfTargetThread,
            LastOfTargetThread,
            OtherThread,
        ];
        of_messages.contains(&self)
    }
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
    Place::ThreadMemory,
    Place::Record,
    Place::Pinned,
    Place::Correction,
    Place::Found,
    Place::Item,
];
/// The places of names.
pub(crate) const NAME_PLACES: &[Place] = &[
    Place::Author,
    Place::AuthorOfMark,
    Place::AuthorOfFound,
    Place::OwnerOfItem,
    Place::CurrentChannel,
    Place::OtherChannel,
    Place::ChannelOfFound,
];

const TARGET: &str = "1709280000.000001";
const OTHER: &str = "1709280000.000002";

/// All kinds of prompts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Memory(Scope, MemoryType),
    Chunks(Scope),
    /// With or without a target thread.
    Reply(Option<Occasion>, bool),
}

/// All of them.
pub(crate) const KINDS: &[Kind] = &[
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
    // The Python bot's template knows neither memories of threads nor items.
    let may_be_hidden = matches!(
        place,
        Place::ThreadMemory | Place::Item | Place::OwnerOfItem
    );
    assert!(
        !shown.is_empty() || may_be_hidden,
        "{place:?} is shown nowhere"
    );
    shown
}

/// The prompt of a conversation with this text in this place.
pub(crate) fn prompt(renderer: &Renderer, kind: Kind, place: Place, text: &str) -> String {
    prompt_of(renderer, kind, &at_one(place, text))
}

/// The prompt of a conversation with one of these in each place.
pub(crate) fn prompt_of(renderer: &Renderer, kind: Kind, written: &Written<'_>) -> String {
    let context = context_of(written);
    let prompt = match kind {
        Kind::Memory(scope, memory_type) => {
            let existing = written(Place::ExistingMemory);
            renderer.render(&context, scope, memory_type, Some(&existing), true)
        }
        Kind::Chunks(scope) => {
            let summary = written(Place::PartialSummary);
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

/// What is written to each place.
pub(crate) type Written<'w> = dyn Fn(Place) -> String + 'w;

/// The text in one place, and something plain in all others.
fn at_one(place: Place, text: &str) -> impl Fn(Place) -> String {
    move |turn| match turn {
        turn if turn == place => text.to_owned(),
        Place::Author | Place::AuthorOfMark | Place::AuthorOfFound => "alice".to_owned(),
        Place::CurrentChannel => "general".to_owned(),
        Place::OtherChannel | Place::ChannelOfFound => "project-a".to_owned(),
        turn if !turn.is_message() => format!("- 予算は300万円\n- {turn:?}"),
        _ if place == Place::EveryMessage => text.to_owned(),
        _ => "おはよう\n#1234 を見ました".to_owned(),
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp {
        unix_seconds: 1_709_254_800 + second,
        utc_offset_seconds: 32_400,
    }
}

/// The conversation with this text in this place.
#[allow(dead_code, reason = "not every test makes a prompt of its own")]
pub(crate) fn context(place: Place, text: &str) -> Context {
    context_of(&at_one(place, text))
}

fn context_of(written: &Written<'_>) -> Context {
    let author = &written(Place::Author);
    let message = |second: i64, name: &str, turn| Message {
        ts: format!("{}.000001", 1_709_254_800 + second),
        user: User {
            id: "U1".to_owned(),
            name: name.to_owned(),
            is_bot: false,
        },
        text: written(turn),
        timestamp: at(second),
        thread_ts: None,
        edited_at: None,
        is_for_bot: false,
    };
    let thread = |thread_ts: &str, messages| Thread {
        thread_ts: thread_ts.to_owned(),
        messages,
    };
    let channel = |id: &str, channel_name: String| ChannelMemory {
        channel_id: id.to_owned(),
        channel_name,
        long_term_memory: Some(written(Place::ChannelLongTerm)),
        short_term_memory: None,
        short_term_memory_history: vec!["- 一つ目".to_owned(), written(Place::ShortTermVersion)],
    };
    let current = written(Place::CurrentChannel);
    Context {
        persona: Persona {
            name: "みゃお".to_owned(),
            system_prompt: "あなたは「みゃお」です。".to_owned(),
        },
        workspace_long_term_memory: Some(written(Place::WorkspaceLongTerm)),
        workspace_short_term_memory: Some(written(Place::WorkspaceShortTerm)),
        target_thread_ts: Some(TARGET.to_owned()),
        channel_memories: vec![
            channel("C1", current.clone()),
            channel("C2", written(Place::OtherChannel)),
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
        thread_memories: vec![ThreadMemory {
            thread_ts: OTHER.to_owned(),
            content: written(Place::ThreadMemory),
        }],
        notes: Some(notes_of(written)),
    }
}

/// What is shown besides: kept parts of messages, marks, and what bears on the question.
fn notes_of(written: &Written<'_>) -> Notes {
    let user = |name: Place| User {
        id: "U1".to_owned(),
        name: written(name),
        is_bot: false,
    };
    let of_message = |second: i64| MessageRef {
        channel_id: "C1".to_owned(),
        ts: format!("{}.000001", 1_709_254_800 + second),
    };
    let kept = |second: i64, text: Place| KeptText {
        span: KeptSpan {
            message: of_message(second),
            start: 0,
            length: 1,
        },
        user: user(Place::AuthorOfMark),
        timestamp: at(second),
        text: written(text),
    };
    let found = Source {
        channel_name: written(Place::ChannelOfFound),
        user: Some(user(Place::AuthorOfFound)),
        timestamp: Some(at(9)),
        text: written(Place::Found),
        messages: vec![of_message(9)],
    };
    let line = Source {
        user: None,
        timestamp: None,
        ..found.clone()
    };
    let item = Item {
        kind: ItemKind::Task,
        title: kept(10, Place::Item),
        state: ItemState::Open,
        state_since: "10.0".to_owned(),
        state_source: None,
        owner: Some(user(Place::OwnerOfItem)),
        due: None,
    };
    Notes {
        items: Some(vec![item]),
        records: vec![kept(6, Place::Record)],
        pinned: vec![kept(7, Place::Pinned)],
        corrections: vec![kept(8, Place::Correction)],
        sources: vec![found, line],
        now: None,
        late: Vec::new(),
        programs: false,
        program_lines: Vec::new(),
        namesakes: Vec::new(),
        remarks: Vec::new(),
        answer_max_tokens: None,
    }
}
