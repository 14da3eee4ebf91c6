//! Parameters of the tools. Agents read the comments as descriptions.

use schemars::JsonSchema;
use serde::Deserialize;

/// A search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchParameters {
    /// Words, in English or Japanese. Times ("since Friday", "先週の火曜") and channels ("#general") in them are understood.
    pub(super) words: String,
    /// Leave out messages before this day ("2026-03-06") or time ("2026-03-06T09:00:00+09:00").
    pub(super) since: Option<String>,
    /// Leave out messages after this day, or from this time on.
    pub(super) until: Option<String>,
    /// The largest number of messages, 1 to 50; 10 if left out.
    #[schemars(range(min = 1, max = 50))]
    pub(super) limit: Option<u32>,
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskParameters {
    /// The question, in English or Japanese.
    pub(super) question: String,
    /// Answer as at the end of this day ("2026-03-06"), or at this time ("2026-03-06T09:00:00+09:00").
    pub(super) as_of: Option<String>,
}

/// Which channel.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChannelParameters {
    /// Its name, with or without "#", or its id.
    pub(super) channel: String,
}

/// Which items.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ItemsParameters {
    /// "decision", "task", "question" or "fact"; all kinds if left out.
    pub(super) kind: Option<String>,
    /// The channel's name, with or without "#", or its id; all channels if left out.
    pub(super) channel: Option<String>,
    /// The name of who is to do it; everybody if left out.
    pub(super) owner: Option<String>,
    /// True for those too that are done, dropped or replaced.
    #[serde(default)]
    pub(super) closed: bool,
    /// As at the end of this day ("2026-03-06"), or at this time ("2026-03-06T09:00:00+09:00").
    pub(super) as_of: Option<String>,
}

/// Which item.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ItemParameters {
    /// Its `id`, as in the list of items.
    pub(super) item: String,
}

/// Which changes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangesParameters {
    /// This day ("2026-03-06") or time ("2026-03-06T09:00:00+09:00").
    pub(super) since: String,
    /// The channel's name, with or without "#", or its id; all channels if left out.
    pub(super) channel: Option<String>,
}
