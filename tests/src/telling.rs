//! A model whose answers show what it was asked.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use myao_testkit::ScriptedLlm;

const EXISTING: &str = "## 既存のチャンネル長期記憶\n";
const SHORT_TERM: &str = "## 統合対象: チャンネルの短期記憶\n";
const TARGET: &str = "対象";
const FIRST_CHANNEL: &str = "\n### #";
const THREADS_SO_FAR: &str = "\n### スレッドのこれまで\n";
const TODAY: &str = "今日は ";
const TASK: &str = "\n\n---\n";

/// Answers to a merge into a channel's long-term memory with the existing memory and the short-term
/// memory below it, and to everything else with the digest of the prompt.
#[must_use]
pub fn telling_llm() -> ScriptedLlm {
    ScriptedLlm::new(|_, request| answer(&request.system_prompt))
}

/// The same, but told by what is to be summarised alone: what stands around it depends on when a memory is made.
#[must_use]
pub fn target_telling_llm() -> ScriptedLlm {
    ScriptedLlm::new(|_, request| {
        let prompt = &request.system_prompt;
        let target = prompt.rfind(TARGET).and_then(|at| prompt.get(at..));
        let target = without_threads_so_far(target.unwrap_or(prompt));
        let target = without_today(&target);
        let target = target.as_str();
        // Of the workspace's memory the channels', not what was there before.
        answer(
            target
                .split_once(FIRST_CHANNEL)
                .map_or(target, |(_, channels)| channels),
        )
    })
}

/// Without the date of the run.
fn without_today(target: &str) -> String {
    let lines = target.split_inclusive('\n');
    lines.filter(|line| !line.starts_with(TODAY)).collect()
}

/// Without the memories of threads, which are shown around the target.
fn without_threads_so_far(target: &str) -> String {
    match target.split_once(THREADS_SO_FAR) {
        Some((before, after)) => {
            let (_, task) = after.split_once(TASK).unwrap_or_default();
            format!("{}{TASK}{task}", before.trim_end())
        }
        None => target.to_owned(),
    }
}

/// A word that stands for a number: a number that no message has would be taken for wrong.
#[must_use]
pub fn letters(number: u64) -> String {
    let letter = |digit: u8| match digit {
        b'0'..=b'9' => char::from(digit - b'0' + b'g'),
        digit => char::from(digit),
    };
    format!("{number:x}").bytes().map(letter).collect()
}

/// The answer of that model to a prompt.
#[must_use]
pub fn answer(prompt: &str) -> String {
    let merged = prompt.rsplit_once(SHORT_TERM);
    let Some((before, short_term)) = merged else {
        let mut hasher = DefaultHasher::new();
        prompt.hash(&mut hasher);
        prompt.len().hash(&mut hasher);
        return format!("- prompt {}", letters(hasher.finish()));
    };
    let short_term = short_term.split(TASK).next().unwrap_or_default();
    match before.rsplit_once(EXISTING) {
        Some((_, existing)) => format!("{}\n{short_term}", existing.trim_end()),
        None => short_term.to_owned(),
    }
}
