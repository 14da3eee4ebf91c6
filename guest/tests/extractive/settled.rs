//! What is done, overruled or withdrawn does not stand as if it were open.

use myao_memory::extractive::{Input, NOTE_EN, NOTE_JA, summarize};

use crate::conversations::{count_tokens, say};

const DAY: i64 = 86_400;

/// The memory of what these people said, a day after the other.
fn memory_of(said: &[(&str, &str)]) -> String {
    let messages: Vec<_> = (0..)
        .zip(said)
        .map(|(day, (name, text))| say(day * DAY, name, text))
        .collect();
    summarize(
        Input::Messages(&messages.iter().collect::<Vec<_>>()),
        300,
        &count_tokens,
    )
}

/// Both memories in one; programs wrote these lines.
fn merged(existing: &str, new: &str, program_lines: &[&str]) -> String {
    let program_lines: Vec<String> = program_lines.iter().map(|&line| line.into()).collect();
    let input = Input::Memories {
        existing: Some(existing),
        new: &[(None, new)],
        program_lines: &program_lines,
    };
    summarize(input, 500, &count_tokens)
}

#[test]
fn what_was_open_stands_before_what_settles_it() {
    let cases = [
        (
            (
                "ann",
                "Carol sends the signed contract to Nordwind by 12 March.",
            ),
            ("carol", "The contract went to Nordwind, so that is done."),
        ),
        (
            ("ann", "We decided to hold the spring offsite in Hamburg."),
            ("bob", "The spring offsite in Hamburg is cancelled."),
        ),
        (
            ("ann", "The release review is due on Tuesday at 10:00."),
            ("bob", "The release review was moved to Thursday."),
        ),
    ];
    for ((asker, open), (settler, settling)) in cases {
        let expected = format!("{NOTE_EN}\n- 1970-01-02 {asker}: {open} → {settler}: {settling}");
        assert_eq!(memory_of(&[(asker, open), (settler, settling)]), expected);
        let older = format!("{NOTE_EN}\n- 1970-01-01 {asker}: {open}");
        let newer = format!("{NOTE_EN}\n- 1970-01-02 {settler}: {settling}");
        let once = merged(&older, &newer, &[]);
        assert_eq!(once, expected);
        // What is settled stays so in every later merge.
        assert_eq!(merged(&once, &newer, &[]), expected);
        assert_eq!(merged(&older, &expected, &[]), expected);
    }
}

#[test]
fn so_it_does_in_japanese() {
    let (open, settling) = (
        "見積書は金曜までに田中さんが先方へ送付します。",
        "先方への見積書、送付しました。",
    );
    let expected = format!("{NOTE_JA}\n- 1970-01-02 佐藤: {open} → 田中: {settling}");
    assert_eq!(memory_of(&[("佐藤", open), ("田中", settling)]), expected);
    let older = format!("{NOTE_JA}\n- 1970-01-01 佐藤: {open}");
    let newer = format!("{NOTE_JA}\n- 1970-01-02 田中: {settling}");
    assert_eq!(merged(&older, &newer, &[]), expected);
    let withdrawn = memory_of(&[
        ("佐藤", "秋の展示会への出展を決定しました。"),
        ("鈴木", "秋の展示会への出展は取りやめになりました。"),
    ]);
    assert!(
        withdrawn.contains("佐藤: 秋の展示会への出展を決定しました。 → 鈴木: 秋の展示会への出展は取りやめになりました。"),
        "{withdrawn}"
    );
}

#[test]
fn plans_conditions_and_denials_settle_nothing() {
    let open = (
        "ann",
        "We agreed that Bob rewrites the billing export by 14 May.",
    );
    for text in [
        "The billing export is not done, the auditors wait.",
        "Once the billing export is done, the audit can begin.",
        "Is the billing export for the audit done?",
    ] {
        let memory = memory_of(&[open, ("bob", text)]);
        assert!(!memory.contains(" → "), "{memory}");
        assert!(memory.contains(open.1), "{memory}");
    }
    let memory = memory_of(&[
        ("佐藤", "請求書の書き出しは鈴木さんが担当します。"),
        ("鈴木", "請求書の書き出しはまだ終わっていません。"),
    ]);
    assert!(!memory.contains(" → "), "{memory}");
}

#[test]
fn something_else_is_not_settled() {
    let memory = memory_of(&[
        ("ann", "INC-204: bob looks into the checkout errors."),
        ("cy", "INC-205: the checkout errors are fixed."),
        ("ann", "We decided to rent the harbour hall for the party."),
        ("bob", "The printer on the second floor is fixed."),
    ]);
    assert!(!memory.contains(" → "), "{memory}");
}

#[test]
fn a_program_settles_nothing() {
    let older = "- 1970-01-01 ann: We decided to hold the spring offsite in Hamburg.";
    let line = "- 1970-01-02 hook: The spring offsite in Hamburg is cancelled.";
    let memory = merged(older, line, &[line]);
    assert!(memory.contains(older) && memory.contains(line), "{memory}");

    let decided = say(
        0,
        "ann",
        "We decided to hold the spring offsite in Hamburg.",
    );
    let mut posted = say(DAY, "hook", "The spring offsite in Hamburg is cancelled.");
    posted.user.is_bot = true;
    let memory = summarize(Input::Messages(&[&decided, &posted]), 300, &count_tokens);
    assert!(
        memory.contains(older) && !memory.contains(" → "),
        "{memory}"
    );
}

#[test]
fn another_channel_settles_nothing() {
    let input = Input::Memories {
        existing: Some(
            "- 1970-01-01 #sales ann: We decided to hold the spring offsite in Hamburg.",
        ),
        new: &[(
            Some("#dev".to_owned()),
            "- 1970-01-02 bob: The spring offsite in Hamburg is cancelled.",
        )],
        program_lines: &[],
    };
    let memory = summarize(input, 500, &count_tokens);
    assert!(!memory.contains(" → "), "{memory}");
}
