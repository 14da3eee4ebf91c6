//! The members of a channel, by lists of all of them and by those who join and leave, in any order.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::sync::Member;
use myao_plugin::ts::TsKey;

use super::newest::{is_newer, was_ahead};

/// The members of a channel.
#[derive(Debug, Clone, Default)]
pub(super) struct Members {
    /// The time of the newest list; `None` if there never was one.
    pub(super) listed_at: Option<TsKey>,
    /// Whether that list was known.
    pub(super) are_known: bool,
    /// What is known about each user, and since when. Everybody else was no member when the list was made.
    of_user: BTreeMap<String, (bool, TsKey)>,
}

impl Members {
    /// Takes over a list of all members.
    pub(super) fn list(&mut self, members: Option<Vec<String>>, at: TsKey, latest: TsKey) {
        let known_at = self
            .listed_at
            .filter(|known| !was_ahead(*known, at, latest));
        if Some(at) < known_at {
            return;
        }
        let is_first = Some(at) > known_at;
        self.are_known = members.is_some() && (is_first || self.are_known);
        self.listed_at = Some(at);
        let listed: BTreeSet<String> = members.into_iter().flatten().collect();
        self.of_user.retain(|id, (_, known)| {
            listed.contains(id) || (*known > at && !was_ahead(*known, at, latest))
        });
        for id in listed.into_iter().filter(|_| is_first) {
            let known = self.of_user.entry(id).or_insert((true, at));
            if known.1 < at || was_ahead(known.1, at, latest) {
                *known = (true, at);
            }
        }
    }

    /// Notes that somebody joined or left.
    pub(super) fn change(&mut self, user_id: String, is_member: bool, at: TsKey, latest: TsKey) {
        let known = self.of_user.get(&user_id).copied();
        let known = known.or(self.listed_at.map(|listed| (false, listed)));
        let told = known.map_or((None, false), |(is_member, at)| (Some(at), !is_member));
        // If two statements have the same time, leaving wins.
        if is_newer(told, (Some(at), !is_member), latest) {
            self.of_user.insert(user_id, (is_member, at));
        }
    }

    /// The ids of those who are known to be members, and since when.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, TsKey)> {
        let all = self.of_user.iter();
        all.filter(|(_, (is_member, _))| *is_member)
            .map(|(id, (_, at))| (id.as_str(), *at))
    }

    /// Whether this user is known to be a member.
    pub(super) fn has(&self, user_id: &str) -> bool {
        self.of_user
            .get(user_id)
            .is_some_and(|(is_member, _)| *is_member)
    }

    /// The members that are known, ordered by id.
    pub(super) fn known(&self) -> Vec<Member> {
        let members = self.all().map(|(id, known_at)| Member {
            user_id: id.to_owned(),
            known_at,
        });
        members.collect()
    }
}
