//! The words around what an overview quotes.

use super::items::End;
use crate::extractive::TodoKind;
use crate::recall::OverviewOf;

/// The heading above the lines.
pub(super) struct Heading {
    pub(super) of: OverviewOf,
    /// True if only what is open about something was asked for.
    pub(super) has_subject: bool,
    pub(super) japanese: bool,
    /// The days that were asked for.
    pub(super) since: Option<String>,
    pub(super) until: Option<String>,
}

impl Heading {
    pub(super) fn text(&self, channel: Option<&str>) -> String {
        let channel = channel.map(|name| format!("#{name}"));
        let days = (self.since.as_deref(), self.until.as_deref());
        if self.japanese {
            let days = match days {
                (Some(since), Some(until)) if since == until => format!("{since} の"),
                (Some(since), Some(until)) => format!("{since} から {until} までの"),
                (Some(since), None) => format!("{since} からの"),
                (None, Some(until)) => format!("{until} までの"),
                (None, None) => String::new(),
            };
            let channel = match (channel, days.as_str()) {
                (Some(name), "") => format!("{name} の"),
                (Some(name), _) => format!("{name}、"),
                (None, _) => String::new(),
            };
            let what = match self.of {
                OverviewOf::All => "主な発言です。",
                OverviewOf::Decisions => "決まったことです。",
                OverviewOf::Open if self.has_subject => "その件で、まだ終わっていないことです。",
                OverviewOf::Open => "まだ終わっていないことです。",
                OverviewOf::Done => "終わったことです。",
            };
            return format!("{channel}{days}{what}");
        }
        let days = match days {
            (Some(since), Some(until)) if since == until => Some(format!("on {since}")),
            (Some(since), Some(until)) => Some(format!("from {since} to {until}")),
            (Some(since), None) => Some(format!("since {since}")),
            (None, Some(until)) => Some(format!("up to {until}")),
            (None, None) => None,
        };
        let parts: Vec<String> = channel
            .map(|name| format!("in {name}"))
            .into_iter()
            .chain(days)
            .collect();
        let what = match self.of {
            OverviewOf::All => "What was said",
            OverviewOf::Decisions => "What was decided",
            OverviewOf::Open if self.has_subject => "What is still open about that",
            OverviewOf::Open => "What is still open",
            OverviewOf::Done => "What was done",
        };
        let words: Vec<String> = std::iter::once(what.to_owned()).chain(parts).collect();
        format!("{}:", words.join(" "))
    }

    /// The words behind a decision.
    pub(super) fn decision(&self) -> &'static str {
        if self.japanese { "決定" } else { "decision" }
    }

    /// The words before the decisions that the one before it overrules.
    pub(super) fn overruled(&self) -> &'static str {
        if self.japanese {
            "これで覆った決定"
        } else {
            "overruled by this"
        }
    }

    /// The words behind a question or a task.
    pub(super) fn todo(&self, kind: TodoKind, end: End) -> &'static str {
        match (kind, end, self.japanese) {
            (TodoKind::Question, End::None, true) => "質問",
            (TodoKind::Question, End::None, false) => "question",
            (TodoKind::Question, _, true) => "質問、解決",
            (TodoKind::Question, _, false) => "question, done",
            (TodoKind::Task, End::None, true) => "作業",
            (TodoKind::Task, End::None, false) => "task",
            (TodoKind::Task, End::Done, true) => "作業、完了",
            (TodoKind::Task, End::Done, false) => "task, done",
            (TodoKind::Task, End::Changed, true) => "作業、変更あり",
            (TodoKind::Task, End::Changed, false) => "task, changed",
        }
    }

    pub(super) fn nothing(&self) -> String {
        let text = match (self.of, self.japanese) {
            (OverviewOf::All, true) => "該当する発言は見つかりませんでした。",
            (OverviewOf::All, false) => "I found nothing that was said there or then.",
            (OverviewOf::Decisions, true) => "決まったことは見つかりませんでした。",
            (OverviewOf::Decisions, false) => "I found nothing that was decided there or then.",
            (OverviewOf::Open, true) if self.has_subject => {
                "その件では、答えのない質問も、残っている作業も見つかりませんでした。"
            }
            (OverviewOf::Open, false) if self.has_subject => {
                "I found no question about that without an answer, and nothing to do."
            }
            (OverviewOf::Open, true) => "答えのない質問も、残っている作業も見つかりませんでした。",
            (OverviewOf::Open, false) => {
                "I found no question without an answer, and nothing to do."
            }
            (OverviewOf::Done, true) => "終わったことは見つかりませんでした。",
            (OverviewOf::Done, false) => "I found nothing that was done there or then.",
        };
        text.to_owned()
    }
}
