//! Judges a model's answer before it is posted as a reply.
//!
//! A reply may be short, ask back, be in any language, quote memories, and say that something is not known. It is
//! refused if it is empty, only declines, or repeats the prompt.

use super::wording::{folded, sentence, sentences};
use super::{Accepted, Sources, cut, own_words, repetition, wrapping};
use crate::bindings::errors::BadAnswer;
use crate::phrases::{Phrases, phrases};
use crate::prompt::harmless;

/// A shorter reply may be the same as the message ("こんにちは"), in letters.
const LEAST_ECHO: usize = 12;
/// Words for saying that something is not known, which is no refusal.
const UNKNOWN: Phrases = phrases!("japanese/unknown.txt", "english/unknown.txt");
/// Code fences that contain text rather than code.
const TEXT_FENCES: &[&str] = &["", "markdown", "md", "text", "txt", "plaintext"];

/// The expectations of a reply.
#[derive(Clone, Copy, Debug)]
pub struct ReplyExpectation<'a> {
    /// The prompt that was sent, including any feedback.
    pub prompt: &'a str,
    /// The messages and memories in it.
    pub texts: &'a [&'a str],
    /// The text of the message that is answered.
    pub answered: &'a str,
    /// The bot's name.
    pub name: &'a str,
    /// True if the model stopped because it reached its maximum length.
    pub cut_off: bool,
}

/// Judges a reply, and removes what is around it.
///
/// # Errors
/// [`BadAnswer::Empty`], [`BadAnswer::Refusal`] if it only declines, [`BadAnswer::PromptRepeated`] if it repeats the
/// message, or contains a line of the instruction or two headings of the prompt.
pub fn judge_reply(
    answer: &str,
    expectation: &ReplyExpectation<'_>,
) -> Result<Accepted, BadAnswer> {
    let plain = wrapping::plain(answer);
    let text = wrapping::without_fence_of(&plain, TEXT_FENCES, expectation.cut_off);
    let text = harmless::restore_code(text);
    let mut text = own_words::own_words(&text, expectation.name);
    if expectation.cut_off {
        text = to_last_whole(&text, answer.ends_with('\n'));
    }
    if says_nothing(&text) {
        return Err(BadAnswer::Empty);
    }
    let sources = Sources::Messages(expectation.texts);
    if own_words::is_echo(&text, expectation.answered, LEAST_ECHO)
        || repetition::repeats_frame(&text, expectation.prompt, sources)
    {
        return Err(BadAnswer::PromptRepeated);
    }
    let text = repetition::without_headings(&text, expectation.prompt, sources);
    if says_nothing(&text) {
        return Err(BadAnswer::Empty);
    }
    if only_declines(&text) {
        return Err(BadAnswer::Refusal);
    }
    Ok(Accepted {
        text,
        truncated: expectation.cut_off,
        unfounded: 0,
        doubtful: 0,
        reports: Vec::new(),
    })
}

/// Returns true if there is neither a letter nor a meaningful symbol.
fn says_nothing(text: &str) -> bool {
    let is_symbol =
        |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '×');
    !text.chars().any(|c| c.is_alphanumeric() || is_symbol(c))
}

fn only_declines(text: &str) -> bool {
    let folded = folded(text);
    let sentences = sentences(text);
    // A number is content.
    !folded.contains(|c: char| c.is_ascii_digit())
        && !UNKNOWN.is_in(&folded)
        && !sentences.is_empty()
        && sentences
            .iter()
            .all(|sentence| sentence::is_refusal(sentence))
}

