//! The conformance suite: checks a store through the imports of `wit/suite.wit`, whatever language the store is written in.
//!
//! A check is a function of a file that is named for its subject. It fails with the place in the contract.
#![cfg(target_arch = "wasm32")]
#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::restriction,
    clippy::pedantic,
    reason = "generated code"
)]

mod calls;
mod deferrals;
mod drafts;
mod due;
mod erasing;
mod memories;
mod messages;
mod recall;
mod saving;
mod stand_ins;
mod threads;
mod waiting;
mod words;

wit_bindgen::generate!({
    path: "wit",
    world: "conformance",
    additional_derives: [PartialEq],
    generate_all,
});

use calls::{Fault, Verdict};
use exports::myao::conformance::suite::{Guest, Outcome};

struct Suite;

impl Guest for Suite {
    fn checks() -> Vec<String> {
        let names = CHECKS.iter().map(|(name, _)| (*name).to_owned());
        names.collect()
    }

    fn run(check: String) -> Outcome {
        let Some((_, run)) = CHECKS.iter().find(|(name, _)| *name == check) else {
            return Outcome::Failed(format!("there is no check `{check}`"));
        };
        match run() {
            Ok(()) => Outcome::Passed,
            Err(Fault::Missing(what)) => Outcome::Skipped(what.to_owned()),
            Err(Fault::Wrong(what)) => Outcome::Failed(what),
        }
    }
}

macro_rules! checks {
    ($($part:ident: $($check:ident)*;)*) => {
        /// All checks by their names.
        const CHECKS: &[(&str, fn() -> Verdict)] = &[$($((stringify!($check), $part::$check),)*)*];
    };
}

checks! {
    messages:
        channels_are_ordered_by_name_and_then_by_id
        messages_come_oldest_first_within_inclusive_bounds
        messages_are_ordered_numerically
        limit_keeps_the_newest_or_the_oldest
        newest_top_level_messages_are_no_replies
        deleted_message_is_not_returned
        edit_replaces_the_text
        unknown_channel_is_not_found
        what_is_no_message_id_is_invalid;
    threads:
        first_message_of_a_thread_comes_with_its_replies
        whole_thread_is_read_outside_since_and_limit
        long_thread_keeps_its_first_message_and_its_newest_replies
        first_message_names_its_thread_once_there_is_a_reply;
    words:
        parts_of_messages_are_read_in_the_order_given
        part_of_a_deleted_message_is_left_out
        text_that_may_be_a_mark_is_listed;
    saving:
        saved_memory_is_listed_as_it_was_returned
        citations_and_records_are_read_only_if_asked_for
        line_is_by_a_program_if_programs_wrote_all_its_messages
        versions_count_up_and_ids_grow
        overwritten_memory_takes_a_greater_id_and_keeps_its_creation_time
        overwriting_replaces_all_versions
        stale_expectation_is_a_conflict_and_writes_nothing
        empty_text_is_refused
        unknown_sources_are_refused_and_nothing_is_saved
        memory_of_an_unknown_channel_is_not_found;
    erasing:
        lines_and_parts_of_a_deleted_message_are_erased
        channel_whose_memories_lost_lines_is_due
        text_without_citations_that_an_edited_message_went_into_is_erased;
    memories:
        memories_are_ordered_by_scope_id_type_and_version
        only_the_scopes_asked_for_are_read
        history_limit_takes_the_newest_versions
        unmerged_versions_come_however_old
        memories_made_after_until_do_not_exist_yet;
    due:
        never_summarized_channel_is_due_with_a_message_in_the_window
        channel_without_new_messages_is_not_due
        channel_with_a_new_message_is_due_when_idle_or_full_or_always
        channel_with_an_unmerged_version_is_due
        messages_after_until_do_not_exist_yet
        workspace_is_due_when_a_channel_memory_is_newer;
    waiting:
        backlog_counts_what_is_in_no_version_yet
        late_messages_wait_until_a_version_is_made_from_them
        only_what_waits_is_read
        deleted_messages_do_not_wait
        thread_is_due_with_a_reply_and_again_with_a_new_one
        first_message_alone_is_no_thread
        thread_whose_first_message_comes_late_counts_it
        thread_of_which_a_summarized_message_changed_is_due_again
        thread_outside_the_window_is_not_due;
    stand_ins:
        stand_in_is_version_zero_beside_the_versions
        stand_in_takes_the_place_of_an_earlier_one
        saved_memory_sets_its_stand_in_aside
        stand_ins_are_no_expectation
        stand_ins_are_listed_outside_the_history_limit
        stand_ins_change_no_backlog
        stand_ins_make_no_workspace_due;
    deferrals:
        deferrals_are_listed_by_what_they_are_about
        deferring_again_replaces_the_deferral
        saved_memory_ends_its_deferral
        stand_in_and_refused_save_end_no_deferral
        deferral_of_an_unknown_channel_is_not_found;
    recall:
        terms_are_words_joined_words_pairs_and_emoji
        message_is_found_by_its_terms
        message_is_found_by_what_it_says_now
        what_is_later_is_not_found
        time_and_channels_bound_what_is_found_but_not_what_is_counted
        rarest_terms_come_first_and_then_the_newest
        neighbours_are_of_the_thread_or_of_the_top_level;
}

export!(Suite);
