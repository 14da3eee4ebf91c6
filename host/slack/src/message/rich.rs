//! The text of messages with an empty `text`: bots often write only blocks
//! (<https://docs.slack.dev/reference/block-kit/blocks>) or attachments
//! (<https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments>).
//!
//! Anything of another shape than documented is skipped: it must not stop an import. Buttons, menus and footers say
//! nothing about the conversation, and are left out.

use serde_json::Value;

use super::raw::RichContent;
use crate::mrkdwn::{
    Names, UNKNOWN_GROUP, channel_mention, link, readable, unescaped, user_mention,
};

/// The fallback that Slack writes for an attachment made of blocks.
const NO_FALLBACK: &str = "[no preview available]";

/// The readable text of blocks and attachments, one line per part; empty if they hold none.
pub(super) fn text_of(content: &RichContent, names: &dyn Names) -> String {
    let mut lines = Lines {
        lines: Vec::new(),
        names,
    };
    lines.blocks(&content.blocks);
    for attachment in content.attachments.as_array().into_iter().flatten() {
        lines.attachment(attachment);
    }
    lines.lines.join("\n")
}

struct Lines<'n> {
    lines: Vec<String>,
    names: &'n dyn Names,
}

impl Lines<'_> {
    fn push(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.lines.push(text.to_owned());
        }
    }

    /// Adds a text in mrkdwn.
    fn mrkdwn(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            let text = readable(text, self.names);
            self.push(&text);
        }
    }

    fn blocks(&mut self, blocks: &Value) {
        blocks
            .as_array()
            .into_iter()
            .flatten()
            .for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Value) {
        match string(block, "type").unwrap_or_default() {
            "rich_text" => elements(block, "elements")
                .iter()
                .for_each(|part| self.rich_text(part, "")),
            "table" => elements(block, "rows").iter().for_each(|row| self.row(row)),
            "image" | "video" => {
                let title = block
                    .get("title")
                    .and_then(text_object)
                    .or_else(|| string(block, "alt_text"));
                self.mrkdwn(title);
                self.mrkdwn(block.get("description").and_then(text_object));
            }
            "actions" | "input" | "context_actions" => {}
            _ => {
                self.mrkdwn(block.get("text").and_then(text_object));
                for part in elements(block, "fields")
                    .iter()
                    .chain(elements(block, "elements"))
                {
                    self.mrkdwn(text_object(part));
                }
            }
        }
    }

    /// Adds a section, quote, list or block of code; `bullet` is written before a section of a list.
    fn rich_text(&mut self, part: &Value, bullet: &str) {
        let parts = elements(part, "elements");
        if string(part, "type") == Some("rich_text_list") {
            parts.iter().for_each(|item| self.rich_text(item, "- "));
        } else {
            let text: String = parts.iter().map(|leaf| self.leaf(leaf)).collect();
            if !text.trim().is_empty() {
                self.push(&format!("{bullet}{text}"));
            }
        }
    }

    /// A piece of a line. Unlike elsewhere, Slack escapes nothing in it.
    fn leaf(&self, leaf: &Value) -> String {
        // Unlike `string`, this keeps a leaf of spaces between two mentions.
        let text = leaf.get("text").and_then(Value::as_str);
        match string(leaf, "type").unwrap_or_default() {
            "user" => user_mention(
                string(leaf, "user_id").unwrap_or_default(),
                None,
                self.names,
            ),
            "channel" => channel_mention(
                string(leaf, "channel_id").unwrap_or_default(),
                None,
                self.names,
            ),
            "usergroup" => UNKNOWN_GROUP.to_owned(),
            "broadcast" => format!("@{}", string(leaf, "range").unwrap_or("channel")),
            "emoji" => format!(":{}:", string(leaf, "name").unwrap_or_default()),
            "link" => link(string(leaf, "url").unwrap_or_default(), text),
            "date" => string(leaf, "fallback")
                .or(text)
                .unwrap_or_default()
                .to_owned(),
            _ => text.unwrap_or_default().to_owned(),
        }
    }

    fn row(&mut self, row: &Value) {
        let cells: Vec<String> = row
            .as_array()
            .into_iter()
            .flatten()
            .map(|cell| {
                let mut lines = Lines {
                    lines: Vec::new(),
                    names: self.names,
                };
                lines.block(cell);
                lines.lines.join(" ")
            })
            .collect();
        self.push(&cells.join(" | "));
    }

    fn attachment(&mut self, attachment: &Value) {
        if is_other_message(attachment) {
            // Messages from elsewhere are not for the readers of this channel. Slack shows them to those who may see them.
            if let Some(url) = string(attachment, "from_url") {
                let url = link(&unescaped(url), None);
                self.push(&url);
            }
            return;
        }
        let before = self.lines.len();
        self.mrkdwn(string(attachment, "pretext"));
        match (
            string(attachment, "title"),
            string(attachment, "title_link"),
        ) {
            (Some(title), Some(url)) => {
                let title = link(&unescaped(url), Some(&readable(title, self.names)));
                self.push(&title);
            }
            (title, _) => self.mrkdwn(title),
        }
        self.mrkdwn(string(attachment, "text"));
        for field in elements(attachment, "fields") {
            self.field(field);
        }
        attachment
            .get("blocks")
            .into_iter()
            .for_each(|blocks| self.blocks(blocks));
        if self.lines.len() == before {
            self.mrkdwn(string(attachment, "fallback").filter(|text| *text != NO_FALLBACK));
        }
    }

    fn field(&mut self, field: &Value) {
        let value = match field.get("value") {
            Some(Value::String(text)) => readable(text, self.names).into_owned(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let title = readable(string(field, "title").unwrap_or_default(), self.names);
        match (title.is_empty(), value.is_empty()) {
            (false, false) => self.push(&format!("{title}: {value}")),
            _ => self.push(&format!("{title}{value}")),
        }
    }
}

/// Returns true if an attachment repeats a message of Slack: one that was shared, or whose link was unfolded.
fn is_other_message(attachment: &Value) -> bool {
    let is = |key| attachment.get(key).and_then(Value::as_bool) == Some(true);
    ["is_share", "is_msg_unfurl", "is_reply_unfurl"]
        .into_iter()
        .any(is)
        || attachment.get("message_blocks").is_some()
}

/// The elements of an array; empty for anything else.
fn elements<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn string<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value
        .get(key)?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}

/// The text of `{"type": "mrkdwn", "text": …}`, or of a bare string.
fn text_object(value: &Value) -> Option<&str> {
    value
        .as_str()
        .or_else(|| string(value, "text"))
        .or_else(|| string(value, "alt_text"))
}

#[cfg(test)]
#[path = "rich_tests.rs"]
mod tests;