/// Cuts a truncated text back to its last whole sentence or bullet; within code to its last whole line.
fn to_last_whole(text: &str, line_ended: bool) -> String {
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    if text.lines().filter(is_fence).count() % 2 == 0 {
        return cut::to_last_whole(text, line_ended);
    }
    match text.rsplit_once('\n') {
        Some((whole, last)) if !line_ended && !is_fence(&last) => format!("{whole}\n```"),
        _ => format!("{}\n```", text.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const PROMPT: &str = "あなたは「みゃお」です。\n\n## 記憶\n\n### ワークスペースの歴史\n- 公開は3月22日\n\n## 現在の会話\n\n\
        ### 返信対象: トップレベル\n\n**2024-03-01 10:00:00** alice:\nみゃお、公開はいつになりましたか？\n\n---\n\
        現在時刻: 2024-03-01 10:00:05 (UTC+09:00)\n上の記憶と会話から分かることだけを述べてください。\n";

    fn judged(answer: &str, cut_off: bool) -> Result<Accepted, BadAnswer> {
        let expectation = ReplyExpectation {
            prompt: PROMPT,
            texts: &["- 公開は3月22日", "みゃお、公開はいつになりましたか？"],
            answered: "みゃお、公開はいつになりましたか？",
            name: "みゃお",
            cut_off,
        };
        judge_reply(answer, &expectation)
    }

    fn text(answer: &str) -> String {
        judged(answer, false).unwrap().text
    }

    #[test]
    fn replies_are_taken_without_what_stands_around_them() {
        for (answer, expected) in [
            ("3月22日です。", "3月22日です。"),
            (
                "<think>hm</think>\n\nみゃお: 3月22日です。",
                "3月22日です。",
            ),
            ("```\n3月22日です。\n```", "3月22日です。"),
            ("```sql\nselect 1;\n```", "```sql\nselect 1;\n```"),
            ("## 現在の会話\n3月22日です。", "3月22日です。"),
            ("承知しました。", "承知しました。"),
            ("ありません。", "ありません。"),
            ("👍", "👍"),
            ("公開は3月22日", "公開は3月22日"),
            ("どの公開のことですか？", "どの公開のことですか？"),
            (
                "Let me know if you need more!",
                "Let me know if you need more!",
            ),
        ] {
            assert_eq!(text(answer), expected, "{answer}");
        }
    }

    #[test]
    fn saying_that_something_is_not_known_is_no_refusal() {
        for answer in [
            "申し訳ありませんが、その件は記憶にないためお答えできません。",
            "I'm sorry, but I don't have any information about that.",
            "分かりません。回答できません。",
            "I can't help with that, but the launch is on March 22.",
        ] {
            assert_eq!(text(answer), answer);
        }
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for (answer, fault) in [
            ("", BadAnswer::Empty),
            (" \n---\n", BadAnswer::Empty),
            ("**2024-03-01 10:00:00** みゃお:", BadAnswer::Empty),
            ("**2024-03-01 10:00:00** alice:\nいつ？", BadAnswer::Empty),
            ("…", BadAnswer::Empty),
            ("I'm sorry, but I can't help with that.", BadAnswer::Refusal),
            (
                "申し訳ありませんが、お手伝いできません。",
                BadAnswer::Refusal,
            ),
            (
                "上の記憶と会話から分かることだけを述べてください。3月22日です。",
                BadAnswer::PromptRepeated,
            ),
            (
                "## 現在の会話\n### 返信対象: トップレベル\n3月22日です。",
                BadAnswer::PromptRepeated,
            ),
            (
                "みゃお、公開はいつになりましたか？",
                BadAnswer::PromptRepeated,
            ),
        ] {
            assert_eq!(judged(answer, false), Err(fault), "{answer}");
        }
    }

    #[test]
    fn the_time_may_be_told_as_the_prompt_tells_it() {
        let answer = "現在時刻: 2024-03-01 10:00:05 (UTC+09:00) です。";
        assert_eq!(text(answer), answer);
    }

    #[test]
    fn a_reply_that_was_cut_off_ends_at_a_whole_sentence_or_line() {
        for (answer, expected) in [
            ("公開は3月22日です。担当は", "公開は3月22日です。"),
            ("It ships in March. The owner is", "It ships in March."),
            ("- 公開は3月\n- 担当", "- 公開は3月"),
            (
                "これです。\n\n```rust\nlet a = 1;\nlet b",
                "これです。\n\n```rust\nlet a = 1;\n```",
            ),
        ] {
            let accepted = judged(answer, true).unwrap();
            assert_eq!(
                (accepted.text.as_str(), accepted.truncated),
                (expected, true)
            );
        }
    }
}
