//! A channel's memories as people's corrections leave them: lines that they strike are struck out.

use myao_plugin::storage::Memory;
use myao_plugin::{CallError, ChannelMarks, KeptText, MemoryPlugin, ReplacedLine, Timestamp};

/// The marks that strike text out in Markdown.
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

    /// Of a channel in which nothing is marked.
    #[must_use]
    pub fn none() -> Self {
        Self(ChannelMarks {
            pinned: Vec::new(),
            corrections: Vec::new(),
        })
    }

    /// The marks of people in the channel.
    #[must_use]
    pub fn marks(&self) -> &ChannelMarks {
        &self.0
    }

    /// The texts of the corrections, oldest first: they outrank all memories of the channel.
    pub fn said(&self) -> impl Iterator<Item = &KeptText> {
        self.0.corrections.iter().map(|correction| &correction.said)
    }

    /// The text of a memory in pieces, each with whether it is replaced.
    #[must_use]
    pub fn pieces<'m>(&self, memory: &'m Memory) -> Vec<(&'m str, bool)> {
        let mut replaced = self.replaced(memory);
        replaced.sort_by_key(|line| line.start);
        let (mut rest, mut at) = (memory.content.as_str(), 0);
        let mut pieces = Vec::new();
        for line in replaced {
            let before = line.start.saturating_sub(at);
            for (length, is_replaced) in [(before, false), (line.length, true)] {
                let (piece, after) = split_after(rest, length);
                pieces.push((piece, is_replaced));
                rest = after;
            }
            at = line.start.saturating_add(line.length);
        }
        pieces.push((rest, false));
        pieces.retain(|(piece, _)| !piece.is_empty());
        pieces
    }

    /// The text of a memory in Markdown, with what is replaced struck out.
    #[must_use]
    pub fn text(&self, memory: &Memory) -> String {
        markdown(self.pieces(memory))
    }

    /// A line of a memory in the same pieces.
    #[must_use]
    pub fn pieces_of_line<'l>(&self, memory: &Memory, line: &'l str) -> Vec<(&'l str, bool)> {
        let pieces = self.pieces(memory).into_iter();
        let replaced = pieces.filter(|(_, is_replaced)| *is_replaced);
        let mut marks = replaced.filter_map(|(said, _)| line.strip_suffix(said));
        match marks.next() {
            Some(mark) => {
                let (mark, said) = line.split_at(mark.len());
                vec![(mark, false), (said, true)]
            }
            None => vec![(line, false)],
        }
    }

    /// A line of a memory in Markdown, struck out if it is replaced.
    #[must_use]
    pub fn line(&self, memory: &Memory, line: &str) -> String {
        markdown(self.pieces_of_line(memory, line))
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

fn split_after(text: &str, characters: u32) -> (&str, &str) {
    let characters = usize::try_from(characters).unwrap_or(usize::MAX);
    let end = text.char_indices().nth(characters).map(|(at, _)| at);
    text.split_at(end.unwrap_or(text.len()))
}

fn markdown(pieces: Vec<(&str, bool)>) -> String {
    let shown = pieces
        .into_iter()
        .map(|(piece, is_replaced)| match is_replaced {
            true => format!("{STRIKE}{piece}{STRIKE}"),
            false => piece.to_owned(),
        });
    shown.collect()
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
        let said: Vec<&str> = corrections.said().map(|of| of.text.as_str()).collect();
        assert_eq!(said, ["25日", "26日", "27日"]);
        assert_eq!(corrections.text(&memory(3, text)), text);
    }
}
