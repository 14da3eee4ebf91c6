//! What follows from what.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::*;
use crate::testing::at;

/// The values of a line that do not follow, or else its unknown names, given messages by these people, said on 1 March 2024 at 19:00 in Japan, a Friday.
fn wrong(line: &str, said: &[(&str, &str)]) -> Vec<String> {
    let lines = judged(line, said).into_iter();
    lines.flat_map(|line| line.values).collect()
}

fn judged(line: &str, said: &[(&str, &str)]) -> Vec<Unfounded> {
    let given: Vec<Given<'_>> = said
        .iter()
        .map(|(author, text)| Given {
            text,
            author: Some(author),
            time: Some(at(0)),
        })
        .collect();
    unfounded(line, &given, &[])
}

/// Its names are unknown, and nothing else is wrong.
fn is_marked(line: &str, said: &[(&str, &str)]) {
    let judged = judged(line, said);
    assert!(!judged.is_empty(), "{line}");
    assert!(
        judged.iter().all(|line| line.doubt != Doubt::Value),
        "{line}: {judged:?}"
    );
}

fn is_wrong(line: &str, said: &[(&str, &str)]) {
    let judged = judged(line, said);
    assert!(
        judged.iter().any(|line| line.doubt == Doubt::Value),
        "{line}: {judged:?}"
    );
}

fn holds(line: &str, said: &[(&str, &str)]) {
    assert_eq!(wrong(line, said), [""; 0], "{line}");
}

#[test]
fn values_that_a_message_has_are_founded_however_they_are_written() {
    let said = [
        ("田中", "予約アプリの公開日は３月２２日、予算は300万円です"),
        (
            "maria",
            "The demo is at 3pm, see https://example.com/a/1 and INC-204 in v2.1.0",
        ),
        ("佐藤", "電話は090-1234-5678、端末は24台"),
    ];
    holds(
        "- 予約アプリの公開は3/22、予算は3,000,000円\n- 端末24台、電話 09012345678",
        &said,
    );
    holds("- Demo at 15:00: example.com/a/1 (inc-204, 2.1.0)", &said);
}

#[test]
fn changed_and_invented_values_are_found() {
    let said = [
        ("田中", "予約アプリの公開日は3月22日、予算は300万円です"),
        (
            "maria",
            "The demo is at 15:00, see https://example.com/a/1 and INC-204 in v2.1.0",
        ),
        ("佐藤", "電話は090-1234-5678、端末は24台"),
    ];
    for (line, value) in [
        ("- 予約アプリの公開は3月23日", "3月23"),
        ("- 予約アプリの公開は2025年3月22日", "2025年3月22"),
        ("- アプリの予算は310万円", "310"),
        ("- The demo is at 16:00", "16:00"),
        (
            "- See https://example.com/a/12 for the demo",
            "https://example.com/a/12",
        ),
        (
            "- See https://example.com/a for the demo",
            "https://example.com/a",
        ),
        ("- The demo is tracked as INC-205", "inc-205"),
        ("- The demo runs v2.1.1", "v2.1.1"),
        ("- 端末の電話は080-1234-5678", "080-1234-5678"),
        ("- 端末は42台", "42"),
        ("- The demo has 12 guests", "12"),
    ] {
        assert_eq!(wrong(line, &said), [value], "{line}");
    }
}

#[test]
fn relative_dates_become_absolute() {
    let said = [
        ("a", "明日の会議は会議室Aです"),
        ("b", "The release is next Friday"),
        ("c", "来週の火曜に棚卸し、締切は月末"),
        ("d", "監査は3日後、返事は15日まで"),
        (
            "e",
            "The pilot starts in two weeks and ends at the end of April",
        ),
    ];
    holds("- 会議は2024年3月2日(土)、会議室A", &said);
    holds("- The release is on March 8, 2024", &said);
    holds("- 棚卸しは3月5日（火曜）、締切は3月31日", &said);
    holds("- 監査は3月4日、返事は3月15日まで", &said);
    holds("- The pilot runs from 2024-03-15 to 2024-04-30", &said);
    assert_eq!(wrong("- 会議は3月3日、会議室A", &said), ["3月3"]);
    assert_eq!(wrong("- 棚卸しは3月12日", &said), ["3月12"]);
}

#[test]
fn the_time_of_a_message_is_founded() {
    let said = [("alice", "サーバーが止まりました")];
    holds("- 2024-03-01 alice: サーバーが止まった（19:00）", &said);
    assert_eq!(
        wrong("- 2024-03-02 サーバーが止まった", &said),
        ["2024-03-02"]
    );
}

#[test]
fn units_and_numerals_follow() {
    let said = [
        (
            "alice",
            "The sync takes ninety minutes, cable of 1.4 km, half past three",
        ),
        ("bob", "机は12万円、椅子は4万7千円、値引きは3割、席の半分"),
        ("carol", "Invoice over 1.840,50 €, stay from June 9 to 13"),
    ];
    holds("- The sync takes 1.5 hours, from 15:30", &said);
    holds("- 机は120,000円、椅子は47,000円、値引き30%、席の50%", &said);
    holds(
        "- The invoice is 1,840.50 euros, the stay 9 to 13 June",
        &said,
    );
    is_wrong("- The sync takes 2.5 hours, cable of 4.1 km", &said);
    is_wrong("- 椅子は53,000円", &said);
}

#[test]
fn a_number_that_nobody_said_is_wrong_unless_the_line_calls_it_a_result() {
    let said = [
        ("alice", "机は12万円、椅子は8万円"),
        ("bob", "The show starts at 13:52 and ends at 14:25"),
    ];
    holds("- 机と椅子の合計は20万円", &said);
    is_wrong("- 机は21万円", &said);
    holds("- The show takes 33 minutes", &said);
    is_wrong("- The show takes 35 minutes", &said);
}

