//! What people mark as done.

use std::collections::BTreeMap;

use myao_plugin::storage::records::DoneMark;
use myao_plugin::ts::TsKey;

/// By mark: the newest change, and whether it stands or was taken back.
#[derive(Debug, Clone, Default)]
pub(super) struct DoneMarks(BTreeMap<DoneMark, (TsKey, bool)>);

impl DoneMarks {
    pub(super) fn change(&mut self, mark: DoneMark, is_given: bool, at: TsKey) {
        let new = (at, is_given);
        let known = self.0.entry(mark).or_insert(new);
        if new.0 > known.0 || (new.0 == known.0 && !is_given) {
            *known = new;
        }
    }

    pub(super) fn forget(&mut self, user_id: &str) {
        self.0.retain(|mark, _| mark.user_id != user_id);
    }

    /// The time of the earliest mark of a message that stands at a time, of somebody who counts.
    pub(super) fn since(
        &self,
        (channel_id, ts): (&str, TsKey),
        until: TsKey,
        counts: impl Fn(&str) -> bool,
    ) -> Option<TsKey> {
        let marks = self.0.iter().filter(|(mark, (at, is_given))| {
            let is_meant = mark.channel_id == channel_id && mark.ts == ts;
            is_meant && *is_given && *at <= until && counts(&mark.user_id)
        });
        marks.map(|(_, (at, _))| *at).min()
    }
}
