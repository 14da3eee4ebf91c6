//! Memories are merged many times, and keep their form and the important items.

use std::collections::BTreeSet;

use myao_memory::extractive::{Input, NOTE_EN, NOTE_JA, is_note, summarize};

use crate::conversations::{all, count_tokens, say, tokens};

const LONG_TERM: u32 = 500;

fn merge(existing: Option<&str>, new: &[(Option<String>, &str)]) -> String {
    let input = Input::Memories { existing, new };
    summarize(input, LONG_TERM, &count_tokens)
}

/// One note, then bullets with at most one date and one label, in order of time, none twice.
fn assert_form(memory: &str) {
    assert!(tokens(memory) <= LONG_TERM);
    let lines: Vec<&str> = memory.lines().collect();
    assert!(is_note(lines[0]), "{memory}");
    assert!(
        lines[1..]
            .iter()
            .all(|line| line.starts_with("- ") && !is_note(line)),
        "{memory}"
    );
    assert_eq!(
        lines.iter().collect::<BTreeSet<_>>().len(),
        lines.len(),
        "{memory}"
    );
    let mut dates = Vec::new();
    for line in &lines[1..] {
        let heads: Vec<&str> = line.split(' ').skip(1).take(4).collect();
        let is_date = |word: &&&str| {
            word.len() == 10 && word.starts_with("20") && word.matches('-').count() == 2
        };
        assert!(heads.iter().filter(is_date).count() <= 1, "{line}");
        assert!(
            heads.iter().filter(|word| word.starts_with('#')).count() <= 1,
            "{line}"
        );
        assert!(
            !line.contains("- -") && !line.contains("(Excerpts") && !line.contains("（LLM"),
            "{line}"
        );
        dates.extend(heads.first().filter(|word| is_date(word)).copied());
    }
    assert!(dates.is_sorted(), "{memory}");
}

/// The memory of day `day`: a decision, and less important items.
fn short_term(day: i64) -> String {
    let at = (19_800 + day) * 86_400;
    let messages = [
        say(
            at,
            "ann",
            &format!("We decided to move project P{day} to the Osaka data centre."),
        ),
        say(
            at + 60,
            "bob",
            &format!("The report for customer {day} has {} pages", day + 20),
        ),
        say(
            at + 120,
            "cy",
            &format!("I tried the bakery number {day} down the street and liked the bread there"),
        ),
        say(
            at + 180,
            "ann",
            &format!(
                "Invoice INV-{} over ${},500 is due on Friday.",
                700 + day,
                day + 1
            ),
        ),
        say(
            at + 240,
            "bob",
            "Let us talk about the garden party another time, the weather is bad today",
        ),
        say(
            at + 300,
            "cy",
            &format!("the printer in room {day} makes strange sounds again and nobody knows why"),
        ),
    ];
    summarize(
        Input::Messages(&messages.iter().collect::<Vec<_>>()),
        300,
        &count_tokens,
    )
}

#[test]
fn form_is_stable_over_twenty_generations() {
    let (mut channel, mut other, mut workspace) = (String::new(), String::new(), String::new());
    let japanese = all()[0].1.messages.clone();
    for day in 0..20 {
        channel = merge(Some(&channel), &[(None, &short_term(day))]);
        let from = usize::try_from(day).unwrap() * 5;
        let part: Vec<_> = japanese[from..from + 8].iter().collect();
        let part = summarize(Input::Messages(&part), 300, &count_tokens);
        other = merge(Some(&other), &[(None, &part)]);
        let labelled = [
            (Some("#general".to_owned()), channel.as_str()),
            (Some("#予約".to_owned()), other.as_str()),
        ];
        workspace = merge(Some(&workspace), &labelled);
        for memory in [&channel, &other, &workspace] {
            assert_form(memory);
        }
        assert!(channel.starts_with(NOTE_EN) && other.starts_with(NOTE_JA));
        for line in workspace.lines().skip(1) {
            assert_eq!(
                line.matches("#general").count() + line.matches("#予約").count(),
                1,
                "{line}"
            );
        }
    }
    assert!(
        workspace.contains("#general") && workspace.contains("#予約"),
        "{workspace}"
    );
}

#[test]
fn older_items_give_way_gradually_and_decisions_last_longest() {
    let mut memory = String::new();
    for day in 0..20 {
        memory = merge(Some(&memory), &[(None, &short_term(day))]);
    }
    let days: BTreeSet<&str> = memory.lines().skip(1).map(|line| &line[2..12]).collect();
    assert!(days.len() >= 7, "only {days:?}\n{memory}");
    assert!(
        memory.contains("P19"),
        "the newest decision is there: {memory}"
    );
    let is_weighty = |line: &&str| line.contains("decided") || line.contains("INV-");
    let older: Vec<&str> = memory
        .lines()
        .skip(1)
        .filter(|line| &line[2..12] < "2024-04-01")
        .collect();
    let weighty = older.iter().filter(|line| is_weighty(line)).count();
    assert!(
        !older.is_empty() && weighty * 4 >= older.len() * 3,
        "{memory}"
    );
}

