//! Help, and who is off the record.

use super::*;
use crate::command::Whose;

#[test]
fn help_names_what_was_not_understood() {
    assert_are(&[
        ("help-ja.json", help_message(None, Japanese)),
        (
            "help-unknown-en.json",
            help_message(Some("forget <!channel>"), English),
        ),
    ]);
}

#[test]
fn who_asks_not_to_be_remembered_is_told_what_holds_now_and_how_to_go_back() {
    let since = Moment {
        unix_seconds: 1_772_755_200,
        utc_offset_seconds: 9 * 3600,
    };
    let asks = OffRecordOutcome::Asks {
        mine: Some(since),
        of_channel: None,
    };
    for (outcome, language, words) in [
        (asks, Japanese, "あなたの発言: 2026-03-06 09:00 から"),
        (
            asks,
            English,
            "Your messages: not remembered since 2026-03-06 09:00",
        ),
        (
            OffRecordOutcome::Off(Whose::Mine),
            Japanese,
            "/memory オン 自分",
        ),
        (OffRecordOutcome::Off(Whose::Mine), English, "/memory on me"),
        (
            OffRecordOutcome::Off(Whose::OfChannel),
            Japanese,
            "/memory オン ここ",
        ),
        (
            OffRecordOutcome::Off(Whose::OfChannel),
            English,
            "/memory on here",
        ),
        (
            OffRecordOutcome::On(Whose::Mine),
            English,
            "stays unremembered",
        ),
        (
            OffRecordOutcome::On(Whose::OfChannel),
            Japanese,
            "その間の発言",
        ),
        (OffRecordOutcome::NotAllowed, English, "/memory off me"),
        (OffRecordOutcome::NotAllowed, Japanese, "/memory オフ 自分"),
    ] {
        let message = off_record_message(outcome, language);
        assert_within_limits(&message);
        assert!(message.to_string().contains(words), "{message}");
    }
}