#[test]
fn a_value_follows_if_it_can_be_read_from_the_sources_in_any_way() {
    let said = [
        ("a", "9/19の夜、20時から4時まで。前の週に予告します"),
        (
            "b",
            "当番は8/17から。build 8893 も 8883 も test_tide_rollover で失敗",
        ),
        ("c", "The fair opens on 10/7, two days"),
    ];
    for line in [
        "- 作業は20〜4時",
        "- 9/19の作業、前日9/18に搬入",
        "- On-call:8/17から",
        "- 失敗::test_tide_rollover",
        "- build 8893(8883も失敗)",
        "- Second day of the fair: 10/8",
    ] {
        holds(line, &said);
    }
    is_wrong("- 作業は21〜4時", &said);
    is_wrong("- On-call:8/27から", &said);
    is_wrong("- build 8894(8883も失敗)", &said);
}

#[test]
fn marks_and_words_that_count_are_no_values() {
    let said = [("alice", "We fix the login and the search")];
    holds("2. fix the login", &said);
    holds("- Fix (1) the login and (2) the search", &said);
    holds("- Both, first the login, second the search", &said);
}

#[test]
fn names_that_nobody_has_or_mentions_are_marked() {
    let said = [
        ("alice", "The parcel for Mr. Feldmann is held at the depot"),
        ("田中", "講師は山田さんに頼みます。会場は「鳥正」です"),
    ];
    for line in [
        "- The parcel is held in Ballarat",
        "- The parcel for Mr. Feldman is held",
        "- 講師は千田さんに頼む",
        "- 会場は「鳥政」",
    ] {
        is_marked(line, &said);
    }
    for line in [
        "- The parcel for Feldmann is held at the depot",
        "- Decision: the parcel is held",
        "- 講師は山田さん、会場は「鳥正」、業者さんにも頼む",
    ] {
        holds(line, &said[..]);
    }
}

#[test]
fn lines_that_do_not_follow_are_taken_out() {
    let said = [("a", "予算は300万円です。公開日は3月22日です。")];
    let given = [Given {
        text: said[0].1,
        author: Some("a"),
        time: Some(at(0)),
    }];
    let text = "## 要約\n- 予算は300万円\n- 公開日は4月1日\n- 公開日は3月22日";
    let lines = unfounded(text, &given, &[]);
    assert_eq!(
        without(text, &lines),
        "## 要約\n- 予算は300万円\n- 公開日は3月22日"
    );
}

#[test]
fn a_value_may_come_from_another_language() {
    let mut said = vec![(
        "ben",
        "I tried it, and it took four minutes from start to end.",
    )];
    said.extend(
        [(
            "akari",
            "手順書を更新しました。試験環境で確かめてください。",
        ); 15],
    );
    holds("- 試験環境では4分で終わった", &said);
    is_wrong("- 試験環境では7分で終わった", &said);
    let mut said = vec![("akari", "試験環境では4分で終わりました。")];
    said.extend(
        [(
            "ben",
            "I changed the guide, please try it on the test system.",
        ); 15],
    );
    holds("- It took 4 minutes on the test system", &said);
    is_wrong("- It took 7 minutes on the test system", &said);
}

#[test]
fn mentions_of_whom_nothing_names_are_doubtful_and_code_has_none() {
    let given = [Given {
        text: "ask @zoe in #ops, 鈴木さんと <@U7> にも",
        author: Some("Sato Kenji"),
        time: None,
    }];
    let known = ["general", "C1", "みゃお", "U1"];
    let doubts = |line: &str| -> Vec<(Doubt, Vec<String>)> {
        let lines = unfounded(line, &given, &known).into_iter();
        lines.map(|line| (line.doubt, line.values)).collect()
    };
    for line in [
        "- @zoe, @Sato and @みゃおに <@U1> から <#C1|general>、<@U7>",
        "- 詳細は#generalで、@鈴木さんに #ops で聞く",
        "- a.b@zed.example, https://a.example/#top, C# and issue #42",
        "```\n@Override\n#include\n```",
    ] {
        let doubts = doubts(line);
        let stranger = |(doubt, _): &(Doubt, _)| *doubt == Doubt::Stranger;
        assert!(!doubts.iter().any(stranger), "{line}: {doubts:?}");
    }
    for (line, stranger) in [
        ("- ask @zoey", "@zoey"),
        ("- <@U9> knows", "@u9"),
        ("- it is in #general-2", "#general-2"),
        ("- <#C9> has it", "#c9"),
        ("- @高橋さんに聞く", "@高橋"),
    ] {
        let expected = vec![(Doubt::Stranger, vec![stranger.to_owned()])];
        assert_eq!(doubts(line), expected, "{line}");
    }
}

#[test]
fn a_message_may_be_cited_for_a_line_in_another_language_that_has_its_value() {
    let pairs = [
        (
            "予算は300万円です",
            "The budget is 3 million yen",
            "The budget is 4 million yen",
        ),
        (
            "The launch is on March 22",
            "公開は3月22日です",
            "公開は3月23日です",
        ),
        (
            "We ship v2.4 at 3pm",
            "v2.4を15時に出す",
            "v2.5を16時に出す",
        ),
    ];
    for (text, held, wrong) in pairs {
        let given = Given {
            text,
            author: Some("alice"),
            time: Some(at(0)),
        };
        assert!(may_cite(held, &given), "{held}");
        assert!(!may_cite(wrong, &given), "{wrong}");
    }
    let given = Given {
        text: "予算は承認されました",
        author: Some("alice"),
        time: Some(at(0)),
    };
    assert!(may_cite("The budget was approved", &given));
}
