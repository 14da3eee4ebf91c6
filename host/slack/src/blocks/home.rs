//! The App Home tab (<https://docs.slack.dev/surfaces/app-home>).

use serde_json::{Value, json};

use crate::command::Mode;

use super::items::{ItemLine, item_blocks};
use super::off_record::mode_select;
use super::words::Language;
use super::{
    EXCERPT_CHARS, MAX_VIEW_BLOCKS, MemoryText, Moment, SHORT_EXCERPT_CHARS, context, divider,
    escaped, excerpt, header, section, titled,
};

/// The most blocks besides those of channels, without the one about the budget.
const FRAME_BLOCKS: usize = 8;
/// The blocks of a channel: a text, and the line below it.
const CHANNEL_BLOCKS: usize = 2;

/// The most channels that fit into a view.
fn max_channels(content: &HomeContent) -> usize {
    let tasks = content.tasks.len() + usize::from(!content.tasks.is_empty());
    let frame = FRAME_BLOCKS + tasks + usize::from(content.asks_again.is_some());
    (MAX_VIEW_BLOCKS - frame) / CHANNEL_BLOCKS
}

/// The content of the Home tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeContent {
    /// When models are asked again, if the budget of the day is used up.
    pub asks_again: Option<Moment>,
    /// The workspace's long-term memory.
    pub workspace: Option<MemoryText>,
    /// The open tasks of the reader.
    pub tasks: Vec<ItemLine>,
    /// The channels with memories, in the order in which they are shown. The caller leaves out private channels of which
    /// the reader is not a member.
    pub channels: Vec<HomeChannel>,
}

/// A channel and its newest memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeChannel {
    /// The name, without `#`.
    pub name: String,
    /// The newest memory.
    pub memory: MemoryText,
    /// How many versions there are.
    pub versions: u32,
    /// Its mode.
    pub mode: Mode,
    /// The channel's id.
    pub id: String,
    /// True if the reader may choose the mode.
    pub may_choose: bool,
}

/// The view for `views.publish` (<https://docs.slack.dev/reference/methods/views.publish>). It says how many channels do
/// not fit.
#[must_use]
pub fn home_view(content: &HomeContent, language: Language) -> Value {
    let words = language.words();
    let mut blocks = vec![header(words.home)];
    if let Some(time) = &content.asks_again {
        blocks.push(section(&language.out_of_budget(time)));
    }
    blocks.extend(item_blocks(&content.tasks, language));
    if content.workspace.is_none() && content.channels.is_empty() {
        blocks.push(section(words.nothing));
    } else {
        blocks.extend(workspace_blocks(content, language));
        blocks.extend(channels_blocks(content, language));
    }
    blocks.push(context(words.home_hint));
    json!({ "type": "home", "blocks": blocks })
}

fn workspace_blocks(content: &HomeContent, language: Language) -> Vec<Value> {
    let words = language.words();
    let mut blocks = vec![header(words.workspace)];
    match &content.workspace {
        None => blocks.push(section(words.no_workspace)),
        Some(memory) => {
            let excerpt = excerpt(&memory.text, EXCERPT_CHARS, language);
            let mut below = vec![memory.made_at.to_string()];
            below.extend(memory.sources(language));
            below.extend(memory.corrections(language));
            if excerpt.hidden > 0 {
                below.push(language.more_text(excerpt.hidden, "myao memory show workspace"));
            }
            blocks.extend([section(&excerpt.mrkdwn), context(&below.join(" · "))]);
        }
    }
    blocks.push(divider());
    blocks
}

fn channels_blocks(content: &HomeContent, language: Language) -> Vec<Value> {
    if content.channels.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![header(language.words().channels)];
    let most = max_channels(content);
    let shown = content.channels.iter().take(most);
    blocks.extend(shown.flat_map(|channel| channel_blocks(channel, language)));
    let left_out = content.channels.len().saturating_sub(most);
    if left_out > 0 {
        blocks.push(context(&language.more_channels(left_out)));
    }
    blocks
}

fn channel_blocks(channel: &HomeChannel, language: Language) -> [Value; CHANNEL_BLOCKS] {
    let excerpt = excerpt(&channel.memory.text, SHORT_EXCERPT_CHARS, language);
    let mut below = vec![
        channel.memory.made_at.to_string(),
        language.versions(channel.versions),
    ];
    if channel.mode == Mode::Off {
        below.push(language.words().is_off_there.to_owned());
    }
    below.extend(channel.memory.sources(language));
    below.extend(channel.memory.corrections(language));
    if excerpt.hidden > 0 {
        let how = format!("myao memory show {}", escaped(&channel.name));
        below.push(language.more_text(excerpt.hidden, &how));
    }
    let title = format!("#{}", channel.name);
    let mut section = titled(&title, &excerpt.mrkdwn);
    if channel.may_choose
        && let Value::Object(section) = &mut section
    {
        let choice = mode_select(&channel.id, channel.mode, language);
        section.insert("accessory".to_owned(), choice);
    }
    [section, context(&below.join(" · "))]
}
