//! The macro that turns the checks into tests.

/// Makes one test of each check of a workspace; see [`crate::conformance::state`].
#[macro_export]
macro_rules! workspace_conformance {
    (whole: $fixture:expr) => {
        #[tokio::test]
        async fn the_contract_is_kept() {
            let skipped = $crate::conformance::contract::check(|| Box::new($fixture)).await;
            assert_eq!(skipped, [], "a workspace has everything");
        }

        $crate::record_conformance!($fixture);
    };
    ($fixture:expr) => {
        /// Checks of what the component sees, with records that are imported.
        mod by_import {
            use super::*;

            $crate::workspace_conformance!(whole: $crate::conformance::state::ByImport($fixture));
        }

        /// The same with records that arrive as events.
        mod by_events {
            use super::*;

            $crate::workspace_conformance!(whole: $crate::conformance::state::ByEvents($fixture));
        }

        #[tokio::test]
        async fn first_version_that_was_expected_is_due_whatever_its_age() {
            let fixture = $crate::conformance::state::ByImport($fixture);
            $crate::conformance::due::first_version_that_was_expected_is_due_whatever_its_age(
                &fixture,
            )
            .await;
        }

        $crate::workspace_conformance!($fixture; effects:
            newest_edit_wins_in_any_order_and_the_message_itself_never_undoes_one,
            edit_within_the_second_of_the_message_wins,
            edit_of_a_message_that_is_not_stored_adds_it,
            deleted_message_stays_deleted_whatever_comes_before_or_after,
            name_of_a_channel_is_changed_only_by_a_newer_event_that_tells_one,
            name_of_a_user_is_changed_only_by_a_newer_event_that_tells_one,
            import_changes_no_name_that_came_with_an_event,
            channel_is_private_until_an_event_says_that_it_is_not,
            event_without_the_thread_does_not_take_a_message_out_of_it,
            first_message_that_comes_after_its_replies_stands_first,
            posts_of_the_bot_have_ids_that_count_like_all_others,
            memory_stays_linked_to_messages_that_were_edited_and_deleted,
            mention_in_a_deleted_message_is_dropped_in_either_order,
        );
        $crate::workspace_conformance!($fixture; audience:
            channel_is_open_once_everything_about_it_is_known,
            conversion_takes_effect_in_both_directions_and_the_newest_wins,
            shared_channel_is_read_by_people_from_outside,
            guest_who_joins_leaves_or_becomes_one_changes_the_audience,
            member_of_whom_it_is_not_known_whether_they_are_a_guest_may_be_one,
            members_that_are_not_known_any_more_make_a_channel_private,
            list_of_members_and_those_who_join_and_leave_give_the_same_in_any_order,
            membership_counts_from_when_it_is_known,
            import_says_who_reads_a_channel_until_the_platform_does,
            guests_of_an_import_count_until_the_members_are_read,
            channel_that_only_a_message_names_is_private,
        );
        $crate::workspace_conformance!($fixture; changed_threads:
            thread_is_due_again_after_an_edit_a_deletion_or_a_late_message_and_once,
            event_that_comes_again_and_an_edit_elsewhere_make_no_thread_due,
            edit_during_the_run_makes_the_thread_due_in_the_next,
            change_after_until_does_not_exist_yet,
            import_that_edits_a_message_makes_its_thread_due_and_one_that_adds_history_does_not,
            memory_of_a_thread_whose_replies_are_all_deleted_is_set_aside,
        );
        $crate::workspace_conformance!($fixture; presence:
            channel_that_the_bot_left_is_not_seen_and_comes_back_with_its_memories,
            memory_can_be_saved_for_a_channel_that_the_bot_left_meanwhile,
            channel_known_by_its_name_alone_is_not_seen_until_a_message_comes,
            workspace_is_not_due_for_the_memory_of_a_channel_that_the_bot_left,
            nothing_is_read_in_a_private_channel_and_nobody_answered_until_it_was_read_again,
        );
        $crate::workspace_conformance!($fixture; places:
            place_sees_its_own_channel_and_what_is_open_elsewhere,
            person_sees_the_channels_that_they_are_in,
            channel_with_people_from_outside_sees_and_gives_its_own_talk_only,
            view_of_a_place_shows_what_is_seen_there,
            others_see_nothing_of_a_channel_that_the_bot_left,
            private_channel_that_the_bot_left_is_the_operators_until_it_is_read_again,
            closed_account_sees_nothing_and_its_tokens_do_not_come_back,
            place_refuses_what_belongs_to_another,
            workspace_is_due_for_public_channels_only,
            what_was_made_from_a_channel_that_becomes_private_is_set_aside_and_made_anew,
            later_versions_go_with_the_one_that_is_set_aside,
            late_message_waits_though_all_versions_were_set_aside,
            channel_that_becomes_public_is_seen_elsewhere,
            workspace_takes_in_a_channel_that_becomes_public,
            save_is_a_conflict_when_what_it_was_given_became_private,
            imported_memory_is_set_aside,
            memory_that_was_set_aside_is_accepted,
            memories_that_begin_again_are_set_aside_and_their_messages_wait,
        );
        $crate::workspace_conformance!($fixture; erasure:
            lines_that_cite_a_deleted_message_go_and_the_rest_comes_again,
            rest_comes_again_in_other_channels_too,
            edit_erases_what_was_said_before_and_the_message_comes_again,
            import_that_edits_a_message_erases_too,
            every_text_that_was_made_from_it_loses_its_lines,
            line_without_a_source_goes_with_a_message_that_its_call_was_given,
            line_without_a_source_goes_with_a_message_beside_the_sources,
            line_without_a_source_goes_with_a_memory_that_holds_the_message,
            line_without_a_source_goes_though_what_held_the_message_was_too_old,
            accepted_memory_that_loses_its_text_gives_back_its_messages,
            memory_that_was_not_accepted_and_loses_its_text_bars_no_backfill,
            text_that_loses_every_line_is_empty,
            text_of_unknown_origin_goes_with_a_message_of_its_channel,
            save_is_a_conflict_when_what_was_read_has_changed_or_gone,
        );
        $crate::workspace_conformance!($fixture; lost_lines:
            channel_whose_memories_lost_lines_is_due_until_its_next_version,
        );
        $crate::workspace_conformance!($fixture; line_sources:
            citation_says_whether_programs_wrote_all_its_messages,
            citations_that_are_no_lines_or_cite_what_is_not_stored_are_refused,
            records_come_with_their_words_and_go_with_their_messages,
            records_of_what_is_not_stored_are_refused,
            each_line_is_shown_with_the_messages_that_may_be_seen,
        );
        $crate::workspace_conformance!($fixture; items:
            items_are_the_fold_of_what_messages_say_up_to_a_time,
            items_go_with_their_message_and_so_does_what_it_says_of_others,
            items_are_seen_where_their_channel_is,
            persons_have_the_last_word_of_an_item_and_take_it_back,
            tasks_that_a_person_ticks_are_done_until_the_tick_is_taken_back,
            somebody_who_is_forgotten_owns_no_item_and_has_set_none,
            messages_that_are_not_stored_have_no_items,
            queries_choose_items_by_their_state_and_its_time,
            messages_that_say_so_themselves_are_items_as_long_as_they_do,
            what_a_correction_strikes_is_superseded,
        );
        $crate::workspace_conformance!($fixture; marks:
            marked_messages_come_oldest_first_up_to_a_time_and_a_number,
            mark_changes_and_goes_with_its_message_in_any_order,
            program_and_guest_mark_nothing,
            somebody_unknown_marks_nothing,
            marks_are_read_in_their_own_channel_alone,
            pins_of_the_platform_are_listed_newest_message_first,
            pin_is_the_newest_state_of_its_source_in_any_order,
            pin_of_a_program_or_a_guest_has_no_effect,
            author_of_a_correction_picks_older_messages_that_it_strikes,
            strikes_go_with_the_correction_and_with_what_it_strikes,
            strikes_are_seen_where_their_channel_is,
        );
        $crate::workspace_conformance!($fixture; withdrawn:
            answer_that_is_not_sent_is_withdrawn_when_a_channel_becomes_private,
            part_that_may_have_been_sent_is_withdrawn_but_not_forgotten,
            part_that_is_withdrawn_and_did_not_arrive_is_forgotten,
            answer_that_waits_in_a_channel_is_withdrawn_when_outsiders_may_read_it,
            deferral_elsewhere_ends_when_a_channel_becomes_private,
            answers_of_calls_go_when_a_channel_becomes_private_or_gets_outsiders,
            deferral_ends_when_a_message_of_its_channel_reads_differently,
        );
        $crate::workspace_conformance!($fixture; retracted:
            post_goes_with_what_it_was_made_from,
            post_that_was_made_from_a_post_goes_with_it,
            post_goes_when_its_source_is_hidden_from_its_channel,
            post_that_was_withdrawn_and_arrived_is_retracted,
            post_from_what_is_gone_is_refused,
            answer_is_retracted_whatever_it_was_made_from,
            retraction_that_fails_waits_longer_each_time_and_holds_up_no_other,
            retraction_that_is_refused_is_parked_until_it_is_retried_or_dropped,
            post_stays_when_its_source_was_only_kept_long_enough,
            message_that_the_platform_gave_is_noticed_when_it_goes,
        );
        $crate::workspace_conformance!($fixture; import:
            importing_twice_changes_nothing,
            what_is_newer_in_an_import_counts_as_changed,
            text_that_is_no_newer_changes_nothing,
            import_that_is_dropped_leaves_nothing,
            message_outside_threads_is_stored_once,
            imported_memory_without_text_or_thread_is_refused,
            import_sets_memories_aside_at_its_own_time,
        );
        $crate::workspace_conformance!($fixture; sync:
            times_of_the_connection_and_of_the_history_never_go_back,
            newest_address_of_the_workspace_is_kept,
            recent_threads_come_with_the_newest_first,
            messages_between_are_those_that_are_not_deleted,
            directory_holds_the_names_that_are_known,
        );
        $crate::workspace_conformance!($fixture; catch_up:
            a_channel_that_cannot_be_read_waits_longer_each_time_and_keeps_the_beginning_of_its_gap,
            channels_that_are_owed_come_in_order_of_their_gap_and_of_their_newest_message,
            a_gap_is_open_until_all_of_it_was_read,
            a_missing_message_is_asked_for_a_few_times_and_then_counts_as_there,
            channels_are_compared_in_turn_and_go_on_where_they_stopped,
            a_comparison_knows_through_when_all_was_stored_before,
            a_refused_comparison_is_told_and_goes_on_where_it_was_after_an_hour,
            what_is_noted_of_an_unknown_channel_is_refused,
        );
        $crate::workspace_conformance!($fixture; backfill:
            history_waits_once_a_backfill_takes_it_in,
            what_a_memory_of_another_program_was_made_from_is_no_history,
            messages_are_found_in_order_of_time_over_all_channels,
            oldest_new_message_is_the_first_that_no_version_has_taken_in,
            backfill_goes_on_where_it_stopped,
        );
        $crate::workspace_conformance!($fixture; inbox:
            events_wait_in_the_order_they_came_and_are_kept_once,
            event_takes_effect_once_and_is_known_until_it_is_forgotten,
            event_that_cannot_be_applied_leaves_nothing_and_blocks_no_other,
            effects_that_cannot_be_stored_leave_nothing,
            batch_that_is_applied_again_changes_nothing,
            event_that_fails_waits_longer_each_time_and_is_set_aside_at_last,
            event_that_was_set_aside_goes_when_its_message_is_edited_or_deleted,
            event_that_is_set_aside_after_its_message_was_edited_or_deleted_has_no_text,
            event_that_is_set_aside_after_something_was_forgotten_has_no_text,
            event_that_is_set_aside_in_a_time_off_the_record_has_no_text,
            event_that_was_set_aside_is_kept_no_longer_than_messages,
        );
        $crate::workspace_conformance!($fixture; replies:
            mentions_wait_the_oldest_first_until_they_are_posted,
            text_that_was_written_down_first_is_the_one_that_is_posted,
            part_that_was_being_sent_may_have_been_posted,
            message_that_was_answered_is_not_answered_again,
            reply_that_fails_is_tried_again_later_and_given_up_for_good,
            reply_whose_message_was_deleted_before_anything_was_sent_is_dropped,
            reply_that_may_be_posted_in_part_is_finished_though_its_message_was_deleted,
            reply_of_its_own_accord_waits_only_while_it_is_half_posted,
            post_without_text_or_to_an_unknown_channel_is_refused,
        );
        $crate::workspace_conformance!($fixture; mentions:
            first_mention_over_the_limit_of_a_person_is_notified_and_the_next_is_given_up,
            limit_of_a_day_holds_beside_the_shorter_one_and_has_a_notice_of_its_own,
            mentions_of_others_count_in_the_channel,
            mention_that_was_deleted_or_has_no_known_author_counts_for_nobody,
            what_is_no_mention_that_waits_is_not_admitted,
        );
        $crate::workspace_conformance!($fixture; forgetting:
            message_is_forgotten_with_its_lines_and_does_not_come_back,
            text_that_others_said_too_is_found_after_it_was_forgotten,
            what_a_user_said_is_forgotten_and_what_they_say_later_is_not,
            channel_is_forgotten_with_its_memories,
            what_was_said_before_a_date_is_forgotten,
            mention_that_is_to_be_forgotten_is_not_answered,
            messages_that_were_kept_long_enough_go_and_what_was_made_from_them_stays,
            what_a_user_said_is_forgotten_though_it_is_kept_no_longer,
            memories_that_were_kept_long_enough_go,
            records_of_calls_that_were_kept_long_enough_go_unless_a_current_memory_is_of_them,
        );
        $crate::workspace_conformance!($fixture; done:
            newest_change_of_each_mark_counts_in_any_order,
            message_is_done_since_the_earliest_mark_that_stands,
            mark_of_a_program_or_a_stranger_does_not_count,
        );
        $crate::workspace_conformance!($fixture; feedback:
            answers_are_listed_with_what_they_were_made_from_and_what_people_say,
            newest_change_of_feedback_counts_in_any_order,
            answers_are_seen_where_their_channel_is,
            feedback_of_a_forgotten_person_goes,
        );
        $crate::workspace_conformance!($fixture; agent_tokens:
            a_token_works_until_its_owner_takes_it_back,
            the_last_use_of_a_token_is_kept_to_the_hour,
            the_tokens_of_somebody_who_is_forgotten_go,
        );
        $crate::workspace_conformance!($fixture; audit:
            erasure_is_noted_with_who_asked_and_how_much_went,
            what_was_not_done_is_not_noted,
            corrections_are_noted_as_they_are_given_changed_and_taken_back,
            pins_are_noted_where_they_change_something,
            settings_sign_ins_and_tokens_are_noted,
            each_memory_that_is_accepted_is_noted,
            entries_about_somebody_who_is_forgotten_stay,
            entries_are_listed_since_a_time_and_expire,
        );
        $crate::workspace_conformance!($fixture; off_record:
            what_a_person_says_off_the_record_is_not_stored_and_what_they_say_later_is,
            what_is_said_in_a_channel_off_the_record_is_not_stored,
            whoever_is_off_the_record_is_listed_with_the_time,
            what_was_said_in_such_a_time_is_deleted_and_does_not_come_back,
            mention_off_the_record_is_not_answered,
            edit_of_what_was_said_before_is_applied,
            what_the_operator_writes_is_stored,
            how_the_bot_takes_part_is_kept_for_each_channel_and_noted,
        );
        $crate::workspace_conformance!($fixture; reply_answers:
            answer_of_the_model_waits_until_its_reply_is_posted_or_given_up,
            answer_of_the_model_that_made_no_reply_is_not_taken_again,
            answer_of_the_model_that_goes_with_a_message_leaves_no_digest,
            answer_of_the_model_is_forgotten_with_the_message_that_asked_for_it,
            judgment_of_the_model_never_waits,
        );
        $crate::workspace_conformance!($fixture; judgments:
            newest_message_of_the_top_level_and_of_each_thread_is_unanswered,
            what_is_too_new_or_too_old_is_left_out_with_its_conversation,
            what_a_program_wrote_last_is_answered,
            message_that_was_deleted_answered_or_asked_for_an_answer_is_left_out,
            what_the_bot_posted_as_an_answer_to_no_message_answers_nothing,
            judgment_is_kept_for_each_conversation_until_it_is_over,
        );
        $crate::workspace_conformance!($fixture; journal:
            call_is_kept_with_what_it_cost,
            use_of_models_is_the_sum_of_what_their_answers_took,
            failed_calls_and_bad_answers_belong_to_the_memory_that_is_made_at_last,
            answer_goes_on_waiting_behind_a_stand_in_and_waits_no_longer_behind_an_extract,
            call_whose_answer_is_only_shown_waits_for_no_memory,
            save_that_is_refused_leaves_its_answers_waiting,
            deferrals_end_with_the_model_that_caused_them,
        );
        $crate::workspace_conformance!($fixture; recall:
            answer_is_recalled_for_the_same_input_and_purpose_until_its_memory_is_saved,
            input_of_a_current_text_is_answered_with_it_again_and_again,
            text_that_was_cut_off_is_an_answer_whose_lines_are_whole,
            input_of_an_attempt_that_was_given_up_is_not_answered_with_the_text_of_a_later_one,
            answer_that_is_recalled_counts_as_the_newest,
            threads_are_the_same_however_their_ids_are_written,
        );
        $crate::workspace_conformance!($fixture; search:
            only_what_a_place_may_see_is_found_and_counted,
            message_is_found_by_what_it_says_now,
            forgotten_and_expired_messages_are_not_found,
            dry_run_of_forgetting_leaves_what_is_found,
            channel_that_is_converted_is_found_where_it_may_be_seen,
            time_and_channels_bound_what_is_found_but_not_what_is_counted,
            what_was_found_may_not_be_shown_once_it_has_changed_or_is_private,
            memory_is_shown_only_where_the_messages_may_be_seen_that_its_call_found,
        );
        $crate::workspace_conformance!($fixture; recordings:
            memories_of_one_call_are_each_replayed_up_to_their_save,
            memory_comes_from_the_newest_recorded_save_of_its_text_and_of_no_other,
        );
        $crate::workspace_conformance!($fixture; view:
            memories_are_found_by_id_and_thread_and_counted,
            the_newest_memories_are_found_among_those_that_may_be_seen,
            older_texts_and_sources_are_kept,
            coverage_and_cuts_are_kept_with_each_text,
            texts_of_stand_ins_are_kept,
            deferrals_are_listed_with_names_and_cleared,
        );
        $crate::workspace_conformance!($fixture; times:
            an_answer_that_was_put_off_for_longer_than_an_hour_is_tried_at_once,
            an_event_that_failed_while_the_clock_was_ahead_is_tried_at_once,
            an_event_that_was_applied_while_the_clock_was_ahead_is_forgotten,
            what_was_read_while_the_clock_was_ahead_gives_way_to_the_next_event,
            a_connection_that_was_noted_while_the_clock_was_ahead_counts_as_of_now,
            a_thread_that_changed_while_the_clock_was_ahead_is_due_when_it_comes_back,
            memory_that_was_made_while_the_clock_was_ahead_is_shown_when_it_is_right,
            everything_that_waits_is_told_until_when_and_why,
        );
    };
    ($fixture:expr; $part:ident: $($check:ident,)*) => {
        $(
            #[tokio::test]
            async fn $check() {
                $crate::conformance::state::$part::$check(&|| Box::new($fixture)).await;
            }
        )*
    };
}
