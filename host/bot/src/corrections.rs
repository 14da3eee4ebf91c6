//! A channel's memories as people's corrections leave them: lines that are replaced are struck out.

use myao_plugin::storage::Memory;
use myao_plugin::{CallError, ChannelMarks, KeptText, MemoryPlugin, ReplacedLine, Timestamp};

/// What strikes text out in Markdown.
const STRIKE: &str = "~~";

/// The corrections of a channel.
#[derive(Debug, Clone)]
pub struct Corrections(ChannelMarks);

impl Corrections {
    /// Reads the corrections of a channel as of `now`.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn read(
        plugin: &MemoryPlugin,
        channel_id: &str,
        now: Timestamp,
    ) -> Result<Self, CallError> {
        plugin.read_marks(channel_id, now).await.map(Self)
    }

    /// The corrections that replace lines of this memory, oldest first.
    pub fn of(&self, memory: &Memory) -> impl Iterator<Item = &KeptText> {
        let corrections = self.0.corrections.iter();
        let replaces = |line: &ReplacedLine| line.memory == memory.id;
        let of = corrections.filter(move |correction| correction.replaces.iter().any(replaces));
        of.map(|correction| &correction.said)
    }

    /// The text of a memory in Markdown, with what is replaced struck out.
    #[must_use]
    pub fn text(&self, memory: &Memory) -> String {
        let mut replaced = self.replaced(memory);
        replaced.sort_by_key(|line| line.start);
        let mut marks = replaced
            .iter()
            .flat_map(|line| [line.start, line.start.saturating_add(line.length)])
            .peekable();
        let mut text = String::with_capacity(memory.content.len());
        for (at, letter) in (0_u32..).zip(memory.content.chars()) {
            while marks.next_if_eq(&at).is_some() {
                text.push_str(STRIKE);
            }
            text.push(letter);
        }
        marks.for_each(|_| text.push_str(STRIKE));
        text
    }

    /// A line of a memory in Markdown, struck out if it is replaced.
    #[must_use]
    pub fn line(&self, memory: &Memory, line: &str) -> String {
        let replaced = self.replaced(memory).into_iter();
        let mut said = replaced.map(|line| {
            let start = usize::try_from(line.start).unwrap_or(usize::MAX);
            let length = usize::try_from(line.length).unwrap_or(usize::MAX);
            let said = memory.content.chars().skip(start).take(length);
            said.collect::<String>()
        });
        let found = said.find_map(|said| Some((line.strip_suffix(&said)?, said)));
        match found {
            Some((mark, said)) => format!("{mark}{STRIKE}{said}{STRIKE}"),
            None => line.to_owned(),
        }
    }

    /// The lines of a memory that are replaced, each once.
    fn replaced(&self, memory: &Memory) -> Vec<&ReplacedLine> {
        let lines = self.0.corrections.iter().flat_map(|of| &of.replaces);
        let mut replaced: Vec<&ReplacedLine> = Vec::new();
        for line in lines.filter(|line| line.memory == memory.id) {
            if !replaced.contains(&line) {
                replaced.push(line);
            }
        }
        replaced
    }
}

#[cfg(test)]
mod tests {
    use myao_plugin::storage::Memory;
    use myao_plugin::{
        ChannelMarks, Correction, Engine, KeptSpan, KeptText, MemoryType, MessageRef, ReplacedLine,
        Scope, Timestamp, User,
    };

    use super::Corrections;

    const TIME: Timestamp = Timestamp {
        unix_seconds: 1_709_287_200,
        utc_offset_seconds: 32_400,
    };

    fn memory(id: u64, content: &str) -> Memory {
        Memory {
            id,
            scope: Scope::Channel,
            scope_id: "C1".to_owned(),
            memory_type: MemoryType::ShortTerm,
            version: 1,
            content: content.to_owned(),
            engine: Engine::Extractive,
            created_at: TIME,
            updated_at: TIME,
            source_message_count: 1,
            source_latest_message_ts: None,
            merged_through: None,
            citations: Vec::new(),
            records: Vec::new(),
        }
    }

    /// A correction that replaces lines of memories: their ids, starts and lengths.
    fn correction(text: &str, replaces: &[(u64, u32, u32)]) -> Correction {
        let message = MessageRef {
            channel_id: "C1".to_owned(),
            ts: "1709287200.000100".to_owned(),
        };
        let lines = replaces.iter();
        Correction {
            said: KeptText {
                span: KeptSpan {
                    message,
                    start: 0,
                    length: 3,
                },
                user: User {
                    id: "U1".to_owned(),
                    name: "akari".to_owned(),
                    is_bot: false,
                },
                timestamp: TIME,
                text: text.to_owned(),
            },
            replaces: lines
                .map(|(memory, start, length)| ReplacedLine {
                    memory: *memory,
                    start: *start,
                    length: *length,
                })
                .collect(),
        }
    }

    #[test]
    fn replaced_lines_are_struck_out_once_in_their_own_memory() {
        let corrections = Corrections(ChannelMarks {
            pinned: Vec::new(),
            corrections: vec![
                correction("25日", &[(1, 2, 6), (2, 0, 3)]),
                correction("26日", &[(1, 2, 6), (1, 11, 4)]),
                correction("27日", &[]),
            ],
        });
        let text = "- 熱海は24日\n- 海へ行く";
        let first = memory(1, text);
        let struck = "- ~~熱海は24日~~\n- ~~海へ行く~~";
        assert_eq!(corrections.text(&first), struck);
        assert_eq!(corrections.line(&first, "- 熱海は24日"), "- ~~熱海は24日~~");
        assert_eq!(corrections.line(&first, "- 他の話"), "- 他の話");
        let said: Vec<&str> = corrections.of(&first).map(|of| of.text.as_str()).collect();
        assert_eq!(said, ["25日", "26日"]);
        assert_eq!(corrections.text(&memory(3, text)), text);
        assert_eq!(corrections.of(&memory(3, text)).count(), 0);
    }
}
