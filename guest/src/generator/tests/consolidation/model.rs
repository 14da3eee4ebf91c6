//! Scripted models that repeat their prompt's content: one forgets 30 % of it each time, one is cut off.

use std::cell::{Cell, RefCell};

use crate::answer::Sources;
use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError, Request};
use crate::ports::Llm;
use crate::testing::completion;

/// Of ten lines, so many are dropped; a remainder carries over to the next call.
const DROPPED_OF_TEN: usize = 3;

/// The number of bullets after which an answer is cut off.
const CUT_OFF: usize = 6;

/// The model.
pub(super) struct ForgetfulModel {
    is_cut_off: bool,
    state: Cell<u64>,
    owed: Cell<usize>,
    answers: RefCell<Vec<(String, String)>>,
}

/// What a prompt asks to summarise.
pub(super) struct Material {
    /// Messages or bullets, one line each.
    lines: Vec<String>,
    /// The number of lines of the existing memory; 0 for a conversation.
    existing: Option<usize>,
}

impl Material {
    /// The existing memory, if there is one, and then the new memories, or each message.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.lines.iter().map(String::as_str).collect()
    }

    /// The same, told apart.
    pub(super) fn sources<'a>(&self, texts: &'a [&'a str]) -> Sources<'a> {
        match self.existing {
            None => Sources::Messages(texts),
            Some(0) => Sources::Memories {
                existing: None,
                new: texts,
            },
            Some(_) => Sources::Memories {
                existing: texts.first().copied(),
                new: &texts[1..],
            },
        }
    }
}

/// Finds the messages, or the bullets to merge, in a prompt of the built-in templates.
pub(super) fn read(prompt: &str) -> Material {
    let (body, _) = prompt.rsplit_once("\n---\n").unwrap();
    let bullets = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("- "))
            .map(str::to_owned)
            .collect()
    };
    if let Some((before, new)) = body.split_once("## 統合対象: チャンネルの短期記憶")
    {
        let existing = bullets(before).join("\n");
        let lines: Vec<String> = Some(existing)
            .filter(|text| !text.is_empty())
            .into_iter()
            .chain([bullets(new).join("\n")])
            .collect();
        return Material {
            existing: Some(lines.len() - 1),
            lines,
        };
    }
    let (_, messages) = body.split_once("### トップレベル\n").unwrap();
    let blocks = messages
        .split("\n\n")
        .map(str::trim)
        .filter(|block| !block.is_empty());
    let lines = blocks
        .map(|block| block.split_once('\n').unwrap().1.to_owned())
        .collect();
    Material {
        lines,
        existing: None,
    }
}

impl ForgetfulModel {
    /// A model that forgets nothing, but whose answers are cut off after six bullets.
    pub(super) fn cut_off() -> Self {
        Self {
            is_cut_off: true,
            ..Self::new(0)
        }
    }

    pub(super) fn new(seed: u64) -> Self {
        Self {
            is_cut_off: false,
            state: Cell::new(seed),
            owed: Cell::new(0),
            answers: RefCell::default(),
        }
    }

    pub(super) fn calls(&self) -> usize {
        self.answers.borrow().len()
    }

    /// Prompts and answers, in order.
    pub(super) fn answers(&self) -> Vec<(String, String)> {
        self.answers.borrow().clone()
    }

    fn below(&self, end: usize) -> usize {
        // A linear congruential generator; its high bits are random enough.
        let next = self
            .state
            .get()
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.state.set(next);
        usize::try_from((next >> 33) % u64::try_from(end).unwrap()).unwrap()
    }

    fn forget(&self, lines: &mut Vec<String>) {
        let owed = self.owed.get() + lines.len() * DROPPED_OF_TEN;
        self.owed.set(owed % 10);
        for _ in 0..owed / 10 {
            lines.remove(self.below(lines.len()));
        }
    }
}

impl Llm for ForgetfulModel {
    fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let material = read(&request.system_prompt);
        let mut lines: Vec<String> = material
            .lines
            .iter()
            .flat_map(|text| text.lines())
            .map(str::to_owned)
            .collect();
        let mut finish_reason = FinishReason::Stop;
        if !self.is_cut_off {
            self.forget(&mut lines);
        } else if lines.len() > CUT_OFF {
            lines.truncate(CUT_OFF);
            finish_reason = FinishReason::Length;
        }
        let bullet = |line: &String| format!("- {}", line.trim_start_matches("- "));
        let mut answer = lines.iter().map(bullet).collect::<Vec<_>>().join("\n");
        if finish_reason == FinishReason::Length {
            answer.push_str("\n- and then");
        }
        self.answers
            .borrow_mut()
            .push((request.system_prompt.clone(), answer.clone()));
        Ok(completion(&answer, finish_reason))
    }

    fn complete_all(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        requests
            .iter()
            .map(|request| self.complete(request))
            .collect()
    }

    fn context_window(&self, _: Agent) -> Option<u32> {
        None
    }

    fn count_tokens(&self, _: Agent, texts: &[String]) -> Vec<u32> {
        texts.iter().map(|text| tokens(text)).collect()
    }
}

/// About as a model's tokenizer counts: four ASCII characters, or one other, are a token.
pub(super) fn tokens(text: &str) -> u32 {
    let ascii = text.chars().filter(char::is_ascii).count();
    u32::try_from(ascii.div_ceil(4) + text.chars().count() - ascii).unwrap()
}

/// A model that is asked for replies, and keeps their prompts.
#[derive(Default)]
pub(super) struct Asked {
    prompts: RefCell<Vec<String>>,
}

impl Asked {
    pub(super) fn last_prompt(&self) -> String {
        self.prompts.borrow().last().unwrap().clone()
    }
}

impl Llm for Asked {
    fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let mut prompts = self.prompts.borrow_mut();
        prompts.push(request.system_prompt.clone());
        Ok(completion("はい、そのとおりです。", FinishReason::Stop))
    }

    fn complete_all(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        requests
            .iter()
            .map(|request| self.complete(request))
            .collect()
    }

    fn context_window(&self, _: Agent) -> Option<u32> {
        None
    }

    fn count_tokens(&self, _: Agent, texts: &[String]) -> Vec<u32> {
        texts.iter().map(|text| tokens(text)).collect()
    }
}
