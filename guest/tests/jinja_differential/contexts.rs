//! Random contexts, the same for the same seed.

use myao_memory::bindings::types::{
    ChannelMemory, Context, ConversationHistory, Item, ItemKind, ItemState, KeptSpan, KeptText,
    Message, MessageRef, Notes, Persona, Thread, ThreadMemory, Timestamp, User,
};

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True once in `times`.
    pub(crate) fn chance(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    /// A time in the years 1 to 9999, the range of Python.
    pub(crate) fn timestamp(&mut self) -> Timestamp {
        let unix_seconds = if self.chance(4) {
            -62_135_000_000 + i64::try_from(self.below(315_530_000_000)).unwrap()
        } else {
            1_600_000_000 + i64::try_from(self.below(200_000_000)).unwrap()
        };
        let quarters = i32::try_from(self.below(105)).unwrap() - 48;
        Timestamp {
            unix_seconds,
            utc_offset_seconds: quarters * 900,
        }
    }

    fn optional_text(&mut self) -> Option<String> {
        (!self.chance(3)).then(|| random_text(self))
    }
}

const FRAGMENTS: &[&str] = &[
    "おはよう！",
    "- 決定: 来週の月曜日",
    "plain words",
    "東京 2024-03-01",
    " ",
    "\n",
    "\n\n",
    "\t",
    "\r\n",
    "\r",
    "\0",
    "\u{b}\u{c}\u{1c}",
    "\u{85}\u{2028}\u{2029}",
    "\u{a0}\u{3000}",
    "\u{feff}",
    "{{ persona.name }}",
    "{{",
    "}}",
    "{%",
    "%}",
    "{% endif %}",
    "{%- raw -%}",
    "{#",
    "#}",
    "{# x #}",
    "{{ 7 * 7 }}",
    "{% include 'x' %}",
    "# 見出し",
    "## 要約対象スレッド: 1",
    "---",
    "**2024** bob:",
    "```\ncode\n```",
    "| a | b |",
    "[x](https://example.com?a=1&b=2)",
    "<b>&amp;</b> \"'",
    "\\n \\{{",
    "😀👨‍👩‍👧🇯🇵",
    "שלום\u{202e}مرحبا",
    "e\u{301}é",
    "ｶﾞガ",
    "\u{10ffff}\u{e000}",
    "%s %d {0}",
    "None",
];

/// Up to seven fragments or random characters; empty once in eight.
pub(crate) fn random_text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(8) {
        if random.chance(5) {
            let code = u32::try_from(random.below(0x11_0000)).unwrap();
            text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
        } else {
            text.push_str(random.pick(FRAGMENTS));
        }
    }
    text
}

/// A context in which anything may be empty, missing or plentiful.
pub(crate) fn random_context(random: &mut Random) -> Context {
    let channel_memories = channel_memories(random);
    let threads: Vec<Thread> = (0..random.below(5))
        .map(|index| {
            let thread_ts = format!("{}.{:06}", 1_709_280_000 + random.below(3), index);
            Thread {
                messages: messages(random, Some(&thread_ts)),
                thread_ts,
            }
        })
        .collect();
    let target = usize::try_from(random.below(5)).unwrap();
    let target = threads
        .get(target)
        .map_or("1.000001", |thread| thread.thread_ts.as_str());
    let top_level_messages = messages(random, None);
    let all = threads.iter().flat_map(|thread| &thread.messages);
    let late = all
        .chain(&top_level_messages)
        .filter(|_| random.chance(4))
        .map(|message| MessageRef {
            channel_id: "C0".to_owned(),
            ts: message.ts.clone(),
        })
        .collect();
    let kept = |random: &mut Random| -> Vec<KeptText> {
        let messages = messages(random, None).into_iter();
        messages
            .map(|message| KeptText {
                span: KeptSpan {
                    message: MessageRef {
                        channel_id: "C0".to_owned(),
                        ts: message.ts,
                    },
                    start: 0,
                    length: 1,
                },
                user: message.user,
                timestamp: message.timestamp,
                text: message.text,
            })
            .collect()
    };
    let (records, pinned, corrections) = (kept(random), kept(random), kept(random));
    let items = kept(random).into_iter().map(|title| Item {
        kind: if random.chance(2) {
            ItemKind::Decision
        } else {
            ItemKind::Task
        },
        owner: random.chance(2).then(|| title.user.clone()),
        due: random.chance(2).then(|| "2024-03-01".to_owned()),
        state: ItemState::Open,
        state_since: title.span.message.ts.clone(),
        state_source: None,
        title,
    });
    let items: Vec<Item> = items.collect();
    let notes = Notes {
        items: random.chance(2).then_some(items),
        now: random.chance(2).then(|| random.timestamp()),
        late,
        programs: random.chance(2),
        program_lines: random_lines(random, &channel_memories),
        namesakes: Vec::new(),
        records,
        pinned,
        corrections,
        sources: Vec::new(),
        remarks: Vec::new(),
        answer_max_tokens: None,
    };
    let thread_memories = (0..random.below(3))
        .map(|_| ThreadMemory {
            thread_ts: target.to_owned(),
            content: random_text(random),
        })
        .collect();
    Context {
        persona: Persona {
            name: random_text(random),
            system_prompt: random_text(random),
        },
        workspace_long_term_memory: random.optional_text(),
        workspace_short_term_memory: random.optional_text(),
        target_thread_ts: Some(target.to_owned()),
        conversation_history: ConversationHistory {
            channel_id: random.pick(&["C0", "C1", "values", ""]).to_owned(),
            channel_name: random_text(random),
            top_level_messages,
            threads,
        },
        channel_memories,
        thread_memories,
        notes: random.chance(2).then_some(notes),
    }
}

/// Some long-term memories and lines of them, and one that is in none.
fn random_lines(random: &mut Random, channels: &[ChannelMemory]) -> Vec<String> {
    let texts = channels
        .iter()
        .filter_map(|channel| channel.long_term_memory.clone());
    let texts: Vec<String> = texts.filter(|_| random.chance(3)).collect();
    let lines = texts.iter().filter_map(|text| text.lines().last());
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    [texts, lines, vec!["- in no memory".to_owned()]].concat()
}

fn channel_memories(random: &mut Random) -> Vec<ChannelMemory> {
    let count = if random.chance(10) {
        100
    } else {
        random.below(6)
    };
    let mut channels: Vec<ChannelMemory> = (0..count)
        .map(|index| {
            let history: Vec<String> = (0..random.below(6)).map(|_| random_text(random)).collect();
            ChannelMemory {
                channel_id: format!("C{index}"),
                channel_name: random_text(random),
                long_term_memory: random.optional_text(),
                short_term_memory: random.optional_text(),
                short_term_memory_history: history,
            }
        })
        .collect();
    // A key that is also the name of a method.
    if random.chance(4)
        && let Some(last) = channels.last_mut()
    {
        last.channel_id = random.pick(&["values", "items", "keys", "get"]).to_owned();
    }
    channels
}

fn messages(random: &mut Random, thread_ts: Option<&str>) -> Vec<Message> {
    (0..random.below(5))
        .map(|index| Message {
            ts: format!("1709280000.{index:06}"),
            user: User {
                id: format!("U{index}"),
                name: random_text(random),
                is_bot: random.chance(3),
            },
            text: random_text(random),
            timestamp: random.timestamp(),
            thread_ts: thread_ts.map(str::to_owned),
            edited_at: None,
            is_for_bot: false,
        })
        .collect()
}
