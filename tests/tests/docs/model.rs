//! A model that makes a short summary of what it is shown.

use myao_tests::llm_server::{Call, LlmServer, Reply, answer_with_usage};

/// What stands in front of what is to be summarised.
const TARGETS: [&str; 3] = ["## 要約対象", "## 統合対象", "## 既存の"];
/// The longest memory, in bullets.
const MOST_BULLETS: usize = 8;
/// Tokens of every call: of the prompt, of it cached, of the answer.
const TOKENS: (u32, Option<u32>, u32) = (900, Some(300), 60);

/// The model, behind OpenAI's API.
pub(crate) fn server() -> LlmServer {
    LlmServer::start(reply)
}

fn reply(call: &Call) -> Reply {
    answer_with_usage(&summary(call.prompt()), TOKENS)
}

/// Of memories the newest bullets; of messages who wrote how many, and when the last came.
fn summary(prompt: &str) -> String {
    let begins = TARGETS
        .iter()
        .filter_map(|target| prompt.find(target))
        .min();
    let target = prompt.get(begins.unwrap_or(0)..).unwrap_or_default();
    let mut bullets: Vec<&str> = target
        .lines()
        .filter(|line| line.starts_with("- "))
        .collect();
    bullets.dedup();
    if !bullets.is_empty() {
        let older = bullets.len().saturating_sub(MOST_BULLETS);
        return bullets.split_off(older).join("\n");
    }
    let heads: Vec<(&str, &str)> = target
        .lines()
        .filter_map(|line| {
            line.strip_prefix("**")?
                .strip_suffix(':')?
                .split_once("** ")
        })
        .collect();
    let mut authors: Vec<&str> = heads.iter().map(|(_, author)| *author).collect();
    authors.sort_unstable();
    authors.dedup();
    let (last, author) = heads.last().copied().unwrap_or_default();
    format!(
        "- {} が {} 件の発言\n- 最後は {last} の {author}",
        authors.join("、"),
        heads.len()
    )
}
