//! A model whose answers show what it was asked.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use myao_testkit::ScriptedLlm;

const EXISTING: &str = "## 既存のチャンネル長期記憶\n";
const SHORT_TERM: &str = "## 統合対象: チャンネルの短期記憶\n";
const TASK: &str = "\n\n---\n";

/// Answers to a merge into a channel's long-term memory with the existing memory and the short-term
/// memory below it, and to everything else with the digest of the prompt.
#[must_use]
pub fn telling_llm() -> ScriptedLlm {
    ScriptedLlm::new(|_, request| answer(&request.system_prompt))
}

/// The answer of that model to a prompt.
#[must_use]
pub fn answer(prompt: &str) -> String {
    let merged = prompt.rsplit_once(SHORT_TERM);
    let Some((before, short_term)) = merged else {
        let mut hasher = DefaultHasher::new();
        prompt.hash(&mut hasher);
        return format!(
            "- prompt {:016x} of {} bytes",
            hasher.finish(),
            prompt.len()
        );
    };
    let short_term = short_term.split(TASK).next().unwrap_or_default();
    match before.rsplit_once(EXISTING) {
        Some((_, existing)) => format!("{}\n{short_term}", existing.trim_end()),
        None => short_term.to_owned(),
    }
}
