//! The words around what an overview quotes.

use crate::bindings::types::{Item, ItemKind, ItemState, Timestamp};
use crate::extractive::messages::local_date;
use crate::recall::{Overview, OverviewOf};
use crate::ts::Ts;

/// The heading above the lines, and the words behind items.
pub(super) struct Heading {
    of: OverviewOf,
    /// True if only items about something were asked for.
    has_subject: bool,
    japanese: bool,
    today: Option<String>,
    /// The days that were asked for.
    since: Option<String>,
    until: Option<String>,
}

impl Heading {
    pub(super) fn new(overview: &Overview, japanese: bool, now: Timestamp) -> Self {
        let (since, until) = overview.bounds;
        let day = |ts: Ts| {
            local_date(Timestamp {
                unix_seconds: i64::try_from(ts.seconds).unwrap_or(i64::MAX),
                ..now
            })
        };
        Self {
            of: overview.of,
            has_subject: !overview.about.is_empty(),
            japanese,
            today: local_date(now),
            since: since.and_then(day),
            until: day(until).filter(|_| until < Ts::last_of(now)),
        }
    }

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
                OverviewOf::Decisions if self.has_subject => "その件で決まったことです。",
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
            OverviewOf::Decisions if self.has_subject => "What was decided about that",
            OverviewOf::Decisions => "What was decided",
            OverviewOf::Open if self.has_subject => "What is still open about that",
            OverviewOf::Open => "What is still open",
            OverviewOf::Done => "What was done",
        };
        let words: Vec<String> = std::iter::once(what.to_owned()).chain(parts).collect();
        format!("{}:", words.join(" "))
    }

    /// The words behind an item: its kind, its state, who is to do it and until when. `None` for a decision that stands where only
    /// decisions were asked for.
    pub(super) fn label(&self, item: &Item) -> Option<String> {
        let pick = |japanese: &'static str, english: &'static str| match self.japanese {
            true => japanese,
            false => english,
        };
        let is_open = item.state == ItemState::Open;
        let stands = self.of == OverviewOf::Decisions && item.kind == ItemKind::Decision && is_open;
        if stands {
            return None;
        }
        let kind = match item.kind {
            ItemKind::Decision => pick("決定", "decision"),
            ItemKind::Task => pick("作業", "task"),
            ItemKind::Question => pick("質問", "question"),
            ItemKind::Fact => pick("事実", "fact"),
        };
        let state = match item.state {
            ItemState::Open => None,
            ItemState::Done => Some(pick("完了", "done")),
            ItemState::Dropped => Some(pick("取り消し", "dropped")),
            ItemState::Superseded => Some(pick("置き換え済み", "replaced")),
            ItemState::Unknown => Some(pick("状態は不明", "state not known")),
        };
        let mut words = vec![kind.to_owned()];
        words.extend(state.map(str::to_owned));
        words.extend(item.owner.as_ref().map(|owner| owner.name.clone()));
        if let Some(due) = &item.due {
            let is_late = is_open && Some(due) < self.today.as_ref();
            words.push(match (self.japanese, is_late) {
                (true, true) => format!("{due} まで・期限切れ"),
                (true, false) => format!("{due} まで"),
                (false, true) => format!("due {due}, late"),
                (false, false) => format!("due {due}"),
            });
        }
        Some(words.join(if self.japanese { "、" } else { ", " }))
    }

    pub(super) fn nothing(&self) -> String {
        let (japanese, english) = match self.of {
            OverviewOf::All => (
                "該当する発言は見つかりませんでした。",
                "I found nothing that was said there or then.",
            ),
            OverviewOf::Decisions => (
                "決まったことは記録されていません。「決定: …」で始まる発言を記録します。",
                "No decision is noted there or then. A message that begins with `decision:` is noted.",
            ),
            OverviewOf::Open => (
                "残っている作業も質問も記録されていません。「タスク: …」で始まる発言を記録します。",
                "No open task or question is noted there or then. A message that begins with `todo:` is noted.",
            ),
            OverviewOf::Done => (
                "終わったことは記録されていません。",
                "Nothing is noted as done there or then.",
            ),
        };
        let text = if self.japanese { japanese } else { english };
        text.to_owned()
    }
}
