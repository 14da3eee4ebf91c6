//! The list from which the author of a correction picks what it strikes.

use serde_json::{Value, json};

use super::lines::{LINE_CHARS, Source, link_to};
use super::words::Language;
use super::{escaped, first_part, section};

/// The id of the button.
pub const STRIKE: &str = "strike";
/// That of each box.
pub const STRUCK: &str = "struck";

/// A message that may be struck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrikeChoice {
    /// Its id.
    pub ts: String,
    /// The part of it that would be struck.
    pub said: Source,
    /// True if it is ticked at first.
    pub is_ticked: bool,
}

/// The heading of the list, and its blocks, for the correction with this id.
#[must_use]
pub fn strike_list(
    channel_id: &str,
    correction: &str,
    choices: &[StrikeChoice],
    language: Language,
) -> (String, Value) {
    let (heading, box_text, button) = match language {
        Language::Japanese => (
            "この訂正で、どれを消しますか？ 選んだ発言の、訂正と食い違う部分は、ここではもう使われません。",
            "消す",
            "決定",
        ),
        Language::English => (
            "Which of these does your correction strike? What they say differently is used here no more.",
            "Strike it",
            "Done",
        ),
    };
    let mut blocks = vec![section(heading)];
    for StrikeChoice {
        ts,
        said,
        is_ticked,
    } in choices
    {
        let words = first_part(&escaped(&said.text), LINE_CHARS);
        let option = json!({ "text": plain(box_text), "value": ts });
        let boxes = if *is_ticked {
            json!({ "type": "checkboxes", "action_id": STRUCK, "options": [&option], "initial_options": [&option] })
        } else {
            json!({ "type": "checkboxes", "action_id": STRUCK, "options": [&option] })
        };
        let text = super::mrkdwn(&format!("{} {words}", link_to(said)));
        let choice = json!({ "type": "section", "block_id": ts, "text": text, "accessory": boxes });
        blocks.push(choice);
    }
    let value = format!("{channel_id}:{correction}");
    let button =
        json!({ "type": "button", "action_id": STRIKE, "text": plain(button), "value": value });
    blocks.push(json!({ "type": "actions", "elements": [button] }));
    (heading.to_owned(), Value::Array(blocks))
}

/// The answer to the button.
#[must_use]
pub fn is_struck(count: usize, language: Language) -> String {
    match language {
        Language::Japanese => {
            format!("{count} 件の発言を選びました。訂正の発言を編集か削除すると、取り消せます。")
        }
        Language::English => {
            format!("Struck: {count}. To undo it, edit or delete your correction.")
        }
    }
}

fn plain(text: &str) -> Value {
    json!({ "type": "plain_text", "text": text })
}