#[test]
fn of_things_of_the_same_worth_the_oldest_gives_way() {
    let plants = [
        "rose", "tulip", "daisy", "lily", "iris", "poppy", "aster", "lilac",
    ];
    let line = |plant: &&str| format!("- 2024-03-01 ann: we agreed to order {plant} seeds\n");
    let memory: String = plants.iter().map(line).collect();
    let input = Input::Memories {
        existing: Some(&memory),
        new: &[],
    };
    let text = summarize(input, 60, &count_tokens);
    assert!(text.contains("lilac") && !text.contains("rose"), "{text}");
}

#[test]
fn merging_the_same_memory_twice_changes_nothing() {
    for (name, conversation) in all() {
        let short = summarize(
            Input::Messages(&conversation.messages()),
            300,
            &count_tokens,
        );
        let once = merge(None, &[(None, &short)]);
        let twice = merge(Some(&once), &[(None, &short)]);
        assert_eq!(once, twice, "{name}");
        assert_eq!(
            once.lines().skip(1).collect::<Vec<_>>(),
            short.lines().skip(1).collect::<Vec<_>>(),
            "{name}"
        );
    }
}

#[test]
fn facts_survive_merging() {
    let mut memory = String::new();
    let mut kept = Vec::new();
    for (_, conversation) in all() {
        let short = summarize(
            Input::Messages(&conversation.messages()),
            300,
            &count_tokens,
        );
        memory = merge(Some(&memory), &[(None, &short)]);
        kept.push((conversation.kept(&short), conversation));
    }
    for (short, conversation) in kept {
        let long = conversation.kept(&memory);
        assert!(long * 3 >= short, "{long} of {short}\n{memory}");
    }
}

#[test]
fn near_duplicates_collapse_and_differing_facts_do_not() {
    let merged = |a: &str, b: &str| merge(Some(a), &[(None, b)]).lines().count() - 1;
    assert_eq!(
        merged("- 予算は300万円に決定", "* 予算は300万円に決定。"),
        1
    );
    assert_eq!(merged("- 予算は300万円に決定", "- 予算は400万円に決定"), 2);
    assert_eq!(
        merged(
            "- The team will ship on Friday",
            "- the team will ship on Friday!"
        ),
        1
    );
    assert_eq!(
        merged(
            "- The team will ship on Friday",
            "- The team will not ship on Friday"
        ),
        2
    );
    let longer = "- 2024-03-01 ann: The index was missing. It is back now, ticket DB-7.";
    assert_eq!(
        merged("- 2024-03-01 ann: The index was missing.", longer),
        1
    );
    assert_eq!(
        merged(longer, "- 2024-03-01 ann: The index was missing."),
        1
    );
    assert_eq!(
        merged(
            "- 採用を見送ることを会議で決めた",
            "- 採用を見送らないことを会議で決めた"
        ),
        2
    );
}

#[test]
fn longer_of_two_repetitions_is_kept() {
    let longer = "- 2024-03-01 ann: The index was missing. It is back now, ticket DB-7.";
    let memory = merge(
        Some("- 2024-03-01 ann: The index was missing."),
        &[(None, longer)],
    );
    assert_eq!(memory, format!("{NOTE_EN}\n{longer}"));
}

#[test]
fn items_without_a_date_keep_their_place() {
    let existing = "- チーム全体の連絡に使用する\n- 2024-03-02 予算を承認\n- 週次報告が行われる\n- 2024-03-09 担当を変更";
    let new = "- 新しいツールの導入を検討中\n- 2024-03-05 期限を延期";
    let expected = format!(
        "{NOTE_JA}\n- チーム全体の連絡に使用する\n- 2024-03-02 予算を承認\n- 週次報告が行われる\n\
         - 新しいツールの導入を検討中\n- 2024-03-05 期限を延期\n- 2024-03-09 担当を変更"
    );
    assert_eq!(merge(Some(existing), &[(None, new)]), expected);
    assert_eq!(merge(Some(&expected), &[(None, new)]), expected);
}

#[test]
fn memories_of_other_engines_are_read() {
    let existing = "## これまでの経緯\n\n1. **2024年1月**: プロジェクトAを開始\n2. 2024年2月: 新メンバーが参加\n\n## 決定事項\n\n* 予算\n    * 300万円で合意\n・リリースは4月1日";
    let memory = merge(
        Some(existing),
        &[(
            Some("#dev".to_owned()),
            "# #dev\n- 2024-03-04: API v2 を廃止",
        )],
    );
    let expected = format!(
        "{NOTE_JA}\n- 2024年1月: プロジェクトAを開始\n- 2024年2月: 新メンバーが参加\n- 予算: 300万円で合意\n\
         - リリースは4月1日\n- 2024-03-04 #dev API v2 を廃止"
    );
    assert_eq!(memory, expected);
}
