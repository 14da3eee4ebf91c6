//! Reads the scenes of `tests/fixtures/answers/scenes.txt`: the target, and the prompt for it.

use std::collections::BTreeMap;

use myao_memory::answer::Sources;
use myao_memory::bindings::types::{
    ChannelMemory, Context, ConversationHistory, MemoryType, Message, Persona, Scope, Thread,
    Timestamp, User,
};
use myao_memory::prompt::Renderer;

const THREAD_TS: &str = "1709287200.000100";

/// A target, with its prompt.
pub(crate) struct Scene {
    pub(crate) prompt: String,
    /// True if `texts` are messages.
    pub(crate) is_conversation: bool,
    /// The messages, or the memories to merge.
    pub(crate) texts: Vec<String>,
    pub(crate) existing: Option<String>,
}

impl Scene {
    /// Calls `judge` with the sources.
    pub(crate) fn with_sources<T>(&self, judge: impl FnOnce(Sources<'_>) -> T) -> T {
        let texts: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        judge(if self.is_conversation {
            Sources::Messages(&texts)
        } else {
            Sources::Memories {
                existing: self.existing.as_deref(),
                new: &texts,
            }
        })
    }
}

/// All scenes, by name.
pub(crate) fn all() -> BTreeMap<String, Scene> {
    let text = include_str!("../fixtures/answers/scenes.txt");
    let scenes = text.split("@ ").filter(|scene| !scene.trim().is_empty());
    scenes.map(|scene| read(scene.trim())).collect()
}

fn read(scene: &str) -> (String, Scene) {
    let (head, body) = scene.split_once('\n').expect("lines below the head");
    let (name, kind) = head.split_once(' ').expect("a name and a kind");
    let mut context = empty_context();
    let mut memories = BTreeMap::<&str, String>::new();
    for (number, line) in body.lines().enumerate() {
        if let Some((owner, text)) = line.split_once("| ") {
            let memory = memories.entry(owner).or_default();
            memory.push_str(if memory.is_empty() { "" } else { "\n" });
            memory.push_str(text);
        } else if !line.is_empty() {
            add_message(&mut context, number, line);
        }
    }
    let existing = memories.remove("existing");
    let (scope, memory_type) = match kind {
        "channel" => (Scope::Channel, MemoryType::ShortTerm),
        "thread" => (Scope::Thread, MemoryType::ShortTerm),
        "channel-merge" => (Scope::Channel, MemoryType::LongTerm),
        "workspace-merge" => (Scope::Workspace, MemoryType::LongTerm),
        other => panic!("{name}: no kind {other}"),
    };
    context.channel_memories = memories
        .iter()
        .map(|(owner, text)| channel_memory(owner, text))
        .collect();
    let prompt = Renderer::new(&[])
        .and_then(|renderer| {
            renderer.render(&context, scope, memory_type, existing.as_deref(), false)
        })
        .expect("a prompt");
    let history = &context.conversation_history;
    let messages = match scope {
        Scope::Thread => &history.threads[0].messages,
        _ => &history.top_level_messages,
    };
    let texts = messages
        .iter()
        .map(|message| message.text.clone())
        .chain(memories.into_values())
        .collect();
    let is_conversation = memory_type == MemoryType::ShortTerm;
    (
        name.to_owned(),
        Scene {
            prompt,
            is_conversation,
            texts,
            existing,
        },
    )
}

fn empty_context() -> Context {
    Context {
        persona: Persona {
            name: "みゃお".to_owned(),
            system_prompt: "あなたは「みゃお」です。\nチームの会話を見守る記憶係です。".to_owned(),
        },
        conversation_history: ConversationHistory {
            channel_id: "C1".to_owned(),
            channel_name: "general".to_owned(),
            top_level_messages: Vec::new(),
            threads: vec![Thread {
                thread_ts: THREAD_TS.to_owned(),
                messages: Vec::new(),
            }],
        },
        workspace_long_term_memory: None,
        workspace_short_term_memory: None,
        channel_memories: Vec::new(),
        thread_memories: Vec::new(),
        target_thread_ts: Some(THREAD_TS.to_owned()),
        notes: None,
    }
}

fn add_message(context: &mut Context, number: usize, line: &str) {
    let history = &mut context.conversation_history;
    let (list, line) = match line.strip_prefix("> ") {
        Some(line) => (&mut history.threads[0].messages, line),
        None => (&mut history.top_level_messages, line),
    };
    let (name, text) = line.split_once(": ").expect("a name and a text");
    let unix_seconds = 1_709_287_200 + 60 * i64::try_from(number).expect("few lines");
    list.push(Message {
        ts: format!("{unix_seconds}.000100"),
        user: User {
            id: format!("U-{name}"),
            name: name.to_owned(),
            is_bot: false,
        },
        text: text.to_owned(),
        timestamp: Timestamp {
            unix_seconds,
            utc_offset_seconds: 0,
        },
        thread_ts: None,
        edited_at: None,
        is_for_bot: false,
    });
}

/// `new` is the channel's short-term memory, `new dev` the long-term memory of #dev.
fn channel_memory(owner: &str, text: &str) -> ChannelMemory {
    let channel = owner.strip_prefix("new ");
    ChannelMemory {
        channel_id: channel.map_or("C1".to_owned(), |name| format!("C-{name}")),
        channel_name: channel.unwrap_or("general").to_owned(),
        long_term_memory: channel.map(|_| text.to_owned()),
        short_term_memory: channel.is_none().then(|| text.to_owned()),
        short_term_memory_history: Vec::new(),
    }
}
