//! minijinja as a Rust program would use it: the same templates, loaded once, and a context of plain
//! structs that serde hands over.

use anyhow::Result;
use chrono::DateTime;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use minijinja_contrib::pycompat::unknown_method_callback;
use myao_plugin::{Context, Message};
use myao_tests::project_file;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// The templates, ready to be rendered.
pub struct Native {
    environment: Environment<'static>,
}

impl Native {
    /// Loads and compiles the templates.
    ///
    /// # Errors
    /// Where one does not compile.
    pub fn new() -> Result<Self> {
        let mut environment = Environment::new();
        environment.set_syntax(
            SyntaxConfig::builder()
                .trim_blocks(true)
                .lstrip_blocks(true)
                .keep_trailing_newline(true)
                .build()?,
        );
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_unknown_method_callback(unknown_method_callback);
        environment.add_filter("format_timestamp", format_timestamp);
        for entry in std::fs::read_dir(project_file("templates"))? {
            let path = entry?.path();
            // The folder of the English templates: the benchmark renders the Japanese ones.
            if path.is_dir() {
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            environment.add_template_owned(name.into_owned(), std::fs::read_to_string(&path)?)?;
        }
        Ok(Self { environment })
    }

    /// The prompt of a memory.
    ///
    /// # Errors
    /// Where a template fails.
    pub fn render(&self, variables: &Variables<'_>) -> Result<String> {
        let template = self.environment.get_template("memory_prompt.j2")?;
        Ok(template.render(Serde(variables))?)
    }
}

/// The variables of a memory's prompt, as plain data.
#[derive(serde::Serialize)]
pub struct Variables<'a> {
    persona: PersonaVariables<'a>,
    scope: &'static str,
    memory_type: &'static str,
    existing_memory: Option<&'a str>,
    workspace_long_term_memory: Option<&'a str>,
    workspace_short_term_memory: Option<&'a str>,
    channel_memories: Pairs<'a, ChannelVariables<'a>>,
    current_channel_name: &'a str,
    top_level_messages: Vec<MessageVariables<'a>>,
    thread_messages: Pairs<'a, Vec<MessageVariables<'a>>>,
    #[serde(flatten)]
    notes: NoNotes,
    target_thread_ts: Option<&'a str>,
    target_thread_messages: Vec<MessageVariables<'a>>,
    channel_short_term_memory: Option<&'a str>,
}

/// The fields that only a context with notes has.
#[derive(Default, serde::Serialize)]
struct NoNotes {
    thread_summaries: [(); 0],
    late_messages: [(); 0],
    has_late_messages: bool,
    programs: [(); 0],
    program_lines: [(); 0],
    records: [(); 0],
    pinned: [(); 0],
    corrections: [(); 0],
    asks_for_items: bool,
    today: Option<()>,
}

#[derive(serde::Serialize)]
struct PersonaVariables<'a> {
    name: &'a str,
    system_prompt: &'a str,
}

#[derive(serde::Serialize)]
struct ChannelVariables<'a> {
    channel_id: &'a str,
    channel_name: &'a str,
    long_term_memory: Option<&'a str>,
    short_term_memory: Option<&'a str>,
    short_term_memory_history: &'a [String],
}

#[derive(serde::Serialize)]
struct MessageVariables<'a> {
    ts: &'a str,
    user: UserVariables<'a>,
    text: &'a str,
    timestamp: Time,
    thread_ts: Option<&'a str>,
    edited_at: Option<Time>,
}

#[derive(serde::Serialize)]
struct UserVariables<'a> {
    id: &'a str,
    name: &'a str,
    is_bot: bool,
}

#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Time {
    unix_seconds: i64,
    utc_offset_seconds: i32,
}

/// A map in the order of its pairs.
struct Pairs<'a, T>(Vec<(&'a str, T)>);

impl<T: Serialize> Serialize for Pairs<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'a> Variables<'a> {
    /// Those of a channel's short-term memory.
    #[must_use]
    pub fn of(context: &'a Context) -> Self {
        let history = &context.conversation_history;
        let channels = context.channel_memories.iter();
        let threads = history.threads.iter();
        Self {
            persona: PersonaVariables {
                name: &context.persona.name,
                system_prompt: &context.persona.system_prompt,
            },
            scope: "channel",
            memory_type: "short_term",
            existing_memory: None,
            workspace_long_term_memory: context.workspace_long_term_memory.as_deref(),
            workspace_short_term_memory: None,
            channel_memories: Pairs(
                channels
                    .map(|channel| {
                        let history = &channel.short_term_memory_history;
                        let values = ChannelVariables {
                            channel_id: &channel.channel_id,
                            channel_name: &channel.channel_name,
                            long_term_memory: channel.long_term_memory.as_deref(),
                            short_term_memory: history.last().map(String::as_str),
                            short_term_memory_history: history,
                        };
                        (channel.channel_id.as_str(), values)
                    })
                    .collect(),
            ),
            current_channel_name: &history.channel_name,
            top_level_messages: messages(&history.top_level_messages),
            thread_messages: Pairs(
                threads
                    .map(|thread| (thread.thread_ts.as_str(), messages(&thread.messages)))
                    .collect(),
            ),
            notes: NoNotes::default(),
            target_thread_ts: None,
            target_thread_messages: Vec::new(),
            channel_short_term_memory: None,
        }
    }

    /// Those of a merge into a long-term memory that is not there yet: of the workspace, or of the channel with this
    /// short-term memory.
    #[must_use]
    pub fn of_merge(context: &'a Context, channel_short_term_memory: Option<&'a str>) -> Self {
        Self {
            scope: if channel_short_term_memory.is_some() {
                "channel"
            } else {
                "workspace"
            },
            memory_type: "long_term",
            channel_short_term_memory,
            ..Self::of(context)
        }
    }
}

fn messages(messages: &[Message]) -> Vec<MessageVariables<'_>> {
    let time = |time: myao_plugin::Timestamp| Time {
        unix_seconds: time.unix_seconds,
        utc_offset_seconds: time.utc_offset_seconds,
    };
    messages
        .iter()
        .map(|message| MessageVariables {
            ts: &message.ts,
            user: UserVariables {
                id: &message.user.id,
                name: &message.user.name,
                is_bot: message.user.is_bot,
            },
            text: &message.text,
            timestamp: time(message.timestamp),
            thread_ts: message.thread_ts.as_deref(),
            edited_at: message.edited_at.map(time),
        })
        .collect()
}

fn format_timestamp(Serde(time): Serde<Time>) -> Result<String, minijinja::Error> {
    let local = time.unix_seconds + i64::from(time.utc_offset_seconds);
    DateTime::from_timestamp(local, 0)
        .map(|time| time.format("%Y-%m-%d %H:%M:%S").to_string())
        .ok_or_else(|| minijinja::Error::new(ErrorKind::InvalidOperation, "outside the calendar"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use myao_memory::bindings::types::{MemoryType, Scope};
    use myao_memory::prompt::Renderer;

    use super::{Native, Variables};
    use crate::contexts::{channel_context, for_the_logic};

    #[test]
    fn it_renders_the_prompts_of_the_component() {
        let context = channel_context(100);
        let native = Native::new().unwrap().render(&Variables::of(&context));
        let renderer = Renderer::new(&[]).unwrap();
        let context = for_the_logic(context);
        let prompt = renderer.render(&context, Scope::Channel, MemoryType::ShortTerm, None, false);
        assert_eq!(native.unwrap(), prompt.unwrap());
    }
}
