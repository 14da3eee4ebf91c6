//! A model that makes a short summary of what it is shown.

use myao_tests::llm_server::{Call, LlmServer, Reply, answer_with_usage};

/// The headings of messages that are to be summarised.
const MESSAGES: [&str; 3] = ["## 要約対象", "## To summarise", "## Thread to summarise"];
/// The headings of memories that are to be merged.
const MEMORIES: [&str; 4] = ["## 既存の", "## 統合対象", "## Existing", "## To merge"];
/// How much of a message is quoted.
const MOST_CHARACTERS: usize = 16;
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

/// Of messages who wrote, and how the conversation began and ended; of memories the newest bullets.
fn summary(prompt: &str) -> String {
    let mut messages = MESSAGES.iter();
    match messages.find_map(|heading| prompt.split_once(heading)) {
        Some((_, messages)) => of_messages(messages),
        None => {
            let begins = MEMORIES.iter().filter_map(|heading| prompt.find(heading));
            newest_bullets(&prompt[begins.min().unwrap_or(0)..])
        }
    }
}

fn of_messages(messages: &str) -> String {
    let mut said: Vec<(&str, String)> = Vec::new();
    let mut lines = messages.lines();
    while let Some(line) = lines.next() {
        let head = line
            .strip_prefix("**")
            .and_then(|line| line.split_once("** "));
        if let Some((_, author)) = head {
            let text = lines.next().unwrap_or_default();
            said.push((author.trim_end_matches(':'), first_words(text)));
        }
    }
    let mut authors: Vec<&str> = said.iter().map(|(author, _)| *author).collect();
    authors.sort_unstable();
    authors.dedup();
    let word =
        |said: Option<&(&str, String)>| said.map(|(_, text)| text.clone()).unwrap_or_default();
    format!(
        "- {} ({} 件): 「{}…」から「{}…」まで",
        authors.join("、"),
        said.len(),
        word(said.first()),
        word(said.last())
    )
}

/// The beginning of a text, without a part of a number at its end.
fn first_words(text: &str) -> String {
    let words: String = text.chars().take(MOST_CHARACTERS).collect();
    let is_part = |c: char| c.is_ascii_digit() || ".,:/-".contains(c);
    if words.len() < text.len() {
        words.trim_end_matches(is_part).trim_end().to_owned()
    } else {
        words
    }
}

fn newest_bullets(memories: &str) -> String {
    let mut bullets: Vec<&str> = memories
        .lines()
        .filter(|line| line.starts_with("- "))
        .collect();
    bullets.dedup();
    let older = bullets.len().saturating_sub(MOST_BULLETS);
    bullets.split_off(older).join("\n")
}
