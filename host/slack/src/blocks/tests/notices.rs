//! Help, and who is off the record.

use super::*;

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
    let asks = OffRecordOutcome::Asks(Some(since));
    for (outcome, language, words) in [
        (asks, Japanese, "あなたの発言: 2026-03-06 09:00 から"),
        (
            asks,
            English,
            "Your messages: not remembered since 2026-03-06 09:00",
        ),
        (OffRecordOutcome::Off, Japanese, "/memory オン 自分"),
        (OffRecordOutcome::Off, English, "/memory on me"),
        (OffRecordOutcome::On, English, "stays unremembered"),
        (OffRecordOutcome::On, Japanese, "その間の発言"),
    ] {
        let message = off_record_message(outcome, language);
        assert_within_limits(&message);
        assert!(message.to_string().contains(words), "{message}");
    }
}

#[test]
fn the_present_mode_is_bold_and_each_has_its_command() {
    for (outcome, language, words) in [
        (
            ModeOutcome::Is(Mode::Answer),
            Japanese,
            "• *`/memory モード 回答`",
        ),
        (
            ModeOutcome::Is(Mode::Join),
            English,
            "• *`/memory mode join`",
        ),
        (
            ModeOutcome::Set(Mode::Remember),
            English,
            "From now on:\\n\\n• `/memory mode off`",
        ),
        (ModeOutcome::Set(Mode::Off), Japanese, "myao forget"),
        (ModeOutcome::NotAllowed, English, "Guests"),
        (ModeOutcome::OnlyAdmins, English, "Only admins"),
        (ModeOutcome::NoChannel, Japanese, "/memory オフ 自分"),
    ] {
        let message = mode_message(outcome, language);
        assert_within_limits(&message);
        assert!(message.to_string().contains(words), "{message}");
    }
}
