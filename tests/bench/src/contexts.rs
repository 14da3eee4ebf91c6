//! Contexts of any size, the same for the same size.

use myao_memory::bindings::types as guest;
use myao_plugin::{
    ChannelMemory, Context, ConversationHistory, Message, Persona, Thread, Timestamp, User,
};

/// 1 March 2024, 09:00 in Japan.
const START: i64 = 1_709_251_200;
const JAPAN: i32 = 9 * 3600;
/// Messages of people, one a line.
pub(crate) const SAID: &str = include_str!("../fixtures/said.txt");
/// A memory as a model writes it.
pub(crate) const MEMORY: &str = include_str!("../fixtures/answer.txt");
const PEOPLE: [&str; 5] = ["田中", "みさき", "佐藤", "alice", "bob"];
/// Every so many messages one starts a thread.
const THREAD_EVERY: usize = 40;
/// Messages of a thread.
const THREAD_LENGTH: usize = 10;

/// A channel's context with so many messages, a quarter of them in threads.
#[must_use]
pub fn channel_context(messages: usize) -> Context {
    let mut said = (0..messages).map(message);
    let mut history = ConversationHistory {
        channel_id: "C001".to_owned(),
        channel_name: "general".to_owned(),
        top_level_messages: Vec::new(),
        threads: Vec::new(),
    };
    while let Some(first) = said.next() {
        let n = history.top_level_messages.len() + history.threads.len() * THREAD_LENGTH;
        if n % THREAD_EVERY == THREAD_EVERY - THREAD_LENGTH {
            let thread_ts = first.ts.clone();
            let replies = said.by_ref().take(THREAD_LENGTH - 1);
            let mut messages: Vec<Message> = std::iter::once(first).chain(replies).collect();
            for message in &mut messages {
                message.thread_ts = Some(thread_ts.clone());
            }
            history.threads.push(Thread {
                thread_ts,
                messages,
            });
        } else {
            history.top_level_messages.push(first);
        }
    }
    Context {
        persona: Persona {
            name: "みゃお".to_owned(),
            system_prompt: "あなたは「みゃお」という名前の猫キャラクターです。".to_owned(),
        },
        conversation_history: history,
        workspace_long_term_memory: Some("- 2024年1月: 予約アプリの開発を始めた".to_owned()),
        workspace_short_term_memory: None,
        channel_memories: vec![ChannelMemory {
            channel_id: "C001".to_owned(),
            channel_name: "general".to_owned(),
            long_term_memory: Some("- 連絡に使われている".to_owned()),
            short_term_memory: None,
            short_term_memory_history: vec!["- リリースの準備が進んでいる".to_owned()],
        }],
        thread_memories: Vec::new(),
        target_thread_ts: None,
        notes: None,
    }
}

fn message(n: usize) -> Message {
    let seconds = START + 60 * i64::try_from(n).unwrap_or(0);
    let person = PEOPLE.get(n * 7 % 5).copied().unwrap_or_default();
    let text = SAID.lines().cycle().nth(n * 5 % 61).unwrap_or_default();
    Message {
        ts: format!("{seconds}.{:06}", n % 1_000_000),
        user: User {
            id: format!("U{:08}", n * 7 % 5),
            name: person.to_owned(),
            is_bot: false,
        },
        text: text.to_owned(),
        timestamp: Timestamp {
            unix_seconds: seconds,
            utc_offset_seconds: JAPAN,
        },
        thread_ts: None,
        edited_at: None,
        is_for_bot: false,
    }
}

/// The same context in the types of the component's logic.
#[must_use]
pub fn for_the_logic(context: Context) -> guest::Context {
    let history = context.conversation_history;
    let messages = |messages: Vec<Message>| messages.into_iter().map(guest_message).collect();
    guest::Context {
        persona: guest::Persona {
            name: context.persona.name,
            system_prompt: context.persona.system_prompt,
        },
        conversation_history: guest::ConversationHistory {
            channel_id: history.channel_id,
            channel_name: history.channel_name,
            top_level_messages: messages(history.top_level_messages),
            threads: history
                .threads
                .into_iter()
                .map(|thread| guest::Thread {
                    thread_ts: thread.thread_ts,
                    messages: messages(thread.messages),
                })
                .collect(),
        },
        workspace_long_term_memory: context.workspace_long_term_memory,
        workspace_short_term_memory: context.workspace_short_term_memory,
        channel_memories: context
            .channel_memories
            .into_iter()
            .map(|channel| guest::ChannelMemory {
                channel_id: channel.channel_id,
                channel_name: channel.channel_name,
                long_term_memory: channel.long_term_memory,
                short_term_memory: channel.short_term_memory,
                short_term_memory_history: channel.short_term_memory_history,
            })
            .collect(),
        thread_memories: Vec::new(),
        target_thread_ts: context.target_thread_ts,
        notes: None,
    }
}

fn guest_message(message: Message) -> guest::Message {
    let time = |time: Timestamp| guest::Timestamp {
        unix_seconds: time.unix_seconds,
        utc_offset_seconds: time.utc_offset_seconds,
    };
    guest::Message {
        ts: message.ts,
        user: guest::User {
            id: message.user.id,
            name: message.user.name,
            is_bot: message.user.is_bot,
        },
        text: message.text,
        timestamp: time(message.timestamp),
        thread_ts: message.thread_ts,
        edited_at: message.edited_at.map(time),
        is_for_bot: false,
    }
}
