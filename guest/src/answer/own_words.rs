//! Removes what a model writes around its reply: the head of a message as in the prompt, its own name, quotation marks.

use super::lines::letters;
use super::wording::folded;

/// Pairs of quotation marks.
const QUOTES: &[(char, char)] = &[('「', '」'), ('『', '』'), ('“', '”'), ('"', '"')];
/// The longest name, in characters.
const MAX_NAME: usize = 80;

/// The part of an answer that `name` says. A model that continues the conversation in the prompt's form writes heads of
/// messages, its own and other people's: only the text under its own first head counts, or without one, the text before
/// all heads.
pub(super) fn own_words(text: &str, name: &str) -> String {
    let mut before = Vec::new();
    let mut own: Option<Vec<&str>> = None;
    let mut speaks_other = false;
    for line in text.split('\n') {
        match head(line, name) {
            Some(Head::Own(_)) if own.is_some() => break,
            Some(Head::Own(rest)) => (own, speaks_other) = (Some(vec![rest]), false),
            Some(Head::Other) if own.is_some() => break,
            Some(Head::Other) => speaks_other = true,
            None => match &mut own {
                Some(lines) => lines.push(line),
                None if !speaks_other => before.push(line),
                None => {}
            },
        }
    }
    let said = own.unwrap_or(before).join("\n");
    without_quotes(without_name(said.trim(), name)).to_owned()
}

enum Head<'l> {
    /// The bot's, and the rest of its line.
    Own(&'l str),
    /// Somebody else's.
    Other,
}

/// Reads `**2024-03-01 10:00:00** alice:`, with or without the asterisks.
fn head<'l>(line: &'l str, name: &str) -> Option<Head<'l>> {
    let bare = line.trim().trim_start_matches('*');
    let (time, rest) = bare.split_at_checked(19)?;
    let is_time = time.char_indices().all(|(at, c)| match at {
        4 | 7 => c == '-',
        10 => c == ' ',
        13 | 16 => c == ':',
        _ => c.is_ascii_digit(),
    });
    // In `**time name:** text` the bold type ends after the name.
    let is_open = bare.len() < line.trim().len() && !rest.starts_with('*');
    let rest = rest.trim_start_matches(['*', ' ']);
    if !is_time || rest.is_empty() {
        return None;
    }
    let spoken = without_name(rest, name);
    if spoken.len() < rest.len() {
        let closed = spoken.strip_prefix("**").filter(|_| is_open);
        return Some(Head::Own(closed.unwrap_or(spoken)));
    }
    let speaker = rest.trim_end_matches('*').strip_suffix([':', '：'])?;
    (speaker.chars().count() <= MAX_NAME).then_some(Head::Other)
}

/// A text without the name and colon at its beginning.
fn without_name<'t>(text: &'t str, name: &str) -> &'t str {
    let plain = |text: &str| folded(text.trim().trim_matches(['*', '@', ' ']));
    let Some((speaker, said)) = text.split_once([':', '：']) else {
        return text;
    };
    if name.trim().is_empty() || plain(speaker) != plain(name) {
        return text;
    }
    // In `**name:** text` the bold type ends after the colon.
    let opened = speaker.matches("**").count() % 2 == 1;
    let said = said.strip_prefix("**").filter(|_| opened).unwrap_or(said);
    said.trim_start()
}

/// A text without quotation marks around all of it.
fn without_quotes(text: &str) -> &str {
    let inner = QUOTES.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(*open)?.strip_suffix(*close)?;
        (!inner.contains([*open, *close])).then_some(inner)
    });
    inner.map_or(text, str::trim)
}

/// Returns true if an answer only repeats the message.
pub(super) fn is_echo(answer: &str, said: &str, least: usize) -> bool {
    let answer = letters(answer);
    answer.chars().count() >= least && answer == letters(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_the_bots_message_goes() {
        for answer in [
            "**2024-03-01 10:00:00** みゃお:\n3月です。",
            "2024-03-01 10:00:00 みゃお: 3月です。",
            "**2024-03-01 10:00:00 みゃお:** 3月です。",
            "みゃお: 3月です。",
            "**みゃお**：3月です。",
            "**みゃお:** 3月です。",
            "@みゃお: 3月です。",
            "「3月です。」",
            "みゃお：「3月です。」",
            "\"3月です。\"",
        ] {
            assert_eq!(own_words(answer, "みゃお"), "3月です。", "{answer}");
        }
        assert_eq!(own_words("MYAO: March.", "Myao"), "March.");
    }

    #[test]
    fn a_conversation_that_is_made_up_is_cut_off() {
        let head = |name: &str| format!("**2024-03-01 10:00:00** {name}:");
        let (own, other) = (head("みゃお"), head("alice"));
        let answer = format!("{own}\n3月です。\n\n- 詳細\n\n{other}\nありがとう\n\n{own}\nどうも");
        assert_eq!(own_words(&answer, "みゃお"), "3月です。\n\n- 詳細");
        let answer = format!("{other}\nいつ？\n\n{own}\n3月です。");
        assert_eq!(own_words(&answer, "みゃお"), "3月です。");
        let answer = format!("3月です。\n\n{other}\nありがとう");
        assert_eq!(own_words(&answer, "みゃお"), "3月です。");
        assert_eq!(own_words(&format!("{other}\nいつ？"), "みゃお"), "");
    }

    #[test]
    fn what_only_looks_like_a_frame_stays() {
        for answer in [
            "「A」と「B」のどちらかです。「B」",
            "注意: みゃお: ではありません",
            "alice: と書いてください",
            "- 2024-03-01 10:00:00 開始:",
            "2024-03-01 10:00:00 に始まりました。",
            "10:00: 開始",
        ] {
            assert_eq!(own_words(answer, "みゃお"), answer);
        }
    }
}
